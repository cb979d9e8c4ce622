// Hearing answers and ending the session: the waiting around the one synchronous step in `outcome.ts` (CONTRACT 4).

import { encodeBase64url } from '../codec/base64url.ts'
import { concatBytes, utf8 } from '../codec/bytes.ts'
import type { Config } from '../config.ts'
import { hmacSha256 } from '../crypto/hmac.ts'
import { configOf, type Env } from '../env.ts'
import type { Decision } from '../policy/policy.ts'
import type { WebhookEndpoint } from '../relying-party/settings.ts'
import { settingsOf } from '../relying-party/settings-cache.ts'
import type { FetchResource } from '../trust/fetch-resource.ts'
import { createFetchResource } from '../webhook/guarded-fetch.ts'
import { judgeAnswer, type Verdict } from './answer.ts'
import { postAll, startAttempts } from './delivering.ts'
import { eraseAt, noteAttempt, type SessionDocument, tombstoneOf } from './document.ts'
import { encryptClaims } from './encrypted-claims.ts'
import { type Cause, decidedCause, declinedCause, expiredCause } from './endings.ts'
import { handleKeyOf } from './generation-keys.ts'
import { type Ending, endSession } from './outcome.ts'
import { randomIdentifier } from './random.ts'
import type { ReasonCode } from './reasons.ts'
import type { AnswerResult, PostedAnswer } from './results.ts'
import type { SessionStore } from './store.ts'

/** What the hearing of one session works with. */
export type Courtroom = {
  readonly store: SessionStore
  readonly env: Env
  /** Answers being verified, by the digest of their body. */
  readonly inFlight: Map<string, { readonly arrivedAt: number; readonly result: Promise<AnswerResult> }>
}

/** When a session ends, by which answer, and where its event goes. */
export type Circumstances = Pick<Ending, 'webhook' | 'winner' | 'now'>

/** How long expiry waits for answers that arrived before it. */
const GRACE_MS = 15_000
/** How long one fetch of what a trust anchor names may take. */
const FETCH_TIMEOUT_MS = 5_000
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
  const names = { eventId: randomIdentifier('evt_'), deliveryId: randomIdentifier('dlv_') }
  const ended = document && endSession(document, { ...cause, ...circumstances, ...names })
  if (ended === undefined) return false
  const { webhook, now } = circumstances
  // An endpoint that is unknown or disabled is the alarm's affair: `nextWakeUp` calls it at once.
  const canPost = webhook !== null && webhook !== 'unknown' && !webhook.disabled
  const deliveries = canPost ? startAttempts(ended.deliveries, ended.deliveries, now) : ended.deliveries
  store.commit({ ...ended, deliveries })
  // Not awaited, so that it never delays the wallet's answer: the attempt's number is written and the alarm stands behind it.
  if (canPost) void postAll(store, env, webhook, deliveries)
  return true
}

/** Commits the expiry that is due, should the platform's alarm be late. Every verb calls it first. */
export async function settle(room: Courtroom, now: number): Promise<void> {
  if (!isOverdue(room, now)) return
  const graceEnds = (room.store.session()?.expires_at ?? 0) + GRACE_MS
  if (answersInTime(room).length === 0 || now >= graceEnds) await expire(room, now)
}

/** The alarm's turn: expiry, after waiting once for answers that arrived in time, and erasure. */
export async function settleAtAlarm(room: Courtroom, now: number): Promise<void> {
  if (isOverdue(room, now)) {
    await Promise.race([Promise.allSettled(answersInTime(room)), scheduler.wait(GRACE_MS)])
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
  if (document.status !== 'pending') return answerEnded(document, answer, config)
  const settings = await settingsOf(room.env, document.relying_party_id, now)
  if (!settings.ok) {
    const refusal = settings.error === 'unavailable' ? 'settings_unavailable' : 'session_not_found'
    return { kind: 'refused', refusal }
  }
  const fetchResource = guardedFetch(config, document.livemode)
  const world = { document, settings: settings.value, config, fetchResource, arrivedAt: now }
  const verdict = await judgeAnswer(new Map(answer.parameters), world)
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
  const cause =
    verdict.kind === 'declined'
      ? declinedCause(verdict.generation)
      : decidedCause(verdict, await claimsFor(document, verdict.decision, config, now))
  const result = await processed(document, answer, config)
  if (end(room, cause, { webhook, winner: answer.digest, now })) return result
  const current = room.store.session()
  if (current === undefined) return { kind: 'refused', refusal: 'session_not_found' }
  return answerEnded(current, answer, config)
}

async function expire(room: Courtroom, now: number): Promise<void> {
  const webhook = await webhookOf(room, now)
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

/** Made once for a configuration and a mode: what is fetched is remembered for the function that fetched it. */
function guardedFetch(config: Config, livemode: boolean): FetchResource {
  const known = fetchers.get(config) ?? {
    live: makeFetch(config, false),
    test: makeFetch(config, config.allowLoopback),
  }
  fetchers.set(config, known)
  return livemode ? known.live : known.test
}

const fetchers = new WeakMap<Config, { readonly live: FetchResource; readonly test: FetchResource }>()

function makeFetch({ baseUrl }: Config, allowLoopback: boolean): FetchResource {
  return createFetchResource({
    fetch: (input, init) => fetch(input, init),
    allowLoopback,
    ownHost: new URL(baseUrl).host,
    timeoutMs: FETCH_TIMEOUT_MS,
  })
}

/** The winner's identical retry is answered like the winner; everything else comes too late. */
function answerEnded(
  document: SessionDocument,
  answer: PostedAnswer,
  config: Config,
): Promise<AnswerResult> | AnswerResult {
  if (document.winner === answer.digest) return processed(document, answer, config)
  return { kind: 'refused', refusal: 'session_ended' }
}

/**
 * OpenID4VP 1.0 §8.2: where the wallet sends the person next. The response code is derived from the answer under the session's
 * own key, so that an identical retry is answered identically without anything stored.
 */
async function processed(
  document: SessionDocument,
  answer: PostedAnswer,
  config: Config,
): Promise<AnswerResult> {
  const input = concatBytes(utf8('response_code\0'), utf8(answer.digest))
  const code = encodeBase64url(await hmacSha256(handleKeyOf(document), input))
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
  if (recipient === null || signingJwk === undefined || decision.outcome !== 'verified') return null
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
