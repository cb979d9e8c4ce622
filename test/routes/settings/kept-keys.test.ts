// A change of `verifier` that leaves out private keys: the stored keys of the same leaf certificates stay.

import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { createApp } from '../../../src/routes/app.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
const app = createApp()
const root = await mintRoot()
const issuer = await mintIntermediate(root)
const until = new Date(NOW + DAY)
const READER = { extendedKeyUsage: ['1.0.18013.5.1.6'] }
const [OWN, APPLE, GOOGLE, NEW] = (
  await Promise.all([
    mintLeaf(root, {
      subject: 'CN=Shop,O=Shop',
      altNames: ['shop.example', 'www.shop.example'].map((value) => ({ type: 'dns' as const, value })),
      notAfter: until,
    }),
    mintLeaf(issuer, { notAfter: until }),
    mintLeaf(root),
    mintLeaf(root),
  ])
).map(identityOf) as [Identity, Identity, Identity, Identity]
const SITE = { ...identityOf(await mintLeaf(root, READER)), domains: ['shop.example'] }

type Identity = ReturnType<typeof identityOf>
type Body = Readonly<Record<string, unknown>>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns an identity without its private key. */
const bare = <One extends { readonly signing_jwk: unknown }>({ signing_jwk: _, ...shown }: One) => shown

async function party() {
  const { relying_party_id: id, api_key } = await createRelyingParty({
    verifier: { ...OWN, further: [APPLE, GOOGLE], reader_certificates: [SITE] },
  })
  const headers = { Authorization: `Bearer ${api_key}` }
  const own = (method: string, body?: Body) => call(app, method, '/v1/relying_party', { headers, body })
  const byOperator = (body: Body) =>
    call(app, 'PATCH', `/v1/admin/relying_parties/${id}`, { headers: ADMIN, body })
  return { id, own, byOperator, stub: relyingPartyStub(env, id)! }
}

/** Returns the private keys of the stored settings: of verifier, of further identities, and of readers. */
async function keysOf({ stub }: Pick<Awaited<ReturnType<typeof party>>, 'stub'>) {
  const settings = await stub.settings()
  if (!settings.ok) throw new Error(settings.error)
  const { verifier, further_verifiers = [], reader_certificates = [] } = settings.value
  return [[...(verifier ? [verifier] : [])], further_verifiers, reader_certificates].map((list) =>
    list.map(({ signing_jwk }) => signing_jwk.d),
  )
}
const d = ({ signing_jwk }: Identity) => signing_jwk.d

async function errorsOf(response: Response) {
  expect(response.status).toBe(400)
  const { errors } = await json(response)
  return errors.map(({ pointer, message }: Record<string, string>) => `${pointer} ${message}`)
}

const NOT_STORED =
  'is required, because no stored certificate of verifier equals the first certificate of this chain'

