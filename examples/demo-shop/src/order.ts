// One visitor's order: its state, its proof of age, and the records of sent and received messages. Pure
// functions.

import type { CreatedVerification, Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import { GOODS, type GoodsId } from './goods.ts'

export type Order = {
  /** Counts the changes. A page with another number is outdated. */
  readonly version: number
  readonly goods: GoodsId
  /** Secret in the visitor's cookie. */
  readonly secret: string
  readonly proof: Proof | null
  /** Number of verifications requested so far. */
  readonly asked: number
  /** Oldest first. */
  readonly records: readonly ShopRecord[]
}

/** The latest verification of the order. Times in Unix milliseconds. */
export type Proof = {
  readonly verificationId: string
  /** Address of the session page. It contains a secret and is for this visitor only. */
  readonly sessionUrl: string
  readonly lookedAt: number
  readonly outcome: Outcome | null
  readonly endedAt: number | null
  /** `notified`: a webhook reported the end. `polled`: a poll did. */
  readonly notified: boolean
  readonly polled: boolean
}

/** The part of a verification that decides about the order. */
export type Outcome = {
  readonly status: Exclude<Verification['status'], 'pending'>
  readonly isOver18: boolean
  readonly binding: Verification['session_binding']
  readonly reason: { readonly code: string; readonly message: string } | null
}

/** A call of the shop's server to the service, or a webhook from it. `at`: Unix milliseconds. */
export type ShopRecord = Call | Webhook

export type Call = {
  readonly kind: 'call'
  readonly at: number
  readonly what: 'create' | 'poll' | 'redeem' | 'cancel'
  readonly method: string
  readonly path: string
  readonly sent: string | null
  /** Null without a response. */
  readonly status: number | null
  readonly answer: string
}

export type Webhook = {
  readonly kind: 'webhook'
  readonly at: number
  readonly eventId: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Raw body. */
  readonly body: string
  /** Seconds between signature and arrival. */
  readonly age: number
}

/** Final statuses without a proof. */
const UNPROVEN = ['rejected', 'declined', 'expired', 'canceled'] as const

export type OrderState = 'chosen' | 'waiting' | 'confirmed' | 'free' | (typeof UNPROVEN)[number]

/** Limit of verifications for one order. */
export const MAX_REQUESTS = 10
const MAX_RECORDS = 30
const POLL_EVERY_MS = 2_000
const WEBHOOK_WITHIN_MS = 20_000

export function newOrder(goods: GoodsId, secret: string): Order {
  return { version: 1, goods, secret, proof: null, asked: 0, records: [] }
}

/** Decides about the order. Uses only what the service reported to the shop's server. */
export function stateOf({ goods, proof }: Order): OrderState {
  if (!GOODS[goods].forAdults) return 'free'
  if (proof === null) return 'chosen'
  if (proof.outcome === null) return 'waiting'
  const { status, isOver18 } = proof.outcome
  if (status === 'verified' && isOver18) return 'confirmed'
  // Statuses may be added within /v1. Without a proof there is no sale.
  return UNPROVEN.find((known) => known === status) ?? 'rejected'
}

/** Adds a created verification. */
export function withProof(order: Order, created: CreatedVerification, now: number): Order {
  const { verification_id: verificationId, session_url: sessionUrl } = created
  // Idempotent creation: the same verification again
  if (order.proof?.verificationId === verificationId) return order
  const proof = { verificationId, sessionUrl, lookedAt: now, outcome: null, endedAt: null }
  return next(order, { proof: { ...proof, notified: false, polled: false }, asked: order.asked + 1 })
}

/** Adds the result of a poll or of a redeemed code. The latter also has the session binding. */
export function withVerification(
  order: Order,
  verification: Verification,
  { at, what }: Pick<Call, 'at' | 'what'>,
): Order {
  const { proof } = order
  if (proof?.verificationId !== verification.verification_id) return order
  const polled = { ...proof, lookedAt: at }
  if (verification.status === 'pending') return { ...order, proof: polled }
  const isPolled = proof.polled || what === 'poll'
  return next(order, { proof: { ...withOutcome(polled, verification, at), polled: isPolled } })
}

/** Adds a verified webhook. Ignores a repeated event and an event of another verification. */
export function withWebhook(order: Order, event: VerificationEvent, webhook: Webhook): Order {
  const { proof, records } = order
  const isKnown = records.some((record) => record.kind === 'webhook' && record.eventId === event.event_id)
  if (isKnown || proof?.verificationId !== event.verification_id) return order
  const changed = { ...withOutcome(proof, event, webhook.at), notified: true }
  return withRecord(next(order, { proof: changed }), webhook)
}

/** Adds a record. Of consecutive polls it keeps the last one. */
export function withRecord(order: Order, record: ShopRecord): Order {
  const last = order.records.at(-1)
  const isRepeated = isPoll(record) && last !== undefined && isPoll(last) && last.path === record.path
  const before = isRepeated ? order.records.slice(0, -1) : order.records
  return { ...order, records: [...before, record].slice(-MAX_RECORDS) }
}

/** True if the shop should poll the service: webhooks may be late or lost. */
export function isPollDue({ proof }: Order, now: number): boolean {
  if (proof === null) return false
  return proof.outcome === null ? now - proof.lookedAt >= POLL_EVERY_MS : !proof.polled
}

/** True while an outcome or its webhook is still expected. The page then polls. */
export function isLive({ proof }: Order, now: number): boolean {
  if (proof === null) return false
  return proof.endedAt === null || (!proof.notified && now - proof.endedAt < WEBHOOK_WITHIN_MS)
}

/** Returns a text that changes whenever the page of this order does. */
export function markOf(order: Order | undefined, now: number): string {
  return order === undefined ? '' : `${order.version}${isLive(order, now) ? '+' : ''}`
}

/** Sets the outcome once. Later only a stronger session binding of the same outcome is added. */
function withOutcome(proof: Proof, reported: Verification | VerificationEvent, now: number): Proof {
  const outcome = outcomeOf(reported)
  if (outcome === null) return proof
  if (proof.outcome === null) return { ...proof, outcome, endedAt: now }
  const isBound = outcome.binding === 'relying_party' && outcome.status === proof.outcome.status
  return isBound ? { ...proof, outcome: { ...proof.outcome, binding: outcome.binding } } : proof
}

function outcomeOf({
  status,
  checks,
  session_binding,
  reason,
}: Verification | VerificationEvent): Outcome | null {
  if (status === 'pending') return null
  return {
    status,
    isOver18: checks?.age_over_18 === true,
    binding: session_binding,
    reason: reason && { code: reason.code, message: reason.message },
  }
}

function isPoll(record: ShopRecord): record is Call {
  return record.kind === 'call' && record.what === 'poll'
}

function next(order: Order, changed: Partial<Order>): Order {
  return { ...order, ...changed, version: order.version + 1 }
}
