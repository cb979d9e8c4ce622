// Keeps a queued change of the list when the session is erased (api/lists). First, one durable write replaces
// the session by a tombstone, which has the queued change and no personal data. Then the change is sent until
// the list confirms it. The overwritten document can still be read in the database file. So the file is
// erased after the confirmation, or else after an hour. A crash before the file is erased loses nothing: the
// object still has the session, or a tombstone whose alarm repeats the call. If the file is erased without a
// confirmation, and a crash may then lose the tombstone, another object gets the change first.

import type { Env } from '../../env.ts'
import { sessionOfName } from '../../relying-party/document/session-stub.ts'
import { toDay } from '../../relying-party/events/event-days.ts'
import { unlistedAt } from '../../relying-party/index/index-days.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  buildTombstone,
  CURRENT_VERSION,
  type SessionDocument,
  type Tombstone,
} from '../document/document.ts'
import type { PendingListing } from '../document/pending-entry.ts'
import type { SessionError } from '../document/results.ts'
import type { SessionContext } from '../store/context.ts'
import type { SessionStore } from '../store/store.ts'
import { toEntry } from './entry.ts'
import { putEntry, removeEntry, type Sent, waitAfter } from './indexing.ts'

/**
 * Time after an erasure from which the error `damaged` is treated as permanent. An earlier error may be
 * temporary: without disk space or file descriptors, a call gets this error even if the stored list is
 * intact.
 */
const DAMAGED_AFTER_MS = 600_000

/**
 * Returns the tombstone of a session that is erased after its retention. The tombstone has the session's
 * `Idempotency-Key`, and the list entry that the list has not confirmed. Returns `undefined` if the session
 * has neither.
 */
export function buildRemainder(document: SessionDocument, now: number): Tombstone | undefined {
  const { pending_index_entry: pending } = document
  if (pending === undefined || pending.next_call_at === null) return buildTombstone(document, now)
  const { revision, calls, next_call_at } = pending
  const entry = { ...toEntry(document, revision + 1), metadata: {} }
  return withListing(document, { ...ofSession(document), entry, calls, next_call_at }, now)
}

/**
 * Erases a session. `remainder`: the tombstone that `buildRemainder` returned, or a tombstone that removes
 * the list entry.
 */
export async function eraseSession(store: SessionStore, remainder: Tombstone | undefined): Promise<void> {
  if (remainder?.listing === undefined) await store.erase(remainder)
  else await store.replace(remainder)
}

/** A request to erase a session. */
type ErasureRequest = {
  readonly relyingPartyId: string
  /** The `verification_id`. Null: this object has no session, and only keeps a list change of a session. */
  readonly id: string | null
}

/**
 * Erases a session on request, and removes its entry from the list. If the stored list is still damaged ten
 * minutes later, a repeated request succeeds, and the removal stays queued. `found`: an error if the session
 * is already erased, or does not belong to the caller.
 */
export async function eraseOnRequest(
  context: SessionContext,
  { relyingPartyId, id }: ErasureRequest,
  found: Result<SessionDocument, 'not_found'>,
): Promise<Result<null, SessionError>> {
  const { store, env } = context
  if (found.ok) await eraseFound(store, found.value)
  else {
    const tombstone = store.tombstone()
    const isEmpty = store.session() === undefined && tombstone === undefined
    // A crash may have lost the tombstone. Then another object has the removal.
    if (isEmpty && id !== null && store.mayLoseTombstone)
      return sessionOfName(env, keeperName(id)).erase(relyingPartyId, true)
    // A repeated request is accepted while the removal of the entry is not confirmed.
    const listing = tombstone?.listing
    if (listing?.entry !== null || listing.relying_party_id !== relyingPartyId) return err('not_found')
  }
  const result = await sendListing(context)
  if (result.ok) return ok(null)
  const { clear_at = CLEARED_AFTER_MS } = store.tombstone() ?? {}
  const erasedAt = clear_at - CLEARED_AFTER_MS
  const staysDamaged = result.error === 'damaged' && Date.now() >= erasedAt + DAMAGED_AFTER_MS
  return staysDamaged ? ok(null) : err('unavailable')
}

