// api/dc-api, `org-iso-mdoc`: on our page and on the relying party's, beside OpenID4VP and alone. The wallet
// shares no code with the service.

import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'cborg'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Value } from '../../formats/mdoc/maker.ts'
import { type CertificateOptions, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { type AnnexCTelling, answerAnnexC, deviceResponseFor } from '../../support/people/annex-c-person.ts'
import {
  type AnnexCRequest,
  type ReceivedAnnexC,
  receiveAnnexC,
  requestHashOf,
  sealAnnexC,
  transcriptOf,
} from '../../support/people/annex-c-wallet.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { type MdocPerson, makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf } from '../../support/people/person.ts'
import { readOpenMetrics } from '../../support/reading/open-metrics.ts'
import {
  BASE_URL,
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage()
const SHOP = 'https://shop.example'
const ALONE = { ...OVER_18, protocol: 'iso-18013-7-c' }
const readerRoot = await mintRoot()
let person: MdocPerson
let rp: RelyingParty

beforeAll(async () => {
  person = await makeMdocPerson()
  rp = await shop()
})

function shop(settings: object = {}): Promise<RelyingParty> {
  const trust_anchors = [stage.authority.anchor(), person.anchor()]
  return relyingPartyOf(stage, { origins: [SHOP], trust_anchors, ...settings })
}

/** A page that can use the API: its origin, and a function that posts below the session. */
type Page = {
  readonly origin: string
  readonly post: (path: string, body: unknown) => Promise<Response>
}

/** Our own page in a separate browser. */
function ourPage({ verification_id, client_token }: CreatedSession): Page {
  let cookie = ''
  const post = async (path: string, body: unknown) => {
    const response = await stage.service.fetch(`/v1/verify/${verification_id}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Origin: BASE_URL,
        Cookie: cookie,
        Authorization: `Bearer ${client_token}`,
      },
      body: JSON.stringify(body),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  return { origin: BASE_URL, post }
}

/** A page of the relying party, whose server calls the service. */
function shopPage({ verification_id }: CreatedSession): Page {
  const post = (path: string, body: unknown) =>
    rp.call('POST', `/v1/verify/${verification_id}${path}`, { body })
  return { origin: SHOP, post }
}

type Entries = readonly (AnnexCRequest & DigitalRequest)[]

async function ask(page: Page): Promise<Entries> {
  const asked = await expectStatus(await page.post('/dc-api/request', {}), 200)
  return (asked as { digital: { requests: Entries } }).digital.requests
}

/** Returns the request of `org-iso-mdoc` as the wallet understands it. */
async function askAnnexC(page: Page): Promise<ReceivedAnnexC> {
  const entry = (await ask(page)).find(({ protocol }) => protocol === 'org-iso-mdoc')
  if (entry === undefined) throw new Error('org-iso-mdoc is not offered')
  return receiveAnnexC(entry, page.origin)
}

async function begin(creation: object = ALONE) {
  const session = await rp.create(creation)
  const page = shopPage(session)
  return { session, page, request: await askAnnexC(page) }
}

const PROTOCOLS = ['openid4vp-1.0', 'haip-1.0', 'iso-18013-7-c'] as const

describe.each(PROTOCOLS)('in a session of %s', (protocol) => {
  const creation = { ...OVER_18, protocol }

  it('the service verifies a response from the session page, and the session is bound to the browser of the page', async () => {
    const session = await rp.create(creation)
    const page = ourPage(session)
    const sent = await page.post('/dc-api', await answerAnnexC(person, await askAnnexC(page)))
    expect(await expectStatus(sent, 200)).toMatchObject({ return_url: null })
    const outcome = {
      status: 'verified',
      protocol: 'iso-18013-7-c',
      channel: 'dc_api',
      format: 'mso_mdoc',
      session_binding: 'page',
      checks: { age_over_18: true },
      assurance_level: 'substantial',
    }
    const poll = await rp.poll(session.verification_id)
    expect(poll).toMatchObject(outcome)
    expect(poll.trace).toContainEqual({
      id: 'audience',
      clause: 'ISO/IEC TS 18013-7 Annex C',
      result: 'pass',
    })
    expect((await eventOf(stage, session.verification_id)).event).toMatchObject(outcome)
  })

  it('the service verifies a response from a page of the relying party, and the session is bound to this page', async () => {
    const { page, request } = await begin(creation)
    expect(request).toMatchObject({ version: '1.0', useCases: null, readers: [], allReaders: [] })
    expect(request.documents).toEqual([
      { docType: 'eu.europa.ec.av.1', nameSpaces: { 'eu.europa.ec.av.1': { age_over_18: false } } },
    ])
    const sent = await page.post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(sent, 200)).toMatchObject({
      status: 'verified',
      protocol: 'iso-18013-7-c',
      channel: 'dc_api',
      session_binding: 'relying_party',
    })
  })

  it('the session is rejected if age_over_18 is false in an authentic response', async () => {
    const { page, request } = await begin(creation)
    const sent = await page.post(
      '/dc-api',
      await answerAnnexC(person, request, { values: { age_over_18: false } }),
    )
    expect(await expectStatus(sent, 200)).toMatchObject({
      status: 'rejected',
      reason: { code: 'predicate_false' },
    })
  })
})

describe('the request for org-iso-mdoc', () => {
  it('has a new nonce of 32 bytes and a new key each time', async () => {
    const session = await rp.create(ALONE)
    const page = shopPage(session)
    const requests = [await askAnnexC(page), await askAnnexC(page)]
    const nonces = requests.map(({ nonce }) => Buffer.from(nonce).toString('hex'))
    expect(nonces.map((nonce) => nonce.length)).toEqual([64, 64])
    expect(new Set(nonces).size).toBe(2)
    expect(new Set(requests.map(({ recipient }) => recipient.x)).size).toBe(2)
  })

  it('has intent_to_retain as in the create request, and the session page and the poll response show it', async () => {
    const { session, request } = await begin({ ...ALONE, intent_to_retain: true, locale: 'en' })
    expect(request.documents[0]?.nameSpaces).toEqual({ 'eu.europa.ec.av.1': { age_over_18: true } })
    expect((await rp.poll(session.verification_id)).intent_to_retain).toBe(true)
    const page = await (await stage.service.fetch(session.session_url)).text()
    expect(page).toContain('or older – will be stored')
    const without = await rp.create({ ...ALONE, locale: 'en' })
    expect(await (await stage.service.fetch(without.session_url)).text()).not.toContain('will be stored')
  })

  it('has intent_to_retain for each element as in the query, and the session page shows it', async () => {
    const element = (name: string, intent: object) => ({ path: ['org.iso.18013.5.1', name], ...intent })
    const credential = {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [element('family_name', { intent_to_retain: true }), element('given_name', {})],
    }
    const dcql_query = { credentials: [credential] }
    const { session, request } = await begin({ dcql_query, protocol: 'iso-18013-7-c', locale: 'en' })
    expect(request.documents).toEqual([
      {
        docType: 'org.iso.18013.5.1.mDL',
        nameSpaces: { 'org.iso.18013.5.1': { family_name: true, given_name: false } },
      },
    ])
    const page = await (await stage.service.fetch(session.session_url)).text()
    expect(page.match(/will be stored/g)).toHaveLength(1)
  })

  it('is the only request in a session with Annex C alone, and comes last in a session of OpenID4VP', async () => {
    const protocolsOf = async (creation: object) =>
      (await ask(shopPage(await rp.create(creation)))).map(({ protocol }) => protocol)
    expect(await protocolsOf(ALONE)).toEqual(['org-iso-mdoc'])
    const all = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc']
    expect(await protocolsOf(OVER_18)).toEqual(all)
  })

  it.each([
    ['a format other than mso_mdoc is required', { ...OVER_18, formats: ['dc+sd-jwt'] }],
    [
      'the query allows only certain values',
      {
        dcql_query: {
          credentials: [
            {
              id: 'mdl',
              format: 'mso_mdoc',
              meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
              claims: [{ path: ['org.iso.18013.5.1', 'issuing_country'], values: ['DE'] }],
            },
          ],
        },
      },
    ],
  ])('is absent if %s, and a create request for Annex C alone then gets 422', async (_, creation) => {
    const session = await rp.create(creation)
    const protocols = (await ask(shopPage(session))).map(({ protocol }) => protocol)
    expect(protocols).not.toContain('org-iso-mdoc')
    const refused = await rp.call('POST', '/v1/verify', {
      body: { ...creation, protocol: 'iso-18013-7-c' },
    })
    expect(await expectStatus(refused, 422)).toMatchObject({ code: 'policy_unsatisfiable' })
  })

  it('has version 1.1 and a use case with two alternatives if one of two documents is enough', async () => {
    const creation = { credential_types: ['pid', 'mdl'], scope: ['age_over_18'], protocol: 'iso-18013-7-c' }
    const { page, request } = await begin(creation)
    expect(request.version).toBe('1.1')
    expect(request.useCases).toEqual([{ mandatory: true, documentSets: [[0], [1]] }])
    const one = { without: ['eu.europa.ec.eudi.pid.1'] }
    const sent = await page.post('/dc-api', await answerAnnexC(person, request, one))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified', credential_type: 'mdl' })
  })

  const BOTH = {
    credential_types: ['pid', 'age_attestation'],
    scope: ['age_over_18'],
    credential_match: 'all',
    protocol: 'iso-18013-7-c',
  }

  it('has one use case with both documents if both are required, and a response with only one document is refused', async () => {
    const { session, page, request } = await begin(BOTH)
    expect(request.version).toBe('1.1')
    expect(request.useCases).toEqual([{ mandatory: true, documentSets: [[0, 1]] }])
    const document_errors = { 'eu.europa.ec.av.1': 0 }
    const half = await answerAnnexC(person, request, {
      without: ['eu.europa.ec.av.1'],
      response: (one) => {
        one.documentErrors = [document_errors]
      },
    })
    expect(await expectStatus(await page.post('/dc-api', half), 400)).toMatchObject({
      errors: [{ code: 'query_not_satisfied' }],
    })
    const reason = { code: 'query_not_satisfied' }
    expect((await rp.poll(session.verification_id)).attempts).toMatchObject([{ reason, document_errors }])
    const sent = await page.post('/dc-api', await answerAnnexC(person, request))
    const verified = (await expectStatus(sent, 200)) as { credentials: object[] }
    expect(verified).toMatchObject({ status: 'verified' })
    expect(verified.credentials).toHaveLength(2)
  })

  it('leads to a rejected session if the same holder key is required, but the two documents have different keys', async () => {
    const strict = { ...BOTH, require_same_holder_key: true }
    const same = await begin(strict)
    const good = await same.page.post('/dc-api', await answerAnnexC(person, same.request))
    expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified', same_holder_key: true })
    const { page, request } = await begin(strict)
    const documents: Value[] = []
    const keep = (one: Fields) => void documents.push(...(one.documents as Value[]))
    const other = { ...person, device: otherDevice() }
    deviceResponseFor(other, request, { without: ['eu.europa.ec.av.1'], response: keep })
    const mixed = await answerAnnexC(person, request, {
      without: ['eu.europa.ec.eudi.pid.1'],
      response: (one) => {
        one.documents = [...(one.documents as Value[]), ...documents]
      },
    })
    expect(await expectStatus(await page.post('/dc-api', mixed), 200)).toMatchObject({
      status: 'rejected',
      reason: { code: 'holder_key_mismatch' },
    })
  })
})

describe('reader authentication', () => {
  async function reader(name: string, domains: readonly string[], options: CertificateOptions = {}) {
    const leaf = await mintLeaf(readerRoot, {
      subject: `CN=${name}`,
      extendedKeyUsage: ['1.0.18013.5.1.6'],
      ...options,
    })
    const { kty, crv, x, y, d } = leaf.privateJwk
    return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem, domains }
  }

  async function askedWith(reader_certificates: readonly object[]) {
    const party = await shop({ verifier: { reader_certificates } })
    const { verification_id } = await party.create(ALONE)
    const post = (path: string, body: unknown) =>
      party.call('POST', `/v1/verify/${verification_id}${path}`, { body })
    return { party, post, request: await askAnnexC({ origin: SHOP, post }) }
  }

  it('reader authentication with one certificate for the origin covers each document request, and the response verifies', async () => {
    const elsewhere = await reader('Elsewhere', ['elsewhere.example'])
    const { post, request } = await askedWith([elsewhere, await reader('Shop', ['shop.example'])])
    expect(request).toMatchObject({ version: '1.0', readers: ['CN=Shop'], allReaders: [] })
    const sent = await post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
  })

  it('reader authentication with several certificates covers all document requests together, in version 1.1, and the response verifies', async () => {
    const { post, request } = await askedWith([
      await reader('Old', ['shop.example']),
      await reader('New', ['a.example', 'shop.example']),
    ])
    const readers = { readers: ['CN=Old'], allReaders: ['CN=Old', 'CN=New'] }
    expect(request).toMatchObject({ version: '1.1', ...readers })
    const sent = await post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
  })

  it('is absent if the certificate is for another domain, and the response still verifies', async () => {
    const { post, request } = await askedWith([await reader('Elsewhere', ['elsewhere.example'])])
    expect(request).toMatchObject({ version: '1.0', readers: [], allReaders: [] })
    const sent = await post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
  })

  it('is shown in the settings without its keys, and is removed if `verifier` is set to null', async () => {
    const { party } = await askedWith([await reader('Shop', ['shop.example'])])
    const shown = (await expectStatus(await party.call('GET', '/v1/relying_party'), 200)) as object
    expect(JSON.stringify(shown)).not.toMatch(/"d"|signing_jwk/)
    expect(shown).toMatchObject({
      verifier: { certificate_chain_pem: null, reader_certificates: [{ domains: ['shop.example'] }] },
    })
    const removed = await party.call('PATCH', '/v1/relying_party', { body: { verifier: null } })
    expect(await expectStatus(removed, 200)).toMatchObject({ verifier: null })
  })

  it('has a certificate whose expiry is in the operator’s list of certificates, in /readyz and in the metrics', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000)
    const { party } = await askedWith([await reader('Short', ['shop.example'], { notAfter })])
    const expires = notAfter.toISOString()
    const list = (await expectStatus(await stage.service.admin('GET', '?limit=100'), 200)) as {
      relying_parties: { relying_party_id: string; verifier_certificate_expires_at: string }[]
    }
    const row = list.relying_parties.find((one) => one.relying_party_id === party.relying_party_id)
    expect(row?.verifier_certificate_expires_at).toBe(expires)
    const ready = (await expectStatus(await stage.service.fetch('/readyz'), 200)) as { warnings: object[] }
    expect(ready.warnings).toContainEqual(
      expect.objectContaining({ code: 'relying_party_certificate_expires_soon', expires_at: expires }),
    )
    const token = readFileSync(join(stage.service.server.stateDir, 'keys', 'metrics-token'), 'utf8')
    const metrics = await stage.service.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } })
    const families = readOpenMetrics(await metrics.text())
    const family = families.find(({ name }) => name === 'wallet_verifier_certificate_expires_in_seconds')
    const sample = family?.samples.find(({ labels }) => labels.of === 'relying_parties')
    expect(sample?.value).toBeGreaterThan(0)
    expect(sample?.value).toBeLessThanOrEqual(86_400)
  })
})

describe('a session with Annex C alone', () => {
  it('has no QR code, no link, no request of OpenID4VP and no values in request_options', async () => {
    const session = await rp.create(ALONE)
    expect(session).toMatchObject({ qr_code: null, wallet_request: null })
    const poll = await rp.poll(session.verification_id)
    expect(poll.request_options).toEqual({
      client_id_prefix: null,
      response_mode: null,
      request_uri_method: null,
    })
    for (const path of ['/qr', '/openid4vp']) {
      const refused = await rp.call('GET', `/v1/verify/${session.verification_id}${path}`)
      expect(await expectStatus(refused, 409)).toMatchObject({ code: 'redirect_not_offered' })
    }
    const link = await ourPage(session).post('/link', {})
    expect(await expectStatus(link, 409)).toMatchObject({ code: 'redirect_not_offered' })
  })

  it.each([
    [{ request_options: { response_mode: 'direct_post' } }, '/request_options/response_mode'],
    [{ request_options: { client_id_prefix: 'x509_hash' } }, '/request_options/client_id_prefix'],
    [{ request_options: { request_uri_method: 'get' } }, '/request_options/request_uri_method'],
    [{ transaction_data: [{ type: 'urn:eudi:sca:payment:1', payload: {} }] }, '/transaction_data'],
  ])('cannot be created with %j: the create request gets 422', async (member, pointer) => {
    const refused = await rp.call('POST', '/v1/verify', { body: { ...ALONE, ...member } })
    const { errors } = (await expectStatus(refused, 422)) as { errors: { pointer: string }[] }
    expect(errors.map((error) => error.pointer)).toContainEqual(expect.stringContaining(pointer))
  })

  it('stays pending after a call for an outcome of the test wallet, which gets 409', async () => {
    const { verification_id } = await rp.create(ALONE)
    const path = `/v1/test/verify/${verification_id}/outcome`
    const refused = await rp.call('POST', path, { body: { reason: 'verified' } })
    expect(await expectStatus(refused, 409)).toMatchObject({ code: 'redirect_not_offered' })
    expect((await rp.poll(verification_id)).status).toBe('pending')
  })

  it('has a session page without a QR code', async () => {
    const session = await rp.create(ALONE)
    const page = await stage.service.fetch(session.session_url)
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain('dc-api')
    expect(text).not.toContain('data:image/svg+xml')
  })

  it('has a receipt with the origin in place of a Client Identifier', async () => {
    const session = await rp.create(ALONE)
    const page = shopPage(session)
    const [entry] = await ask(page)
    const request = receiveAnnexC(entry as AnnexCRequest, SHOP)
    // A newer request of another key: the hash must be the hash of the answered request.
    await ask(page)
    await expectStatus(await page.post('/dc-api', await answerAnnexC(person, request)), 200)
    const receipt = await rp.call('GET', `/v1/verify/${session.verification_id}/receipt`)
    const [, payload = ''] = (await receipt.text()).split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      client_id: `origin:${SHOP}`,
      protocol: 'iso-18013-7-c',
      channel: 'dc_api',
      request_hash: requestHashOf(entry as AnnexCRequest, SHOP),
    })
  })
})

/** A response that an attacker or a broken wallet sends. */
type Hostile = (world: {
  readonly session: CreatedSession
  readonly page: Page
  readonly request: ReceivedAnnexC
  readonly entry: AnnexCRequest
}) => Promise<unknown> | unknown

const answer =
  (telling: AnnexCTelling | ((request: ReceivedAnnexC) => AnnexCTelling)): Hostile =>
  ({ request }) =>
    answerAnnexC(person, request, typeof telling === 'function' ? telling(request) : telling)

/** The response to a changed request, in the envelope and in the signature of the device. */
const answerTo =
  (change: (request: ReceivedAnnexC) => Partial<ReceivedAnnexC>): Hostile =>
  ({ request }) =>
    answerAnnexC(person, { ...request, ...change(request) })

/** The device signs another transcript than the transcript that the envelope is sealed for. */
const signedFor =
  (transcript: (world: { entry: AnnexCRequest; request: ReceivedAnnexC }) => unknown): Hostile =>
  (world) =>
    answerAnnexC(person, world.request, { changes: { transcript: transcript(world) as never } })

const otherKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) as JsonWebKey
const otherDevice = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JsonWebKey
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
const EVIL = 'https://evil.example'
const HANDOVER = Buffer.alloc(32, 7)

const HOSTILE: readonly (readonly [string, Hostile, string])[] = [
  [
    'sealed for another origin',
    ({ entry, request }) => answerAnnexC(person, { ...request, ...receiveAnnexC(entry, EVIL) }),
    'decryption_failed',
  ],
  [
    'that the device signed for another origin',
    signedFor(({ entry }) => transcriptOf(entry.data.encryptionInfo, EVIL)),
    'invalid_holder_signature',
  ],
  [
    'of another session',
    async () => {
      const other = await begin()
      return answerAnnexC(person, other.request)
    },
    'decryption_failed',
  ],
  [
    'that the device signed for another session',
    async ({ request }) => {
      const other = await begin()
      return answerAnnexC(person, request, { changes: { transcript: other.request.transcript as never } })
    },
    'invalid_holder_signature',
  ],
  [
    'that the device signed for another request of the page',
    async ({ page, request }) => {
      const { transcript } = await askAnnexC(page)
      return answerAnnexC(person, request, { changes: { transcript: transcript as never } })
    },
    'invalid_holder_signature',
  ],
  [
    'with the element in another namespace',
    answerTo(({ documents }) => ({
      documents: documents.map((one) => ({
        ...one,
        nameSpaces: { 'org.iso.18013.5.1': { age_over_18: false } },
      })),
    })),
    'query_not_satisfied',
  ],
  ['sealed to another key', answerTo(() => ({ recipient: otherKey() })), 'decryption_failed'],
  [
    'with the enc of another response',
    async ({ request }) => {
      let enc = new Uint8Array()
      const keep = (one: { readonly enc: Uint8Array }) => {
        enc = Uint8Array.from(one.enc)
        return one
      }
      await answerAnnexC(person, request, { sealing: { envelope: keep } })
      return answerAnnexC(person, request, { sealing: { envelope: (one) => ['dcapi', { ...one, enc }] } })
    },
    'decryption_failed',
  ],
  ['sealed with AES-256-GCM', answer({ sealing: { suite: 'AES-256-GCM' } }), 'decryption_failed'],
  ['sealed with X25519', answer({ sealing: { suite: 'X25519' } }), 'unsupported_encryption'],
  [
    'with a shortened authentication tag',
    answer({
      sealing: { envelope: (one) => ['dcapi', { ...one, cipherText: one.cipherText.subarray(0, -1) }] },
    }),
    'decryption_failed',
  ],
  [
    'whose info is wrapped in tag 24',
    answer(({ transcript }) => {
      const bytes = encode(transcript)
      return { sealing: { info: Buffer.concat([Buffer.of(0xd8, 0x18, 0x58, bytes.length), bytes]) } }
    }),
    'decryption_failed',
  ],
  [
    'sealed for another handover',
    answerTo(() => ({ transcript: [null, null, ['dcapi2', HANDOVER]] })),
    'decryption_failed',
  ],
  [
    'that the device signed for the handover of OpenID4VP',
    signedFor(({ request }) => [null, null, ['OpenID4VPDCAPIHandover', request.transcript[2][1]]]),
    'invalid_holder_signature',
  ],
  [
    'of another holder',
    answer({
      holder: otherDevice(),
    }),
    'invalid_holder_signature',
  ],
  [
    'with a document that was not requested',
    ({ request }) =>
      answerAnnexC(person, {
        ...request,
        documents: [
          ...request.documents,
          { docType: 'org.iso.18013.5.1.mDL', nameSpaces: { 'org.iso.18013.5.1': { age_over_18: false } } },
        ],
        useCases: [],
      }),
    'unknown_credential_query',
  ],
  [
    'with two documents for one that was requested',
    ({ request }) =>
      answerAnnexC(person, {
        ...request,
        documents: [...request.documents, ...request.documents],
        useCases: [],
      }),
    'wrong_presentation_count',
  ],
  ['without a document', answer({ response: (one) => void delete one.documents }), 'document_not_returned'],
  [
    'with deep CBOR in the envelope',
    answer({ sealing: { envelope: (one) => ['dcapi', { ...one, more: deep(100) }] } }),
    'limit_exceeded',
  ],
  [
    'with deep CBOR in the response',
    ({ request }) =>
      sealAnnexC(request, encode({ version: '1.0', documents: deep(100), status: 0 } as never)),
    'limit_exceeded',
  ],
  [
    'with a duplicate key in the envelope',
    () => ({
      protocol: 'org-iso-mdoc',
      data: {
        response: Buffer.from(
          '82656463617069a363656e63416363656e6341636a6369706865725465787440',
          'hex',
        ).toString('base64url'),
      },
    }),
    'malformed_response',
  ],
  [
    'with a duplicate key in the response',
    ({ request }) => sealAnnexC(request, Buffer.from('a2616101616101', 'hex')),
    'malformed_credential',
  ],
  ['that is not CBOR', ({ request }) => sealAnnexC(request, Buffer.of(0xff)), 'malformed_credential'],
]

describe('a response', () => {
  it.each(HOSTILE)(
    'a response %s is refused with the expected reason, and a good response then verifies',
    async (_, make, reason) => {
      const session = await rp.create(ALONE)
      const page = shopPage(session)
      const [entry] = await ask(page)
      const request = receiveAnnexC(entry as AnnexCRequest, page.origin)
      const bad = await make({ session, page, request, entry: entry as AnnexCRequest })
      expect(await expectStatus(await page.post('/dc-api', bad), 400)).toMatchObject({
        code: 'presentation_refused',
        errors: [{ pointer: '/data', code: reason }],
      })
      const { status, attempts } = await rp.poll(session.verification_id)
      expect([status, attempts.map((attempt) => [attempt.channel, attempt.reason.code])]).toEqual([
        'pending',
        [['dc_api', reason]],
      ])
      const good = await page.post('/dc-api', await answerAnnexC(person, request))
      expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified' })
    },
  )

  it('a response to a request verifies even after one newer request of the same page', async () => {
    const session = await rp.create(ALONE)
    const page = shopPage(session)
    const older = await askAnnexC(page)
    await askAnnexC(page)
    const sent = await page.post('/dc-api', await answerAnnexC(person, older))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
  })

  it('a response to a request is refused after 33 newer requests of the same page', async () => {
    const session = await rp.create(ALONE)
    const page = shopPage(session)
    const oldest = await askAnnexC(page)
    for (let i = 0; i < 33; i++) await ask(page)
    const sent = await page.post('/dc-api', await answerAnnexC(person, oldest))
    expect(await expectStatus(sent, 400)).toMatchObject({ errors: [{ code: 'decryption_failed' }] })
    const good = await page.post('/dc-api', await answerAnnexC(person, await askAnnexC(page)))
    expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified' })
  })

  it('a response to a request of the session page is refused if another page or another browser sends it', async () => {
    const session = await rp.create(ALONE)
    const own = ourPage(session)
    const request = await askAnnexC(own)
    const credential = await answerAnnexC(person, request)
    const elsewhere = shopPage(session)
    expect(await expectStatus(await elsewhere.post('/dc-api', credential), 400)).toMatchObject({
      errors: [{ code: 'request_superseded' }],
    })
    await askAnnexC(elsewhere)
    expect(await expectStatus(await elsewhere.post('/dc-api', credential), 400)).toMatchObject({
      errors: [{ code: 'decryption_failed' }],
    })
    expect((await ourPage(session).post('/dc-api', credential)).status).toBe(400)
    expect((await own.post('/dc-api', credential)).status).toBe(200)
  })

  it('a response is refused if it names the wrong protocol, and a good response then verifies', async () => {
    const session = await rp.create({ ...OVER_18, formats: ['mso_mdoc'] })
    const page = shopPage(session)
    const entries = await ask(page)
    const [signed] = entries
    const request = receiveAnnexC(
      entries.find((one) => one.protocol === 'org-iso-mdoc') as AnnexCRequest,
      SHOP,
    )
    const browser = { origin: SHOP, ...stage.service }
    const received = await receiveDigital(signed as DigitalRequest, browser)
    const openid = await respondDigital(
      received,
      await mdocAgeOf(person, received, { origin: SHOP }),
      browser,
    )
    const iso = await answerAnnexC(person, request)
    for (const bad of [
      { ...openid, protocol: 'org-iso-mdoc' },
      { ...iso, protocol: 'openid4vp-v1-signed' },
      { ...iso, protocol: 'openid4vp-v1-unsigned' },
    ]) {
      expect(await expectStatus(await page.post('/dc-api', bad), 400)).toMatchObject({
        errors: [{ code: 'malformed_response' }],
      })
    }
    expect(await expectStatus(await page.post('/dc-api', iso), 200)).toMatchObject({ status: 'verified' })
    const late = await page.post('/dc-api', openid)
    expect(await expectStatus(late, 409)).toMatchObject({ code: 'verification_already_terminal' })
  })

  it('a response of Annex C gets 409 if a response of OpenID4VP has already ended the session', async () => {
    const session = await rp.create(OVER_18)
    const page = shopPage(session)
    const entries = await ask(page)
    const request = receiveAnnexC(entries[2] as AnnexCRequest, SHOP)
    const browser = { origin: SHOP, ...stage.service }
    const received = await receiveDigital(entries[0] as DigitalRequest, browser)
    const telling = { audience: `origin:${SHOP}` }
    const openid = await respondDigital(received, await ageOf(stage.person, received, telling), browser)
    expect(await expectStatus(await page.post('/dc-api', openid), 200)).toMatchObject({
      status: 'verified',
      protocol: 'openid4vp-1.0',
    })
    expect((await page.post('/dc-api', await answerAnnexC(person, request))).status).toBe(409)
  })

  it('a response of OpenID4VP is refused in a session with Annex C alone', async () => {
    const { session, page, request } = await begin()
    const data = { vp_token: { a: ['b'] } }
    const bad = await page.post('/dc-api', { protocol: 'openid4vp-v1-unsigned', data })
    expect(await expectStatus(bad, 400)).toMatchObject({ errors: [{ code: 'malformed_response' }] })
    const body = new URLSearchParams({ error: 'access_denied', state: 'x' })
    const path = `/v1/verify/${session.verification_id}/callback`
    expect((await stage.service.fetch(path, { method: 'POST', body })).status).toBe(400)
    const good = await page.post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified' })
  })

  it('is refused in a session that does not offer org-iso-mdoc', async () => {
    const { request } = await begin()
    const page = shopPage(await rp.create({ ...OVER_18, formats: ['dc+sd-jwt'] }))
    await ask(page)
    const sent = await page.post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(sent, 400)).toMatchObject({ errors: [{ code: 'malformed_response' }] })
  })

  it('gets the identical result if it is sent again, and a different response is refused as too late', async () => {
    const { page, request } = await begin()
    const credential = await answerAnnexC(person, request)
    const results = [await page.post('/dc-api', credential), await page.post('/dc-api', credential)]
    const [first, second] = await Promise.all(results.map((result) => expectStatus(result, 200)))
    expect(second).toEqual(first)
    const other = await page.post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(other, 409)).toMatchObject({ code: 'verification_already_terminal' })
  })

  it('gets the identical result on the session page if it is sent again', async () => {
    const page = ourPage(await rp.create(ALONE))
    const credential = await answerAnnexC(person, await askAnnexC(page))
    const first = await expectStatus(await page.post('/dc-api', credential), 200)
    expect(await expectStatus(await page.post('/dc-api', credential), 200)).toEqual(first)
  })

  it('is accepted only once if two responses arrive at the same time', async () => {
    const { page, request } = await begin()
    const credentials = await Promise.all([answerAnnexC(person, request), answerAnnexC(person, request)])
    const sent = await Promise.all(credentials.map((credential) => page.post('/dc-api', credential)))
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  it('a response of 2 MiB is refused with 413, and a good response then verifies', async () => {
    const { page, request } = await begin()
    const large = { protocol: 'org-iso-mdoc', data: { response: 'A'.repeat(2 * 1024 * 1024) } }
    expect((await page.post('/dc-api', large)).status).toBe(413)
    const good = await page.post('/dc-api', await answerAnnexC(person, request))
    expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified' })
  })

  it('a response whose device MAC was made for the key of the request verifies', async () => {
    const { page, request } = await begin()
    const readerKey = createPublicKey({ key: request.recipient, format: 'jwk' })
    const response = deviceResponseFor(person, request, { readerKey })
    const sent = await page.post('/dc-api', await sealAnnexC(request, response))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
  })
})
