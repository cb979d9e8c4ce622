// Hearing answers and ending the session: the waiting around the one synchronous step in `outcome.ts` (CONTRACT 4).

import { type Config, configOf } from '../../config.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import type { Decision } from '../../policy/policy.ts'
import type { WebhookEndpoint } from '../../relying-party/settings/settings.ts'
import { settingsOf } from '../../relying-party/settings/settings-cache.ts'
import { subscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import { inBackground } from '../background.ts'
import { postAll, startAttempts } from '../delivery/delivering.ts'
import { publish } from '../delivery/publishing.ts'
import { eraseAt, noteAttempt, type SessionDocument, tombstoneOf } from '../document.ts'
import { recordAnswer, recordOutcome } from '../measures.ts'
import { randomIdentifier } from '../random.ts'
import { requestHash } from '../request/request-hash.ts'
import type { AnswerResult, PostedAnswer } from '../results.ts'
import {
  discardHeld,
  holdSuccess,
  isHeldTooLong,
  mayEnd,
  type Returned,
  responseCodeOf,
} from '../return/binding.ts'
import type { SessionStore } from '../store.ts'
import { judgeAnswer } from './answer.ts'
import { encryptClaims } from './encrypted-claims.ts'
import { type Cause, decidedCause, declinedCause, expiredCause } from './endings.ts'
import { networkOf } from './network.ts'
import { type Ending, endSession } from './outcome.ts'
import type { ReasonCode } from './reason-code.ts'
import type { Verdict } from './verdict.ts'

/** What the hearing of one session works with. */
export type Courtroom = {
  readonly store: SessionStore
  readonly env: Env
  /** Answers being verified, by the digest of their body. */
  readonly inFlight: Map<string, { readonly arrivedAt: number; readonly result: Promise<AnswerResult> }>
}

/** When a session ends, by which answer, and where its event goes. */
export type Circumstances = Pick<Ending, 'webhook' | 'winner' | 'now'> & {
  /** The browser whose return ends it. */
  readonly returned?: Returned
}

/** How long expiry waits for answers that arrived before it. */
const GRACE_MS = 15_000
/** How soon an attempt is written: one that names a live request of ours, and any other. */
const ATTEMPT_WRITE_MS = 1_000
const JUNK_WRITE_MS = 10_000

/** Judges one answer that arrived at `now`. Identical bodies at the same time share one verification. */
export function hear(room: Courtroom, answer: PostedAnswer, now: number): Promise<AnswerResult> {
  const shared = room.inFlight.get(answer.digest)
  if (shared !== undefined) return shared.result
  const result = judge(room, answer, now).finally(() => room.inFlight.delete(answer.digest))
  room.inFlight.set(answer.digest, { arrivedAt: now, result })
  return result
}

/** Ends the session where its status allows it: one compare-and-set, one write. Tells whether it did. */
export function end({ store, env }: Courtroom, cause: Cause, circumstances: Circumstances): boolean {
  const document = store.session()
  if (document === undefined || !mayEnd(document, { ...cause, winner: circumstances.winner })) return false
  const { baseUrl } = configOf(env)
  const names = { eventId: randomIdentifier('evt_'), deliveryId: randomIdentifier('dlv_'), baseUrl }
  const { returned = null, ...world } = circumstances
  const ended = endSession({ ...document, held: null, returned }, { ...cause, ...world, ...names })
  if (ended === undefined) return false
  const { webhook, now } = world
  // An endpoint that is unknown or disabled is the alarm's affair: `nextWakeUp` calls it at once.
  const canPost =
    webhook !== null && webhook !== 'unknown' && !webhook.disabled && ended.deliveries.length > 0
  const deliveries = canPost ? startAttempts(ended.deliveries, ended.deliveries, now) : ended.deliveries
  store.commit({ ...ended, deliveries })
  recordOutcome(ended)
  // Not awaited, so that nothing delays the wallet's answer: the attempt's number is written and the alarm stands behind it.
  // That the log has the event is written together with what came of the POST, where there is one.
  const meanwhile = inBackground(() => publish(store, env, canPost ? store.remember : store.commit))
  if (canPost) void inBackground(() => postAll({ store, env, meanwhile }, webhook, deliveries))
  return true
}

/** Commits what time has decided, should the platform's alarm be late. Every verb calls it first. */
export async function settle(room: Courtroom, now: number): Promise<void> {
  dropHeldTooLong(room, now)
  if (!isOverdue(room, now)) return
  const graceEnds = (room.store.session()?.expires_at ?? 0) + GRACE_MS
  if (answersInTime(room).length === 0 || now >= graceEnds) await expire(room, now)
}

/** The alarm's turn: what is held too long, expiry after waiting once for answers that arrived in time, and erasure. */
export async function settleAtAlarm(room: Courtroom, now: number): Promise<void> {
  dropHeldTooLong(room, now)
  if (isOverdue(room, now)) {
    await withDeadline(Promise.allSettled(answersInTime(room)), GRACE_MS, undefined)
    await expire(room, Date.now())
  }
  const document = room.store.session()
  if (document !== undefined && document.status !== 'pending' && eraseAt(document) <= now) {
    await room.store.erase(tombstoneOf(document, now))
  }
}

/** The relying party's webhook as known now. */
export async function webhookOf({ store, env }: Courtroom, now: number): Promise<Ending['webhook']> {
  const id = store.session()?.relying_party_id
  const settings = id === undefined ? undefined : await settingsOf(env, id, now)
  if (settings === undefined) return null
  if (!settings.ok) return settings.error === 'unavailable' ? 'unknown' : null
  return settings.value.webhook
}

async function judge(room: Courtroom, answer: PostedAnswer, now: number): Promise<AnswerResult> {
  await settle(room, now)
  const document = room.store.session()
  if (document === undefined) return { kind: 'refused', refusal: 'session_not_found' }
  const config = configOf(room.env)
  // While expiry waits for an answer that came in time, the session is pending still: for that answer, not for later ones.
  const isOver = document.status !== 'pending' || now >= document.expires_at
  if (isOver || document.held !== null) return answerLate(document, answer, config)
  const settings = await settingsOf(room.env, document.relying_party_id, now)
  if (!settings.ok) {
    const refusal = settings.error === 'unavailable' ? 'settings_unavailable' : 'session_not_found'
    return { kind: 'refused', refusal }
  }
  const network = networkOf(room.env, document.livemode)
  const subscribed = await subscribedAnchors(room.env, settings.value, now)
  const sandboxed = !document.livemode && !settings.value.livemode && room.env.SANDBOX !== undefined
  const world = { document, settings: settings.value, subscribed, sandboxed, config, network, arrivedAt: now }
  const verdict = await judgeAnswer(answer, world)
  recordAnswer(document, verdict, Date.now() - now)
  return carryOut(room, verdict, { answer, document, webhook: settings.value.webhook, now })
}

type Heard = {
  readonly answer: PostedAnswer
  readonly document: SessionDocument
  readonly webhook: WebhookEndpoint | null
  readonly now: number
}

/** Applies a verdict. Everything that takes time comes first; `end` then decides alone whether this answer was the first. */
async function carryOut(room: Courtroom, verdict: Verdict, heard: Heard): Promise<AnswerResult> {
  const { answer, document, webhook, now } = heard
  const config = configOf(room.env)
  if (verdict.kind === 'refused' || verdict.kind === 'wallet_error') {
    noteInStore(room.store, verdict, now)
    if (verdict.kind === 'refused') return { kind: 'refused', refusal: verdict.reason }
    return processed(document, answer, config)
  }
  const asked = await requestHash(document, verdict.generation, config.baseUrl)
  const cause =
    verdict.kind === 'declined'
      ? declinedCause(verdict.generation, asked)
      : decidedCause(verdict, await claimsFor(document, verdict.decision, config, now), asked)
  const result = await processed(document, answer, config)
  const isHeld = cause.event === 'answer_satisfied' && verdict.generation.browser !== null
  const success = { answer: answer.digest, generation: verdict.generation, outcome: cause.outcome }
  const isHeard = isHeld
    ? hold(room, success, now)
    : end(room, cause, { webhook, winner: answer.digest, now })
  if (isHeard) return result
  const current = room.store.session()
  if (current === undefined) return { kind: 'refused', refusal: 'session_not_found' }
  return answerLate(current, answer, config)
}

/** CONTRACT 5: success by a link waits for its browser. One compare-and-set like `end`, and as safe from a crash. */
function hold({ store }: Courtroom, success: Parameters<typeof holdSuccess>[1], now: number): boolean {
  const document = store.session()
  const holding = document && holdSuccess(document, success, now)
  if (holding === undefined) return false
  store.commit(holding)
  return true
}

function dropHeldTooLong({ store }: Courtroom, now: number): void {
  const document = store.session()
  if (document !== undefined && isHeldTooLong(document, now)) store.commit(discardHeld(document, now))
}

async function expire(room: Courtroom, now: number): Promise<void> {
  const webhook = await webhookOf(room, now)
  dropHeldTooLong(room, now)
  const document = room.store.session()
  if (document !== undefined) end(room, expiredCause(document), { webhook, winner: null, now })
}

function isOverdue({ store }: Courtroom, now: number): boolean {
  const document = store.session()
  return document?.status === 'pending' && document.expires_at <= now
}

function answersInTime({ store, inFlight }: Courtroom): readonly Promise<AnswerResult>[] {
  const deadline = store.session()?.expires_at ?? 0
  return [...inFlight.values()].filter(({ arrivedAt }) => arrivedAt < deadline).map(({ result }) => result)
}

/** The identical retry of the answer that won, or is held, is answered like it; everything else comes too late. */
function answerLate(
  document: SessionDocument,
  answer: PostedAnswer,
  config: Config,
): Promise<AnswerResult> | AnswerResult {
  const heard = document.winner ?? document.held?.answer
  if (heard === answer.digest) return processed(document, answer, config)
  return { kind: 'refused', refusal: document.held === null ? 'session_ended' : 'return_awaited' }
}

/**
 * OpenID4VP 1.0 §8.2: where the wallet sends the person next. An identical retry is answered identically.
 */
async function processed(
  document: SessionDocument,
  answer: PostedAnswer,
  config: Config,
): Promise<AnswerResult> {
  const code = await responseCodeOf(document, answer.digest)
  const page = `${config.baseUrl}/v1/verify/${document.verification_id}/return`
  return { kind: 'processed', redirectUri: `${page}#response_code=${code}` }
}

/** The requested claims for the relying party's eyes only; null where it gave no key or nothing was verified. */
async function claimsFor(
  document: SessionDocument,
  decision: Decision,
  config: Config,
  now: number,
): Promise<string | null> {
  const recipient = document.request.claims_encryption_jwk
  const [signingJwk] = config.accessTokenKeys.keys
  if (recipient === null || decision.outcome !== 'verified') return null
  return encryptClaims(decision, {
    issuer: config.baseUrl,
    audience: document.relying_party_id,
    verificationId: document.verification_id,
    now: Math.floor(now / 1000),
    signingJwk,
    recipient,
  })
}

/** Notes an attempt in memory, to be written soon: junk must not cost the session anything. */
function noteInStore(
  store: SessionStore,
  verdict: Verdict & { kind: 'refused' | 'wallet_error' },
  now: number,
): void {
  const document = store.session()
  if (document?.status !== 'pending') return
  const reason: ReasonCode = verdict.kind === 'refused' ? verdict.reason : 'wallet_error'
  const attempt = { at: now, reason, channel: verdict.generation?.channel ?? null }
  store.keep(noteAttempt(document, attempt), verdict.generation === null ? JUNK_WRITE_MS : ATTEMPT_WRITE_MS)
}
