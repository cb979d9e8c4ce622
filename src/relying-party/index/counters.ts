// Counters of verifications for each hour (api/lists), computed only from entries of the index. If an entry
// changes, the old entry is subtracted and the new entry is added. The counters have no personal data and no
// id.

import type { ListedEntry } from './index-entry.ts'

export const HOUR_MS = 3_600_000

/** Number of events by name. A name without events is absent. */
export type Counts = Readonly<Record<string, number>>

/** Counters of one hour. `at`: its start in Unix milliseconds. */
export type HourCounts = {
  readonly at: number
  readonly created: number
  readonly request_fetched: number
  readonly ended: Counts
  readonly reasons: Counts
  /**
   * Refused responses by reason. All refused responses of a verification are counted in the hour of the last
   * one.
   */
  readonly attempt_reasons: Counts
  readonly channels: Counts
  readonly protocols: Counts
  readonly webhook_attempts: Counts
  /**
   * Number of values in each bucket. `end_buckets`: times from creation to end. `webhook_buckets`: durations
   * of the last webhook attempt.
   */
  readonly end_buckets: Counts
  readonly webhook_buckets: Counts
}

/** Ratio of the upper bounds of two neighbouring buckets. */
const BUCKET_RATIO = 1.1

/** Counters of several hours. Entries can be added and removed. */
export class HourCounters {
  readonly #hours: Map<number, Map<string, number>>

  constructor(hours: readonly HourCounts[] = []) {
    this.#hours = new Map(hours.map((hour) => [hour.at, new Map(listCounters(hour))]))
  }

  /** Adds the events of an entry to the counters. `factor` -1 subtracts them. */
  add(entry: ListedEntry, factor: 1 | -1 = 1): void {
    for (const { at, counter, times } of countEvents(entry)) {
      const hour = Math.floor(at / HOUR_MS) * HOUR_MS
      const counts = this.#hours.get(hour) ?? new Map<string, number>()
      this.#hours.set(hour, counts)
      const sum = (counts.get(counter) ?? 0) + factor * times
      if (sum === 0) counts.delete(counter)
      else counts.set(counter, sum)
    }
  }

  /** Returns the hours that have events, oldest first. */
  hours(): readonly HourCounts[] {
    return [...this.#hours]
      .filter(([, counts]) => counts.size > 0)
      .sort(([a], [b]) => a - b)
      .map(([at, counts]) => sumHour(at, counts))
  }
}

/** Returns the sums of the counters of several hours. `at`: start of the hour or day that the sums cover. */
export function sumCounts(at: number, hours: readonly HourCounts[]): HourCounts {
  const totals = new Map<string, number>()
  for (const hour of hours) {
    for (const [counter, count] of listCounters(hour)) totals.set(counter, (totals.get(counter) ?? 0) + count)
  }
  return sumHour(at, totals)
}

/** Returns the counters of an hour as pairs of `group/name` and number. `sumHour` is the inverse. */
function listCounters({ at: _, ...groups }: HourCounts): readonly (readonly [string, number])[] {
  return Object.entries(groups).flatMap(([group, counts]) =>
    typeof counts === 'number'
      ? [[`${group}/`, counts] as const]
      : Object.entries(counts).map(([name, count]) => [`${group}/${name}`, count] as const),
  )
}

/**
 * Returns a quantile of the values, at most 10 % too high; null without values. `share`: 0.5 for the median.
 * The result is the upper bound of the bucket that contains the quantile.
 */
export function quantile(buckets: Counts, share: number): number | null {
  const sorted = Object.entries(buckets)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [bucket, count] of sorted) {
    seen += count
    if (seen >= total * share) return BUCKET_RATIO ** bucket
  }
  return null
}

type CountedEvent = { readonly at: number; readonly counter: string; readonly times: number }

function countEvents(entry: ListedEntry): readonly CountedEvent[] {
  const { created_at, request_fetched_at, ended_at, status, reason, channel, protocol, webhook } = entry
  const once = (at: number, counter: string, times = 1) => ({ at, counter, times })
  const events = [once(created_at, 'created/'), once(created_at, `protocols/${protocol}`)]
  if (request_fetched_at !== null) events.push(once(request_fetched_at, 'request_fetched/'))
  for (const [code, times] of Object.entries(entry.attempts?.reasons ?? {}))
    events.push(once(entry.attempts?.last_at ?? created_at, `attempt_reasons/${code}`, times))
  if (ended_at === null) return events
  events.push(once(ended_at, `ended/${status}`))
  events.push(once(ended_at, `end_buckets/${chooseBucket((ended_at - created_at) / 1000)}`))
  if (reason !== null) events.push(once(ended_at, `reasons/${reason}`))
  if (channel !== null) events.push(once(ended_at, `channels/${channel}`))
  if (webhook === null) return events
  const succeeded = webhook.delivered ? 1 : 0
  if (succeeded > 0) events.push(once(ended_at, 'webhook_attempts/succeeded'))
  const failed = webhook.attempts - succeeded
  if (failed > 0) events.push(once(ended_at, 'webhook_attempts/failed', failed))
  if (webhook.attempts > 0)
    events.push(once(ended_at, `webhook_buckets/${chooseBucket(webhook.duration_ms / 1000)}`))
  return events
}

/**
 * Returns the number of the bucket of a value. The upper bound of the bucket in seconds is `BUCKET_RATIO` to
 * the power of this number. Values up to 1 ms share a bucket.
 */
function chooseBucket(seconds: number): number {
  return Math.ceil(Math.log(Math.max(seconds, 0.001)) / Math.log(BUCKET_RATIO))
}

function sumHour(at: number, counts: ReadonlyMap<string, number>): HourCounts {
  const group = (name: string): Counts =>
    Object.fromEntries(
      [...counts]
        .filter(([counter]) => counter.startsWith(`${name}/`))
        .map(([counter, count]) => [counter.slice(name.length + 1), count] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  return {
    at,
    created: counts.get('created/') ?? 0,
    request_fetched: counts.get('request_fetched/') ?? 0,
    ended: group('ended'),
    reasons: group('reasons'),
    attempt_reasons: group('attempt_reasons'),
    channels: group('channels'),
    protocols: group('protocols'),
    webhook_attempts: group('webhook_attempts'),
    end_buckets: group('end_buckets'),
    webhook_buckets: group('webhook_buckets'),
  }
}
