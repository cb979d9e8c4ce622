// Counters of a relying party's verifications for each hour or day (api/lists).

import { insightsQuery } from '../../api/requests.ts'
import type { Insights } from '../../api/responses/lists.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { Env } from '../../env.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { toDay } from '../../relying-party/events/event-days.ts'
import {
  type Counts,
  HOUR_MS,
  type HourCounts,
  quantile,
  sumCounts,
} from '../../relying-party/index/counters.ts'
import { callDay } from '../../relying-party/index/damaged-days.ts'
import { type ListedDay, listStub } from '../../relying-party/index/index-days.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { readQuery } from '../edge/validate.ts'
import { leftOut } from './list-query.ts'

const DAY_MS = 24 * HOUR_MS
/** Largest number of steps in one response. */
const STEPS = 750
/** Number of days that are read at the same time. */
const AT_A_TIME = 10
/** Largest number of calls for one day. A call reads at most 10,000 entries. */
const CALLS = 4
/** After this number of days, the sessions of a day have ended, so the counters of the day hardly change. */
const OLD_DAYS = 3
/** Time for which the counters of an old day are cached, and number of cached days. */
const CACHED_MS = 30_000
const CACHED_DAYS = 200

/**
 * Sends the counters of a range, one set for each step. A step is an hour or a day. `from` is moved to the
 * start of its step in UTC. `to` is exclusive.
 */
export async function readInsights(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const query = readQuery(c, insightsQuery)
  if (!query.ok) return query.error
  const { relying_party_id, index } = caller.value.settings
  if (index === false) return problem(c, 'index_disabled')
  const { step } = query.value
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  const from = Math.floor(Date.parse(query.value.from) / stepMs) * stepMs
  const to = Date.parse(query.value.to)
  const count = Math.ceil((to - from) / stepMs)
  if (count < 1 || count > STEPS) {
    const message = `must be later than from, by at most ${STEPS} steps`
    return memberProblem(c, { pointer: '/to', code: 'invalid_value', message })
  }
  const { hours, incomplete } = await loadHours(c.env, relying_party_id, from, to)
  const steps = Array.from({ length: count }, (_, i) => from + i * stepMs).map((at) =>
    toStep(
      sumCounts(
        at,
        hours.filter((hour) => hour.at >= at && hour.at < at + stepMs),
      ),
    ),
  )
  const body: Insights = { from: isoTime(from), to: isoTime(to), step, steps, ...leftOut(incomplete) }
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

/**
 * Returns the counters of the hours in a range. A session is stored under the day of its creation, and may
 * end two days later. So the two days before the range are read as well. `incomplete`: days that are left
 * out.
 */
async function loadHours(
  env: Env,
  relyingPartyId: string,
  from: number,
  to: number,
): Promise<{ readonly hours: readonly HourCounts[]; readonly incomplete: readonly number[] }> {
  const days = (await relyingPartyStub(env, relyingPartyId)?.listedDays()) ?? []
  const readable = days.filter(({ day }) => day >= toDay(from) - 2 && day <= toDay(to - 1))
  const hours: HourCounts[] = []
  const incomplete: number[] = []
  for (let i = 0; i < readable.length; i += AT_A_TIME) {
    const batch = readable.slice(i, i + AT_A_TIME)
    const counts = await Promise.all(batch.map((day) => loadCounts(env, relyingPartyId, day)))
    for (const [number, { day }] of batch.entries()) {
      const counted = counts[number] ?? null
      if (counted === null) incomplete.push(day)
      else hours.push(...counted)
    }
  }
  return { hours: hours.filter(({ at }) => at >= from && at < to), incomplete }
}

/** Cache of the counters of old days. The days that were stored last are at the end. */
const cache = new Map<string, { readonly until: number; readonly counts: readonly HourCounts[] }>()

/** Returns the counters of a day; null if the day is left out. */
async function loadCounts(
  env: Env,
  relyingPartyId: string,
  listedDay: ListedDay,
): Promise<readonly HourCounts[] | null> {
  const now = Date.now()
  const { day } = listedDay
  const name = `${relyingPartyId}/${day}`
  const cached = cache.get(name)
  if (cached !== undefined && now < cached.until) return cached.counts
  const counts = await readCounts(env, relyingPartyId, listedDay)
  if (counts === null || day > toDay(now) - OLD_DAYS) return counts
  cache.delete(name)
  cache.set(name, { until: now + CACHED_MS, counts })
  for (const oldest of cache.keys()) if (cache.size > CACHED_DAYS) cache.delete(oldest)
  return counts
}

/**
 * Reads the counters of a day. A day with many entries needs several calls. Each call continues where the
 * previous call stopped, even a call of an earlier request. Returns null for a damaged day, and if the limit
 * of calls is reached.
 */
async function readCounts(
  env: Env,
  relyingPartyId: string,
  day: ListedDay,
): Promise<readonly HourCounts[] | null> {
  const stub = listStub(env, relyingPartyId, day)
  for (let call = 0; call < CALLS; call++) {
    const counts = await callDay(stub, 'read', () => stub.counts())
    if (!counts.ok) return null
    if (counts.value !== null) return counts.value
  }
  return null
}

function toStep({ end_buckets, webhook_buckets, at, ...counts }: HourCounts): Insights['steps'][number] {
  return {
    at: isoTime(at),
    ...counts,
    seconds_to_end: quantiles(end_buckets),
    webhook_seconds: quantiles(webhook_buckets),
  }
}

function quantiles(buckets: Counts) {
  const rounded = (value: number | null) => value && Math.round(value * 1000) / 1000
  return { p50: rounded(quantile(buckets, 0.5)), p95: rounded(quantile(buckets, 0.95)) }
}
