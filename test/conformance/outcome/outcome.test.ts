// api/outcome: how a session ends, and which responses leave it pending. Each test changes one thing of a
// good response.

import { expect, it } from 'vitest'
import { makeKey } from '../../support/people/issuer.ts'
import { AGE, ageOf, PID, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import { expectStatus, OVER_18, type Poll } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const stranger = await makeKey()
const now = Math.floor(Date.now() / 1000)

/** Returns what the relying party sees of a refused response. */
function attempts({ status, attempts: list }: Poll) {
  return { status, attempts: list.map(({ reason }) => reason.code) }
}

it('api/outcome: the service ends the session as verified with a response that satisfies the policy', async () => {
  const { session, request } = await begin(stage)
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    stage: 'done',
    verified_at: expect.stringMatching(/Z$/),
    checks: { age_over_18: true },
    reason: null,
  })
})

/** Authentic responses that no policy here accepts. */
const REJECTED: readonly (readonly [string, Telling, object, string])[] = [
  ['a predicate is false', { claims: { age_over_18: false } }, {}, 'predicate_false'],
  ['a boolean claim is the text "true"', { claims: { age_over_18: 'true' } }, {}, 'predicate_false'],
  ['the credential has expired', { claims: { exp: now - 3600 } }, {}, 'credential_expired'],
  ['the credential is not valid yet', { claims: { nbf: now + 3600 } }, {}, 'credential_not_yet_valid'],
  ['the assurance level is too low', {}, { required_assurance_level: 'high' }, 'assurance_level_too_low'],
  [
    'the credential itself names a lower level',
    { claims: { assurance_level: 'low' } },
    { required_assurance_level: 'substantial' },
    'assurance_level_too_low',
  ],
]

it.each(REJECTED)(
  'api/outcome: an authentic response ends the session as rejected if %s, and the wallet gets 200',
  async (_, telling, policy, code) => {
    const { session, request } = await begin(stage, { ...OVER_18, ...policy })
    const answer = await respondWithAge(stage, request, telling)
    expect(await expectStatus(answer, 200)).toEqual({ redirect_uri: expect.any(String) })
    const poll = await stage.rp.poll(session.verification_id)
    expect([poll.status, poll.reason?.code, poll.verified_at]).toEqual(['rejected', code, null])
    expect(poll.reason?.message).toMatch(/./)
    expect((await eventOf(stage, session.verification_id)).event).toMatchObject({
      event_type: 'verification.rejected',
      reason: { code },
    })
  },
)

/** Responses that are not authentic. */
const REFUSED: readonly (readonly [string, Telling, string])[] = [
  ['made for another nonce', { nonce: '0123456789abcdef0123456789abcdef' }, 'nonce_mismatch'],
  ['made for another verifier', { audience: 'x509_hash:AAAA' }, 'audience_mismatch'],
  ['made for our client_id without its prefix', { change: dropPrefix }, 'audience_mismatch'],
  ['signed by another holder', { holder: stranger }, 'invalid_holder_signature'],
  ['of an issuer with another key', { issuer: stranger }, 'invalid_issuer_signature'],
  ['of an untrusted issuer', { claims: { iss: 'https://other.example' } }, 'untrusted_issuer'],
  ['without a holder key', { unbound: true }, 'holder_key_missing'],
  ['without its key binding', { change: dropKeyBinding }, 'holder_binding_missing'],
  ['made an hour ago', { iat: now - 3600 }, 'holder_binding_not_current'],
  ['of another type', { claims: { vct: 'urn:other:1' } }, 'unknown_credential_type'],
  ['without the requested claim', { disclose: {} }, 'query_not_satisfied'],
  ['with a foreign disclosure', { change: addDisclosure }, 'unreferenced_disclosure'],
  [
    'with a forged and expired credential',
    { issuer: stranger, claims: { exp: now - 3600 } },
    'invalid_issuer_signature',
  ],
  [
    'with an expired credential that another holder presents',
    { holder: stranger, claims: { exp: now - 3600 } },
    'invalid_holder_signature',
  ],
  [
    'with a false predicate, and made for another nonce',
    { nonce: 'x'.repeat(32), claims: { age_over_18: false } },
    'nonce_mismatch',
  ],
]

it.each(REFUSED)(
  'api/outcome: a response %s gets 400 and is recorded as an attempt; the session stays pending and accepts a good response',
  async (_, telling, reason) => {
    const { session, request } = await begin(stage)
    const refused = await respondWithAge(stage, request, telling)
    expect(await expectStatus(refused, 400)).toMatchObject({ error: 'invalid_request' })
    const poll = await stage.rp.poll(session.verification_id)
    expect(attempts(poll)).toEqual({ status: 'pending', attempts: [reason] })
    expect(poll).toMatchObject({ checks: null, reason: null, credentials: [], trace: [] })
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  },
)

it('api/outcome: the wallet gets the same error for every forgery, and the error does not tell the reason', async () => {
  const { request } = await begin(stage)
  const texts = []
  for (const telling of [{ issuer: stranger }, { holder: stranger }, { nonce: 'x'.repeat(32) }]) {
    texts.push(await (await respondWithAge(stage, request, telling)).text())
  }
  expect(new Set(texts).size).toBe(1)
})

it('api/outcome: the service returns 503 if the status of a credential cannot be checked, and the session stays pending', async () => {
  const { session, request } = await begin(stage)
  const status = { status_list: { idx: 0, uri: 'https://issuer.example/status/1' } }
  const refused = await respondWithAge(stage, request, { claims: { status } })
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await expectStatus(refused, 503)).toMatchObject({ error: 'temporarily_unavailable' })
  const poll = await stage.rp.poll(session.verification_id)
  expect(attempts(poll)).toEqual({ status: 'pending', attempts: ['status_unavailable'] })
})

