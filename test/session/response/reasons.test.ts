// Every reason of the catalogue, reached through the callback by one change in a good response. Afterwards
// the session is checked (api/outcome). A response that is not authentic leaves it pending, and the good
// response still succeeds.

import { runInDurableObject } from 'cloudflare:test'
import { encode as encodeCbor } from 'cborg'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../src/codec/base64url.ts'
import { REASONS, type ReasonCode } from '../../../src/session/document/reasons.ts'
import { makeHandle } from '../../../src/session/request/handles.ts'
import {
  type CertificateOptions,
  type IssuerPki,
  mintCertificate,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
} from '../../support/certificates/certificates.ts'
import { makeCrl } from '../../support/certificates/crl.ts'
import {
  alter,
  encodeDisclosure,
  type KeyPair,
  makeKey,
  type Parts,
  signJwt,
} from '../../support/people/issuer.ts'
import { encryptResponse } from '../../support/people/wallet.ts'
import {
  ask,
  createSession,
  encryptionKeyOf,
  fetchRequest,
  goodResponse,
  poll,
  post,
  presentation,
  type Setting,
  setUp,
  stubOf,
  type WalletRequest,
} from '../driver.ts'
import { FAMILY_OF } from './refusal-families.ts'

type Parameters = Record<string, string>
/** A good response with one change. */
type Fault = (request: WalletRequest, good: Parameters) => Parameters | Promise<Parameters>
type Change = (parts: Parts & { payload: Record<string, unknown>; header: Record<string, unknown> }) => void

let setting: Setting
let pki: IssuerPki
let stranger: KeyPair
const METADATA_ISSUER = 'https://metadata.example.com'