describe('a change of verifier without private keys', () => {
  it.each(['own', 'byOperator'] as const)(
    'keeps the stored keys for any order of the identities, by the route %s',
    async (route) => {
      const rp = await party()
      const verifier = {
        ...bare(OWN),
        further: [bare(GOOGLE), bare(APPLE)],
        reader_certificates: [{ ...bare(SITE), domains: ['www.shop.example'] }],
      }
      const response = await (route === 'own' ? rp.own('PATCH', { verifier }) : rp.byOperator({ verifier }))
      expect(response.status).toBe(200)
      const text = await response.text()
      for (const one of [OWN, APPLE, GOOGLE, SITE]) expect(text).not.toContain(d(one))
      expect(JSON.parse(text).verifier.further).toMatchObject([bare(GOOGLE), bare(APPLE)])
      expect(await keysOf(rp)).toEqual([[d(OWN)], [d(GOOGLE), d(APPLE)], [d(SITE)]])
    },
  )

  it('can replace a further identity, remove one, and make one the first identity', async () => {
    const rp = await party()
    const replaced = { ...bare(OWN), further: [bare(APPLE), NEW] }
    expect((await rp.own('PATCH', { verifier: replaced })).status).toBe(200)
    expect(await keysOf(rp)).toEqual([[d(OWN)], [d(APPLE), d(NEW)], []])
    expect(
      await errorsOf(await rp.own('PATCH', { verifier: { ...bare(OWN), further: [bare(GOOGLE)] } })),
    ).toEqual([`/verifier/further/0/signing_jwk ${NOT_STORED}`])
    const moved = { ...bare(NEW), further: [bare(OWN)] }
    expect((await rp.own('PATCH', { verifier: moved })).status).toBe(200)
    expect(await keysOf(rp)).toEqual([[d(NEW)], [d(OWN)], []])
  })

  it('is refused with an error for the missing member if a certificate is not stored, and changes nothing', async () => {
    const rp = await party()
    const before = await keysOf(rp)
    const wrong = { ...bare(NEW), further: [bare(APPLE)], reader_certificates: [bare(SITE)] }
    expect(await errorsOf(await rp.own('PATCH', { verifier: wrong }))).toEqual([
      `/verifier/signing_jwk ${NOT_STORED}`,
    ])
    const second = { ...bare(OWN), further: [bare(APPLE), bare(NEW)] }
    expect(await errorsOf(await rp.own('PATCH', { verifier: second }))).toEqual([
      `/verifier/further/1/signing_jwk ${NOT_STORED}`,
    ])
    const site = { ...bare(SITE), certificate_chain_pem: NEW.certificate_chain_pem }
    expect(await errorsOf(await rp.own('PATCH', { verifier: { reader_certificates: [site] } }))).toContain(
      `/verifier/reader_certificates/0/signing_jwk ${NOT_STORED}`,
    )
    const swapped = { ...bare(OWN), further: [{ ...APPLE, signing_jwk: GOOGLE.signing_jwk }] }
    expect(await errorsOf(await rp.own('PATCH', { verifier: swapped }))).toEqual([
      '/verifier/further/0/certificate_chain_pem must begin with the certificate of signing_jwk',
    ])
    expect(await keysOf(rp)).toEqual(before)
  })

  it('adds the certificate of the issuer to a stored leaf, but is refused with a certificate of another issuer', async () => {
    const rp = await party()
    const chain = (pem: string) => ({
      ...bare(APPLE),
      certificate_chain_pem: APPLE.certificate_chain_pem + pem,
    })
    const longer = { ...bare(OWN), further: [chain(issuer.pem), bare(GOOGLE)] }
    expect((await rp.own('PATCH', { verifier: longer })).status).toBe(200)
    expect(await keysOf(rp)).toEqual([[d(OWN)], [d(APPLE), d(GOOGLE)], []])
    const stranger = await mintIntermediate(await mintRoot())
    expect(
      await errorsOf(await rp.own('PATCH', { verifier: { ...bare(OWN), further: [chain(stranger.pem)] } })),
    ).toEqual(['/verifier/further/0/certificate_chain_pem must have each certificate issued by the next'])
  })

  it('keeps an expired stored chain, but is refused if it sends this chain with its private key or with one more certificate', async () => {
    const rp = await party()
    vi.setSystemTime(NOW + 2 * DAY)
    const kept = { ...bare(OWN), further: [bare(APPLE), NEW] }
    expect((await rp.own('PATCH', { verifier: kept })).status).toBe(200)
    expect(await keysOf(rp)).toEqual([[d(OWN)], [d(APPLE), d(NEW)], []])
    const outdated = 'must contain only certificates that are valid now'
    const longer = { ...bare(APPLE), certificate_chain_pem: APPLE.certificate_chain_pem + issuer.pem }
    for (const entry of [APPLE, longer])
      expect(await errorsOf(await rp.own('PATCH', { verifier: { ...bare(OWN), further: [entry] } }))).toEqual(
        [`/verifier/further/0/certificate_chain_pem ${outdated}`],
      )
  })

  it('is refused if another change has removed the certificate meanwhile, and leaves that change as it is', async () => {
    const rp = await party()
    const verifier = { ...bare(OWN), further: [bare(APPLE)], reader_certificates: [bare(SITE)] }
    // The service reads the settings before it reads the body. The other change is made between these reads.
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await rp.stub.update({ further_verifiers: [] })
          controller.enqueue(new TextEncoder().encode(JSON.stringify({ verifier })))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { ...ADMIN, 'Content-Type': 'application/json' }
    const path = `/v1/admin/relying_parties/${rp.id}`
    const response = await app.request(
      path,
      { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit,
      env,
    )
    expect(await errorsOf(response)).toEqual([
      '/verifier must have each signing_jwk: another change has removed a certificate. Read the settings again',
    ])
    expect(await keysOf(rp)).toEqual([[d(OWN)], [], [d(SITE)]])
    expect((await rp.own('PATCH', { verifier: { ...bare(OWN), further: [APPLE] } })).status).toBe(200)
    expect(await keysOf(rp)).toEqual([[d(OWN)], [d(APPLE)], []])
  })

  it('adds no key to the DID document and no entry to the audit log if it changes nothing', async () => {
    const rp = await party()
    const verifier = { ...bare(OWN), further: [bare(APPLE), bare(GOOGLE)], reader_certificates: [bare(SITE)] }
    for (let i = 0; i < 20; i++) expect((await rp.own('PATCH', { verifier })).status).toBe(200)
    const keys = await rp.stub.verifierKeys()
    expect(keys).toMatchObject({ ok: true, value: [{ x: OWN.signing_jwk.x }] })
    const log = await json(call(app, 'GET', '/v1/audit', { headers: await headersOf(rp) }))
    expect(log.entries.map(({ action }: { action: string }) => action)).toEqual([
      'api_key.created',
      'relying_party.created',
    ])
  })
})

async function headersOf({ id }: { readonly id: string }) {
  const grant = { scopes: ['settings:manage'] }
  const path = `/v1/admin/relying_parties/${id}/api_keys`
  const { api_key } = await json(call(app, 'POST', path, { headers: ADMIN, body: grant }))
  return { Authorization: `Bearer ${api_key}` }
}

describe('a creation', () => {
  it('needs every private key', async () => {
    const body = { name: 'Shop', verifier: { ...bare(OWN), further: [bare(APPLE)] } }
    const response = await call(app, 'POST', '/v1/admin/relying_parties', { headers: ADMIN, body })
    expect(await errorsOf(response)).toEqual([
      '/verifier/further/0/signing_jwk This member is required.',
      '/verifier/signing_jwk This member is required.',
    ])
  })
})

describe('the settings', () => {
  it('have the subject, the names, the times and the fingerprint of each certificate', async () => {
    const rp = await party()
    const { verifier } = await json(rp.own('GET'))
    const der = Buffer.from(OWN.certificate_chain_pem.replace(/-----.*-----|\s/g, ''), 'base64')
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', der)).toString('hex')
    expect(verifier.certificate).toEqual({
      subject: 'O=Shop,CN=Shop',
      dns_names: ['shop.example', 'www.shop.example'],
      valid_from: expect.stringMatching(/Z$/),
      expires_at: until.toISOString(),
      sha256: digest,
    })
    expect(verifier.further.map(({ certificate }: Body) => (certificate as Body).expires_at)).toHaveLength(2)
    const readers = await createRelyingParty({ verifier: { reader_certificates: [SITE] } })
    const alone = await json(
      call(app, 'GET', '/v1/relying_party', { headers: { Authorization: `Bearer ${readers.api_key}` } }),
    )
    expect(alone.verifier).toMatchObject({ certificate_chain_pem: null, certificate: null })
  })
})