/** Erases a session, and queues the removal of its list entry. */
async function eraseFound(store: SessionStore, document: SessionDocument): Promise<void> {
  const now = Date.now()
  if (document.pending_index_entry === undefined) {
    return eraseSession(store, buildTombstone(document, now))
  }
  const first = { entry: null, calls: 1, next_call_at: now + waitAfter(1) }
  await eraseSession(store, withListing(document, { ...ofSession(document), ...first }, now))
}

/**
 * Sends the queued change to the list if its call is due. A tombstone without a queued change is erased at
 * its `keep_until`. Each call to the list is counted before it is made.
 */
export async function remainderDue(context: SessionContext, now: number): Promise<void> {
  const { store, env } = context
  const tombstone = store.tombstone()
  if (tombstone === undefined) return
  const { listing, clear_at, ...key } = tombstone
  if (listing === undefined) {
    if (tombstone.keep_until <= now) await store.erase(undefined)
    return
  }
  if (clear_at !== undefined && clear_at <= now) {
    const kept = { ...CURRENT_VERSION, erased: true, ...NO_KEY, listing } as const
    if (store.mayLoseTombstone) await keepElsewhere(env, listing, kept)
    await store.erase({ ...key, listing })
    return remainderDue(context, now)
  }
  if (listing.next_call_at > now) return
  // From this time on, the list erases all entries of the session's day, so the change is not needed.
  if (now >= unlistedAt(toDay(listing.created_at))) return dropListing(context, tombstone)
  const calls = listing.calls + 1
  const counted = { ...listing, calls, next_call_at: now + waitAfter(calls) }
  await store.replace({ ...tombstone, listing: counted })
  await sendListing(context)
}

/**
 * Keeps the change of the list for another session. The object of that session then erases its database file.
 * Both objects send the change until the list confirms it. The list ignores the second call. Returns false if
 * this object already keeps the change of an earlier session with the same id.
 */
export async function keepListing({ store }: SessionContext, tombstone: Tombstone): Promise<boolean> {
  const kept = store.tombstone()
  if (kept === undefined) await store.replace(tombstone)
  return kept === undefined || kept.listing?.created_at === tombstone.listing?.created_at
}

async function keepElsewhere(env: Env, listing: PendingListing, tombstone: Tombstone): Promise<void> {
  const name = keeperName(listing.verification_id)
  const isKept = await sessionOfName(env, name).keepListing(tombstone)
  if (!isKept) await sessionOfName(env, `${name} ${listing.created_at}`).keepListing(tombstone)
}

/** Returns the name of the object that also keeps and sends a session's change of its list entry. */
export function keeperName(verificationId: string): string {
  return `listing ${verificationId}`
}

/** Sends the queued change. Succeeds if the list has confirmed it, or if no change is queued. */
async function sendListing(context: SessionContext): Promise<Sent> {
  const { store, env } = context
  const listing = store.tombstone()?.listing
  if (listing === undefined) return ok(null)
  const { entry } = listing
  const sent = await (entry === null ? removeEntry(env, listing) : putEntry(env, listing, entry))
  if (!sent.ok) return sent
  const current = store.tombstone()
  // During the call, another call may have been confirmed, and the `Idempotency-Key` may have created another
  // session. Only a tombstone of the same session is changed here.
  if (current?.listing?.created_at === listing.created_at) await dropListing(context, current)
  return sent
}

async function dropListing({ store }: SessionContext, tombstone: Tombstone): Promise<void> {
  const { listing: _, clear_at: __, ...key } = tombstone
  await store.erase(key.keep_until <= Date.now() ? undefined : key)
}

function withListing({ idempotency }: SessionDocument, listing: PendingListing, now: number): Tombstone {
  const clear_at = now + CLEARED_AFTER_MS
  return { ...CURRENT_VERSION, erased: true, ...(idempotency ?? NO_KEY), listing, clear_at }
}

/** Longest time for which the overwritten document of an erased session stays in the database file. */
const CLEARED_AFTER_MS = 3_600_000

/** Members of a tombstone without an `Idempotency-Key`. */
const NO_KEY = { body_digest: '', keep_until: 0 }

function ofSession({ relying_party_id, verification_id, created_at }: SessionDocument) {
  return { relying_party_id, verification_id, created_at }
}