beforeAll(async () => {
  pki = await mintIssuerPki()
  stranger = await makeKey()
  const age = { credential_types: ['age_attestation'], assurance_level: 'high' }
  setting = await setUp({ certificate_revocation: 'require' }, [
    { name: 'Authority', ...age, x509_ca_pem: pki.root.pem },
    { name: 'By metadata', ...age, issuer_url: METADATA_ISSUER },
  ])
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const now = () => Math.floor(Date.now() / 1000)
const inThePast = () => now() - 3600
const token = (...presentations: unknown[]) => JSON.stringify({ age_attestation: presentations })

/** One change in the presentation, which is then signed again. */
const changed =
  (change: Change): Fault =>
  async (request) => {
    const presented = await alter(await presentation(setting, request), setting, change)
    return { vp_token: token(presented), state: request.state }
  }

/** One change in the payload of the issuer. */
const claims = (change: Record<string, unknown>): Fault =>
  changed((parts) => {
    Object.assign(parts.payload, change)
  })

/** One change in the payload of the holder. */
const kb = (change: Record<string, unknown>): Fault =>
  changed((parts) => {
    Object.assign(parts.kb?.payload ?? {}, change)
  })

/** Signed by the authority's leaf, with another chain. */
const chained =
  (change: (pki: IssuerPki) => readonly string[] | Promise<readonly string[]>): Fault =>
  async (request) => {
    const x5c = await change(pki)
    const issuer = { alg: 'ES256', privateJwk: pki.leaf.privateJwk } as KeyPair
    const presented = await alter(await presentation(setting, request), setting, (parts) => {
      Object.assign(parts.header, { x5c })
      delete parts.payload.iss
      parts.issuer = issuer
    })
    return { vp_token: token(presented), state: request.state }
  }

/** A leaf with other members, below a good intermediate of the trusted root. */
const leafWith = (options: CertificateOptions): Fault =>
  chained(async ({ root }) => {
    const intermediate = await mintIntermediate(root)
    return [(await mintLeaf(intermediate, { ...options, keys: pki.leaf.keys })).x5c, intermediate.x5c]
  })

/** A leaf that names a revocation list. */
const naming = (list: string) =>
  chained(async ({ intermediate, leaf: { keys } }) => {
    const crls = [`http://crl.authority.example.org/${list}`]
    return [(await mintLeaf(intermediate, { serialNumber: '7b', keys, crls })).x5c, intermediate.x5c]
  })

const NOT_AUTHENTIC: Readonly<Record<string, Fault>> = {
  malformed_response: (_, good) => ({ ...good, error: 'invalid_request' }),
  missing_state: (_, good) => ({ vp_token: String(good.vp_token) }),
  unknown_state: (_, good) => ({ ...good, state: `${String(good.state).slice(0, -1)}_` }),
  unexpected_encryption: (_, good) => ({ state: String(good.state), response: 'a.b.c.d.e' }),
  invalid_vp_token: (_, good) => ({ ...good, vp_token: '[]' }),
  unknown_credential_query: (_, good) => ({ ...good, vp_token: '{"another":["a"]}' }),
  wrong_presentation_count: (_, good) => ({ ...good, vp_token: '{"age_attestation":[]}' }),
  query_not_satisfied: changed((parts) => parts.disclosures.splice(0)),
  limit_exceeded: changed((parts) => parts.disclosures.push(...Array(10_000).fill('WyJhIl0'))),

  malformed_credential: (_, good) => ({ ...good, vp_token: token('not.a~credential') }),
  unsupported_algorithm: changed((parts) => Object.assign(parts.header, { alg: 'none' })),
  unsupported_critical_header: changed((parts) => Object.assign(parts.header, { crit: ['exp'] })),
  wrong_token_type: changed((parts) => Object.assign(parts.header, { typ: 'vc+sd-jwt' })),
  unknown_credential_type: claims({ vct: 'urn:example:another' }),
  invalid_issuer_signature: changed((parts) => {
    parts.issuer = stranger
  }),
  malformed_disclosure: changed((parts) => parts.disclosures.push('not-json')),
  unreferenced_disclosure: changed((parts) => parts.disclosures.push(encodeDisclosure(['s', 'name', 1]))),
  duplicate_digest: changed((parts) => {
    const digests = parts.payload._sd as string[]
    digests.push(String(digests[0]))
  }),
  unsupported_hash_algorithm: claims({ _sd_alg: 'md5' }),
  forbidden_disclosure: claims({ age_over_18: false }),
  invalid_claim: claims({ exp: 'tomorrow' }),

  holder_binding_missing: changed((parts) => {
    parts.kb = undefined
  }),
  holder_key_missing: claims({ cnf: { kid: 'somewhere' } }),
  malformed_holder_binding: kb({ iat: 'now' }),
  invalid_holder_signature: changed((parts) => {
    parts.holder = stranger
  }),
  nonce_mismatch: kb({ nonce: '00000000000000000000000000000000' }),
  audience_mismatch: kb({ aud: 'https://verifier.example' }),
  transaction_data_mismatch: kb({ transaction_data_hashes: ['A'.repeat(43)] }),
  sd_hash_mismatch: kb({ sd_hash: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }),
  holder_binding_not_current: kb({ iat: 1_700_000_000 }),

  untrusted_issuer: claims({ iss: 'https://another.example' }),
  issuer_key_not_found: changed((parts) => Object.assign(parts.header, { alg: 'ES384' })),
  malformed_certificate_chain: chained(() => ['AAAA']),
  trust_anchor_in_chain: chained((p) => [p.root.x5c]),
  invalid_certificate_path: chained(async (p) => {
    return [p.leaf.x5c, (await mintIntermediate(p.root)).x5c]
  }),
  self_signed_certificate: chained(async () => {
    return [(await mintCertificate({ subject: 'CN=Myself', keys: pki.leaf.keys })).x5c]
  }),
  certificate_expired: leafWith({ notAfter: new Date(Date.now() - 86_400_000) }),
  certificate_not_yet_valid: leafWith({ notBefore: new Date(Date.now() + 86_400_000) }),
  certificate_profile_violation: leafWith({ keyUsage: ['keyEncipherment'] }),
  certificate_revoked: async (request, good) => {
    const body = await makeCrl(pki.intermediate, now(), { revoked: ['7b'] })
    mockFetch(() => new Response(body))
    return naming('1.crl')(request, good)
  },
  issuer_metadata_invalid: claims({ iss: METADATA_ISSUER }),
}

const LIST = 'https://status.example.com/1'
const listed = (idx: number) => claims({ status: { status_list: { idx, uri: LIST } } })

/** The issuer's list: its first entry is revoked, its second suspended. */
function statusList(): string {
  const status_list = { bits: 2, lst: 'eJw7CQAAygDK' }
  const payload = { iss: 'https://issuer.example', sub: LIST, iat: now(), status_list }
  return signJwt({ alg: 'ES256', typ: 'statuslist+jwt' }, payload, setting.issuer)
}

const NOT_CHECKABLE: Readonly<Record<string, Fault>> = {
  certificate_status_unavailable: naming('2.crl'),
  issuer_metadata_unavailable: claims({ iss: METADATA_ISSUER }),
  status_unavailable: listed(0),
}

const REJECTED: Readonly<Record<string, Fault>> = {
  predicate_false: async (request) => goodResponse(setting, request, { age_over_18: false }),
  credential_expired: claims({ exp: 1_700_000_000 }),
  credential_not_yet_valid: claims({ nbf: 4_000_000_000 }),
  credential_revoked: listed(0),
  credential_suspended: listed(1),
}

/** Reached in sessions with `direct_post.jwt`. */
type EncryptedFault = (request: WalletRequest, good: Parameters) => Promise<Parameters>
const ENCRYPTED: Readonly<Record<string, EncryptedFault>> = {
  encryption_required: async (_, good) => good,
  unknown_encryption_key: async (request, good) => {
    return { response: await encryptResponse(opened(good), { ...encryptionKeyOf(request), kid: 'another' }) }
  },
  unsupported_encryption: async (request, good) => {
    return { response: await encryptResponse(opened(good), encryptionKeyOf(request), { enc: 'A192GCM' }) }
  },
  decryption_failed: async (request, good) => {
    const jwe = await encryptResponse(opened(good), encryptionKeyOf(request))
    const parts = jwe.split('.')
    const text = String(parts[3])
    parts[3] = (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    return { response: parts.join('.') }
  },
  state_mismatch: async (request, good) => {
    return {
      response: await encryptResponse({ ...opened(good), state: 'another' }, encryptionKeyOf(request)),
    }
  },
}

const opened = (good: Parameters) => ({ ...good, vp_token: JSON.parse(String(good.vp_token)) })

/** Reached by other tests: their files. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  holder_key_unavailable: 'jwt-vc-json.test.ts',
  evidence_unavailable: 'session/evidence.test.ts',
  response_too_large: 'session/evidence.test.ts',
  request_superseded: 'below',
  wallet_error: 'below',
  document_not_returned: 'below',
  invalid_presentation_submission: 'conformance/drafts.test.ts',
  transaction_data_missing: 'conformance/transaction-data.test.ts',
  access_denied: 'below',
  declined_on_page: 'routes/browser/decline.test.ts',
  session_expired: 'verification-session.test.ts',
  trust_list_unavailable: 'conformance/trust-lists.test.ts',
  canceled_by_relying_party: 'below',
  assurance_level_too_low: 'below',
  holder_key_mismatch: 'conformance/outcome/policy.test.ts',
}

/** Reasons of features that are not offered yet. No session can reach them. */
const LATER: Readonly<Record<string, string>> = {
  value_mismatch: 'dcql_query',
  same_device_return_missing: 'binding.test.ts',
}

async function begin(body: object = {}) {
  const session = await createSession(setting, body)
  const id: string = session.verification_id
  const request = await fetchRequest(session.wallet_request.request_uri)
  return { id, request, good: await goodResponse(setting, request) }
}

/**
 * Checks that the session did not change except for an attempt with this reason. Then the good response ends
 * it.
 */
async function expectUnharmed(id: string, reason: string, good: Parameters): Promise<void> {
  const session = await poll(setting, id)
  expect(session.attempts.at(-1)?.reason.code).toBe(reason)
  expect(session).toMatchObject({ status: 'pending', reason: null, checks: null, verified_at: null })
  // Junk that names no live request changes nothing on the page.
  const isLive = session.attempts.at(-1)?.channel !== null
  expect(await familyOnPage(id)).toBe(isLive ? FAMILY_OF.get(reason) : null)
  expect((await post(id, good)).status).toBe(200)
  expect(await poll(setting, id)).toMatchObject({ status: 'verified', reason: null })
}

/** Returns the family that the page shows. */
async function familyOnPage(id: string): Promise<unknown> {
  const state = await stubOf(id).readPublic({ relyingPartyId: setting.relyingPartyId })
  if (!state.ok) throw new Error(state.error)
  return JSON.parse(state.value.json).wallet_activity.family
}

function mockFetch(response: () => Response): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => response())
}

describe('the catalogue of reasons', () => {
  it('has a test for each reason: in this file, or in another file that this file names', () => {
    const reached = [NOT_AUTHENTIC, NOT_CHECKABLE, REJECTED, ENCRYPTED, ELSEWHERE, LATER].flatMap(Object.keys)
    const missing = (Object.keys(REASONS) as ReasonCode[]).filter((code) => !reached.includes(code))
    expect(missing).toEqual([])
  })
})

describe('a response that is not authentic gets 400, and the session stays pending', () => {
  it.each(Object.entries(NOT_AUTHENTIC))('for the reason %s', async (reason, fault) => {
    mockFetch(() => Response.json({ issuer: 'https://somebody.example' }))
    const { id, request, good } = await begin()
    const response = await post(id, await fault(request, good))
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(/.+/),
    })
    await expectUnharmed(id, reason, good)
  })

  it.each<[string, CertificateOptions]>([
    ['key_usage', { keyUsage: ['keyEncipherment'] }],
    ['extended_key_usage', { extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] }],
    ['leaf_is_ca', { ca: true }],
    ['critical_extension', { extensions: [{ oid: '1.2.3.4', critical: true, value: Uint8Array.of(5, 0) }] }],
  ])('certificate_profile_violation: the attempt names the broken rule: %s', async (detail, options) => {
    const { id, request, good } = await begin()
    expect((await post(id, await leafWith(options)(request, good))).status).toBe(400)
    const session = await poll(setting, id)
    expect(session.attempts).toMatchObject([{ reason: { code: 'certificate_profile_violation' }, detail }])
  })

  it('invalid_claim: the attempt names no rule', async () => {
    const { id, request, good } = await begin()
    await post(id, await claims({ exp: 'tomorrow' })(request, good))
    expect((await poll(setting, id)).attempts).toMatchObject([{ detail: null, document_errors: null }])
  })

  it('document_not_returned: the attempt has the code of each document type', async () => {
    const session = await createSession(setting, { formats: ['mso_mdoc'] })
    const { state } = await fetchRequest(session.wallet_request.request_uri)
    const codes = { 'eu.europa.ec.av.1': 0 }
    const empty = encodeCbor({ version: '1.0', documentErrors: [codes], status: 0 })
    const body = { vp_token: token(encodeBase64url(Uint8Array.from(empty))), state }
    expect((await post(session.verification_id, body)).status).toBe(400)
    const { status, attempts } = await poll(setting, session.verification_id)
    const attempt = { reason: { code: 'document_not_returned' }, detail: null, document_errors: codes }
    expect({ status, attempts }).toMatchObject({ status: 'pending', attempts: [attempt] })
  })

  it.each(Object.entries(ENCRYPTED))('for the reason %s, in an encrypted response', async (reason, fault) => {
    const { id, request, good } = await begin({ request_options: { response_mode: 'direct_post.jwt' } })
    expect((await post(id, await fault(request, good))).status).toBe(400)
    const response = await encryptResponse(opened(good), encryptionKeyOf(request))
    await expectUnharmed(id, reason, { response })
  })

  it('for the reason request_superseded', async () => {
    const { id, good } = await begin()
    const dead = { ...good, state: await supersededState(id) }
    expect((await post(id, dead)).status).toBe(400)
    await expectUnharmed(id, 'request_superseded', good)
  })
})

