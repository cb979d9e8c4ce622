// Rows of sessions that share an object. An erased session leaves no byte of its document in the file of the
// object. Each session has one row, with the time of its next work. The alarm of the object is not later than
// the earliest of these times.

import { nextWakeUp } from '../../../src/session/store/wake-up.ts'
import { FREE, type SlotRow } from '../form.ts'
import { documentOf, type Property } from '../ledger.ts'
import type { SimulatedObject } from '../platform/objects.ts'
import { MARKER, type Session } from '../world.ts'

/** Longest delay of work that must be repeated. The alarm is set to the end of a second. */
const AGAIN_MS = 60_000
const STEP_MS = 1_000

/** The file is read after every so many transactions, because reading it takes long. */
const FILE_READ_EVERY = 4

export const sharedRows: Property = {
  name: 'rows of shared objects have sessions and nothing else',
  watch: ({ sessions, fail, durable, latest, hasLostAlarm }) => {
    /** The last text of each session. */
    const texts = new Map<Session, string>()
    const inRow = (session: Session, { id, text, stored, wakeAt }: SlotRow) => {
      const { name, verificationId } = session
      if (stored === undefined) return fail(`the row of ${name} is damaged`)
      const isNamed = !stored.erased || stored.listing !== undefined
      if (id !== (isNamed ? verificationId : '')) fail(`the row of ${name} has the id "${id}"`)
      // Work that changed only memory may move the time, so it is compared when the document is written.
      if (texts.get(session) === text) return
      texts.set(session, text)
      const due = Math.max(nextWakeUp(stored, false) ?? Infinity, latest() + AGAIN_MS)
      if ((wakeAt ?? Infinity) > due + STEP_MS) fail(`the row of ${name} has its next work too late`)
    }
    const inFile = ({ name, durable: { sql } }: SimulatedObject, rows: readonly SlotRow[]) => {
      const file = Buffer.from(sql.bytes() ?? [])
      const stored = rows.reduce((sum, { text }) => sum + countOf(Buffer.from(text)), 0)
      if (countOf(file) > stored) fail(`the file of ${name} has bytes of a document that no row has`)
      for (const { name: erased, row, verificationId } of sessions) {
        if (!row?.id && file.includes(verificationId)) fail(`the file of ${name} has the id of ${erased}`)
      }
    }
    return {
      rowsCommitted: (object, rows) => {
        const { name } = object
        const marks = new Set<string>()
        for (const row of rows) {
          const { mark, id, text, wakeAt, isClean } = row
          if (!isClean) fail(`a row of ${name} has bytes of an earlier document`)
          if (mark === FREE) {
            if (id !== '' || text !== '' || wakeAt !== null) fail(`a free row of ${name} is not empty`)
            continue
          }
          const session = sessions.find((one) => one.mark === mark)
          if (session === undefined || marks.has(mark)) return fail(`${name} has a row of no session`)
          marks.add(mark)
          inRow(session, row)
        }
        if (object.durable.version % FILE_READ_EVERY === 0) inFile(object, rows)
        const next = Math.min(...rows.map(({ wakeAt }) => wakeAt ?? Infinity))
        const due = Math.max(next, latest() + AGAIN_MS) + STEP_MS
        if (next < Infinity && !hasLostAlarm(object) && (object.durable.alarm ?? Infinity) > due)
          fail(`the alarm of ${name} is later than the work of its rows`)
      },
      called: ({ session, method, answer }) => {
        if (method !== 'fetch' || answer.lost || !('webSocket' in Object(answer.value))) return
        const document = documentOf(durable(session))
        const { wakeAt } = session.row ?? {}
        if (document?.status === 'pending' && (wakeAt ?? 0) > (document.held?.until ?? document.expires_at))
          fail(`${session.name} is watched, and does not expire on time`)
      },
    }
  },
}

/** Returns the number of times that bytes contain the metadata of a session. */
function countOf(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, at + 1)) count++
  return count
}
