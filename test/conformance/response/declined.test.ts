// api/outcome: a wallet's own errors. `access_denied` ends the session, every other code is an attempt, and
// both need a request that was fetched.

import { expect, it } from 'vitest'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, eventOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const PLAIN = { ...OVER_18, request_options: { response_mode: 'direct_post' } }

/** Ways in which a wallet sends an error. */
const WAYS = [
  ['unencrypted with direct_post', PLAIN, false],
  ['unencrypted with direct_post.jwt', OVER_18, false],
  ['in the JWE with direct_post.jwt', OVER_18, true],
] as const

it.each(WAYS)('api/outcome: access_denied %s ends the session as declined', async (_, policy, encrypted) => {
  const { session, request } = await begin(stage, policy)
  const answer = await stage.service.wallet.decline(request, 'access_denied', { encrypted })
  expect(await expectStatus(answer, 200)).toEqual({ redirect_uri: expect.any(String) })
  const poll = await stage.rp.poll(session.verification_id)
  expect(poll).toMatchObject({
    status: 'declined',
    stage: 'done',
    verified_at: null,
    checks: null,
    credentials: [],
    reason: { code: 'access_denied' },
  })
  expect((await eventOf(stage, session.verification_id)).event).toMatchObject({
    event_type: 'verification.declined',
    reason: { code: 'access_denied' },
  })
  expect((await respondWithAge(stage, request)).status).toBe(409)
})

/** Codes of OpenID4VP 1.0 §8.5 and RFC 6749 §4.1.2.1 and unknown codes, each with its effect. */
const WALLET_ERRORS: readonly (readonly [error: string, status: string, reason: string | null])[] = [
  ['access_denied', 'declined', 'access_denied'],
  ...[
    'invalid_request',
    'invalid_client',
    'invalid_scope',
    'unauthorized_client',
    'unsupported_response_type',
    'server_error',
    'temporarily_unavailable',
    'vp_formats_not_supported',
    'invalid_request_uri_method',
    'invalid_transaction_data',
    'wallet_unavailable',
    'an unknown code',
    'Access_Denied',
  ].map((error) => [error, 'pending', null] as const),
]

it.each(
  WALLET_ERRORS.flatMap(([error, status, reason]) =>
    WAYS.map(([way, policy, encrypted]) => ({ error, status, reason, way, policy, encrypted })),
  ),
)('api/outcome: the service returns 200 for $error $way, and the session is $status', async (cell) => {
  const { error, status, reason, policy, encrypted } = cell
  const { session, request } = await begin(stage, policy)
  const answer = await stage.service.wallet.decline(request, error, { encrypted })
  expect(await expectStatus(answer, 200)).toEqual({ redirect_uri: expect.any(String) })
  const poll = await stage.rp.poll(session.verification_id)
  expect([poll.status, poll.reason?.code ?? null]).toEqual([status, reason])
  expect(poll.attempts.map((attempt) => attempt.reason.code)).toEqual(
    status === 'pending' ? ['wallet_error'] : [],
  )
  expect((await respondWithAge(stage, request)).status).toBe(status === 'pending' ? 200 : 409)
})

it.each(WALLET_ERRORS)(
  'api/outcome: the service returns 400 for %s with an unknown state, and changes nothing',
  async (error) => {
    const { session, request } = await begin(stage)
    expect((await postError(request.payload.response_uri, 'x'.repeat(26), error)).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', ['unknown_state']])
    expect((await respondWithAge(stage, request)).status).toBe(200)
  },
)

/** Posts an error with this state to the callback of a session. */
function postError(
  responseUri: string,
  state: string | undefined,
  error = 'access_denied',
): Promise<Response> {
  const form = { error, ...(state === undefined ? {} : { state }) }
  return stage.service.fetch(responseUri, { method: 'POST', body: new URLSearchParams(form) })
}

it.each([
  ['no state', undefined, 'missing_state'],
  ['an unknown state', 'x'.repeat(26), 'unknown_state'],
])(
  'api/outcome: the service returns 400 for access_denied with %s, and the session stays pending',
  async (_, state, reason) => {
    const { session, request } = await begin(stage)
    expect((await postError(request.payload.response_uri, state)).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
  },
)

it("api/outcome: access_denied with another session's state leaves both sessions pending", async () => {
  const one = await begin(stage)
  const other = await begin(stage)
  const answer = await postError(one.request.payload.response_uri, other.request.payload.state)
  expect(answer.status).toBe(400)
  for (const { session } of [one, other]) {
    expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
  }
})

it('api/outcome: the service accepts a decline in response to an older request that a wallet fetched', async () => {
  const { session, request } = await begin(stage)
  await stage.rp.call('GET', `/v1/verify/${session.verification_id}/qr`)
  expect((await stage.service.wallet.decline(request, 'access_denied')).status).toBe(200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('declined')
})

it('api/outcome: the service returns 409 if a wallet declines after the end of the session', async () => {
  const { session, request } = await begin(stage)
  await respondWithAge(stage, request)
  expect((await stage.service.wallet.decline(request, 'access_denied')).status).toBe(409)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})