describe('a response that cannot be checked gets 503, and the session stays pending', () => {
  it.each(Object.entries(NOT_CHECKABLE))('for the reason %s', async (reason, fault) => {
    // Past what was remembered of metadata and lists
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 })
    mockFetch(() => new Response(null, { status: 500 }))
    const { id, request, good } = await begin()
    const response = await post(id, await fault(request, good))
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
    await expectUnharmed(id, reason, good)
  })
})

describe('an authentic response that does not satisfy the policy ends the session', () => {
  it.each(Object.entries(REJECTED))('for the reason %s', async (reason, fault) => {
    mockFetch(() => new Response(statusList()))
    const { id, request, good } = await begin()
    expect((await post(id, await fault(request, good))).status).toBe(200)
    const session = await poll(setting, id)
    expect(session).toMatchObject({
      status: 'rejected',
      stage: 'done',
      verified_at: null,
      reason: { code: reason },
    })
    expect((await post(id, good)).status).toBe(409)
  })

  it('for the reason assurance_level_too_low', async () => {
    const { id, good } = await begin({ required_assurance_level: 'high' })
    expect((await post(id, good)).status).toBe(200)
    const session = await poll(setting, id)
    expect(session).toMatchObject({ status: 'rejected', assurance_level: 'substantial' })
    expect(session.reason.code).toBe('assurance_level_too_low')
  })

  it('a forged response that does not satisfy the policy leaves the session pending', async () => {
    const { id, request, good } = await begin()
    const forged = changed((parts) => {
      Object.assign(parts.payload, { exp: inThePast() })
      parts.issuer = stranger
    })
    expect((await post(id, await forged(request, good))).status).toBe(400)
    await expectUnharmed(id, 'invalid_issuer_signature', good)
  })
})

