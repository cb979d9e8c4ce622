// When a failed webhook is tried again (CONTRACT 7): five retries, further apart each time.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Wait after the first, second, … failed attempt, in milliseconds, before jitter. */
const RETRY_DELAYS = [5 * SECOND, MINUTE, 10 * MINUTE, 2 * HOUR, 24 * HOUR] as const

/** A receiver may ask for a longer wait, up to this. */
const RETRY_AFTER_LIMIT = 24 * HOUR

/** An attempt that failed. */
export type FailedAttempt = {
  /** 1 for the first automatic attempt. */
  readonly attempt: number
  /** When it was over, Unix milliseconds. */
  readonly now: number
  /** Milliseconds the receiver asked to wait, if it did. */
  readonly retryAfter: number | null
  /** A random number from 0 to 1: spreads retries of many events over a fifth of the wait. */
  readonly jitter: number
}

/** When to try again, Unix milliseconds; `null` after the last attempt. A receiver can put it off, never bring it forward. */
export function nextAttemptAt({ attempt, now, retryAfter, jitter }: FailedAttempt): number | null {
  const delay = RETRY_DELAYS[attempt - 1]
  if (delay === undefined) return null
  const asked = Math.min(retryAfter ?? 0, RETRY_AFTER_LIMIT)
  return now + Math.max(Math.round(delay * (1 + 0.2 * jitter)), asked)
}

/**
 * The wait a `Retry-After` field asks for, in milliseconds; `null` where it is absent or unreadable. Of the date formats
 * (RFC 9110 §5.6.7) the one that senders must use is read; for another one our own schedule stands.
 */
export function parseRetryAfter(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d+$/.test(field)) return Number(field) * SECOND
  if (!IMF_FIXDATE.test(field)) return null
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
