// Schedule of retries for a failed webhook (api/webhooks): five retries, at growing intervals.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Wait after the first, second, … failed attempt, in milliseconds, before jitter. */
const RETRY_DELAYS = [5 * SECOND, MINUTE, 10 * MINUTE, 2 * HOUR, 24 * HOUR] as const

/** Number of automatic attempts of one delivery. */
export const AUTOMATIC_ATTEMPTS = RETRY_DELAYS.length + 1

/** The longest wait that a receiver may request. */
const RETRY_AFTER_LIMIT = 24 * HOUR

/**
 * Limit in milliseconds of the random delay that is added to a requested wait. The delay spreads retries that
 * a receiver requested for the same time.
 */
const RETRY_AFTER_SPREAD = MINUTE

/** A failed attempt. */
type FailedAttempt = {
  /** Number of the automatic attempt, from 1. */
  readonly attempt: number
  /** End of the attempt, Unix milliseconds. */
  readonly now: number
  /** Wait that the receiver requested, in milliseconds. `null` means that the receiver requested none. */
  readonly retryAfter: number | null
  /**
   * A random number from 0 to 1. The number makes the wait up to a fifth longer, so that the retries of many
   * events are spread.
   */
  readonly jitter: number
}

/**
 * Returns the time of the next attempt in Unix milliseconds; `null` after the last attempt. A receiver can
 * request a longer wait, but not a shorter wait.
 */
export function nextAttemptAt({ attempt, now, retryAfter, jitter }: FailedAttempt): number | null {
  const delay = RETRY_DELAYS[attempt - 1]
  if (delay === undefined) return null
  const asked = Math.min(retryAfter ?? 0, RETRY_AFTER_LIMIT)
  const spread = jitter * Math.min(0.2 * asked, RETRY_AFTER_SPREAD)
  return now + Math.round(Math.max(delay * (1 + 0.2 * jitter), asked + spread))
}

/**
 * Returns the wait in `Retry-After` in milliseconds; `null` if the field is absent or unreadable. The only
 * accepted date format is IMF-fixdate, which senders must use (RFC 9110 §5.6.7).
 *
 * @example
 * parseRetryAfter('120', Date.now()) // 120000
 */
export function parseRetryAfter(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d+$/.test(field)) return Number(field) * SECOND
  if (!IMF_FIXDATE.test(field)) return null
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
