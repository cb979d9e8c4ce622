// Calls to the index that has the list entry of a session (api/lists). The write that changes the entry also
// queues the entry. The entry is sent at once, and again until the index confirms it.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { toDay } from '../../relying-party/events/event-days.ts'
import { callDay } from '../../relying-party/index/damaged-days.ts'
import { indexStub } from '../../relying-party/index/index-days.ts'
import type { IndexEntry, ListedEntry } from '../../relying-party/index/index-entry.ts'
import type { IndexPut } from '../../relying-party/index/stored-entry.ts'
import { err, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import { inBackground, logError } from '../store/background.ts'
import { listChanges, reportedAttempts } from '../store/changed-entry.ts'
import type { SessionContext } from '../store/context.ts'
import type { SessionStore } from '../store/store.ts'
import { toEntry } from './entry.ts'

/** Time limit of one call to the index. */
const CALL_MS = 4_000
/**
 * Wait after the first failed call. The wait doubles after each further failed call, up to `LONGEST_WAIT_MS`.
 */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000

/** Sends the entry again if a call is due. The call is counted before it is made. */
export async function indexDue(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const document = store.session()
  const pending = document?.pending_index_entry
  if (document === undefined || !pending || (pending.next_call_at ?? Infinity) > now) return
  const calls = pending.calls + 1
  const next_call_at = now + waitAfter(calls)
  store.commit({ ...document, pending_index_entry: { ...pending, calls, next_call_at } })
  await reportEntry(context)
}

/** Sends the entry, and writes the confirmation of the index. */
export async function reportEntry(context: SessionContext): Promise<void> {
  await sendEntry(context)
  context.store.save()
}

/**
 * Sends the entry of the current document. A confirmation changes memory only, and is written with the next
 * change. If the confirmation is lost, the entry is sent again, which changes nothing in the index. The alarm
 * repeats a failed call.
 */
export async function sendEntry(context: SessionContext): Promise<void> {
  const { store, env } = context
  const document = store.session()
  const pending = document?.pending_index_entry
  if (document === undefined || !pending || pending.next_call_at === null) return
  context.sentRevision = pending.revision
  const { ok: isStored } = await putEntry(env, document, toEntry(document, pending.revision))
  settleEntry(store, document, isStored)
}

/**
 * Notes in memory that the index has stored the entry of `sent`. If the first call failed, sets the time of
 * the second call.
 */
export function settleEntry(store: SessionStore, sent: SessionDocument, isStored: boolean): void {
  const current = store.session()
  const latest = current?.pending_index_entry
  // During the call, the session may have been erased after its retention. Its `Idempotency-Key` may then
  // have created another session.
  if (current?.created_at !== sent.created_at || latest === undefined) return
  if (latest.revision !== sent.pending_index_entry?.revision) return
  if (isStored) store.remember({ ...current, pending_index_entry: { ...latest, next_call_at: null } })
  else if (latest.calls === 1) {
    const next_call_at = Date.now() + waitAfter(1)
    store.commit({ ...current, pending_index_entry: { ...latest, next_call_at } })
  }
}

/**
 * Compares an entry in the list of verifications (`listed`) with its session. Returns false if the session is
 * erased, and its tombstone has no queued change of the entry. If the session exists and the entry is out of
 * date, sends the entry again. For example, an earlier build without lists may have ended the session.
 */
export function confirmEntry(context: SessionContext, listed: ListedEntry): boolean {
  const { store } = context
  const document = store.session()
  if (document?.created_at !== listed.created_at)
    return store.tombstone()?.listing?.created_at === listed.created_at // the tombstone sends its change
  const pending = document.pending_index_entry
  if (pending === undefined || !differs(document, listed)) return true
  const revision = Math.max(pending.revision, listed.revision) + 1
  const next_call_at = Date.now() + waitAfter(1)
  store.commit({ ...document, pending_index_entry: { revision, calls: 1, next_call_at } })
  void inBackground(() => reportEntry(context))
  return true
}

/** Returns true if the status, the webhook result or the number of refusals differs from the listed entry. */
function differs(document: SessionDocument, listed: ListedEntry): boolean {
  const { status, webhook, attempt_count } = listed
  const listedValues = [status, webhook, reportedAttempts(attempt_count)]
  return JSON.stringify(listChanges(document)) !== JSON.stringify(listedValues)
}

/** Result of a call to the index. `damaged`: the stored list of the day cannot be read. */
export type Sent = Result<unknown, 'damaged' | 'unreachable'>

/** Stores an entry in the index. */
export function putEntry(
  env: Env,
  { relying_party_id: relyingPartyId }: Pick<SessionDocument, 'relying_party_id'>,
  entry: IndexEntry,
): Promise<Sent> {
  const day = toDay(entry.created_at)
  return callInTime(async () => {
    const mark = await digestId(entry.verification_id)
    const stub = indexStub(env, relyingPartyId, day)
    return callDay(stub, 'write', () => stub.put({ relyingPartyId, day, mark, entry }))
  })
}

/** Returns the queued entry of a document as the index receives it. `mark`: the result of `computeMark`. */
export function buildPut(document: SessionDocument, mark: string): IndexPut {
  const { relying_party_id: relyingPartyId, created_at, pending_index_entry } = document
  const entry = toEntry(document, pending_index_entry?.revision ?? 0)
  return { relyingPartyId, day: toDay(created_at), mark, entry }
}

/** Returns the mark of a session's entry: a digest of the session's id. */
export async function computeMark(document: SessionDocument | undefined): Promise<string> {
  return digestId(document?.verification_id ?? '')
}

/** Removes the entry of a deleted session from the index. */
export function removeEntry(
  env: Env,
  of: Pick<SessionDocument, 'relying_party_id' | 'verification_id' | 'created_at'>,
): Promise<Sent> {
  const { relying_party_id: relyingPartyId, created_at, verification_id } = of
  const day = toDay(created_at)
  return callInTime(async () => {
    const mark = await digestId(verification_id)
    const stub = indexStub(env, relyingPartyId, day)
    return callDay(stub, 'write', () => stub.remove({ relyingPartyId, day, created_at, mark }))
  })
}

/** Returns the wait after the given number of calls. */
export function waitAfter(calls: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)
}

async function callInTime(call: () => Promise<Sent>): Promise<Sent> {
  try {
    return await withDeadline(call(), CALL_MS, err('unreachable'))
  } catch (error) {
    logError('index_unreachable', error)
    return err('unreachable')
  }
}

/** Returns the first 128 bits of the SHA-256 of the id. */
async function digestId(verificationId: string): Promise<string> {
  return encodeBase64url((await sha256(utf8(verificationId))).slice(0, 16))
}
