// Time stamps of evidence (api/evidence). The first request to the time-stamping authority starts after the
// write that ends the session. The alarm of the session starts each later request. Neither the end nor the
// alarm waits for a request. So a slow authority delays neither the event of the end nor another session.
// Each request is counted in the document before it is sent.

import { callBackground } from '../../background/call-background.ts'
import { encodeBase64 } from '../../codec/base64url.ts'
import { decodeHex } from '../../codec/bytes.ts'
import { loadConfig, outboundRule } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { TIME_STAMP } from '../../evidence/limits.ts'
import { requestTimeStamp } from '../../evidence/time-stamp/request-time-stamp.ts'
import type { checkTimeStampReply } from '../../evidence/time-stamp/time-stamp.ts'
import { record } from '../../metrics/record.ts'
import { createPost } from '../../net/post-form.ts'
import { err } from '../../result.ts'
import { nextAttemptAt } from '../../webhook/schedule.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredTimeStamp } from '../evidence/stored-evidence.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { toMode } from '../store/measures.ts'
import { loadWebhook } from '../store/webhook.ts'
import { mayAttempt, nextTurn, underWay } from './attempt-limit.ts'
import { pushDue, pushEvidence } from './pushing.ts'
import { commitTimeStamp } from './step-events.ts'

/** Name of the limit of requests under way. All relying parties share the limit and the authority. */
const LIMIT = 'time-stamps'
/** Time from the sealing of the evidence until a missing time stamp is treated as failed. */
const GIVEN_UP_AFTER_MS = 86_400_000
/** Longest wait between two requests. */
const LONGEST_WAIT_MS = 3_600_000
/** Longest time until a request to the authority has ended and its result is written. */
const ATTEMPT_MS = TIME_STAMP.timeoutMs + 5_000

/**
 * Starts the first request to the authority. For evidence without a time stamp, starts the first delivery to
 * the object store. `ended`: the written document, which already counts this attempt.
 */
export function startEvidence(context: SessionContext, ended: SessionDocument): void {
  const { time_stamp, push } = ended.evidence ?? {}
  if (time_stamp !== undefined) void inBackground(() => requestStamp(context, ended))
  else if (push !== undefined) void inBackground(() => pushEvidence(context, ended))
}

/** Starts a request to the authority, if one is due at `now`. After 24 hours, the time stamp has failed. */
export function stampDue(context: SessionContext, now: number): void {
  const { store } = context
  const pending = owedIn(store.session())
  if (pending === undefined || pending.owed.next_attempt_at > now) return
  const { document, evidence, owed } = pending
  const isOver = now >= evidence.created_at + GIVEN_UP_AFTER_MS
  const starts = isOver || mayAttempt(LIMIT, now)
  const attempts = owed.attempts + (starts ? 1 : 0)
  const next_attempt_at = starts
    ? retryAt(attempts, now + ATTEMPT_MS, 0)
    : nextTurn(context.env, LIMIT, now, Math.random())
  store.commit(withTimeStamp(document, { ...owed, attempts, next_attempt_at }))
  if (isOver) void inBackground(() => settle(context, document, { state: 'failed' }))
  else if (starts) void inBackground(() => requestStamp(context, document))
}

/**
 * Returns the time of the next request. The waits are those of webhook retries, but at most an hour.
 * `jitter`: a random number from 0 to 1.
 */
function retryAt(attempt: number, now: number, jitter: number): number {
  const at = nextAttemptAt({ attempt, now, retryAfter: null, jitter }) ?? Infinity
  return Math.min(at, now + LONGEST_WAIT_MS)
}

/** Sends a request that is already counted in the document, and writes its result. */
export async function requestStamp(context: SessionContext, started: SessionDocument): Promise<void> {
  const { store, env } = context
  const config = loadConfig(env)
  const { timeStamping } = config
  const digest = decodeHex(started.evidence?.manifest_sha256 ?? '') ?? new Uint8Array()
  const rule = outboundRule(config, started.livemode)
  const post = createPost({
    ...rule,
    fetch: (url, init) => fetch(url, init),
    timeoutMs: TIME_STAMP.timeoutMs,
  })
  const means = {
    post,
    random: randomBytes(TIME_STAMP.nonceBytes),
    clock: Date.now,
    check: (...given: Parameters<typeof checkTimeStampReply>) =>
      callBackground(async () => env.BACKGROUND_WORK.checkTimeStampReply(...given)),
  }
  const begun = Date.now()
  const stamp = await underWay(LIMIT, async () =>
    timeStamping === null ? err('no_authority') : requestTimeStamp(digest, timeStamping, means),
  )
  const result = stamp.ok ? 'ok' : stamp.error
  record('time_stamps', { result, mode: toMode(started) }, { ms: Date.now() - begun })
  if (stamp.ok) {
    const { genTime: gen_time, token } = stamp.value
    return settle(context, started, { state: 'present', gen_time, token: encodeBase64(token) })
  }
  const pending = sameOwed(context, started)
  if (pending === undefined) return
  const next_attempt_at = retryAt(pending.owed.attempts, Date.now(), Math.random())
  store.commit(withTimeStamp(pending.document, { ...pending.owed, next_attempt_at }))
}

type Settled = { readonly state: 'failed' } | Omit<Present, 'required'>
type Present = StoredTimeStamp & { readonly state: 'present' }

/**
 * Writes the final state of an owed time stamp. A failure has an event only if the time stamp was required.
 */
async function settle(context: SessionContext, started: SessionDocument, settled: Settled): Promise<void> {
  const webhook = await loadWebhook(context, Date.now())
  const pending = sameOwed(context, started)
  if (pending === undefined) return
  const { document, owed } = pending
  const { required } = owed
  const failed = required ? 'evidence.time_stamp_failed' : undefined
  const type = settled.state === 'present' ? 'evidence.time_stamped' : failed
  const changed = { ...document, version: document.version + 1 }
  commitTimeStamp(context, withTimeStamp(changed, { required, ...settled }), type, webhook)
  pushDue(context, Date.now())
}

/** Returns the time stamp that a session still waits for (state `owed`); `undefined` if there is none. */
function owedIn(document: SessionDocument | undefined) {
  const { evidence } = document ?? {}
  const owed = evidence?.time_stamp
  if (document === undefined || evidence === undefined || evidence.erased_at !== undefined) return undefined
  return owed?.state === 'owed' ? { document, evidence, owed } : undefined
}

/** Returns the owed time stamp, if the session still has the same evidence as `started`. */
function sameOwed({ store }: SessionContext, started: SessionDocument) {
  const pending = owedIn(store.session())
  return pending?.evidence.manifest_sha256 === started.evidence?.manifest_sha256 ? pending : undefined
}

function withTimeStamp(document: SessionDocument, time_stamp: StoredTimeStamp): SessionDocument {
  const { evidence } = document
  return evidence === undefined ? document : { ...document, evidence: { ...evidence, time_stamp } }
}
