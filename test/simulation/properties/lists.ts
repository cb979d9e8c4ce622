// Every session is in the list of its relying party once, with the status that it has (CONTRACT 13). No list
// has a session of another relying party, and none after `DELETE`. Metadata is not listed after the erasure
// of its session.

import type { IndexEntry } from '../../../src/relying-party/index/index-entry.ts'
import type { SessionDocument } from '../../../src/session/document.ts'
import { documentOf, type Property } from '../ledger.ts'
import { MARKER, type Session } from '../world.ts'

/** Longest time from a change to its entry. */
const PROMPT_MS = 5_000
const DAY_MS = 86_400_000

export const lists: Property = {
  name: 'every session in the list exactly once',
  watch: ({ sessions, fail, wall, latest, isCalm, hasSlowCalls, indexes }) => {
    /** The last document of each session that was created. */
    const documents = new Map<string, { readonly session: Session; readonly document: SessionDocument }>()
    /** Sessions that the relying party has deleted, or tried to. */
    const deleted = new Set<Session>()
    /** Sessions whose `DELETE` was acknowledged. */
    const gone = new Set<string>()
    const erased = new Set<string>()
    /** Status of each entry in a list. */
    const statuses = new Map<string, string>()

    const entriesOf = (name: string) =>
      indexes()
        .flatMap(({ durable }) => [...durable.data.values()])
        .filter(isEntry)
        .filter((entry) => nameOf(entry) === name)
    const showsNothing = (entry: IndexEntry) => {
      const { metadata, metadata_until } = entry
      if (metadata_until > latest() && Object.keys(metadata).length > 0) {
        fail(`the list has the metadata of ${nameOf(entry)} after its erasure`)
      }
    }
    /** Compares the first entry of a session, and the first with its end, with the time of the change. */
    const isPrompt = (entry: IndexEntry) => {
      const name = nameOf(entry)
      const isNew = !statuses.has(name) || (entry.ended_at !== null && statuses.get(name) === 'pending')
      statuses.set(name, entry.status)
      const late = wall() - (entry.ended_at ?? entry.created_at)
      if (isNew && !hasSlowCalls() && late > PROMPT_MS)
        fail(`${entry.status} of ${name} is in the list after ${late} ms`)
    }
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      called: ({ session, method, before, answer }) => {
        const document = documentOf(before)
        if (method !== 'erase' || answer.lost || document === undefined) return
        if (!(answer.value as { readonly ok: boolean }).ok) return
        gone.add(nameOf(document))
        if (entriesOf(nameOf(document)).length > 0) fail(`${session.name} is listed after its DELETE`)
      },
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        if (document !== undefined) documents.set(nameOf(document), { session, document })
        else if (old !== undefined) {
          erased.add(nameOf(old))
          for (const entry of entriesOf(nameOf(old))) if (!deleted.has(session)) showsNothing(entry)
        }
      },
      objectCommitted: ({ kind, label }, _, after) => {
        if (kind !== 'VERIFICATION_INDEX' || !isEntry(after)) return
        const session = sessions.find(({ verificationId }) => verificationId === after.verification_id)
        const owner = `${session?.party.id}/${Math.floor(after.created_at / DAY_MS)}`
        if (session === undefined || label !== owner) return fail(`${label} lists ${nameOf(after)}`)
        if (gone.has(nameOf(after))) fail(`${session.name} is listed again after its DELETE`)
        if (erased.has(nameOf(after))) showsNothing(after)
        if (isCalm) isPrompt(after)
      },
      eventsOver: () => {
        for (const [name, { session, document }] of documents) {
          const isExcused = deleted.has(session) || session.party.isErased
          const entries = entriesOf(name)
          const wanted = session.input.isIndexed ? 1 : 0
          if (entries.length > wanted) fail(`${session.name} is listed ${entries.length} times`)
          if (isExcused || wanted === 0) continue
          const [entry] = entries
          if (entry === undefined) fail(`${session.name} is not listed`)
          else if (entry.status !== document.status) {
            fail(`${session.name} is ${document.status}, and is listed as ${entry.status}`)
          }
        }
        for (const { name, durable } of indexes()) {
          if (JSON.stringify([...durable.data]).includes(MARKER)) fail(`${name} still has metadata`)
        }
      },
      retentionsOver: () => {
        for (const { name, durable } of indexes()) {
          if (durable.data.size > 0) fail(`${name} is stored after its last day`)
        }
      },
    }
  },
}

function nameOf({ verification_id, created_at }: Pick<IndexEntry, 'verification_id' | 'created_at'>): string {
  return `${verification_id}@${created_at}`
}

/** Returns true for an entry that is listed. What remains of a deleted one has no `metadata_until`. */
function isEntry(stored: unknown): stored is IndexEntry {
  return typeof stored === 'object' && stored !== null && 'metadata_until' in stored
}
