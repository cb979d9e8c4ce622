// Entry of a session in the list of its relying party (CONTRACT 13). A change of the entry is queued by the
// write of the change. It is sent at once, and again until the index confirms it.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { dayOf } from '../../relying-party/events/event-days.ts'
import { indexStub } from '../../relying-party/index/index-days.ts'
import type { IndexEntry, WebhookResult } from '../../relying-party/index/index-entry.ts'
import { isStepEvent } from '../../relying-party/settings/settings.ts'
import { logError } from '../background.ts'
import type { SessionContext } from '../context.ts'
import { protocolOf, type SessionDocument, stageOf, tombstoneOf } from '../document.ts'
import { firstTime } from './timeline.ts'

/** Time limit of one call to the index. */
const CALL_MS = 4_000
/** Wait after the first failed call. It doubles after each further one, up to the longest. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000

/** Sends the entry again if that is due. The call is counted before it is made. */
export async function indexDue(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const document = store.session()
  const pending = document?.pending_index_entry
  if (document === undefined || !pending || (pending.next_call_at ?? Infinity) > now) return
  const calls = pending.calls + 1
  const next_call_at = now + waitAfter(calls)
  store.commit({ ...document, pending_index_entry: { ...pending, calls, next_call_at } })
  await sendEntry(context)
  const sent = store.session()
  if (sent !== undefined && sent.pending_index_entry?.next_call_at === null) store.commit(sent)
}

/**
 * Sends the entry as it is in memory. A confirmation changes memory alone: it is written with the next
 * change, and an entry that is sent twice changes nothing. A failed call is repeated by the alarm. `shown`:
 * the document that the entry is made of.
 */
export async function sendEntry(
  { store, env }: SessionContext,
  shown = (document: SessionDocument) => document,
): Promise<void> {
  const document = store.session()
  const pending = document?.pending_index_entry
  if (document === undefined || !pending || pending.next_call_at === null) return
  const isStored = await put(env, shown(document), pending.revision)
  const current = store.session()
  const latest = current?.pending_index_entry
  if (current === undefined || latest?.revision !== pending.revision) return
  if (isStored) store.remember({ ...current, pending_index_entry: { ...latest, next_call_at: null } })
  else if (latest.calls === 1) {
    const next_call_at = Date.now() + waitAfter(1)
    store.commit({ ...current, pending_index_entry: { ...latest, next_call_at } })
  }
}

/**
 * Erases a session on request, after its entry. False where the index is unreachable; then nothing is erased.
 */
export async function eraseListed(
  { store, env }: SessionContext,
  document: SessionDocument,
): Promise<boolean> {
  if (!(await removeEntry(env, document))) return false
  const current = store.session()
  // Meanwhile time may have erased it, and its key may have created another.
  if (current?.created_at === document.created_at) await store.erase(tombstoneOf(current, Date.now()))
  return true
}

async function removeEntry(env: Env, document: SessionDocument): Promise<boolean> {
  if (document.pending_index_entry === undefined) return true
  const { relying_party_id: relyingPartyId, verification_id, created_at } = document
  const day = dayOf(created_at)
  try {
    const at = { relyingPartyId, day, created_at, mark: await markOf(verification_id) }
    const removal = indexStub(env, relyingPartyId, day).remove(at)
    return await withDeadline(
      removal.then(() => true),
      CALL_MS,
      false,
    )
  } catch (error) {
    logError('index_unreachable', error)
    return false
  }
}

/** Returns an entry as the index stores it. */
export function entryOf(document: SessionDocument, revision: number): IndexEntry {
  const { request, outcome, ended_at } = document
  return {
    verification_id: document.verification_id,
    revision,
    created_at: document.created_at,
    expires_at: document.expires_at,
    request_fetched_at: firstTime(document, 'request_fetched'),
    ended_at,
    status: document.status,
    stage: stageOf(document),
    credential_types: request.credential_types ?? [],
    reason: outcome?.reason ?? null,
    attempt_count: document.attempt_count,
    protocol: protocolOf(document),
    channel: outcome?.channel ?? null,
    metadata: request.metadata,
    metadata_until: (ended_at ?? document.expires_at) + document.retention_ms,
    webhook: webhookResult(document),
    livemode: document.livemode,
  }
}

function webhookResult({ deliveries }: SessionDocument): WebhookResult | null {
  const outcome = deliveries.find((delivery) => !isStepEvent(delivery))
  const last = outcome?.attempts.at(-1)
  if (outcome === undefined || last === undefined || outcome.state === 'owed') return null
  const duration_ms = last.duration_ms ?? 0
  return { delivered: outcome.state === 'delivered', attempts: outcome.attempts.length, duration_ms }
}

async function put(env: Env, document: SessionDocument, revision: number): Promise<boolean> {
  const { relying_party_id: relyingPartyId, verification_id, created_at } = document
  const day = dayOf(created_at)
  try {
    const entry = entryOf(document, revision)
    const mark = await markOf(verification_id)
    const stored = indexStub(env, relyingPartyId, day).put({ relyingPartyId, day, mark, entry })
    return await withDeadline(
      stored.then(() => true),
      CALL_MS,
      false,
    )
  } catch (error) {
    logError('index_unreachable', error)
    return false
  }
}

/** 128 bits of the SHA-256 of the id. */
async function markOf(verificationId: string): Promise<string> {
  return encodeBase64url((await sha256(utf8(verificationId))).slice(0, 16))
}

function waitAfter(calls: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)
}
