// Changes of a session by time alone (api/outcome, api/binding): a held success that lapses, expiry, erasure.

import { withDeadline } from '../../net/time-limit.ts'
import type { SessionDocument } from '../document/document.ts'
import { isLoginOver } from '../document/login.ts'
import type { ResponseResult } from '../document/results.ts'
import { sendEntry } from '../listing/indexing.ts'
import { buildRemainder } from '../listing/remainder.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { eraseAt } from '../store/wake-up.ts'
import { loadWebhook } from '../store/webhook.ts'
import { discardHeld, isHeldTooLong } from './binding.ts'
import { endSession, expiredEnd } from './end-session.ts'

/** Time for which expiry waits for responses that arrived before it. Their evaluation ends earlier. */
export const GRACE_MS = 15_000

/** Writes what time has decided, in case the alarm is late. Every method of the session calls it first. */
export async function applyTimeouts(context: SessionContext, now: number): Promise<void> {
  dropHeldTooLong(context, now)
  await eraseDue(context, now)
  if (!isOverdue(context, now)) return
  const graceEnds = (context.store.session()?.expires_at ?? 0) + GRACE_MS
  if (responsesInTime(context).length === 0 || now >= graceEnds) await expire(context, now)
}

/**
 * Expires a session, or the pending browser return if a success is held. `document` is its current document:
 * no `await` comes before the write.
 */
export async function expireAt(
  context: SessionContext,
  document: SessionDocument,
  now: number,
): Promise<void> {
  const { held, version } = document
  const deadline = held === null ? { expires_at: now } : { held: { ...held, until: now } }
  context.store.commit({ ...document, ...deadline, version: version + 1 })
  await applyTimeouts(context, now)
}

/** Ends what has lapsed, at the alarm. Expiry waits once for the responses that arrived in time. */
export async function expireDue(context: SessionContext, now: number): Promise<void> {
  dropHeldTooLong(context, now)
  if (isOverdue(context, now)) {
    await withDeadline(Promise.allSettled(responsesInTime(context)), GRACE_MS, undefined)
    await expire(context, Date.now())
  }
}

/** Erases what is over: the login, and the session after its retention. */
export async function eraseDue(context: SessionContext, now: number): Promise<void> {
  dropLogin(context, now)
  await eraseInTime(context, now)
}

function dropHeldTooLong(context: SessionContext, now: number): void {
  const document = context.store.session()
  if (document === undefined || !isHeldTooLong(document, now)) return
  context.store.commit(discardHeld(document, now))
  void inBackground(() => sendEntry(context))
}

/** Erases a login whose tokens have ended. Its page stays closed to every browser. */
function dropLogin({ store }: SessionContext, now: number): void {
  const document = store.session()
  if (document === undefined || !isLoginOver(document, now)) return
  const { login: _, ...rest } = document
  store.commit({ ...rest, was_login: true })
}

async function eraseInTime({ store }: SessionContext, now: number): Promise<void> {
  const document = store.session()
  if (document !== undefined && document.status !== 'pending' && eraseAt(document) <= now) {
    await store.erase(buildRemainder(document, now))
  }
}

async function expire(context: SessionContext, now: number): Promise<void> {
  const webhook = await loadWebhook(context, now)
  dropHeldTooLong(context, now)
  const document = context.store.session()
  if (document?.held === null) endSession(context, expiredEnd(document), { webhook, now })
}

/** Expiry waits for a held success: at `expires_at` that is a login whose browser has returned. */
function isOverdue({ store }: SessionContext, now: number): boolean {
  const document = store.session()
  return document?.status === 'pending' && document.held === null && document.expires_at <= now
}

function responsesInTime({ store, inFlight }: SessionContext): readonly Promise<ResponseResult>[] {
  const deadline = store.session()?.expires_at ?? 0
  return [...inFlight.values()].filter(({ arrivedAt }) => arrivedAt < deadline).map(({ result }) => result)
}
