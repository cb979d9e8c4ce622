// No session waits for the work of another session in its object: neither a call, nor the work that is due.
// Times are compared in histories without faults of the platform and without slow calls. There, only a
// receiver takes long.

import type { Property } from '../ledger.ts'
import type { Session } from '../world.ts'

/** Longest time of a call. No call of an actor waits for a receiver. */
const CALL_MS = 1_000
/** Longest delay of work: the step of alarms, and calls before its first write. */
const WORK_MS = 2_000
/** Longest time of one attempt. Until its end the next work of the same session waits. */
const ATTEMPT_MS = 16_000

export const neighbours: Property = {
  name: 'no session waits for the work of another',
  watch: ({ sessions, fail, wall, isCalm, hasSlowCalls }) => {
    /** Time of the next work, by session. */
    const due = new Map<Session, number>()
    /** Time of the latest attempt, by session. */
    const posts = new Map<Session, number>()
    const isTimed = isCalm && !hasSlowCalls
    return {
      posted: ({ verificationId }) => {
        const session = sessions.find((one) => one.verificationId === verificationId)
        if (session !== undefined) posts.set(session, wall())
      },
      called: ({ session, method, began }) => {
        const took = wall() - began
        if (isTimed && took > CALL_MS) fail(`${method} of ${session.name} took ${took} ms`)
      },
      rowsCommitted: (object) => {
        if (!isTimed) return
        for (const session of sessions.filter((one) => one.object === object)) {
          const before = due.get(session)
          const { wakeAt } = session.row ?? {}
          if (before === wakeAt) continue
          const late = wall() - (before ?? Infinity)
          const isPosting = wall() - (posts.get(session) ?? -Infinity) <= ATTEMPT_MS
          if (late > WORK_MS && !isPosting)
            fail(`the work of ${session.name} began ${late} ms after its time`)
          if (wakeAt && wakeAt > wall()) due.set(session, wakeAt)
          else due.delete(session)
        }
      },
    }
  },
}
