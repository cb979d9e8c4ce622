// Nothing is readable after erasure. An erased session never comes back, and its `Idempotency-Key` creates
// no other one while it must be stored. Without `DELETE`, a session is erased only after its end and its
// retention.

import { documentOf, type Property } from '../ledger.ts'
import { MARKER, type Session } from '../world.ts'

export const erasure: Property = {
  name: 'nothing readable after erasure',
  watch: ({ sessions, fail, wall, latest, durable }) => {
    /** When the `Idempotency-Key` of an erased session may be used again. */
    const erased = new Map<Session, number>()
    /** Sessions that the relying party has deleted, or tried to. */
    const deleted = new Set<Session>()
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      committed: (session, before, after) => {
        const document = documentOf(after)
        // A key that need not be stored any more may create another session.
        const isFree = session.isKeyed && (erased.get(session) ?? 0) <= wall()
        if (document !== undefined && erased.has(session) && !isFree) {
          fail(`${session.name} is stored again after its erasure`)
        }
        const old = documentOf(before)
        if (old === undefined || document !== undefined) return
        erased.set(session, old.idempotency?.keep_until ?? 0)
        const isRetained = old.ended_at === null || latest() < old.ended_at + old.retention_ms
        if (isRetained && !deleted.has(session)) fail(`${session.name} was ${old.status} and is erased`)
        const rest = JSON.stringify([...session.object.durable.data])
        if (rest.includes(MARKER) || rest.includes(old.handle_key)) {
          fail(`${session.name} left data at its erasure`)
        }
        if (old.idempotency !== null && after === undefined && old.idempotency.keep_until > wall()) {
          fail(`${session.name} was erased without its Idempotency-Key`)
        }
      },
      called: ({ session, method, before, answer }) => {
        if (answer.lost) return
        const { ok } = Object(answer.value) as { readonly ok?: boolean }
        const isGone = documentOf(durable(session)) === undefined
        if (method === 'erase' && ok && !isGone) fail(`${session.name} was erased, and is still stored`)
        if (READS.includes(method) && ok && erased.has(session) && documentOf(before) === undefined) {
          fail(`${method} reads ${session.name} after its erasure`)
        }
        if (method === 'create' && ok && erased.has(session) && before?.erased) {
          if (before.keep_until > wall()) fail(`the Idempotency-Key of ${session.name} created it again`)
        }
      },
      retentionsOver: () => {
        for (const session of sessions) {
          const { size } = session.object.durable.data
          if (size > 0) fail(`${session.name} is still stored after its retention`)
        }
      },
    }
  },
}

const READS = ['read', 'readPublic', 'readPage', 'readCourse', 'readReceipt', 'fetchRequest', 'redeem']
