// api/outcome: reading a session, canceling it, and erasing it.

import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import {
  begin,
  eventOf,
  finish,
  relyingPartyOf,
  respondWithAge,
  useStage,
} from '../../support/service/stage.ts'

const stage = useStage()

/** All members of a poll. Unknown values are `null`, lists are empty. */
const PENDING = {
  object: 'verification',
  verification_id: expect.stringMatching(/^v_/),
  version: expect.any(Number),
  status: 'pending',
  stage: 'created',
  created_at: expect.stringMatching(/Z$/),
  expires_at: expect.stringMatching(/Z$/),
  verified_at: null,
  session_url: expect.stringMatching(/^https:/),
  credential_types: ['age_attestation'],
  scope: ['age_over_18'],
  required_assurance_level: 'low',
  metadata: {},
  credential_match: 'any',
  formats: null,
  protocol: 'openid4vp-1.0',
  request_options: expect.any(Object),
  required_session_binding: 'none',
  return_url: null,
  failure_return_url: null,
  return_automatically: false,
  alternative_url: null,
  locale: null,
  heading: null,
  intended_use: null,
  intent_to_retain: false,
  purpose: null,
  allow_derived: false,
  require_same_holder_key: false,
  anchor_sets: null,
  retry_of: null,
  claims_encryption_jwk: null,
  transaction_data: null,
  dcql_query: null,
  expires_in: 600,
  preset: null,
  wallet: null,
  checks: null,
  assurance_level: null,
  same_holder_key: null,
  assurance_derivation: [],
  trust_lists: [],
  credential_type: null,
  reason: null,
  attempts: [],
  attempt_count: 0,
  credentials: [],
  channel: null,
  format: null,
  issuer: null,
  session_binding: null,
  trace: [],
  encrypted_claims: null,
  evidence: null,
  offered_client_ids: null,
  livemode: false,
}

it('api/result: a new session already has every member, with null for unknown values', async () => {
  const session = await stage.rp.create()
  const poll = await stage.rp.poll(session.verification_id)
  expect(poll).toEqual(PENDING)
  expect(poll).toMatchObject({ session_url: session.session_url, expires_at: session.expires_at, version: 1 })
})

it('api/result: the service shows result, issuer, level and checks of a verified session', async () => {
  const { session } = await finish(stage)
  const poll = await stage.rp.poll(session.verification_id)
  expect(Object.keys(poll).sort()).toEqual(Object.keys(PENDING).sort())
  expect(poll).toMatchObject({
    stage: 'done',
    session_url: null,
    credential_type: 'age_attestation',
    assurance_level: 'substantial',
    channel: 'qr',
    format: 'dc+sd-jwt',
    issuer: 'https://issuer.example',
    session_binding: 'none',
    encrypted_claims: null,
  })
  expect(poll.credentials).toEqual([
    {
      id: 'age_attestation-dc_sd-jwt',
      credential_type: 'age_attestation',
      format: 'dc+sd-jwt',
      issuer: 'https://issuer.example',
      assurance_level: 'substantial',
      status: 'not_present',
      transaction_data: [],
      checks: { age_over_18: true },
    },
  ])
})

it('api/result: the service lists ordered checks in trace, with id, clause and result', async () => {
  const { session } = await finish(stage)
  const { trace } = await stage.rp.poll(session.verification_id)
  for (const entry of trace) {
    expect(entry).toEqual({
      id: expect.stringMatching(/^[a-z_]+$/),
      clause: expect.stringMatching(/\d/),
      result: expect.stringMatching(/^(pass|fail|skip)$/),
    })
  }
  const order = trace.map(({ id }) => id)
  for (const id of ['issuer_signature', 'issuer_trust', 'holder_binding', 'nonce', 'audience', 'validity']) {
    expect(order).toContain(id)
  }
  expect(order.indexOf('issuer_signature')).toBeLessThan(order.indexOf('holder_binding'))
  expect(order.at(-1)).toBe('policy')
})

it('api/result: the poll response and the event contain no claim value', async () => {
  const { session } = await finish(stage, { claims: { age_over_21: 'canary-value', name: 'canary-value' } })
  const poll = JSON.stringify(await stage.rp.poll(session.verification_id))
  const { post } = await eventOf(stage, session.verification_id)
  expect(poll + post.body).not.toContain('canary-value')
})

