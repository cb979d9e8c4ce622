// Processing of a wallet's response (api/outcome). A session is ended (end-session.ts), or its success is
// held, in one synchronous step. All awaits that prepare this step come before it.

import { type Config, loadConfig } from '../../config.ts'
import type { FetchedCopy } from '../../net/guarded-fetch.ts'
import { createCopies } from '../../net/recorded-fetch.ts'
import type { WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { subscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import { err, ok } from '../../result.ts'
import { sendStepEvent } from '../delivery/step-events.ts'
import { addAttempt } from '../document/attempt.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import type { LoginResult } from '../document/login.ts'
import type { AttemptReason } from '../document/refusal-family.ts'
import type { PostedResponse, ResponseResult } from '../document/results.ts'
import { addActivity } from '../document/wallet-activity.ts'
import { deriveResponseCode, holdSuccess } from '../end/binding.ts'
import { decidedEnd, declinedEnd, endSession, type SessionEnd } from '../end/end-session.ts'
import { applyTimeouts, GRACE_MS } from '../end/timeouts.ts'
import { sendEntry } from '../listing/indexing.ts'
import { ANNEX_C_PROTOCOL, annexCHash } from '../request/annex-c.ts'
import { requestHash } from '../request/request-hash.ts'
import { buildTerms, readChannel } from '../request/terms.ts'
import { inBackground, logError } from '../store/background.ts'
import { reportedAttempts } from '../store/changed-entry.ts'
import type { SessionContext } from '../store/context.ts'
import { prepareLogin } from '../tokens/tokens.ts'
import { encryptClaims } from './encrypted-claims.ts'
import { type Evaluation, evaluateResponse } from './evaluate-response.ts'
import { offeredClientIds } from './exchanges.ts'
import { openNetwork, untilDeadline } from './network.ts'
import { recordEvaluation } from './record-evaluation.ts'
import { sealEvidence } from './seal-evidence.ts'

/**
 * Longest delay until an attempt is written. `JUNK_WRITE_MS`: for a response that names no live request of
 * this session, if the attempt does not change the list entry. `ATTEMPT_WRITE_MS`: for any other response.
 */
const ATTEMPT_WRITE_MS = 1_000
const JUNK_WRITE_MS = 10_000

/** Time limit of all look-ups of one evaluation. Expiry waits longer for a response that arrived in time. */
const EVALUATION_MS = GRACE_MS - 5_000

/** Processes a response that arrived at `now`. Identical bodies at the same time share one verification. */
export function processResponse(
  context: SessionContext,
  response: PostedResponse,
  now: number,
): Promise<ResponseResult> {
  const shared = context.inFlight.get(response.digest)
  if (shared !== undefined) return shared.result
  const result = processOnce(context, response, now).finally(() => context.inFlight.delete(response.digest))
  context.inFlight.set(response.digest, { arrivedAt: now, result })
  return result
}

async function processOnce(
  context: SessionContext,
  response: PostedResponse,
  now: number,
): Promise<ResponseResult> {
  await applyTimeouts(context, now)
  const { store, env } = context
  const document = store.session()
  if (document === undefined) return err('session_not_found')
  const config = loadConfig(env)
  // While expiry waits for responses that arrived in time, the session is still pending. A response that
  // arrives after `expires_at` is refused.
  const isOver = document.status !== 'pending' || now >= document.expires_at
  if (isOver || document.held !== null) return respondLate(document, response, config)
  const settings = await loadSettings(env, document.relying_party_id, now)
  if (!settings.ok)
    return err(settings.error === 'unavailable' ? 'settings_unavailable' : 'session_not_found')
  const copies = createCopies()
  const keep = document.evidence_terms && copies.add
  const evaluation = await evaluateResponse(response, {
    document,
    settings: settings.value,
    subscribed: await subscribedAnchors(env, settings.value, now, document.request.anchor_sets),
    sandboxed: !document.livemode && !settings.value.livemode && env.SANDBOX !== undefined,
    config,
    network: untilDeadline(openNetwork(env, document.livemode), now + EVALUATION_MS, keep),
    arrivedAt: now,
  })
  recordEvaluation(document, evaluation, Date.now() - now)
  const { webhook } = settings.value
  return applyEvaluation(context, evaluation, { response, document, webhook, copies: copies.all(), now })
}

type Processing = {
  readonly response: PostedResponse
  readonly document: SessionDocument
  readonly webhook: WebhookEndpoint | null
  /** The public resources that the evaluation used. Empty if no evidence is kept. */
  readonly copies: readonly FetchedCopy[]
  readonly now: number
}

/** Applies an evaluation. All awaits come before the synchronous call of `endSession` or `hold`. */
async function applyEvaluation(
  context: SessionContext,
  evaluation: Evaluation,
  processing: Processing,
): Promise<ResponseResult> {
  const { response, document, copies, now } = processing
  const config = loadConfig(context.env)
  switch (evaluation.kind) {
    case 'refused':
      await reportAttempt(context, evaluation, evaluation.reason, now)
      return err(evaluation.reason)
    case 'wallet_error':
      await reportAttempt(context, evaluation, 'wallet_error', now)
      return accepted(document, response, config)
    case 'declined': {
      const end = declinedEnd(await responseEnd(evaluation, processing, config))
      return finish(context, { end, generation: evaluation.generation }, processing)
    }
    case 'decided': {
      const { decision, generation } = evaluation
      const ended = await responseEnd(evaluation, processing, config)
      const encryptedClaims = await encryptClaims(decision, document, { config, now })
      const login = await prepareLogin(decision, document, { config, generation, now })
      const end = decidedEnd(decision, { ...evaluation, ...ended, encryptedClaims })
      const evidence = await trySealing({ evaluation, end, response, document, copies, now }, context.env)
      if (!evidence.ok) {
        const unsealed = { kind: 'refused', reason: evidence.error, generation } as const
        await reportAttempt(context, unsealed, evidence.error, now)
        return evidence
      }
      return finish(context, { end: { ...end, evidence: evidence.value }, generation, login }, processing)
    }
  }
}

/** Returns the members that the end of a session stores about the response that ended it. */
async function responseEnd(
  evaluation: Evaluation & { kind: 'declined' | 'decided' },
  { response, document }: Processing,
  { baseUrl }: Config,
) {
  const { generation, exchange } = evaluation
  const isAnnexC = evaluation.kind === 'decided' && exchange?.protocol === ANNEX_C_PROTOCOL
  const hash = isAnnexC ? annexCHash(document, generation) : requestHash(document, generation, baseUrl)
  const channel = readChannel(document, generation)
  const hasOffers = channel === 'dc_api' && !isAnnexC
  const offered = hasOffers ? offeredClientIds(buildTerms(document, generation)) : undefined
  return {
    ...(exchange && { exchange }),
    ...(offered && { offered }),
    channel,
    winner: response.digest,
    requestHash: await hash,
  }
}

/** End of the session by a response, and the result of the login if the response is a success. */
type Ending = {
  readonly end: SessionEnd
  readonly generation: StoredGeneration
  readonly login?: LoginResult | undefined
}

/**
 * Ends the session, unless another response came first. A success for one browser is held until that browser
 * returns (api/binding).
 */
async function finish(
  context: SessionContext,
  { end, generation, login }: Ending,
  { response, document, webhook, now }: Processing,
): Promise<ResponseResult> {
  const config = loadConfig(context.env)
  const result = await accepted(document, response, config)
  const isHeld = end.status === 'verified' && generation.browser !== null
  const isApplied = isHeld
    ? hold(context, { winner: response.digest, generation, outcome: end.outcome, login }, now, end.evidence)
    : endSession(context, { ...end, login }, { webhook, now })
  if (isApplied) return result
  const current = context.store.session()
  return current === undefined ? err('session_not_found') : respondLate(current, response, config)
}

/**
 * Seals the evidence of a decision. A failure leaves the session pending, because an outcome without its
 * evidence must not exist. The error is logged by its name only: its message could contain a value.
 */
async function trySealing(...decided: Parameters<typeof sealEvidence>) {
  try {
    return await sealEvidence(...decided)
  } catch (error) {
    logError('evidence_not_sealed', error)
    return err('evidence_unavailable')
  }
}

/** Holds a success in one compare-and-set, like `endSession`. Returns false if the success cannot be held. */
function hold(
  context: SessionContext,
  success: Parameters<typeof holdSuccess>[1],
  now: number,
  evidence: SessionEnd['evidence'],
): boolean {
  const { store } = context
  const document = store.session()
  const holding = document && holdSuccess(document, { ...success, evidence: evidence?.stored }, now)
  if (holding === undefined) return false
  store.commit(holding, evidence?.parts)
  void inBackground(() => sendEntry(context))
  return true
}

/**
 * Accepts an identical retry of the response whose success is held, or that ended the session. Refuses every
 * other response.
 */
async function respondLate(
  document: SessionDocument,
  response: PostedResponse,
  config: Config,
): Promise<ResponseResult> {
  const winner = document.winner ?? document.held?.winner
  if (winner === response.digest) return accepted(document, response, config)
  return err(document.held === null ? 'session_ended' : 'return_awaited')
}

/**
 * Returns the address to which the wallet sends the person next (OpenID4VP 1.0 §8.2). An identical retry gets
 * the same address.
 */
async function accepted(
  document: SessionDocument,
  { digest }: PostedResponse,
  { baseUrl }: Config,
): Promise<ResponseResult> {
  const code = await deriveResponseCode(document, digest)
  return ok(`${baseUrl}/v1/verify/${document.verification_id}/return#response_code=${code}`)
}

/** Stores an attempt. Sends its event if the response belongs to a live request of this session. */
async function reportAttempt(
  context: SessionContext,
  evaluation: Evaluation & { kind: 'refused' | 'wallet_error' },
  reason: AttemptReason,
  now: number,
): Promise<void> {
  storeAttempt(context, evaluation, reason, now)
  if (evaluation.generation === null) return
  await sendStepEvent(context, { type: 'verification.response_refused', reason })
}

/**
 * Stores an attempt in memory and writes it soon, so that many invalid responses cause few writes. If the
 * attempt changes the session's entry in the list of verifications, the entry is sent after that write.
 */
function storeAttempt(
  context: SessionContext,
  evaluation: Evaluation & { kind: 'refused' | 'wallet_error' },
  reason: AttemptReason,
  now: number,
): void {
  const { store } = context
  const document = store.session()
  if (document?.status !== 'pending') return
  const details = evaluation.kind === 'refused' ? evaluation.details : {}
  const channel = evaluation.generation && readChannel(document, evaluation.generation)
  const clause = evaluation.kind === 'refused' ? evaluation.clause : undefined
  const refused = addAttempt(document, { at: now, reason, channel, ...details }, clause)
  const isJunk = evaluation.generation === null
  const stored = isJunk ? refused : addActivity(refused, { kind: 'response_refused', reason }, now)
  const isListed = changesEntry(document, stored)
  store.keep(stored, isJunk && !isListed ? JUNK_WRITE_MS : ATTEMPT_WRITE_MS)
  if (isListed) setTimeout(() => inBackground(() => sendEntry(context)), ATTEMPT_WRITE_MS)
}

/** Returns true if the attempt changes the list entry of the session. */
function changesEntry(before: SessionDocument, after: SessionDocument): boolean {
  const reported = ({ attempt_count }: SessionDocument) => reportedAttempts(attempt_count)
  return after.pending_index_entry !== undefined && reported(before) !== reported(after)
}
