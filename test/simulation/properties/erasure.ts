// Nothing is readable after erasure, also not in the bytes of the database file. An erased session never
// comes back, and its `Idempotency-Key` creates no other one while it must be stored. The key may be lost if
// the object is interrupted between `deleteAll` and the write of the key. Without `DELETE`, a session is
// erased only after its end and its retention.

import { documentOf, isUntouchedLogin, type Property, type Stored } from '../ledger.ts'
import { MARKER, type Session } from '../world.ts'

export const erasure: Property = {
  name: 'nothing readable after erasure',
  watch: ({ sessions, fail, wall, latest, durable }) => {
    /** When the `Idempotency-Key` of an erased session may be used again. */
    const erased = new Map<Session, number>()
    /** Expiry of logins that were erased at their expiry. If the clock is set back, they may begin again. */
    const expired = new Map<Session, number>()
    /** Sessions that the relying party has deleted, or tried to. */
    const deleted = new Set<Session>()
    /** Sessions whose object is empty, with the time until which their `Idempotency-Key` must be stored. */
    const withoutKey = new Map<Session, number>()
    const hasBytes = ({ object: { durable } }: Session) =>
      [...durable.overwritten].some((value) => JSON.stringify(value).includes(MARKER))
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      interrupted: (session) => {
        // In a shared object, one write erases the session and stores the key.
        if (session.mark === undefined && withoutKey.delete(session)) session.isKeyLost = true
      },
      committed: (session, before, after) => {
        const document = documentOf(after)
        if (after !== undefined) withoutKey.delete(session)
        else withoutKey.set(session, keepUntil(before))
        // A key that need not be stored any more may create another session.
        const isFree = session.isKeyed && (erased.get(session) ?? 0) <= wall()
        if (document !== undefined && (expired.get(session) ?? 0) > wall()) erased.delete(session)
        if (document !== undefined && erased.has(session) && !isFree) {
          fail(`${session.name} is stored again after its erasure`)
        }
        const old = documentOf(before)
        if (old === undefined || document !== undefined) return
        erased.set(session, old.idempotency?.keep_until ?? 0)
        const isOver = isUntouchedLogin(old) && latest() >= old.expires_at
        if (isOver && !deleted.has(session)) expired.set(session, old.expires_at)
        const isRetained = !isOver && (old.ended_at === null || latest() < old.ended_at + old.retention_ms)
        if (isRetained && !deleted.has(session)) fail(`${session.name} was ${old.status} and is erased`)
        const rest =
          session.mark === undefined
            ? JSON.stringify([...session.object.durable.data])
            : (session.row?.text ?? '')
        if (rest.includes(MARKER) || rest.includes(old.handle_key)) {
          fail(`${session.name} left data at its erasure`)
        }
      },
      called: ({ session, method, before, answer }) => {
        if (answer.lost) return
        const { ok } = Object(answer.value) as { readonly ok?: boolean }
        const isGone = documentOf(durable(session)) === undefined
        if (method === 'erase' && ok && !isGone) fail(`${session.name} was erased, and is still stored`)
        if (method === 'erase' && ok && isGone && hasBytes(session))
          fail(`${session.name} was erased, and its file still has its document`)
        if (READS.includes(method) && ok && erased.has(session) && documentOf(before) === undefined) {
          fail(`${method} reads ${session.name} after its erasure`)
        }
        if (method === 'create' && ok && erased.has(session) && before?.erased) {
          if (before.keep_until > wall()) fail(`the Idempotency-Key of ${session.name} created it again`)
        }
      },
      lifetimesOver: () => {
        for (const [session, until] of withoutKey) {
          if (until > wall()) fail(`${session.name} was erased without its Idempotency-Key`)
        }
      },
      eventsOver: () => {
        for (const session of sessions) {
          if (documentOf(durable(session)) === undefined && hasBytes(session))
            fail(`the file of ${session.name} has its document after its erasure`)
        }
      },
      retentionsOver: () => {
        for (const session of sessions) {
          const { size } = session.object.durable.data
          if (size > 0 || session.row !== undefined)
            fail(`${session.name} is still stored after its retention`)
          if (hasBytes(session)) fail(`the file of ${session.name} has its document after its retention`)
        }
      },
    }
  },
}

/** Returns the time until which the `Idempotency-Key` of a session or tombstone must be stored. */
function keepUntil(stored: Stored): number {
  const key = stored?.erased === false ? stored.idempotency : stored
  return key?.keep_until ?? 0
}

const READS = ['read', 'readPublic', 'readPage', 'readCourse', 'readReceipt', 'fetchRequest', 'redeem']
