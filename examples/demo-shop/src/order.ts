// One visitor's order, from the shelf to its end: what the shop knows, and what it sent and received on the way. Pure.

import type { CreatedVerification, Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import { GOODS, type GoodsId } from './goods.ts'

export type Order = {
  /** Counts the changes: a page that shows another number is old. */
  readonly version: number
  readonly goods: GoodsId
  /** What the visitor's cookie must hold. */
  readonly secret: string
  readonly proof: Proof | null
  /** Verifications asked for, this one included. */
  readonly asked: number
  /** Oldest first. */
  readonly records: readonly Entry[]
}

/** The verification that the shop asked for last. Times in Unix milliseconds. */
export type Proof = {
  readonly verificationId: string
  /** The page that the visitor answers on. It opens only with what is in it, so it is for this visitor alone. */
  readonly sessionUrl: string
  readonly lookedAt: number
  readonly outcome: Outcome | null
  readonly endedAt: number | null
  /** Whether the end was told by a webhook, and read by a poll. */
  readonly told: boolean
  readonly polled: boolean
}

/** What the shop goes by, of what the service says. */
export type Outcome = {
  readonly status: Exclude<Verification['status'], 'pending'>
  readonly isOver18: boolean
  readonly binding: Verification['session_binding']
  readonly reason: { readonly code: string; readonly message: string } | null
}

/** A call of the shop's server, or a webhook that came to it. `at`: Unix milliseconds. */
export type Entry = Call | Webhook

export type Call = {
  readonly kind: 'call'
  readonly at: number
  readonly what: 'create' | 'poll' | 'redeem' | 'cancel'
  readonly method: string
  readonly path: string
  readonly sent: string | null
  /** Null: no answer came. */
  readonly status: number | null
  readonly answer: string
}

export type Webhook = {
  readonly kind: 'webhook'
  readonly at: number
  readonly eventId: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** As it came. */
  readonly body: string
  /** Seconds between the signature and its arrival. */
  readonly age: number
}

/** How an order stands. */
export type OrderState = 'chosen' | 'waiting' | 'confirmed' | 'free' | Exclude<Outcome['status'], 'verified'>

/** Verifications one order may ask for. */
export const ASKED_AT_MOST = 10
const RECORDS_AT_MOST = 30
const POLL_EVERY_MS = 2_000
const WEBHOOK_WITHIN_MS = 20_000

export function newOrder(goods: GoodsId, secret: string): Order {
  return { version: 1, goods, secret, proof: null, asked: 0, records: [] }
}

/** The one decision of this shop, made of what the service told its server and of nothing that a browser said. */
export function stateOf({ goods, proof }: Order): OrderState {
  if (!GOODS[goods].forAdults) return 'free'
  if (proof === null) return 'chosen'
  if (proof.outcome === null) return 'waiting'
  const { status, isOver18 } = proof.outcome
  if (status !== 'verified') return status
  return isOver18 ? 'confirmed' : 'rejected'
}

/** The service was asked to verify. */
export function withProof(order: Order, created: CreatedVerification, now: number): Order {
  const { verification_id: verificationId, session_url: sessionUrl } = created
  if (order.proof?.verificationId === verificationId) return order // the same call twice: the service made one of it
  const proof = { verificationId, sessionUrl, lookedAt: now, outcome: null, endedAt: null }
  return next(order, { proof: { ...proof, told: false, polled: false }, asked: order.asked + 1 })
}

/** What a poll found, or a redemption: the latter knows more of who is at the other end. */
export function withVerification(
  order: Order,
  found: Verification,
  { at, what }: Pick<Call, 'at' | 'what'>,
): Order {
  const { proof } = order
  if (proof?.verificationId !== found.verification_id) return order
  const looked = { ...proof, lookedAt: at }
  if (found.status === 'pending') return { ...order, proof: looked }
  return next(order, { proof: { ...ended(looked, found, at), polled: proof.polled || what === 'poll' } })
}

/** A webhook whose signature was verified. One that came before, or that is of another verification, changes nothing. */
export function withWebhook(order: Order, event: VerificationEvent, webhook: Webhook): Order {
  const { proof, records } = order
  const known = records.some((entry) => entry.kind === 'webhook' && entry.eventId === event.event_id)
  if (known || proof?.verificationId !== event.verification_id) return order
  const told = { ...ended(proof, event, webhook.at), told: true }
  return withEntry(next(order, { proof: told }), webhook)
}

/** Keeps what was sent or received. Of polls without news the last is enough. */
export function withEntry(order: Order, entry: Entry): Order {
  const last = order.records.at(-1)
  const isRepeated = isPoll(entry) && last !== undefined && isPoll(last) && last.path === entry.path
  const before = isRepeated ? order.records.slice(0, -1) : order.records
  return { ...order, records: [...before, entry].slice(-RECORDS_AT_MOST) }
}

/** Whether the service should be asked: a webhook may be late or lost, and what it says can be read again. */
export function isPollDue({ proof }: Order, now: number): boolean {
  if (proof === null) return false
  return proof.outcome === null ? now - proof.lookedAt >= POLL_EVERY_MS : !proof.polled
}

/** Whether something is still to come, so that the page should look again by itself. */
export function isLive({ proof }: Order, now: number): boolean {
  if (proof === null) return false
  return proof.endedAt === null || (!proof.told && now - proof.endedAt < WEBHOOK_WITHIN_MS)
}

/** Tells a page that was written of this order from one of an older one. */
export function markOf(order: Order | undefined, now: number): string {
  return order === undefined ? '' : `${order.version}${isLive(order, now) ? '+' : ''}`
}

/** An end stands. What was bound to this visitor since is added to it. */
function ended(proof: Proof, found: Verification | VerificationEvent, now: number): Proof {
  const outcome = outcomeOf(found)
  if (outcome === null) return proof
  if (proof.outcome === null) return { ...proof, outcome, endedAt: now }
  const isRaised = outcome.binding === 'relying_party' && outcome.status === proof.outcome.status
  return isRaised ? { ...proof, outcome: { ...proof.outcome, binding: outcome.binding } } : proof
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

function isPoll(entry: Entry): entry is Call {
  return entry.kind === 'call' && entry.what === 'poll'
}

function next(order: Order, changed: Partial<Order>): Order {
  return { ...order, ...changed, version: order.version + 1 }
}
