// api/webhooks: the event for each end of a session, and its signature.

import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { checkSignature, type ReceivedRequest } from '../../support/service/receiver.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import {
  begin,
  deliveriesOf,
  eventOf,
  finish,
  relyingPartyOf,
  respondWithAge,
  type Stage,
  settledDelivery,
  useStage,
} from '../../support/service/stage.ts'

const stage = useStage()

/** Brings a session to each end that needs no waiting. */
const ENDS: Readonly<Record<string, (stage: Stage, rp: RelyingParty) => Promise<string>>> = {
  verified: async (set, rp) => (await finish(set, {}, OVER_18, rp)).session.verification_id,
  rejected: async (set, rp) =>
    (await finish(set, { claims: { age_over_18: false } }, OVER_18, rp)).session.verification_id,
  declined: async (set, rp) => {
    const { session, request } = await begin(set, OVER_18, { rp })
    await set.service.wallet.decline(request, 'access_denied')
    return session.verification_id
  },
  canceled: async (_, rp) => {
    const { verification_id } = await rp.create()
    await rp.call('POST', `/v1/verify/${verification_id}/cancel`)
    return verification_id
  },
}

/** Counts the `v1` signatures of our own header, and those that are right for this secret. */
function ownSignatures({ headers, body }: ReceivedRequest, secret: string) {
  const [time = '', ...signatures] = String(headers['x-service-signature']).split(',')
  const t = time.replace('t=', '')
  const right = `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
  return { t: Number(t), count: signatures.length, right: signatures.filter((one) => one === right).length }
}

it.each(Object.keys(ENDS))(
  'api/webhooks: the service sends one event with the result of a session that is %s',
  async (status) => {
    const id = await ENDS[status]!(stage, stage.rp)
    const { event } = await eventOf(stage, id)
    const {
      checks,
      assurance_level,
      credential_type,
      credentials,
      verified_at,
      reason,
      channel,
      format,
      issuer,
    } = await stage.rp.poll(id)
    expect(event).toEqual({
      event_id: expect.stringMatching(/^evt_[\w-]{22,}$/),
      event_type: `verification.${status}`,
      sequence: 1,
      created_at: expect.stringMatching(/Z$/),
      attempt_count: 0,
      verification_id: id,
      status,
      checks,
      assurance_level,
      same_holder_key: status === 'verified' || status === 'rejected' ? true : null,
      credential_type,
      verified_at,
      reason,
      metadata: {},
      protocol: 'openid4vp-1.0',
      channel,
      format,
      issuer,
      session_binding: channel === null || status === 'declined' ? null : 'none',
      credentials,
      livemode: false,
      encrypted_claims: null,
    })
  },
)

it('api/webhooks: the service sends an event at once, logs this first attempt, and plans no retry after its success', async () => {
  const id = await ENDS.verified!(stage, stage.rp)
  const { post } = await eventOf(stage, id)
  const delivery = await settledDelivery(stage.rp, id, 1)
  expect(await deliveriesOf(stage.rp, id)).toEqual([delivery])
  expect(delivery).toEqual({
    delivery_id: expect.stringMatching(/^dlv_/),
    event_id: expect.stringMatching(/^evt_/),
    event_type: 'verification.verified',
    sequence: 1,
    state: 'delivered',
    next_attempt_at: null,
    attempts: [
      {
        attempt: 1,
        at: expect.stringMatching(/Z$/),
        manual: false,
        status: 200,
        error: null,
        duration_ms: expect.any(Number),
        response_excerpt: null,
      },
    ],
    body: String(post.body),
  })
})

it('api/webhooks: the service returns metadata in the event unchanged', async () => {
  const metadata = { user_id: 'u 1', context: '{"a":"ü"}' }
  const { session } = await finish(stage, {}, { ...OVER_18, metadata })
  expect((await eventOf(stage, session.verification_id)).event.metadata).toEqual(metadata)
})

it('api/webhooks: the HMAC key of X-Service-Signature is the whole text of the secret', async () => {
  const { post } = await eventOf(stage, await ENDS.canceled!(stage, stage.rp))
  expect(stage.rp.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(ownSignatures(post, stage.rp.webhook_secret)).toMatchObject({ count: 1, right: 1 })
})

it("api/webhooks: two foreign libraries accept the service's Standard Webhooks headers, and refuse a changed body", async () => {
  const { post, event } = await eventOf(stage, await ENDS.verified!(stage, stage.rp))
  expect(post.headers['webhook-id']).toBe(event.event_id)
  expect(checkSignature(post, stage.rp.webhook_secret)).toEqual({
    standardwebhooks: { accepted: event },
    svix: { accepted: event },
  })
  const forged = { ...post, body: Buffer.from(post.body.toString().replace('verified', 'rejected')) }
  expect(checkSignature(forged, stage.rp.webhook_secret)).toEqual({
    standardwebhooks: { refused: expect.any(String) },
    svix: { refused: expect.any(String) },
  })
})

it('api/webhooks: the service signs with both secrets during a rotation, and both v1 signatures are valid', async () => {
  const rp = await relyingPartyOf(stage)
  const response = await stage.service.admin('POST', `/${rp.relying_party_id}/webhook/rotate_secret`)
  const rotated = (await expectStatus(response, 200)) as {
    webhook_secret: string
    previous_secret_expires_at: string
  }
  const left = Date.parse(rotated.previous_secret_expires_at) - Date.now()
  expect(Math.round(left / 3_600_000)).toBe(24)
  const { post } = await eventOf(stage, await ENDS.canceled!(stage, rp))
  for (const secret of [rp.webhook_secret, rotated.webhook_secret]) {
    expect(ownSignatures(post, secret)).toMatchObject({ count: 2, right: 1 })
    expect(checkSignature(post, secret)).toMatchObject({
      standardwebhooks: { accepted: { status: 'canceled' } },
      svix: { accepted: { status: 'canceled' } },
    })
  }
})

it('api/webhooks: the service sends only the event types that the relying party chose', async () => {
  const webhook = { url: stage.receiver.url, events: ['verification.verified'] }
  const rp = await relyingPartyOf(stage, { webhook })
  const canceled = await ENDS.canceled!(stage, rp)
  const verified = await ENDS.verified!(stage, rp)
  await eventOf(stage, verified)
  expect(await deliveriesOf(rp, canceled)).toEqual([])
  expect(stage.receiver.requests.filter(({ body }) => body.includes(canceled))).toEqual([])
})

it('api/webhooks: the service queues nothing without a webhook, and the outcome can be polled', async () => {
  const rp = await relyingPartyOf(stage, { webhook: null })
  const id = await ENDS.verified!(stage, rp)
  expect([(await rp.poll(id)).status, await deliveriesOf(rp, id)]).toEqual(['verified', []])
})

it('api/webhooks: the first attempt never delays the response to the wallet', async () => {
  stage.receiver.answer(({ path }) => (path === '/hanging' ? { act: 'hang' } : {}))
  const rp = await relyingPartyOf(stage, {
    webhook: { url: stage.receiver.url.replace('/webhook', '/hanging') },
  })
  const { session, request } = await begin(stage, OVER_18, { rp })
  const answer = await respondWithAge(stage, request)
  expect(answer.status).toBe(200)
  // The receiver never responds. If the wallet had waited, the attempt would have ended by its time limit.
  const [delivery] = await deliveriesOf(rp, session.verification_id)
  expect(delivery?.attempts.filter(({ error }) => error !== 'unknown')).toEqual([])
  await eventOf(stage, session.verification_id)
})

it('api/webhooks: the service signs a test event like any other event, and returns the result of its delivery at once', async () => {
  const rp = await relyingPartyOf(stage)
  const before = stage.receiver.requests.length
  const response = await stage.service.admin('POST', `/${rp.relying_party_id}/webhook/test`)
  const outcome = (await expectStatus(response, 200)) as { event_id: string }
  expect(outcome).toMatchObject({ succeeded: true, status: 200, error: null })
  const posted = (await stage.receiver.received(before + 1)).find(
    ({ headers }) => headers['webhook-id'] === outcome.event_id,
  )
  expect(JSON.parse(String(posted?.body))).toMatchObject({
    event_id: outcome.event_id,
    event_type: 'webhook.test',
  })
  expect(ownSignatures(posted!, rp.webhook_secret).right).toBe(1)
})

it('api/webhooks: a redelivery sends the same bytes with a new timestamp t', async () => {
  const rp = await relyingPartyOf(stage)
  const id = await ENDS.verified!(stage, rp)
  const { post: first } = await eventOf(stage, id)
  const [delivery] = await deliveriesOf(rp, id)
  await setTimeout(1_100)
  const before = stage.receiver.requests.length
  const path = `/v1/verify/${id}/deliveries/${delivery!.delivery_id}/redeliver`
  expect((await rp.call('POST', path)).status).toBe(202)
  const again = (await stage.receiver.received(before + 1)).at(-1)!
  expect(again.body.equals(first.body)).toBe(true)
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
  const [fresh, old] = [again, first].map((post) => ownSignatures(post, rp.webhook_secret))
  expect([fresh?.right, old?.right]).toEqual([1, 1])
  expect(fresh!.t).toBeGreaterThan(old!.t)
})

it.each([
  ['a URL with http outside loopback', 'http://receiver.example/hook'],
  ['a URL with another port', 'https://receiver.example:8443/hook'],
  ['a URL with an IP address', 'https://192.0.2.1/hook'],
  ['a URL with an IP address in brackets', 'https://[2001:db8::1]/hook'],
  ['a URL with a private name', 'https://receiver.internal/hook'],
  ['a URL with a name without a dot', 'https://receiver/hook'],
  ['a URL with userinfo', 'https://user:secret@receiver.example/hook'],
  ['a URL with our own host', 'https://verifier.example/hook'],
])('api/outgoing: the settings refuse the webhook address %s', async (_, url) => {
  const body = { name: 'Test', webhook: { url } }
  const problem = await expectStatus(await stage.service.admin('POST', '', body), 400)
  expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/webhook/url' }] })
})

it('api/outgoing: the service accepts http to loopback only for relying parties in test mode', async () => {
  const body = { name: 'Live', livemode: true, webhook: { url: stage.receiver.url } }
  expect((await stage.service.admin('POST', '', body)).status).toBe(400)
})
