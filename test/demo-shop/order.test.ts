import type { CreatedVerification, Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import { describe, expect, it } from 'vitest'
import {
  type Call,
  isLive,
  isPollDue,
  markOf,
  newOrder,
  type Order,
  stateOf,
  type Webhook,
  withProof,
  withRecord,
  withVerification,
  withWebhook,
} from '../../examples/demo-shop/src/order.ts'

const NOW = 1_760_000_000_000
const created = {
  verification_id: 'v_1',
  session_url: 'https://verifier.example/s/v_1',
} as CreatedVerification
const requested = withProof(newOrder('plum', 'secret'), created, NOW)

const verified = {
  verification_id: 'v_1',
  status: 'verified',
  checks: { age_over_18: true },
  session_binding: 'none',
  reason: null,
} as const
const reported = (changed: object = {}) => ({ ...verified, ...changed }) as unknown as Verification
const event = (changed: object = {}) =>
  ({ event_id: 'evt_1', ...reported(changed) }) as unknown as VerificationEvent
const webhook = (eventId = 'evt_1'): Webhook => ({
  kind: 'webhook',
  at: NOW + 500,
  eventId,
  headers: [],
  body: '{}',
  age: 0,
})
const poll = (at: number): Call => ({
  kind: 'call',
  what: 'poll',
  at,
  method: 'GET',
  path: '/v1/verify/v_1',
  sent: null,
  status: 200,
  answer: '{}',
})

describe('the state of an order', () => {
  it.each<[string, Order, string]>([
    ['chosen before a verification', newOrder('plum', 's'), 'chosen'],
    ['free if its product contains no alcohol', newOrder('windfall', 's'), 'free'],
    [
      'waiting while the verification is pending',
      withVerification(requested, reported({ status: 'pending' }), poll(NOW)),
      'waiting',
    ],
    ['confirmed by a poll', withVerification(requested, reported(), poll(NOW)), 'confirmed'],
    ['confirmed by an event', withWebhook(requested, event(), webhook()), 'confirmed'],
    [
      'rejected for a verification without an age check',
      withVerification(requested, reported({ checks: {} }), poll(NOW)),
      'rejected',
    ],
    [
      'rejected if the age is not proven',
      withVerification(requested, reported({ checks: { age_over_18: false } }), poll(NOW)),
      'rejected',
    ],
    [
      'rejected without checks',
      withVerification(requested, reported({ checks: null }), poll(NOW)),
      'rejected',
    ],
    ['rejected', withVerification(requested, reported({ status: 'rejected' }), poll(NOW)), 'rejected'],
    ['declined', withWebhook(requested, event({ status: 'declined' }), webhook()), 'declined'],
    ['expired', withWebhook(requested, event({ status: 'expired' }), webhook()), 'expired'],
    ['canceled', withWebhook(requested, event({ status: 'canceled' }), webhook()), 'canceled'],
  ])('is %s', (_, order, state) => {
    expect(stateOf(order)).toBe(state)
  })

  it('ignores reports about another verification', () => {
    const other = { verification_id: 'v_2' }
    expect(withVerification(requested, reported(other), poll(NOW))).toBe(requested)
    expect(withWebhook(requested, event(other), webhook())).toBe(requested)
  })

  it('does not change after its first outcome', () => {
    const ended = withWebhook(requested, event({ status: 'declined' }), webhook())
    expect(stateOf(withVerification(ended, reported(), poll(NOW)))).toBe('declined')
    expect(stateOf(withWebhook(ended, event(), webhook('evt_2')))).toBe('declined')
  })

  it('gets a session binding from a later report, and keeps it after a further report', () => {
    const bound = withVerification(
      withWebhook(requested, event(), webhook()),
      reported({ session_binding: 'relying_party' }),
      poll(NOW),
    )
    expect(bound.proof?.outcome?.binding).toBe('relying_party')
    expect(withVerification(bound, reported(), poll(NOW)).proof?.outcome?.binding).toBe('relying_party')
  })
})

describe('the records of an order', () => {
  it('contain an event only once if the event arrives twice', () => {
    const once = withWebhook(requested, event(), webhook())
    expect(withWebhook(once, event(), webhook())).toBe(once)
    expect(once.records).toHaveLength(1)
  })

  it('contain only the last of consecutive polls', () => {
    const order = [1, 2, 3].reduce((known, at) => withRecord(known, poll(at)), requested)
    expect(order.records.map(({ at }) => at)).toEqual([3])
  })

  it('have at most thirty entries', () => {
    let order = requested
    for (let i = 0; i < 40; i++) order = withRecord(order, { ...poll(i), what: 'create' })
    expect(order.records.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, i) => i + 10))
  })
})

describe('the polling of an order', () => {
  it('asks the service every two seconds until the verification ends, and once more afterwards', () => {
    expect([isPollDue(requested, NOW + 1_999), isPollDue(requested, NOW + 2_000)]).toEqual([false, true])
    const withEvent = withWebhook(requested, event(), webhook())
    expect(isPollDue(withEvent, NOW)).toBe(true)
    const redeemed = withVerification(withEvent, reported(), { ...poll(NOW), what: 'redeem' })
    expect(isPollDue(redeemed, NOW)).toBe(true)
    expect(isPollDue(withVerification(redeemed, reported(), poll(NOW)), NOW + 60_000)).toBe(false)
  })

  it('ends when the result and the webhook have arrived, or twenty seconds after the result', () => {
    const polled = withVerification(requested, reported(), poll(NOW))
    expect([isLive(requested, NOW), isLive(polled, NOW + 19_999), isLive(polled, NOW + 20_000)]).toEqual([
      true,
      true,
      false,
    ])
    expect(isLive(withWebhook(polled, event(), webhook()), NOW)).toBe(false)
    expect(markOf(polled, NOW)).not.toBe(markOf(polled, NOW + 20_000))
    expect(markOf(polled, NOW)).not.toBe(markOf(requested, NOW))
  })

  it('does not start again if the creation of the verification is reported again', () => {
    expect(withProof(requested, created, NOW + 1)).toBe(requested)
  })
})
