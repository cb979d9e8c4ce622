// Every session is in the list of its relying party once, with the status that it has (api/lists). No list
// has a session of another relying party, and none after `DELETE`. Metadata is sealed: only the key of its
// list opens it, at its place. It is not listed after the erasure of its session.

import { createDecipheriv, hkdfSync } from 'node:crypto'
import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import { type ListedEntry, readWebhookState } from '../../../src/relying-party/index/index-entry.ts'
import type { StoredEntry } from '../../../src/relying-party/index/stored-entry.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { TEST_ENVIRONMENT } from '../../support/service/environment.ts'
import { documentOf, isUntouchedLogin, type Property } from '../ledger.ts'
import { isList, type SimulatedObject } from '../platform/objects.ts'
import type { Durable } from '../platform/storage.ts'
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
    /** Sessions that were erased before their retention ended, by `DELETE`. */
    const removed = new Set<string>()
    /** Status of each entry in a list. */
    const statuses = new Map<string, string>()

    const entriesOf = (name: string) =>
      indexes()
        .flatMap(({ durable }) =>
          [...durable.data.values()].filter(isEntry).map((one) => withId(durable, one)),
        )
        .filter((entry) => nameOf(entry) === name)
    const showsNothing = (entry: StoredEntry) => {
      if (entry.metadata_until > latest() && entry.sealed_metadata !== null) {
        fail(`the list has the metadata of ${nameOf(entry)} after its erasure`)
      }
    }
    const isSealed = (list: SimulatedObject, key: string, entry: StoredEntry) => {
      const { sealed_metadata: sealed } = entry
      if (JSON.stringify(entry).includes(MARKER)) fail(`${list.name} has metadata in clear text`)
      if (sealed === null) {
        if (!erased.has(nameOf(entry)) && entry.metadata_until > latest())
          fail(`${list.name} lacks the metadata of ${nameOf(entry)}`)
        return
      }
      if (!textOf(sealed, `index/${list.id}`, key)?.includes(MARKER))
        fail(`the key of ${list.name} does not open the metadata of ${nameOf(entry)}`)
      const isOpen =
        textOf(sealed, `index/${list.id}`, `${key}0`) !== undefined ||
        textOf(sealed, `index/${list.label}`, key) !== undefined
      if (isOpen) fail(`the metadata of ${nameOf(entry)} opens at another place or with another key`)
    }
    /** Compares the first entry of a session, and the first with its end, with the time of the change. */
    const isPrompt = (entry: StoredEntry, { input: { login } }: Session) => {
      const name = nameOf(entry)
      // A login is listed once a wallet has acted on it.
      const begun = login === undefined ? entry.created_at : (entry.request_fetched_at ?? Number.NaN)
      const isNew = !statuses.has(name) || (entry.ended_at !== null && statuses.get(name) === 'pending')
      statuses.set(name, entry.status)
      const late = wall() - (entry.ended_at ?? begun)
      if (isNew && !hasSlowCalls && late > PROMPT_MS)
        fail(`${entry.status} of ${name} is in the list after ${late} ms`)
    }
    /** A `DELETE` is not_found only if no removal of an entry is queued any more. */
    const isUnlisted = (session: Session) => {
      if (session.party.isErased) return
      for (const [name, one] of documents) {
        if (one.session === session && removed.has(name) && entriesOf(name).length > 0)
          fail(`${session.name} is listed, and its DELETE got not_found`)
      }
    }
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      called: ({ session, method, before, answer }) => {
        const document = documentOf(before)
        if (method !== 'erase' || answer.lost) return
        const { ok, error } = answer.value as { readonly ok: boolean; readonly error?: string }
        if (!ok && error === 'not_found') isUnlisted(session)
        if (!ok || document === undefined) return
        // Nobody reads the list of a deleted relying party, which no longer knows lists of an earlier build.
        if (session.party.isErased) return
        gone.add(nameOf(document))
        if (entriesOf(nameOf(document)).length > 0) fail(`${session.name} is listed after its DELETE`)
      },
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        if (document !== undefined) documents.set(nameOf(document), { session, document })
        else if (old !== undefined) {
          erased.add(nameOf(old))
          if (old.ended_at === null || latest() < old.ended_at + old.retention_ms) removed.add(nameOf(old))
          // A list that lacks the end gets it later, without the metadata.
          if (deleted.has(session) || (after?.erased && after.listing !== undefined)) return
          for (const entry of entriesOf(nameOf(old))) showsNothing(entry)
        }
      },
      objectCommitted: (list, key, stored) => {
        const { label } = list
        if (!isList(list) || !isEntry(stored)) return
        const after = withId(list.durable, stored)
        isSealed(list, key, after)
        const session = sessions.find(({ verificationId }) => verificationId === after.verification_id)
        const owner = `${session?.party.id}/${Math.floor(after.created_at / DAY_MS)}`
        if (session === undefined || label !== owner) return fail(`${label} lists ${nameOf(after)}`)
        if (gone.has(nameOf(after))) fail(`${session.name} is listed again after its DELETE`)
        // A call that is under way at a `DELETE` may come before the removal.
        if (erased.has(nameOf(after)) && !removed.has(nameOf(after))) showsNothing(after)
        if (isCalm) isPrompt(after, session)
      },
      eventsOver: () => {
        for (const [name, { session, document }] of documents) {
          const entries = entriesOf(name)
          const wanted = session.input.isIndexed && !isUntouchedLogin(document) ? 1 : 0
          if (entries.length > wanted) fail(`${session.name} is listed ${entries.length} times`)
          if (removed.has(name) && entries.length > 0 && !session.party.isErased)
            fail(`${session.name} is still listed after its DELETE`)
          // `DELETE` comes before its session is erased by time, or after.
          const isExcused = (deleted.has(session) && erased.has(name)) || session.party.isErased
          if (isExcused || wanted === 0) continue
          const [entry] = entries
          if (entry === undefined) fail(`${session.name} is not listed`)
          else if (!isSame(entry, document, erased.has(name))) {
            fail(`${session.name} is ${stateOfSession(document)}, and is listed as ${stateOf(entry)}`)
          }
          if (erased.has(name) && entry?.sealed_metadata)
            fail(`${session.name} still has metadata in the list`)
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

/** Compares an entry with its session. The write that erases a session may also end its event. */
function isSame(entry: StoredEntry, document: SessionDocument, isErased: boolean): boolean {
  const state = stateOfSession(document)
  return stateOf(entry) === state || (isErased && stateOf({ ...entry, webhook: null }) === state)
}

/** Status, stage and state of the webhook. */
function stateOf(entry: StoredEntry): string {
  return `${entry.status}, ${entry.stage}, ${readWebhookState(entry)}`
}

function stateOfSession({ status, held, request_fetched, deliveries }: SessionDocument): string {
  const pending = held === null ? (request_fetched ? 'request_fetched' : 'created') : 'awaiting_return'
  const { state = 'owed' } = deliveries.find((delivery) => !isStepEvent(delivery)) ?? {}
  return `${status}, ${status === 'pending' ? pending : 'done'}, ${state === 'owed' ? null : state}`
}

/** Opens a sealed text without the code of the service: AES-256-GCM, with a key by HKDF. */
function textOf(sealed: string, purpose: string, place: string): string | undefined {
  const secret = Buffer.from(TEST_ENVIRONMENT.SERVER_SECRET, 'base64url')
  const key = hkdfSync('sha256', secret, Buffer.alloc(32), `wallet-verifier/${purpose}`, 32)
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), bytes.subarray(0, 12))
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-16))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
  } catch {
    return undefined // the tag does not match
  }
}

/** Returns an entry with its id: XOR of what it has, and of the 48 bytes at its place in a row of masks. */
export function withId({ data }: Pick<Durable, 'data'>, entry: StoredEntry): StoredEntry {
  const { id_place: place } = entry
  if (place === undefined) return entry
  const row = data.get(`id_masks/${String(Math.floor(place / 80)).padStart(8, '0')}`) as Uint8Array
  const start = 1_024 + (place % 80) * 48
  const masked = Buffer.from(entry.verification_id, 'base64url')
  const id = Buffer.from(row.subarray(start, start + 48).map((byte, i) => byte ^ (masked[i] ?? 0)))
  return { ...entry, verification_id: id.toString().replace(/\0+$/, '') }
}

function nameOf({
  verification_id,
  created_at,
}: Pick<ListedEntry, 'verification_id' | 'created_at'>): string {
  return `${verification_id}@${created_at}`
}

/** Returns true for an entry that is listed. The remainder of a deleted session has no `metadata_until`. */
export function isEntry(stored: unknown): stored is StoredEntry {
  return typeof stored === 'object' && stored !== null && 'metadata_until' in stored
}