it('api/trust: an issuer is untrusted if its trust anchor is for another credential type only', async () => {
  const rp = await relyingPartyOf(stage, {
    trust_anchors: [stage.authority.anchor({ credential_types: ['pid'] })],
  })
  const { session, request } = await begin(stage, OVER_18, { rp })
  expect((await respondWithAge(stage, request)).status).toBe(400)
  expect(attempts(await rp.poll(session.verification_id)).attempts).toEqual(['untrusted_issuer'])
})

it('api/outcome: a session keeps its last ten attempts, and the number of all attempts', async () => {
  const { session, request } = await begin(stage)
  await respondWithAge(stage, request, { nonce: 'x'.repeat(32) })
  for (let i = 0; i < 11; i++) await respondWithAge(stage, request, { audience: `other-${i}` })
  const poll = await stage.rp.poll(session.verification_id)
  expect(attempts(poll)).toEqual({ status: 'pending', attempts: Array(10).fill('audience_mismatch') })
  expect(poll.attempt_count).toBe(12)
  expect(poll.attempts[0]).toEqual({
    at: expect.stringMatching(/Z$/),
    channel: 'qr',
    detail: null,
    document_errors: null,
    claimed_issuer: expect.objectContaining({ verified: false, iss: stage.authority.iss }),
    reason: {
      code: 'audience_mismatch',
      message: expect.any(String),
      retryable: expect.any(Boolean),
      type: expect.stringMatching('/problems/audience_mismatch$'),
    },
  })
})

const PLAIN = { ...OVER_18, request_options: { response_mode: 'direct_post' } }

/** Posts a form to the callback of a request. */
async function post(uri: string, form: Record<string, string>): Promise<Response> {
  return stage.service.fetch(uri, { method: 'POST', body: new URLSearchParams(form) })
}

it.each([
  [
    'an unencrypted VP Token although encryption was required',
    OVER_18,
    { vp_token: '{}' },
    'encryption_required',
  ],
  [
    'an encrypted response although no encryption was requested',
    PLAIN,
    { response: 'a.b.c.d.e' },
    'unexpected_encryption',
  ],
  ['a text that is not a JWE', OVER_18, { response: 'junk' }, 'malformed_response'],
  ['a form without a response', OVER_18, { answer: '42' }, 'malformed_response'],
  ['a presentation without state', PLAIN, { vp_token: '{}' }, 'missing_state'],
  ['another state', PLAIN, { vp_token: '{}', state: 'x' }, 'unknown_state'],
])(
  'api/outcome: the service refuses an invalid response with 400 and records an attempt: %s',
  async (_, policy, form, reason) => {
    const { session, request } = await begin(stage, policy)
    expect((await post(request.payload.response_uri, form)).status).toBe(400)
    const poll = await stage.rp.poll(session.verification_id)
    expect(attempts(poll)).toEqual({ status: 'pending', attempts: [reason] })
    expect((await respondWithAge(stage, request)).status).toBe(200)
  },
)

it('api/outcome: the service accepts a good response after 100 invalid responses', async () => {
  const { session, request } = await begin(stage)
  for (let i = 0; i < 100; i++) await post(request.payload.response_uri, { response: `junk ${i}` })
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    attempt_count: 100,
  })
})

it('api/outcome: the service returns the identical 200 for an identical retry, and 409 for any other response', async () => {
  const { session, request } = await begin(stage, PLAIN)
  const vpToken = await ageOf(stage.person, request)
  const first = await stage.service.wallet.present(request, vpToken)
  const retry = await stage.service.wallet.present(request, vpToken)
  expect([retry.status, await retry.text()]).toEqual([200, await first.text()])
  expect((await respondWithAge(stage, request)).status).toBe(409)
  expect((await post(request.payload.response_uri, { vp_token: 'junk' })).status).toBe(409)
  const poll = await stage.rp.poll(session.verification_id)
  expect([poll.status, poll.attempt_count]).toEqual(['verified', 0])
})

it('api/outcome: the service refuses a response that satisfies the policy after the session was rejected', async () => {
  const { session, request } = await begin(stage)
  await respondWithAge(stage, request, { claims: { age_over_18: false } })
  expect((await respondWithAge(stage, request)).status).toBe(409)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('rejected')
})

it('api/outcome: the service refuses an authentic response that does not match the query', async () => {
  const { session, request } = await begin(stage)
  const pid = await presentationOf(stage.person, PID, request)
  const age = await presentationOf(stage.person, AGE, request)
  const id = queryFor(request, AGE)
  const statuses = []
  for (const answer of [{ [id]: [pid] }, { pid: [age] }, { [id]: [] }, { [id]: [age, age] }]) {
    statuses.push((await stage.service.wallet.present(request, answer)).status)
  }
  expect(statuses).toEqual([400, 400, 400, 400])
  expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
})

type Change = NonNullable<Telling['change']>

function dropKeyBinding(parts: Parameters<Change>[0]): void {
  parts.kb = undefined
}

function dropPrefix(parts: Parameters<Change>[0]): void {
  const payload = parts.kb?.payload as { aud: string }
  payload.aud = payload.aud.slice(payload.aud.indexOf(':') + 1)
}

function addDisclosure(parts: Parameters<Change>[0]): void {
  parts.disclosures.push(Buffer.from('["c2FsdA","age_over_18",true]').toString('base64url'))
}
