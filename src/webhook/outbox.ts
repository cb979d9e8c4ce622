// What a session owes its relying party, kept inside the session's document (CONTRACT 7). Plain data in, plain data out: the
// object writes what comes back in the same put as the state it belongs to. All times are Unix milliseconds.
//
// An attempt is begun, written, and only then sent; when its answer is known it is finished. `startAttempt` therefore leaves
// the delivery as it must be if the answer is never learnt: counted, logged as `unknown`, due again after the answer
// would have come and the schedule's wait — or dead, if it was the last. A crash at any point needs no repair, loses no
// event and makes no seventh POST.

import { err, ok, type Result } from '../result.ts'
import {
  ATTEMPT_TIMEOUT_MS,
  type AttemptError,
  type AttemptOutcome,
  disablesEndpoint,
  hasSucceeded,
} from './delivery.ts'
import { nextAttemptAt } from './schedule.ts'

/** One event on its way to one receiver. */
export type Delivery = {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  /** The bytes every attempt sends. */
  readonly body: string
  readonly state: 'owed' | 'delivered' | 'dead'
  /** Automatic attempts begun: five at most while owed, six in all. */
  readonly automatic_attempts: number
  /** `null`: none is planned. */
  readonly next_attempt_at: number | null
  readonly attempts: readonly Attempt[]
}

/** One attempt as the log shows it. */
export type Attempt = {
  /** Counts from 1 through automatic and manual attempts alike. */
  readonly attempt: number
  readonly at: number
  readonly manual: boolean
  readonly status: number | null
  readonly error: AttemptError | null
}

/** An event to be delivered. */
export type NewEvent = {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
  readonly sequence: number
  readonly body: string
  readonly now: number
}

/** Adds an event that is due at once. */
export function enqueue(deliveries: readonly Delivery[], event: NewEvent): readonly Delivery[] {
  const delivery: Delivery = {
    delivery_id: event.deliveryId,
    event_id: event.eventId,
    event_type: event.eventType,
    sequence: event.sequence,
    body: event.body,
    state: 'owed',
    automatic_attempts: 0,
    next_attempt_at: event.now,
    attempts: [],
  }
  return [...deliveries, delivery]
}

/** The earliest moment something is due; `null` where nothing is owed. */
export function nextDue(deliveries: readonly Delivery[]): number | null {
  const times = deliveries.flatMap((delivery) => delivery.next_attempt_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** What is due at `now`. */
export function dueDeliveries(deliveries: readonly Delivery[], now: number): readonly Delivery[] {
  return deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now)
}

/** The number of the attempt begun last; 0 before the first. */
export function latestAttempt({ attempts }: Delivery): number {
  return attempts.at(-1)?.attempt ?? 0
}

/** Begins an automatic attempt of an owed delivery. Whoever calls writes the result before the POST leaves. */
export function startAttempt(
  deliveries: readonly Delivery[],
  deliveryId: string,
  now: number,
): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) => {
    if (delivery.state !== 'owed') return delivery
    const attempt = delivery.automatic_attempts + 1
    const answered = now + ATTEMPT_TIMEOUT_MS + ANSWER_MARGIN_MS
    const next = nextAttemptAt({ attempt, now: answered, retryAfter: null, jitter: 0 })
    return {
      ...delivery,
      automatic_attempts: attempt,
      ...planned(next),
      attempts: [...delivery.attempts, begun(delivery, now, false)],
    }
  })
}

/** Why a delivery cannot be sent again by hand. */
export type RedeliveryError = 'not_found' | 'limit_reached'

/** Attempts by hand that one delivery's log can hold. */
export const MANUAL_ATTEMPTS = 50

/**
 * Begins an attempt by hand, in any state: the schedule of an owed delivery goes on beside it, and only a success changes
 * the state. Whoever calls writes the result before the POST leaves.
 */
export function startManualAttempt(
  deliveries: readonly Delivery[],
  deliveryId: string,
  now: number,
): Result<readonly Delivery[], RedeliveryError> {
  const delivery = deliveries.find(({ delivery_id }) => delivery_id === deliveryId)
  if (delivery === undefined) return err('not_found')
  if (delivery.attempts.filter(({ manual }) => manual).length >= MANUAL_ATTEMPTS) return err('limit_reached')
  const attempts = [...delivery.attempts, begun(delivery, now, true)]
  return ok(change(deliveries, deliveryId, (found) => ({ ...found, attempts })))
}

/** The answer to an attempt that was begun. `jitter`: a random number from 0 to 1. */
export type FinishedAttempt = {
  readonly deliveryId: string
  readonly attempt: number
  readonly outcome: AttemptOutcome
  readonly now: number
  readonly jitter: number
}

/** Writes down what came of an attempt: delivered, or tried again later, or dead. */
export function finishAttempt(
  deliveries: readonly Delivery[],
  finished: FinishedAttempt,
): readonly Delivery[] {
  return change(deliveries, finished.deliveryId, (delivery) => {
    const { status, error } = finished.outcome
    const attempts = delivery.attempts.map((one) =>
      one.attempt === finished.attempt ? { ...one, status, error } : one,
    )
    return { ...delivery, attempts, ...consequence(delivery, finished) }
  })
}

/** Gives up a delivery that is owed: its endpoint is gone or disabled. It can still be sent by hand. */
export function markDead(deliveries: readonly Delivery[], deliveryId: string): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) =>
    delivery.state === 'owed' ? { ...delivery, ...planned(null) } : delivery,
  )
}

// Between the end of the receiver's time and the moment its answer counts as lost.
const ANSWER_MARGIN_MS = 5000

type Progress = Pick<Delivery, 'state' | 'next_attempt_at'>

/** Owed until `next`; dead without one. */
function planned(next: number | null): Progress {
  return { state: next === null ? 'dead' : 'owed', next_attempt_at: next }
}

function consequence(
  delivery: Delivery,
  { attempt, outcome, now, jitter }: FinishedAttempt,
): Partial<Progress> {
  if (hasSucceeded(outcome)) return { state: 'delivered', next_attempt_at: null }
  if (delivery.state !== 'owed') return {}
  if (disablesEndpoint(outcome)) return planned(null)
  // Only the newest automatic attempt moves the schedule: neither one by hand nor one given up for lost does.
  const newest = delivery.attempts.findLast(({ manual }) => !manual)
  if (newest?.attempt !== attempt) return {}
  const { retryAfter } = outcome
  return planned(nextAttemptAt({ attempt: delivery.automatic_attempts, now, retryAfter, jitter }))
}

function begun(delivery: Delivery, now: number, manual: boolean): Attempt {
  return { attempt: latestAttempt(delivery) + 1, at: now, manual, status: null, error: 'unknown' }
}

function change(
  deliveries: readonly Delivery[],
  deliveryId: string,
  to: (delivery: Delivery) => Delivery,
): readonly Delivery[] {
  return deliveries.map((delivery) => (delivery.delivery_id === deliveryId ? to(delivery) : delivery))
}
