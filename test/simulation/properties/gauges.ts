// The gauges count the sessions that are pending, and the events that are queued or dead. They may be wrong
// about a session whose last change was interrupted, until it changes again (docs/operating.md).

import type { SessionCounts } from '../../../src/relying-party/session-counts.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { documentOf, type Property, type Stored } from '../ledger.ts'
import type { Session } from '../world.ts'

/** Longest time of a call that began before the faults ended. */
const SLOW_MS = 60_000

export const gauges: Property = {
  name: 'gauges count what is stored',
  watch: ({ sessions, fail, durable, wall, step, isCalm, hasSlowCalls }) => {
    /** Sessions whose last change may be unknown. */
    const unsure = new Set<Session>()
    /** Step of the newest change of a number. */
    let changedAt = 0
    let settledAt = isCalm && !hasSlowCalls ? 0 : Number.POSITIVE_INFINITY

    const expected = (now: number): SessionCounts => {
      const stored = sessions.flatMap((session) => documentOf(durable(session)) ?? [])
      const pending = stored.filter((document) => pendingUntil(document) > now).length
      return { livemode: false, pending, ...eventsOf(stored) }
    }
    return {
      interrupted: (session) => void unsure.add(session),
      crashed: () => {
        for (const session of sessions) unsure.add(session)
      },
      repaired: () => {
        settledAt = wall() + SLOW_MS
      },
      committed: (session, before, after) => {
        // An object that lives on notes nothing while its numbers are the same.
        const isChanged = textOf(before) !== textOf(after)
        if (isChanged) changedAt = step()
        if (wall() < settledAt) unsure.add(session)
        else if (isChanged) unsure.delete(session)
      },
      gauged: (counts, begunAt) => {
        // A webhook may be due while a slow call reads the gauges.
        if (unsure.size > 0 || changedAt > begunAt) return
        const [test] = counts
        const wanted = JSON.stringify(expected(wall()))
        if (JSON.stringify(test) !== wanted)
          fail(`the gauges are ${JSON.stringify(test)}, and stored are ${wanted}`)
      },
    }
  },
}

function eventsOf(documents: readonly SessionDocument[]) {
  const states = documents.flatMap(({ deliveries }) => deliveries.map(({ state }) => state))
  return {
    queuedEvents: states.filter((state) => state === 'owed').length,
    deadEvents: states.filter((state) => state === 'dead').length,
  }
}

function textOf(stored: Stored): string {
  const documents = [documentOf(stored) ?? []].flat()
  return JSON.stringify([documents.reduce((_, one) => pendingUntil(one), 0), eventsOf(documents)])
}

function pendingUntil({ status, expires_at, held }: SessionDocument): number {
  return status === 'pending' ? Math.max(expires_at, held?.until ?? 0) : 0
}
