// Changes of a session by time alone (api/outcome, api/binding): lapse of a held success, expiry, erasure.

import { withDeadline } from '../../net/time-limit.ts'
import type { SessionDocument } from '../document/document.ts'
import { isLoginOver } from '../document/login.ts'
import type { ResponseResult } from '../document/results.ts'
import { sendEntry } from '../listing/indexing.ts'
import { buildRemainder, eraseSession } from '../listing/remainder.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { recordOutcome } from '../store/measures.ts'
import { eraseAt } from '../store/wake-up.ts'
import { loadWebhook } from '../store/webhook.ts'
import { discardHeld, isHeldTooLong } from './binding.ts'
import { endSession, expiredEnd } from './end-session.ts'

/**
 * Longest time for which expiry waits for responses that arrived before `expires_at`. The look-ups for a
 * response (for example of status lists) end 5 s earlier, so its result is known in time.
 */
export const GRACE_MS = 15_000

/**
 * Writes the changes that are due at `now`, in case the alarm is late. The methods of the session call this
 * function first. `end` ends an overdue session.
 */
export async function applyTimeouts(
  context: SessionContext,
  now: number,
  end: typeof expire = expire,
): Promise<void> {
  dropHeldTooLong(context, now)
  await eraseDue(context, now)
  if (!isOverdue(context, now)) return
  const graceEnds = (context.store.session()?.expires_at ?? 0) + GRACE_MS
  if (responsesInTime(context).length === 0 || now >= graceEnds) await end(context, now)
}

/**
 * Expires a session now. If a success is held, only discards this success, as if its browser had not returned
 * in time. The session then stays pending, with the same `expires_at`. `document`: the current document. No
 * `await` comes before the write.
 */
export async function expireAt(
  context: SessionContext,
  document: SessionDocument,
  now: number,
): Promise<void> {
  const { held, version } = document
  const deadline = held === null ? { expires_at: now } : { held: { ...held, until: now } }
  context.store.commit({ ...document, ...deadline, version: version + 1 })
  await applyTimeouts(context, now, endExpired)
}

/**
 * Discards a held success that has lapsed, and expires an overdue session. The alarm calls this function.
 * Expiry waits for the responses that arrived in time, for at most `GRACE_MS`. `onWait` is called first.
 */
export async function expireDue(context: SessionContext, now: number, onWait?: () => void): Promise<void> {
  dropHeldTooLong(context, now)
  if (isOverdue(context, now)) {
    const responses = responsesInTime(context)
    if (responses.length > 0) onWait?.()
    await withDeadline(Promise.allSettled(responses), GRACE_MS, undefined)
    // One of the awaited responses may have ended the session.
    if (isOverdue(context, now)) await expire(context, Date.now())
  }
}

/** Erases a login that is over, and a session whose retention has ended. */
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

/** Erases a login that is over. From then on, no browser can open the session's page. */
function dropLogin({ store }: SessionContext, now: number): void {
  const document = store.session()
  if (document === undefined || !isLoginOver(document, now)) return
  const { login: _, ...rest } = document
  store.commit({ ...rest, was_login: true })
}

async function eraseInTime({ store }: SessionContext, now: number): Promise<void> {
  const document = store.session()
  if (document !== undefined && document.status !== 'pending' && eraseAt(document) <= now) {
    await eraseSession(store, buildRemainder(document, now))
  }
}

/**
 * Ends an overdue session. A login that no wallet has acted on is erased instead: such a login has no event,
 * no list entry and no retention (api/logins).
 */
async function expire(context: SessionContext, now: number): Promise<void> {
  const document = context.store.session()
  if (document === undefined || !isUntouchedLogin(document)) return endExpired(context, now)
  recordOutcome({ ...document, status: 'expired', outcome: expiredEnd(document).outcome })
  await context.store.erase(buildRemainder(document, now))
}

function isUntouchedLogin({ login, held, request_fetched, attempt_count }: SessionDocument): boolean {
  return login !== undefined && held === null && !request_fetched && attempt_count === 0
}

async function endExpired(context: SessionContext, now: number): Promise<void> {
  const webhook = await loadWebhook(context, now)
  dropHeldTooLong(context, now)
  const document = context.store.session()
  if (document?.held === null) endSession(context, expiredEnd(document), { webhook, now })
}

/** Returns true if a pending session must expire now. A session with a held success does not expire. */
function isOverdue({ store }: SessionContext, now: number): boolean {
  const document = store.session()
  return document?.status === 'pending' && document.held === null && document.expires_at <= now
}

function responsesInTime({ store, inFlight }: SessionContext): readonly Promise<ResponseResult>[] {
  const deadline = store.session()?.expires_at ?? 0
  return [...inFlight.values()].filter(({ arrivedAt }) => arrivedAt < deadline).map(({ result }) => result)
}
