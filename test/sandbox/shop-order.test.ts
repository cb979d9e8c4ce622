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
  withEntry,
  withProof,
  withVerification,
  withWebhook,
} from '../../examples/demo-shop/src/order.ts'

const NOW = 1_760_000_000_000
const created = {
  verification_id: 'v_1',
  session_url: 'https://verifier.example/s/v_1',
} as CreatedVerification
const asked = withProof(newOrder('plum', 'secret'), created, NOW)

const verified = {
  verification_id: 'v_1',
  status: 'verified',
  checks: { age_over_18: true },
  session_binding: 'none',
  reason: null,
} as const
const found = (changed: object = {}) => ({ ...verified, ...changed }) as unknown as Verification
const event = (changed: object = {}) =>
  ({ event_id: 'evt_1', ...found(changed) }) as unknown as VerificationEvent
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

describe('the decision', () => {
  it.each<[string, Order, string]>([
    ['chosen before anyone is asked', newOrder('plum', 's'), 'chosen'],
    ['free where there is no alcohol', newOrder('windfall', 's'), 'free'],
    [
      'waiting while the session is pending',
      withVerification(asked, found({ status: 'pending' }), poll(NOW)),
      'waiting',
    ],
    ['confirmed by a poll', withVerification(asked, found(), poll(NOW)), 'confirmed'],
    ['confirmed by an event', withWebhook(asked, event(), webhook()), 'confirmed'],
    [
      'rejected where verified is not about age',
      withVerification(asked, found({ checks: {} }), poll(NOW)),
      'rejected',
    ],
    [
      'rejected where age is not proven',
      withVerification(asked, found({ checks: { age_over_18: false } }), poll(NOW)),
      'rejected',
    ],
    [
      'rejected where nothing is known',
      withVerification(asked, found({ checks: null }), poll(NOW)),
      'rejected',
    ],
    ['rejected', withVerification(asked, found({ status: 'rejected' }), poll(NOW)), 'rejected'],
    ['declined', withWebhook(asked, event({ status: 'declined' }), webhook()), 'declined'],
    ['expired', withWebhook(asked, event({ status: 'expired' }), webhook()), 'expired'],
    ['canceled', withWebhook(asked, event({ status: 'canceled' }), webhook()), 'canceled'],
  ])('is %s', (_, order, state) => {
    expect(stateOf(order)).toBe(state)
  })

  it('is not made by another verification', () => {
    const other = { verification_id: 'v_2' }
    expect(withVerification(asked, found(other), poll(NOW))).toBe(asked)
    expect(withWebhook(asked, event(other), webhook())).toBe(asked)
  })

  it('stands, whatever is said later', () => {
    const ended = withWebhook(asked, event({ status: 'declined' }), webhook())
    expect(stateOf(withVerification(ended, found(), poll(NOW)))).toBe('declined')
    expect(stateOf(withWebhook(ended, event(), webhook('evt_2')))).toBe('declined')
  })

  it('learns afterwards who was at the other end, and never forgets it', () => {
    const bound = withVerification(
      withWebhook(asked, event(), webhook()),
      found({ session_binding: 'relying_party' }),
      poll(NOW),
    )
    expect(bound.proof?.outcome?.binding).toBe('relying_party')
    expect(withVerification(bound, found(), poll(NOW)).proof?.outcome?.binding).toBe('relying_party')
  })
})

describe('the records', () => {
  it('hold an event once', () => {
    const once = withWebhook(asked, event(), webhook())
    expect(withWebhook(once, event(), webhook())).toBe(once)
    expect(once.records).toHaveLength(1)
  })

  it('hold of polls in a row the last', () => {
    const order = [1, 2, 3].reduce((known, at) => withEntry(known, poll(at)), asked)
    expect(order.records.map(({ at }) => at)).toEqual([3])
  })

  it('are thirty at most', () => {
    let order = asked
    for (let i = 0; i < 40; i++) order = withEntry(order, { ...poll(i), what: 'create' })
    expect(order.records.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, i) => i + 10))
  })
})

describe('looking', () => {
  it('at the service: every two seconds while nothing is known, then once', () => {
    expect([isPollDue(asked, NOW + 1_999), isPollDue(asked, NOW + 2_000)]).toEqual([false, true])
    const told = withWebhook(asked, event(), webhook())
    expect(isPollDue(told, NOW)).toBe(true)
    const redeemed = withVerification(told, found(), { ...poll(NOW), what: 'redeem' })
    expect(isPollDue(redeemed, NOW)).toBe(true)
    expect(isPollDue(withVerification(redeemed, found(), poll(NOW)), NOW + 60_000)).toBe(false)
  })

  it('at the page: until the webhook is there, or has not come for twenty seconds', () => {
    const polled = withVerification(asked, found(), poll(NOW))
    expect([isLive(asked, NOW), isLive(polled, NOW + 19_999), isLive(polled, NOW + 20_000)]).toEqual([
      true,
      true,
      false,
    ])
    expect(isLive(withWebhook(polled, event(), webhook()), NOW)).toBe(false)
    expect(markOf(polled, NOW)).not.toBe(markOf(polled, NOW + 20_000))
    expect(markOf(polled, NOW)).not.toBe(markOf(asked, NOW))
  })

  it('again after the same creation changes nothing', () => {
    expect(withProof(asked, created, NOW + 1)).toBe(asked)
  })
})
