// The steps of one verification, oldest first (api/lists).

import type { Timeline } from '../../api/responses/lists.ts'
import { isoTime } from '../../codec/date-time.ts'
import { failedClause } from '../../exchange/evaluate-presentations.ts'
import type { Attempt, Delivery } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import { describeReason, type ReasonCode } from '../document/reasons.ts'
import { NO_MEMBERS, type StoredStep } from '../document/timeline.ts'

type Entry = Timeline['entries'][number]
type TimedEntry = {
  readonly at: number
  readonly lastAt: number
  readonly entry: Omit<Entry, 'at' | 'last_at'>
}

/** Limit of entries in one response. Beyond this limit, middle entries are left out. */
const ENTRIES = 100
/** Types of entries that are never left out. A session has only a few such entries. */
const LASTING: readonly Entry['type'][] = ['created', 'ended', 'redeemed']

/** Returns the body of `GET …/timeline`. */
export function timelineView(document: SessionDocument, baseUrl: string): Timeline {
  const { verification_id, created_at, ended_at, status, outcome } = document
  const steps = (document.timeline ?? []).map((step) => stepEntry(step, baseUrl))
  const attempts = document.deliveries.flatMap((delivery) =>
    merged(delivery.attempts.map((attempt) => attemptEntry(delivery, attempt))),
  )
  const end =
    ended_at === null
      ? []
      : [
          entryAt(ended_at, {
            type: 'ended',
            status,
            channel: outcome?.channel ?? null,
            reason: toReason(outcome?.reason ?? null, baseUrl),
            clause: failedClause(outcome?.trace ?? []) ?? null,
          }),
        ]
  const all = [entryAt(created_at, { type: 'created' }), ...steps, ...end, ...attempts]
  const sorted = all.toSorted((a, b) => a.at - b.at)
  const shown = withoutMiddle(sorted)
  const entries = shown.map(({ at, lastAt, entry }) => ({
    at: isoTime(at),
    last_at: isoTime(lastAt),
    ...entry,
  }))
  const left_out = sumCounts(sorted) - sumCounts(shown) + (document.steps_left_out ?? 0)
  return { verification_id, entries, left_out }
}

/**
 * Leaves out middle entries beyond the limit. The first fetch of the request and the entries of the types in
 * `LASTING` stay.
 */
function withoutMiddle(sorted: readonly TimedEntry[]): readonly TimedEntry[] {
  const firstFetch = sorted.find(({ entry }) => entry.type === 'request_fetched')
  const isKept = (one: TimedEntry) => one === firstFetch || LASTING.includes(one.entry.type)
  const others = sorted.filter((one) => !isKept(one))
  const surplus = sorted.length - ENTRIES
  const start = Math.ceil((others.length - surplus) / 2)
  const leftOut = new Set(others.slice(start, start + Math.max(surplus, 0)))
  return sorted.filter((one) => !leftOut.has(one))
}

function sumCounts(entries: readonly TimedEntry[]): number {
  return entries.reduce((sum, { entry }) => sum + entry.count, 0)
}

function entryAt(at: number, entry: Pick<Entry, 'type'> & Partial<Entry>): TimedEntry {
  return { at, lastAt: at, entry: { ...NO_MEMBERS, ...entry } }
}

function stepEntry(step: StoredStep, baseUrl: string): TimedEntry {
  const { at, last_at = at, count = 1, ...members } = step
  const reason = 'reason' in members ? toReason(members.reason, baseUrl) : null
  return { at, lastAt: last_at, entry: { ...NO_MEMBERS, ...members, reason, count } }
}

function attemptEntry({ delivery_id }: Delivery, { at, status, error, duration_ms }: Attempt): TimedEntry {
  const members = { delivery_id, http_status: status, error, duration_ms: duration_ms ?? null }
  return entryAt(at, { type: 'webhook_attempt', ...members })
}

/**
 * Merges consecutive attempts with the same HTTP status and error into one entry with a count. The entry has
 * the duration of the last attempt.
 */
function merged(attempts: readonly TimedEntry[]): readonly TimedEntry[] {
  const result: TimedEntry[] = []
  for (const attempt of attempts) {
    const last = result.at(-1)
    const { http_status, error, count, duration_ms } = attempt.entry
    if (last?.entry.http_status !== http_status || last.entry.error !== error) result.push(attempt)
    else {
      const sum = { ...last.entry, count: last.entry.count + count, duration_ms }
      result[result.length - 1] = { at: last.at, lastAt: attempt.at, entry: sum }
    }
  }
  return result
}

function toReason(code: ReasonCode | null, baseUrl: string) {
  return code === null ? null : describeReason(code, baseUrl)
}
