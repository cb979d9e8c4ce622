// api/revocation: responses whose issuer's certificate was revoked by its authority (RFC 5280 §6.3), over
// HTTP. A publisher on loopback serves the lists to relying parties in test mode.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type IssuerPki,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
} from '../../support/certificates/certificates.ts'
import { makeCrl } from '../../support/certificates/crl.ts'
import { type CrlServer, startCrlServer } from '../../support/certificates/crl-server.ts'
import { MDOC_SIGNER } from '../../support/people/mdoc.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf, certified } from '../../support/people/person.ts'
import type { Presentations } from '../../support/people/wallet.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const SETTINGS = ['off', 'accept_unknown', 'require'] as const
type Setting = (typeof SETTINGS)[number]
const parties = {} as Record<Setting, RelyingParty>
let pki: IssuerPki
let server: CrlServer

beforeAll(async () => {
  ;[pki, server] = await Promise.all([mintIssuerPki(), startCrlServer()])
  const anchor = {
    name: 'Test issuer',
    credential_types: ['age_attestation'],
    assurance_level: 'substantial',
    x509_ca_pem: pki.root.pem,
  }
  for (const certificate_revocation of SETTINGS) {
    const settings = { certificate_revocation, trust_anchors: [anchor] }
    parties[certificate_revocation] = await relyingPartyOf(stage, settings)
  }
})
afterAll(() => server?.close())

/** Returns a document signer whose certificate names this list. */
function signerNaming(url: string, issuer = pki.intermediate) {
  const options = { keys: pki.leaf.keys, serialNumber: '7b', crls: [url], extendedKeyUsage: [MDOC_SIGNER] }
  return mintLeaf(issuer, options)
}

const now = () => Math.floor(Date.now() / 1000)
const crlCheck = (result: string) => ({ id: 'certificate_revocation', clause: 'RFC 5280 §6.3', result })

async function presentBy(
  certificates: Pick<IssuerPki, 'leaf' | 'intermediate'>,
  setting: Setting,
  policy = {},
) {
  const rp = parties[setting]
  const begun = await begin(stage, { ...OVER_18, ...policy }, { rp })
  const answer = await respondWith(begun, await ageOf(stage.person, begun.request, certified(certificates)))
  return { ...answer, session: await rp.poll(begun.session.verification_id), begun }
}

async function respondWith({ request }: Begun, presentations: Presentations) {
  const response = await stage.service.wallet.present(request, presentations)
  return {
    status: response.status,
    body: (await response.json()) as { readonly error?: string },
    retryAfter: response.headers.get('Retry-After'),
  }
}

describe('an issuer’s certificate that names a revocation list', () => {
  it('is accepted if it is not on the list, and the result has the time of the list; one fetch is enough for two responses', async () => {
    const url = server.place()
    const made = now() - 3600
    server.publish(url, await makeCrl(pki.intermediate, made + 86_400, { revoked: ['01'] }))
    const signer = { ...pki, leaf: await signerNaming(url) }
    const answers = await Promise.all([presentBy(signer, 'require'), presentBy(signer, 'accept_unknown')])
    for (const { status, session } of answers) {
      expect(status).toBe(200)
      expect(session).toMatchObject({ status: 'verified', assurance_level: 'substantial' })
      expect(session.trace).toContainEqual(crlCheck('pass'))
      const as_of = new Date(made * 1000).toISOString()
      const step = { step: 'certificate_status', status: 'valid', as_of, level: 'substantial' }
      expect(session.assurance_derivation).toMatchObject([{ step: 'anchor' }, step, {}, {}])
    }
    expect(server.asked(url)).toBe(1)
  })

  it.each(['require', 'accept_unknown'] as const)(
    'is refused with 400 if the list revokes it, and the session stays pending with an attempt: %s',
    async (setting) => {
      const url = server.place()
      server.publish(url, await makeCrl(pki.intermediate, now(), { revoked: ['7b'] }))
      const revoked = await presentBy({ ...pki, leaf: await signerNaming(url) }, setting)
      expect(revoked).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(revoked.session).toMatchObject({ status: 'pending', reason: null, credentials: [] })
      expect(revoked.session.attempts).toMatchObject([{ reason: { code: 'certificate_revoked' } }])
      const good = await ageOf(stage.person, revoked.begun.request, certified(pki))
      expect((await respondWith(revoked.begun, good)).status).toBe(200)
      const after = await parties[setting].poll(revoked.begun.session.verification_id)
      expect(after).toMatchObject({ status: 'verified' })
    },
  )

  it('is refused if its intermediate certificate is revoked', async () => {
    const url = server.place()
    server.publish(url, await makeCrl(pki.root, now(), { revoked: ['1c'] }))
    const { keys } = pki.intermediate
    const intermediate = await mintIntermediate(pki.root, { keys, serialNumber: '1c', crls: [url] })
    const { status, session } = await presentBy({ leaf: pki.leaf, intermediate }, 'require')
    expect([status, session.status]).toEqual([400, 'pending'])
    expect(session.attempts).toMatchObject([{ reason: { code: 'certificate_revoked' } }])
  })
})

