// Queue of a session's webhook deliveries, stored inside the session's document (api/webhooks). Functions
// take and return plain data. The object writes the result in the same put as the state it belongs to. All
// times are Unix milliseconds.
//
// An attempt is started, written, and only then sent. It is finished when its response is known. So
// `startAttempt` leaves the delivery as it must be if the response is never known: counted, logged as
// `unknown`, and due again after the time limit and the schedule's wait. After the last attempt it is dead. A
// crash at any point needs no repair, loses no event and makes no seventh POST.

import { err, ok, type Result } from '../result.ts'
import { ATTEMPT_TIMEOUT_MS, type AttemptError, type AttemptOutcome, hasSucceeded } from './delivery.ts'
import { nextAttemptAt } from './schedule.ts'

/** The delivery of one event to one receiver. */
export type Delivery = {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  /** The bytes every attempt sends. */
  readonly body: string
  readonly state: 'owed' | 'delivered' | 'dead'
  /** Automatic attempts that were started: six in all, five at most while `owed`. */
  readonly automatic_attempts: number
  /** `null`: no attempt is planned. */
  readonly next_attempt_at: number | null
  readonly attempts: readonly Attempt[]
}

/** One attempt in the log. */
export type Attempt = {
  /** Number from 1 on, for automatic and manual attempts together. */
  readonly attempt: number
  readonly at: number
  readonly manual: boolean
  readonly status: number | null
  readonly error: AttemptError | null
  /** Milliseconds until the response, or until the attempt failed. Absent while that is unknown. */
  readonly duration_ms?: number
  /** Start of the response's body. Absent without a body. */
  readonly excerpt?: string
}

type NewEvent = Pick<Delivery, 'delivery_id' | 'event_id' | 'event_type' | 'sequence' | 'body'>

/** Adds an event that is due at once. */
export function enqueue(deliveries: readonly Delivery[], event: NewEvent, now: number): readonly Delivery[] {
  const delivery = {
    ...event,
    state: 'owed',
    automatic_attempts: 0,
    next_attempt_at: now,
    attempts: [],
  } as const
  return [...deliveries, delivery]
}

/** The earliest planned attempt; `null` if there is none. */
export function nextDue(deliveries: readonly Delivery[]): number | null {
  const times = deliveries.flatMap((delivery) => delivery.next_attempt_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** The deliveries due at `now`. */
export function dueDeliveries(deliveries: readonly Delivery[], now: number): readonly Delivery[] {
  return deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now)
}

/** The number of the last started attempt; 0 before the first. */
export function latestAttempt({ attempts }: Delivery): number {
  return attempts.at(-1)?.attempt ?? 0
}

/**
 * Starts an automatic attempt of a pending delivery. The caller must write the result before it sends the
 * POST.
 */
export function startAttempt(
  deliveries: readonly Delivery[],
  deliveryId: string,
  now: number,
): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) => {
    if (delivery.state !== 'owed') return delivery
    const attempt = delivery.automatic_attempts + 1
    const responded = now + ATTEMPT_TIMEOUT_MS + RESPONSE_MARGIN_MS
    const next = nextAttemptAt({ attempt, now: responded, retryAfter: null, jitter: 0 })
    return {
      ...delivery,
      automatic_attempts: attempt,
      ...planned(next),
      attempts: [...delivery.attempts, begun(delivery, now, false)],
    }
  })
}

/** Reasons why a delivery cannot be sent again by hand. */
export type RedeliveryError = 'not_found' | 'limit_reached'

/** Manual attempts that the log of one delivery can hold. */
export const MANUAL_ATTEMPTS = 50

/**
 * Starts a manual attempt, in any state. The schedule of a pending delivery continues, and only a success
 * changes the state. The caller must write the result before it sends the POST.
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

/** The outcome of a started attempt. `jitter`: a random number from 0 to 1. */
export type FinishedAttempt = {
  readonly deliveryId: string
  readonly attempt: number
  readonly outcome: AttemptOutcome
  readonly now: number
  readonly jitter: number
}

/** Records the outcome of an attempt: delivered, planned again, or dead. */
export function finishAttempt(
  deliveries: readonly Delivery[],
  finished: FinishedAttempt,
): readonly Delivery[] {
  return change(deliveries, finished.deliveryId, (delivery) => {
    const { status, error, durationMs: duration_ms, excerpt } = finished.outcome
    const attempts = delivery.attempts.map(({ excerpt: earlier, ...one }) => {
      if (one.attempt === finished.attempt)
        return { ...one, status, error, duration_ms, ...(excerpt && { excerpt }) }
      const isKept = one.attempt > finished.attempt - EXCERPTS_KEPT
      return { ...one, ...(isKept && earlier && { excerpt: earlier }) }
    })
    return { ...delivery, attempts, ...consequence(delivery, finished) }
  })
}

/** Last attempts of a delivery whose excerpts are stored: the document of a session has a limit. */
const EXCERPTS_KEPT = 10

/** Moves the next attempt of a pending delivery. No attempt is used. */
export function postpone(
  deliveries: readonly Delivery[],
  deliveryId: string,
  until: number,
): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) =>
    delivery.state === 'owed' ? { ...delivery, next_attempt_at: until } : delivery,
  )
}

/** Ends a pending delivery whose endpoint is deleted. It can still be sent by hand. */
export function markDead(deliveries: readonly Delivery[], deliveryId: string): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) =>
    delivery.state === 'owed' ? { ...delivery, ...planned(null) } : delivery,
  )
}

// Time between the receiver's time limit and the moment when its response counts as lost.
const RESPONSE_MARGIN_MS = 5000

type Progress = Pick<Delivery, 'state' | 'next_attempt_at'>

/** Pending until `next`; dead without it. */
function planned(next: number | null): Progress {
  return { state: next === null ? 'dead' : 'owed', next_attempt_at: next }
}

function consequence(
  delivery: Delivery,
  { attempt, outcome, now, jitter }: FinishedAttempt,
): Partial<Progress> {
  if (hasSucceeded(outcome)) return { state: 'delivered', next_attempt_at: null }
  if (delivery.state !== 'owed') return {}
  // Only the newest automatic attempt changes the schedule. A manual or lost attempt leaves it unchanged.
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
