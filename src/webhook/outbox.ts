// Queue of a session's webhook deliveries, stored inside the session's document (api/webhooks). The functions
// take and return plain data. The Durable Object stores the result and the rest of the document in one put.
// All times are Unix milliseconds.
//
// An attempt is first started, then stored, and then sent. An attempt is finished when its response is known.
// `startAttempt` returns the delivery as it must be if the response never arrives: the attempt is counted and
// logged as `unknown`. The next attempt is due after the time limit and the wait of the schedule. The
// delivery becomes dead when its last attempt fails, or when the result of that attempt does not arrive in
// time. So a crash at any point needs no repair, loses no event and causes no POST beyond the schedule.

import { err, ok, type Result } from '../result.ts'
import { ATTEMPT_TIMEOUT_MS, type AttemptError, type AttemptOutcome, hasSucceeded } from './delivery.ts'
import { AUTOMATIC_ATTEMPTS, nextAttemptAt } from './schedule.ts'

/** The delivery of one event to one receiver. */
export type Delivery = {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  /** The serialised event, which every attempt sends unchanged. */
  readonly body: string
  readonly state: 'owed' | 'delivered' | 'dead'
  /** Number of started automatic attempts, at most six. */
  readonly automatic_attempts: number
  /**
   * Time of the next automatic attempt; `null` if the state is not `owed`. After the start of the sixth
   * attempt, this is the time at which the delivery becomes dead if no result arrives.
   */
  readonly next_attempt_at: number | null
  readonly attempts: readonly Attempt[]
}

/** One attempt in the log. */
export type Attempt = {
  /** Number of the attempt, from 1. Automatic and manual attempts are numbered together. */
  readonly attempt: number
  readonly at: number
  readonly manual: boolean
  readonly status: number | null
  readonly error: AttemptError | null
  /** Milliseconds until the response or the failure. Absent while the result of the attempt is unknown. */
  readonly duration_ms?: number
  /**
   * Start of the response's body. Absent without a body, and in all attempts except the newest ten.
   */
  readonly excerpt?: string
}

type NewEvent = Pick<Delivery, 'delivery_id' | 'event_id' | 'event_type' | 'sequence' | 'body'>

/** Adds a delivery of an event. The first attempt of the delivery is due at `now`. */
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

/** Returns the earliest `next_attempt_at` of all deliveries; `null` if it is `null` for every delivery. */
export function nextDue(deliveries: readonly Delivery[]): number | null {
  const times = deliveries.flatMap((delivery) => delivery.next_attempt_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** Returns the deliveries whose `next_attempt_at` is reached at `now`. */
export function dueDeliveries(deliveries: readonly Delivery[], now: number): readonly Delivery[] {
  return deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now)
}

/** Returns true if the last automatic attempt was started. Another automatic attempt is then not allowed. */
export function isExhausted({ automatic_attempts }: Delivery): boolean {
  return automatic_attempts >= AUTOMATIC_ATTEMPTS
}

/** Returns the time of the next automatic attempt; `null` if none follows. */
export function plannedAttempt(delivery: Delivery): number | null {
  return isExhausted(delivery) ? null : delivery.next_attempt_at
}

/** Returns the number of the last started attempt; 0 before the first attempt. */
export function latestAttempt({ attempts }: Delivery): number {
  return attempts.at(-1)?.attempt ?? 0
}

/**
 * Starts the next automatic attempt, if the delivery is in state `owed` and has automatic attempts left. The
 * caller must store the returned deliveries before the POST is sent.
 */
export function startAttempt(
  deliveries: readonly Delivery[],
  deliveryId: string,
  now: number,
): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) => {
    if (delivery.state !== 'owed' || isExhausted(delivery)) return delivery
    const attempt = delivery.automatic_attempts + 1
    const responded = now + ATTEMPT_TIMEOUT_MS + RESPONSE_MARGIN_MS
    const next = nextAttemptAt({ attempt, now: responded, retryAfter: null, jitter: 0 })
    return {
      ...delivery,
      automatic_attempts: attempt,
      next_attempt_at: next ?? responded,
      attempts: [...delivery.attempts, begun(delivery, now, false)],
    }
  })
}

/** Reasons why a delivery cannot be sent again by hand. */
export type RedeliveryError = 'not_found' | 'limit_reached'

/** Limit of the manual attempts of one delivery. */
export const MANUAL_ATTEMPTS = 50

/**
 * Starts a manual attempt of a delivery in any state. The planned automatic attempt stays unchanged. Only a
 * successful response changes the state. The caller must store the returned deliveries before the POST is
 * sent.
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

/**
 * Stores the outcome of an attempt. A success sets the state to `delivered`. If the newest automatic attempt
 * of a delivery in state `owed` fails, the next attempt is planned. After the last automatic attempt, the
 * state becomes `dead` instead.
 */
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

/**
 * Number of the newest attempts of a delivery whose excerpts are stored. Older excerpts are removed, because
 * the session's document has a size limit.
 */
const EXCERPTS_KEPT = 10

/** Moves the next attempt of a delivery in state `owed` to `until`. The number of attempts stays the same. */
export function postpone(
  deliveries: readonly Delivery[],
  deliveryId: string,
  until: number,
): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) =>
    delivery.state === 'owed' && !isExhausted(delivery) ? { ...delivery, next_attempt_at: until } : delivery,
  )
}

/**
 * Sets a delivery in state `owed` to `dead`. This is for a receiver that no longer wants the event, and for a
 * last attempt whose result did not arrive. The event can still be sent by hand.
 */
export function markDead(deliveries: readonly Delivery[], deliveryId: string): readonly Delivery[] {
  return change(deliveries, deliveryId, (delivery) =>
    delivery.state === 'owed' ? { ...delivery, ...planned(null) } : delivery,
  )
}

// Milliseconds between the time limit of an attempt and the time when its response is treated as lost.
const RESPONSE_MARGIN_MS = 5000

type Progress = Pick<Delivery, 'state' | 'next_attempt_at'>

/** Returns state `owed` with the next attempt at `next`, or state `dead` if `next` is `null`. */
function planned(next: number | null): Progress {
  return { state: next === null ? 'dead' : 'owed', next_attempt_at: next }
}

function consequence(
  delivery: Delivery,
  { attempt, outcome, now, jitter }: FinishedAttempt,
): Partial<Progress> {
  if (hasSucceeded(outcome)) return { state: 'delivered', next_attempt_at: null }
  if (delivery.state !== 'owed') return {}
  // A failure changes the schedule only if the attempt is the newest automatic attempt. The failure of a
  // manual or an older attempt leaves the schedule unchanged.
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
