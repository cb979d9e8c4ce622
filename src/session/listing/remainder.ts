// Change of the list that is still queued when its session is erased (api/lists). Erasure does not wait for
// the list. The write that erases a session stores the unconfirmed change in a tombstone without personal
// data. The change is sent until the list confirms it.

import { dayOf } from '../../relying-party/events/event-days.ts'
import { unlistedAt } from '../../relying-party/index/index-days.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  buildTombstone,
  CURRENT_VERSION,
  type SessionDocument,
  type Tombstone,
} from '../document/document.ts'
import type { PendingListing } from '../document/pending-entry.ts'
import type { SessionContext } from '../store/context.ts'
import { entryOf } from './entry.ts'
import { isEntryDamaged, putEntry, removeEntry, waitAfter } from './indexing.ts'

/**
 * Returns the tombstone of a session that time erases: its `Idempotency-Key`, and an unconfirmed entry.
 * Returns `undefined` if there is neither.
 */
export function buildRemainder(document: SessionDocument, now: number): Tombstone | undefined {
  const { pending_index_entry: pending } = document
  if (pending === undefined || pending.next_call_at === null) return buildTombstone(document, now)
  const { revision, calls, next_call_at } = pending
  const entry = { ...entryOf(document, revision + 1), metadata: {} }
  return withListing(document, { ...ofSession(document), entry, calls, next_call_at })
}

/**
 * Erases a session on request, and removes its entry from the list. An entry of a damaged day cannot be read:
 * its removal stays queued, and the request succeeds. `document`: `undefined` if the session is already
 * erased, or does not belong to the caller.
 */
export async function eraseOnRequest(
  context: SessionContext,
  relyingPartyId: string,
  document: SessionDocument | undefined,
): Promise<Result<null, 'not_found' | 'unavailable'>> {
  const { store, env } = context
  const now = Date.now()
  if (document === undefined) {
    const listing = store.tombstone()?.listing
    // A repeated request is accepted while the removal of the entry is not confirmed.
    if (listing?.entry !== null || listing.relying_party_id !== relyingPartyId) return err('not_found')
  } else if (document.pending_index_entry === undefined) {
    await store.erase(buildTombstone(document, now))
  } else {
    const first = { entry: null, calls: 1, next_call_at: now + waitAfter(1) }
    await store.erase(withListing(document, { ...ofSession(document), ...first }))
  }
  if (await sendListing(context)) return ok(null)
  const listing = store.tombstone()?.listing
  return listing !== undefined && isEntryDamaged(env, listing) ? ok(null) : err('unavailable')
}

/**
 * Sends the queued change to the list if its call is due. A tombstone without a queued change is erased if
 * its time is over. Each call to the list is counted before it is made.
 */
export async function remainderDue(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const tombstone = store.tombstone()
  if (tombstone === undefined) return
  const { listing } = tombstone
  if (listing === undefined) {
    if (tombstone.keep_until <= now) await store.erase(undefined)
    return
  }
  if (listing.next_call_at > now) return
  // From this time on, the list erases the whole day, so the change is not needed.
  if (now >= unlistedAt(dayOf(listing.created_at))) return dropListing(context, tombstone)
  const calls = listing.calls + 1
  store.replace({ ...tombstone, listing: { ...listing, calls, next_call_at: now + waitAfter(calls) } })
  await sendListing(context)
}

/** Sends the queued change. Returns true if the list has confirmed it, or if no change is queued. */
async function sendListing(context: SessionContext): Promise<boolean> {
  const { store, env } = context
  const listing = store.tombstone()?.listing
  if (listing === undefined) return true
  const { entry } = listing
  if (!(await (entry === null ? removeEntry(env, listing) : putEntry(env, listing, entry)))) return false
  const current = store.tombstone()
  if (current?.listing !== undefined) await dropListing(context, current)
  return true
}

async function dropListing({ store }: SessionContext, { listing: _, ...rest }: Tombstone): Promise<void> {
  if (rest.keep_until <= Date.now()) await store.erase(undefined)
  else store.replace(rest)
}

function withListing({ idempotency }: SessionDocument, listing: PendingListing): Tombstone {
  return { ...CURRENT_VERSION, erased: true, ...(idempotency ?? NO_KEY), listing }
}

/** Members of a tombstone without an `Idempotency-Key`. */
const NO_KEY = { body_digest: '', keep_until: 0 }

function ofSession({ relying_party_id, verification_id, created_at }: SessionDocument) {
  return { relying_party_id, verification_id, created_at }
}
