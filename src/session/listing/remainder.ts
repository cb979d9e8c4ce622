// Change of the list that outlives its session (api/lists). Erasure does not wait for the list: the write
// that erases a session queues what the list does not have yet. The remainder has no personal data, and is
// sent until the list confirms it.

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
import { putEntry, removeEntry, waitAfter } from './indexing.ts'

/** Returns what remains of a session that time erases: its key, and an entry that is not confirmed. */
export function buildRemainder(document: SessionDocument, now: number): Tombstone | undefined {
  const { pending_index_entry: pending } = document
  if (pending === undefined || pending.next_call_at === null) return buildTombstone(document, now)
  const { revision, calls, next_call_at } = pending
  const entry = { ...entryOf(document, revision + 1), metadata: {} }
  return withListing(document, { ...ofSession(document), entry, calls, next_call_at })
}

/**
 * Erases a session on request, and its entry. `document` undefined: the session is erased already, or is not
 * the caller's.
 */
export async function eraseOnRequest(
  context: SessionContext,
  relyingPartyId: string,
  document: SessionDocument | undefined,
): Promise<Result<null, 'not_found' | 'unavailable'>> {
  const { store } = context
  const now = Date.now()
  if (document === undefined) {
    const listing = store.tombstone()?.listing
    // A repeated request, while the list still has the entry.
    if (listing?.entry !== null || listing.relying_party_id !== relyingPartyId) return err('not_found')
  } else if (document.pending_index_entry === undefined) {
    await store.erase(buildTombstone(document, now))
  } else {
    const first = { entry: null, calls: 1, next_call_at: now + waitAfter(1) }
    await store.erase(withListing(document, { ...ofSession(document), ...first }))
  }
  return (await sendListing(context)) ? ok(null) : err('unavailable')
}

/** Does what is due after the erasure. The call is counted before it is made. */
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
  // At this time the list erases the whole day.
  if (now >= unlistedAt(dayOf(listing.created_at))) return dropListing(context, tombstone)
  const calls = listing.calls + 1
  store.replace({ ...tombstone, listing: { ...listing, calls, next_call_at: now + waitAfter(calls) } })
  await sendListing(context)
}

/** Sends the change. True if the list has it. */
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

/** The members of a tombstone without an `Idempotency-Key`. */
const NO_KEY = { body_digest: '', keep_until: 0 }

function ofSession({ relying_party_id, verification_id, created_at }: SessionDocument) {
  return { relying_party_id, verification_id, created_at }
}
