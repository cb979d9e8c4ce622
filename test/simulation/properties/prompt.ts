// List and log hear of an end soon, also when faults have delayed it: waits between calls double, so they are
// no longer than the faults were (api/lists, api/events). The same holds for the removal by `DELETE`.

import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import type { StoredEntry } from '../../../src/relying-party/index/stored-entry.ts'
import type { Property, Stored } from '../ledger.ts'
import { isList } from '../platform/objects.ts'

/** Time of the faults, and the longest wait of a call that began during them. */
const PROMPT_MS = 3_600_000

export const prompt: Property = {
  name: 'list and log hear of an end soon after faults',
  watch: ({ fail, wall, jumped, isCalm }) => {
    let repairedAt = isCalm ? 0 : Number.POSITIVE_INFINITY
    /** Entries that have the end of their session, by list and key. */
    const listed = new Set<string>()
    /** When the removal of an entry was first queued, by its key. */
    const removals = new Map<string, number>()
    /** Entries that were removed, by list and key. */
    const removed = new Set<string>()

    const inTime = (what: string, since: number) => {
      const late = wall() - Math.max(since, repairedAt) - jumped() - PROMPT_MS
      if (late > 0) fail(`${what} after ${Math.round((wall() - since) / 1000)} s`)
    }
    const entryWritten = (name: string, key: string, { ended_at }: StoredEntry) => {
      const place = `${name} ${key}`
      if (ended_at === null || listed.has(place)) return
      listed.add(place)
      inTime(`the list ${name} has an end`, ended_at)
    }
    return {
      repaired: () => {
        repairedAt = wall()
      },
      committed: (_, __, after) => {
        const removal = removalOf(after)
        const key = String(removal?.created_at)
        if (removal !== undefined) removals.set(key, removals.get(key) ?? wall())
      },
      objectCommitted: (object, key, after) => {
        const { kind, name } = object
        if (after === undefined) return
        if (kind === 'EVENT_LOG' && key.startsWith('event/')) {
          const { body } = after as { readonly body: string }
          const { created_at, event_type } = JSON.parse(body) as { created_at: string; event_type: string }
          if (!isStepEvent({ event_type })) inTime(`the log ${name} has an end`, Date.parse(created_at))
        }
        if (!isList(object) || !key.startsWith('entry/')) return
        const since = removals.get(String(Number(key.split('/')[1])))
        if (typeof after === 'object' && after !== null && 'removed' in after) {
          if (since !== undefined && !removed.has(`${name} ${key}`))
            inTime(`${name} has lost a deleted entry`, since)
          removed.add(`${name} ${key}`)
        } else entryWritten(name, key, after as StoredEntry)
      },
    }
  },
}

/** Returns the removal that a tombstone has for the list. */
function removalOf(stored: Stored) {
  return stored?.erased && stored.listing?.entry === null ? stored.listing : undefined
}
