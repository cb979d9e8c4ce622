// api/webhooks: retries after a failed delivery. The first retry comes after 5 seconds, so all cases share
// one wait.

import { beforeAll, describe, expect, it } from 'vitest'
import type { ReceivedRequest, ScriptedResponse } from '../../support/service/receiver.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import {
  type Delivery,
  deliveriesOf,
  finish,
  relyingPartyOf,
  settledDelivery,
  useStage,
} from '../../support/service/stage.ts'

const stage = useStage()

/** First response of each receiver, by the path of its webhook. Later responses are 200. */
const FIRST_RESPONSES: Readonly<Record<string, ScriptedResponse>> = {
  '/failing': { status: 500 },
  '/slow-down': { status: 429, headers: { 'retry-after': '60' } },
  '/moved': { status: 307, headers: { location: '/elsewhere' } },
  '/reset': { act: 'reset' },
  '/created': { status: 201 },
  '/gone': { status: 410 },
}

type Case = { readonly rp: RelyingParty; readonly id: string }
const cases: Record<string, Case> = {}

function postsTo(path: string): readonly ReceivedRequest[] {
  return stage.receiver.requests.filter((request) => request.path === path)
}

/** Waits until a receiver has a number of posts. */
async function posted(path: string, count: number): Promise<readonly ReceivedRequest[]> {
  while (postsTo(path).length < count) await stage.receiver.received(stage.receiver.requests.length + 1)
  return postsTo(path)
}

function settled({ rp, id }: Case, attempts: number): Promise<Delivery> {
  return settledDelivery(rp, id, attempts)
}

beforeAll(async () => {
  stage.receiver.answer(({ path }) => (postsTo(path).length === 1 ? (FIRST_RESPONSES[path] ?? {}) : {}))
  for (const path of Object.keys(FIRST_RESPONSES)) {
    const webhook = { url: stage.receiver.url.replace('/webhook', path) }
    const rp = await relyingPartyOf(stage, { webhook })
    const { session } = await finish(stage, {}, OVER_18, rp)
    cases[path] = { rp, id: session.verification_id }
  }
})

describe.each(['/failing', '/moved', '/reset'])('after a failed first attempt to the path %s', (path) => {
  it('api/webhooks: the service logs the attempt, and plans the next attempt at least 5 seconds later', async () => {
    const { attempts, state, next_attempt_at } = await settled(cases[path]!, 1)
    const expected = {
      '/failing': { status: 500, error: null },
      '/moved': { status: 307, error: 'redirect' },
      '/reset': { status: null, error: 'connection' },
    }[path]
    expect(attempts[0]).toMatchObject({ attempt: 1, at: expect.any(String), manual: false, ...expected })
    if (state === 'queued') {
      const wait = Date.parse(next_attempt_at ?? '') - Date.parse(attempts[0]!.at)
      expect(wait).toBeGreaterThanOrEqual(5_000)
    }
  })

  it('api/webhooks: the service retries with the same bytes, the same id and a new timestamp t, and delivers the event', async () => {
    const [first, second] = await posted(path, 2)
    expect(second!.body.equals(first!.body)).toBe(true)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(4_900)
    const t = [first, second].map((post) =>
      Number(/^t=(\d+)/.exec(String(post!.headers['x-service-signature']))?.[1]),
    )
    expect(t[1]! - t[0]!).toBeGreaterThanOrEqual(4)
    const delivery = await settled(cases[path]!, 2)
    expect(delivery).toMatchObject({ state: 'delivered', next_attempt_at: null })
    expect(delivery.attempts.map(({ attempt, manual }) => [attempt, manual])).toEqual([
      [1, false],
      [2, false],
    ])
  })
})

it('api/webhooks: the service does not follow a redirect (3xx)', async () => {
  await posted('/moved', 2)
  expect(postsTo('/elsewhere')).toEqual([])
})

it('api/webhooks: the service waits for the time in Retry-After before it retries', async () => {
  const { attempts, next_attempt_at } = await settled(cases['/slow-down']!, 1)
  expect(Date.parse(next_attempt_at ?? '') - Date.parse(attempts[0]!.at)).toBeGreaterThanOrEqual(60_000)
})

it('api/webhooks: the service treats any 2xx status as success', async () => {
  expect(await settled(cases['/created']!, 1)).toMatchObject({ state: 'delivered', next_attempt_at: null })
})

it('api/webhooks: the service delivers a pending event at once if the relying party asks for a redelivery', async () => {
  const one = cases['/slow-down']!
  const { delivery_id } = await settled(one, 1)
  const path = `/v1/verify/${one.id}/deliveries/${delivery_id}/redeliver`
  expect((await one.rp.call('POST', path)).status).toBe(202)
  await posted('/slow-down', 2)
  const delivery = await settled(one, 2)
  expect([delivery.state, delivery.attempts.map(({ manual }) => manual)]).toEqual([
    'delivered',
    [false, true],
  ])
})

it('api/webhooks: 410 disables the endpoint; events stay queued, can be redelivered, and are sent when the endpoint is enabled again', async () => {
  const one = cases['/gone']!
  const { relying_party_id } = one.rp
  expect(await settled(one, 1)).toMatchObject({ state: 'queued' })
  const settings = async () => expectStatus(await stage.service.admin('GET', `/${relying_party_id}`), 200)
  await until(async () => ((await settings()) as { webhook: { disabled: boolean } }).webhook.disabled)

  const { session } = await finish(stage, {}, OVER_18, one.rp)
  const missed = { rp: one.rp, id: session.verification_id }
  const isParked = (delivery?: Delivery) =>
    Date.parse(delivery?.next_attempt_at ?? '') > Date.now() + 3_600_000
  await until(async () => isParked((await deliveriesOf(missed.rp, missed.id))[0]))
  const [queued] = await deliveriesOf(missed.rp, missed.id)
  expect(queued).toMatchObject({ state: 'queued', attempts: [] })
  const redeliver = () =>
    one.rp.call('POST', `/v1/verify/${missed.id}/deliveries/${queued!.delivery_id}/redeliver`)
  expect(postsTo('/gone')).toHaveLength(1)
  expect((await redeliver()).status).toBe(202)
  const [, late] = await posted('/gone', 2)
  expect(JSON.parse(String(late?.body))).toMatchObject({ verification_id: missed.id, status: 'verified' })

  const enabled = await stage.service.admin('POST', `/${relying_party_id}/webhook/enable`)
  expect(await expectStatus(enabled, 200)).toMatchObject({ webhook: { disabled: false } })
  await posted('/gone', 3)
})

/** Waits for a change that comes soon. The test's own time limit bounds it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
