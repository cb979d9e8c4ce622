// Everything is erased in time (api/result, api/logins, api/lists): sessions at the end of their retention,
// logins minutes after the end, an `Idempotency-Key` after a day, metadata of a list at the end of the
// retention, its entries after 30 days, its counters after 90, events of the log after 30. What is due while
// faults go on is erased after them. That nothing is left in the end is the matter of the other properties.

import { endOfDay, toDay } from '../../../src/relying-party/events/event-days.ts'
import type { StoredEntry } from '../../../src/relying-party/index/stored-entry.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { documentOf, type Property, type Stored } from '../ledger.ts'
import { isList, type SimulatedObject } from '../platform/objects.ts'
import type { Session } from '../world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** An alarm that comes late, a watchdog, and calls that are slow. */
const MARGIN_MS = 5 * MINUTE_MS
/** Longest delay of an erasure while an event is queued. */
const QUEUED_MS = 7 * DAY_MS
/** Time of a login after the end of its session: with a success, and without. */
const SUCCESS_MS = 330_000
const FAILURE_MS = 540_000
/** Spread of erasures, and time between two erasures of metadata. */
const SPREAD_MS = HOUR_MS
const KEY_MS = DAY_MS
const LISTED_DAYS = 30
const COUNTED_DAYS = 90

export const times: Property = {
  name: 'everything is erased in time',
  watch: ({ fail, wall, jumped, isCalm, hasLostAlarm }) => {
    let repairedAt = isCalm ? 0 : Number.POSITIVE_INFINITY
    /** When a finished session had no queued event any more. */
    const freeAt = new Map<Session, number>()
    /** When a tombstone had no change for the list any more. */
    const toldAt = new Map<Session, number>()
    /** When an entry was written. */
    const writtenAt = new Map<string, number>()

    /** Fails if `what` was erased more than `margin` after it was due. */
    const inTime = (what: string, due: number, margin = MARGIN_MS) => {
      const late = wall() - Math.max(due, repairedAt) - jumped() - margin
      if (late > 0) fail(`${what} was erased ${Math.round((wall() - due) / 1000)} s after its time`)
    }
    const sessionErased = (session: Session, old: SessionDocument) => {
      const { created_at, ended_at, retention_ms, idempotency } = old
      const due = (ended_at ?? old.expires_at) + retention_ms
      const free = isQueued(old) ? due + QUEUED_MS : Math.min(freeAt.get(session) ?? due, due + QUEUED_MS)
      inTime(session.name, Math.max(due, free), SPREAD_MS + MARGIN_MS)
      if (old.login !== undefined) inTime(`the login of ${session.name}`, loginDue(old))
      if ((idempotency?.keep_until ?? 0) > created_at + KEY_MS)
        fail(`the Idempotency-Key of ${session.name} is kept for more than a day`)
    }
    const entryChanged = (list: SimulatedObject, key: string, [before, after]: readonly unknown[]) => {
      const { name } = list
      const day = toDay(Number(key.split('/')[1]))
      const until = endOfDay(day + LISTED_DAYS)
      if (after === undefined) {
        if (wall() < until - jumped()) fail(`an entry of ${name} was erased before its time`)
        return inTime(`an entry of ${name}`, until, SPREAD_MS + MARGIN_MS)
      }
      const [old, entry] = [before, after] as readonly (Partial<StoredEntry> | undefined)[]
      const place = `${name} ${key}`
      if (old?.sealed_metadata && entry?.sealed_metadata === null) {
        const due = Math.max(old.metadata_until ?? 0, writtenAt.get(place) ?? 0)
        // A lost alarm is set again for the end of a day.
        const spread = hasLostAlarm(list) ? DAY_MS : SPREAD_MS
        inTime(`metadata of ${name}`, due, spread + MARGIN_MS)
      }
      writtenAt.set(place, wall())
    }
    const keyErased = (session: Session, before: Stored, after: Stored) => {
      if (!before?.erased) return
      if (before.listing !== undefined && after?.erased && after.listing === undefined)
        toldAt.set(session, wall())
      if (after !== undefined) return
      const told = before.listing === undefined ? (toldAt.get(session) ?? 0) : wall()
      inTime(`the Idempotency-Key of ${session.name}`, Math.max(before.keep_until, told))
    }
    return {
      repaired: () => {
        repairedAt = wall()
      },
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        if (document !== undefined && !isQueued(document) && (old === undefined || isQueued(old)))
          freeAt.set(session, wall())
        if (old !== undefined && document === undefined) sessionErased(session, old)
        if (old?.login !== undefined && document !== undefined && document.login === undefined)
          inTime(`the login of ${session.name}`, loginDue(old))
        keyErased(session, before, after)
      },
      objectCommitted: (object, key, after, before) => {
        const { kind, name, label } = object
        if (isList(object) && key.startsWith('entry/')) entryChanged(object, key, [before, after])
        if (after !== undefined) return
        const [, day] = label?.split('/') ?? []
        if (kind === 'EVENT_LOG') inTime(`an event of ${name}`, endOfDay(Number(day) + LISTED_DAYS))
        if (kind === 'VERIFICATION_INDEX' && key === 'day' && day === 'counts')
          inTime(`the counters of ${name}`, endOfDay(Number(before) + COUNTED_DAYS))
      },
    }
  },
}

function isQueued({ deliveries, pending_log_entry, pending_step_log }: SessionDocument): boolean {
  return Boolean(pending_log_entry || pending_step_log) || deliveries.some(({ state }) => state === 'owed')
}

function loginDue({ ended_at, login }: SessionDocument): number {
  return (ended_at ?? Infinity) + (login?.result?.failure === null ? SUCCESS_MS : FAILURE_MS)
}
