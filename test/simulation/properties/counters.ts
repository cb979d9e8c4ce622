// Counters of a list (api/lists): each verification counts once, with its last entry, also after `DELETE`. A
// verification that was deleted before its entry arrived does not count.

import type { HourCounts } from '../../../src/relying-party/index/counters.ts'
import type { StoredEntry } from '../../../src/relying-party/index/stored-entry.ts'
import type { Property } from '../ledger.ts'
import { isList } from '../platform/objects.ts'

export const counters: Property = {
  name: 'counters count each verification once',
  watch: ({ fail }) => {
    /** The last entry of each verification, by list and key. */
    const entries = new Map<string, Map<string, StoredEntry>>()
    return {
      objectCommitted: (list, key, after) => {
        const { label } = list
        if (!isList(list) || label === null || !isListed(after)) return
        const of = entries.get(label) ?? new Map<string, StoredEntry>()
        entries.set(label, of.set(key, after))
      },
      counted: ({ name, label }, hours) => {
        const wanted = countsOf([...(entries.get(label ?? '')?.values() ?? [])])
        const read = sumOf(hours)
        if (read !== wanted) fail(`the counters of ${name} are ${read}, and listed were ${wanted}`)
      },
    }
  },
}

function countsOf(entries: readonly StoredEntry[]): string {
  const attempts = entries.map(({ webhook }) => webhook?.attempts ?? 0)
  return textOf({
    created: entries.length,
    fetched: entries.filter(({ request_fetched_at: at }) => at !== null).length,
    ended: entries.filter(({ ended_at }) => ended_at !== null).map(({ status }) => status),
    attempts: attempts.reduce((sum, count) => sum + count, 0),
    refused: entries
      .flatMap(({ attempts }) => Object.values(attempts?.reasons ?? {}))
      .reduce((sum, count) => sum + count, 0),
  })
}

function sumOf(hours: readonly HourCounts[]): string {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const ended = hours.flatMap((hour) => Object.entries(hour.ended))
  return textOf({
    created: sum(hours.map(({ created }) => created)),
    fetched: sum(hours.map(({ request_fetched }) => request_fetched)),
    ended: ended.flatMap(([status, count]) => Array.from({ length: count }, () => status)),
    attempts: sum(hours.flatMap(({ webhook_attempts }) => Object.values(webhook_attempts))),
    refused: sum(hours.flatMap(({ attempt_reasons }) => Object.values(attempt_reasons))),
  })
}

function textOf({
  ended,
  ...counts
}: Readonly<Record<string, unknown>> & { ended: readonly string[] }): string {
  return JSON.stringify({ ...counts, ended: ended.toSorted() })
}

function isListed(stored: unknown): stored is StoredEntry {
  return typeof stored === 'object' && stored !== null && 'metadata_until' in stored
}