it('api/result: the service shows the wallet’s progress in stage, and raises version with each visible change', async () => {
  const session = await stage.rp.create()
  const steps = [await stage.rp.poll(session.verification_id)]
  const request = await stage.service.wallet.receive(session.wallet_request.uri)
  steps.push(await stage.rp.poll(session.verification_id))
  await respondWithAge(stage, request)
  steps.push(await stage.rp.poll(session.verification_id))
  expect(steps.map((step) => step.stage)).toEqual(['created', 'request_fetched', 'done'])
  expect(steps[1]!.version).toBeGreaterThan(steps[0]!.version)
  expect(steps[2]!.version).toBeGreaterThan(steps[1]!.version)
})

it('api/result: a session can be read more than once after it has ended', async () => {
  const { session } = await finish(stage)
  const first = await stage.rp.poll(session.verification_id)
  expect(await stage.rp.poll(session.verification_id)).toEqual(first)
})

it('api/outcome: cancel returns 200 and the session, a repeated cancel returns the same, and only one event is sent', async () => {
  const { session, request } = await begin(stage)
  const path = `/v1/verify/${session.verification_id}/cancel`
  const canceled = await expectStatus(await stage.rp.call('POST', path), 200)
  expect(canceled).toMatchObject({
    verification_id: session.verification_id,
    status: 'canceled',
    stage: 'done',
    reason: { code: 'canceled_by_relying_party' },
  })
  expect(await expectStatus(await stage.rp.call('POST', path), 200)).toEqual(canceled)
  expect((await respondWithAge(stage, request)).status).toBe(409)
  expect((await stage.service.fetch(session.wallet_request.request_uri)).status).toBe(410)
  expect((await eventOf(stage, session.verification_id)).event).toMatchObject({
    event_type: 'verification.canceled',
    status: 'canceled',
  })
  const log = await stage.rp.call('GET', `/v1/verify/${session.verification_id}/deliveries`)
  expect(((await expectStatus(log, 200)) as { deliveries: unknown[] }).deliveries).toHaveLength(1)
})

it('api/outcome: cancel returns 409 for a verified session and changes nothing', async () => {
  const { session } = await finish(stage)
  const response = await stage.rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)
  expect(await expectStatus(response, 409)).toMatchObject({ code: 'verification_already_terminal' })
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})

it('api/outcome: DELETE returns 204 without a body, and every later request about the session gets 404', async () => {
  const { session, request } = await begin(stage)
  const path = `/v1/verify/${session.verification_id}`
  const erased = await stage.rp.call('DELETE', path)
  expect([erased.status, await erased.text()]).toEqual([204, ''])
  const after: number[] = []
  for (const [method, url] of [
    ['GET', path],
    ['GET', `${path}/openid4vp`],
    ['GET', `${path}/qr`],
    ['GET', `${path}/deliveries`],
    ['POST', `${path}/cancel`],
    ['DELETE', path],
  ] as const) {
    after.push((await stage.rp.call(method, url)).status)
  }
  after.push((await stage.service.fetch(session.wallet_request.request_uri)).status)
  after.push((await respondWithAge(stage, request)).status)
  expect(after).toEqual(Array(8).fill(404))
})

it('api/outcome: DELETE sends no event, and drops a pending event', async () => {
  const path = '/erased'
  const url = stage.receiver.url.replace('/webhook', path)
  stage.receiver.answer((request) => ({ status: request.path === path ? 500 : 200 }))
  const rp = await relyingPartyOf(stage, { webhook: { url } })
  const silent = await rp.create()
  const { session } = await finish(stage, {}, OVER_18, rp)
  await eventOf(stage, session.verification_id)
  for (const { verification_id } of [silent, session]) {
    expect((await rp.call('DELETE', `/v1/verify/${verification_id}`)).status).toBe(204)
  }
  const { session: control } = await finish(stage, {}, OVER_18, rp)
  while (sentTo(path, control.verification_id) < 2) {
    await stage.receiver.received(stage.receiver.requests.length + 1)
  }
  await setTimeout(RETRIES_APART_MS)
  const sent = [silent, session, control].map(({ verification_id }) => sentTo(path, verification_id))
  expect(sent).toEqual([0, 1, 2])
})

/** api/webhooks: the first retry comes after 5 to 6 seconds, so that of an earlier event may come later. */
const RETRIES_APART_MS = 1_500

function sentTo(path: string, verificationId: string): number {
  const { requests } = stage.receiver
  return requests.filter((post) => post.path === path && post.body.includes(verificationId)).length
}

it('api/request, api/qr, api/errors: /qr and /openid4vp return 410 for an ended session', async () => {
  const { session } = await finish(stage)
  for (const path of ['qr', 'openid4vp']) {
    const response = await stage.rp.call('GET', `/v1/verify/${session.verification_id}/${path}`)
    expect(await expectStatus(response, 410)).toMatchObject({ code: 'verification_ended' })
  }
})