describe('a revocation list', () => {
  it('gives 503 with the setting require if it is unavailable, and a good response is then accepted', async () => {
    const url = server.place()
    const { status, body, retryAfter, session, begun } = await presentBy(
      { ...pki, leaf: await signerNaming(url) },
      'require',
    )
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(session).toMatchObject({ status: 'pending', reason: null })
    expect(session.attempts).toMatchObject([
      { reason: { code: 'certificate_status_unavailable', retryable: true } },
    ])
    const good = await ageOf(stage.person, begun.request, certified(pki))
    expect((await respondWith(begun, good)).status).toBe(200)
  })

  it('may be unavailable with the setting accept_unknown, but then the session is verified with level low and certificate_status_unavailable', async () => {
    const signer = { ...pki, leaf: await signerNaming(server.place()) }
    const { status, session } = await presentBy(signer, 'accept_unknown')
    expect(status).toBe(200)
    expect(session).toMatchObject({ status: 'verified', assurance_level: 'low' })
    expect(session.trace).toContainEqual(crlCheck('fail'))
    expect(session.assurance_derivation).toMatchObject([
      { step: 'anchor', level: 'substantial' },
      { step: 'certificate_status_unavailable', level: 'low' },
      { step: 'holder_binding', level: 'low' },
      { step: 'status', level: 'low' },
    ])
  })

  it('keeps a session pending if it is unavailable and level substantial is required, even with the setting accept_unknown', async () => {
    const signer = { ...pki, leaf: await signerNaming(server.place()) }
    const policy = { required_assurance_level: 'substantial' }
    const { status, session } = await presentBy(signer, 'accept_unknown', policy)
    expect([status, session.status]).toEqual([503, 'pending'])
  })

  it('is not fetched with certificate_revocation off, and a session with a revoked certificate is verified', async () => {
    const url = server.place()
    server.publish(url, await makeCrl(pki.intermediate, now(), { revoked: ['7b'] }))
    const { session } = await presentBy({ ...pki, leaf: await signerNaming(url) }, 'off')
    expect(session).toMatchObject({ status: 'verified', assurance_level: 'substantial' })
    expect(session.trace).toContainEqual(crlCheck('skip'))
    expect(JSON.stringify(session.assurance_derivation)).not.toContain('certificate_status')
    expect(server.asked(url)).toBe(0)
  })
})

it('ISO/IEC 18013-5 Annex B.1.4: the service refuses an mdoc with a revoked document signer, and the session stays pending', async () => {
  const person = await makeMdocPerson()
  const url = server.place()
  const { root, intermediate } = person.pki
  server.publish(url, await makeCrl(intermediate, now(), { revoked: ['7b'] }))
  const leaf = await mintLeaf(intermediate, {
    keys: person.pki.leaf.keys,
    serialNumber: '7b',
    crls: [url],
    extendedKeyUsage: [MDOC_SIGNER],
  })
  const revoked = { root, intermediate, leaf, chain: [leaf.der, intermediate.der] }
  const rp = await relyingPartyOf(stage, {
    certificate_revocation: 'require',
    trust_anchors: [person.anchor()],
  })
  const begun = await begin(stage, { ...OVER_18, formats: ['mso_mdoc'] }, { rp })
  const answer = await respondWith(begun, await mdocAgeOf({ ...person, pki: revoked }, begun.request))
  expect(answer.status).toBe(400)
  const session = await rp.poll(begun.session.verification_id)
  expect(session).toMatchObject({
    status: 'pending',
    attempts: [{ reason: { code: 'certificate_revoked' } }],
  })
  expect((await respondWith(begun, await mdocAgeOf(person, begun.request))).status).toBe(200)
})