describe('a wallet error or a cancellation', () => {
  it('access_denied: the session ends as declined if the state belongs to a fetched request', async () => {
    const { id, request } = await begin()
    expect((await post(id, { error: 'access_denied', state: request.state })).status).toBe(200)
    expect(await poll(setting, id)).toMatchObject({ status: 'declined', reason: { code: 'access_denied' } })
  })

  it('wallet_error: an error code other than access_denied is accepted and recorded as an attempt', async () => {
    const { id, request, good } = await begin()
    const response = await post(id, { error: 'invalid_request', state: request.state })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ redirect_uri: expect.stringContaining('#response_code=') })
    await expectUnharmed(id, 'wallet_error', good)
  })

  it('access_denied: nothing changes if the state belongs to no valid request', async () => {
    const { id, good } = await begin()
    expect((await post(id, { error: 'access_denied', state: 'guessed' })).status).toBe(400)
    await expectUnharmed(id, 'unknown_state', good)
  })

  it('canceled_by_relying_party: a good response of the wallet is refused after a cancellation', async () => {
    const { id, good } = await begin()
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    expect(await poll(setting, id)).toMatchObject({ reason: { code: 'canceled_by_relying_party' } })
    expect((await post(id, good)).status).toBe(409)
  })
})

/** Returns the `state` of a dead generation: it was not fetched, and ten newer generations were rendered. */
async function supersededState(id: string): Promise<string> {
  await ask(setting, 'GET', id, '/qr')
  const state = await newestState(id)
  for (let render = 0; render < 10; render++) await ask(setting, 'GET', id, '/qr')
  return state
}

/**
 * Returns the `state` of the newest generation from the stored document. A fetch of the request would keep it
 * alive.
 */
async function newestState(id: string): Promise<string> {
  return runInDurableObject(stubOf(id), async (_, state) => {
    const document = state.storage.kv.get<{ handle_key: string; generation_count: number }>('session')
    const key = decodeBase64url(document?.handle_key ?? '') ?? new Uint8Array()
    return makeHandle(key, 'state', document?.generation_count ?? 0)
  })
}
