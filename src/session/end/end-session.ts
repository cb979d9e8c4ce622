// The end of a session (api/outcome, api/webhooks): one step from the pending document to the finished
// document. The same write queues the event and the log entry.

import type { TerminalStatus } from '../../api/values.ts'
import { loadConfig } from '../../config.ts'
import { withDeadline } from '../../net/time-limit.ts'
import type { Decision } from '../../policy/policy.ts'
import type { WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { serialiseEvent } from '../../webhook/event.ts'
import { enqueue } from '../../webhook/outbox.ts'
import { begunOf, planAttempts, postAll } from '../delivery/delivering.ts'
import { randomIdentifier, terminalEvent } from '../delivery/event.ts'
import { newLogEntry, publish } from '../delivery/publishing.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Channel, StoredGeneration } from '../document/generations.ts'
import type { LoginResult } from '../document/login.ts'
import type { Outcome, Returned, TraceEntry } from '../document/outcome.ts'
import { reaches } from '../document/outcome.ts'
import type { PendingLogEntry } from '../document/pending-entry.ts'
import { transition } from '../document/state.ts'
import { sendEntry } from '../listing/indexing.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { recordOutcome } from '../store/measures.ts'

/** The end of a session: its status and the outcome that is stored with it. */
export type SessionEnd = {
  readonly status: TerminalStatus
  readonly outcome: Outcome
  /** Digest of the response that ends the session; null if no response ends it. */
  readonly winner: string | null
  /** The browser whose return ends the session. Absent if no return ends it. */
  readonly returned?: Returned | null
  /** Result of the login of this session. */
  readonly login?: LoginResult | undefined
}

/**
 * Time of an end, and the webhook for its event. `unknown`: the settings are unavailable. The event is then
 * queued, and the delivery loads the settings again.
 */
export type EventInput = {
  readonly webhook: WebhookEndpoint | null | 'unknown'
  readonly now: number
}

/**
 * Ends the session in one compare-and-set and one write, if its status and its binding allow the end. Returns
 * true if the end was written. `document`: the current document, perhaps with changes that are written with
 * the end.
 */
export function endSession(
  context: SessionContext,
  end: SessionEnd,
  { webhook, now }: EventInput,
  document = context.store.session(),
): boolean {
  const { store, env } = context
  if (document === undefined || !mayEnd(document, end)) return false
  const ended = endedDocument(document, end, { webhook, now, baseUrl: loadConfig(env).baseUrl })
  if (ended === undefined) return false
  // For an unknown or disabled endpoint no attempt starts here. `nextWakeUp` then sets the alarm to now.
  const isKnown = webhook !== null && webhook !== 'unknown' && !webhook.disabled
  const { event_id } = ended.pending_log_entry
  const due = isKnown ? ended.deliveries.filter((delivery) => delivery.event_id === event_id) : []
  const { deliveries, started } = planAttempts(ended.relying_party_id, ended.deliveries, { due, now })
  const canPost = started.length > 0
  store.commit({ ...ended, deliveries })
  recordOutcome(ended)
  // The attempt is not awaited, so that it does not delay the response to the wallet. It is already stored,
  // so the alarm can repeat a lost attempt.
  const posted =
    canPost && isKnown
      ? inBackground(() => postAll(context, webhook, begunOf(deliveries, started)))
      : undefined
  void inBackground(() => reportEnd(context, posted))
  return true
}

/**
 * Sends the event to the log, and the entry to the list. The webhook attempt (`posted`) waits for neither.
 * The entry waits briefly for the attempt, because the entry contains the attempt's result. One write stores
 * all confirmations.
 */
async function reportEnd(context: SessionContext, posted: Promise<void> | undefined): Promise<void> {
  const list = async () => {
    if (posted !== undefined) await withDeadline(posted, RESULT_MS, undefined)
    await sendEntry(context)
  }
  await Promise.all([publish(context), list(), posted])
  context.store.save()
}

/** Longest time for which the entry of an end waits for the result of the first attempt. */
const RESULT_MS = 1_000

/**
 * Returns true if the session binding allows the end. While a success is held, no other response may end the
 * session. A success with a weaker binding than required may not end the session. Expiry and cancellation are
 * always allowed.
 */
export function mayEnd(document: SessionDocument, { status, outcome, winner }: SessionEnd): boolean {
  if (status === 'expired' || status === 'canceled') return true
  if (document.held !== null && document.held.winner !== winner) return false
  return status !== 'verified' || reaches(outcome.session_binding, document.request.required_session_binding)
}

/** The response that ends a session. */
type ResponseEnd = {
  /** Channel as the result reports it. */
  readonly channel: Channel
  /** Protocol and Client Identifier of the request, if they differ from those of the session. */
  readonly exchange?: Pick<Outcome, 'protocol' | 'client_id'>
  readonly winner: string
  readonly requestHash: string
}

/** Returns the end by the decision on an authentic response. */
export function decidedEnd(
  decision: Decision,
  {
    trace,
    generation,
    exchange,
    channel,
    ...response
  }: ResponseEnd & {
    readonly trace: readonly TraceEntry[]
    readonly generation: StoredGeneration
    readonly encryptedClaims: string | null
  },
): SessionEnd {
  const { status, reason, checks, assurance_level, same_holder_key, derivation, credentials } = decision
  const isByPage = generation.channel === 'dc_api' && generation.browser === null
  return {
    status,
    winner: response.winner,
    outcome: {
      ...exchange,
      reason,
      checks,
      assurance_level,
      same_holder_key,
      derivation,
      credentials,
      channel,
      // A response by the relying party's own page binds the session at once. A response by our page binds
      // the session when the browser returns.
      session_binding: isByPage ? 'relying_party' : 'none',
      // OpenID4VP 1.0 §14.9: the verifier itself checks the conditions that the wallet was asked to apply.
      trace: [
        ...trace,
        { id: 'policy', clause: 'OpenID4VP 1.0 §14.9', result: status === 'verified' ? 'pass' : 'fail' },
      ],
      encrypted_claims: response.encryptedClaims,
      request_hash: response.requestHash,
    },
  }
}

/** Returns the end by `access_denied` from the wallet. */
export function declinedEnd({ exchange, channel, winner, requestHash }: ResponseEnd): SessionEnd {
  const declined = { reason: 'access_denied', channel, request_hash: requestHash } as const
  return { status: 'declined', outcome: { ...NO_RESULT, ...exchange, ...declined }, winner }
}

/** Returns the end of a session that the person declined on its page. */
export function declinedOnPageEnd(): SessionEnd {
  const outcome = { ...NO_RESULT, reason: 'declined_on_page' } as const
  return { status: 'declined', outcome, winner: null }
}

/** Returns the end at `expires_at`, with the reason of the last attempt if there was an attempt. */
export function expiredEnd({ attempts }: SessionDocument): SessionEnd {
  const reason = attempts.at(-1)?.reason ?? 'session_expired'
  return { status: 'expired', outcome: { ...NO_RESULT, reason }, winner: null }
}

/** Returns the end of a session that the relying party canceled. */
export function canceledEnd(): SessionEnd {
  const outcome = { ...NO_RESULT, reason: 'canceled_by_relying_party' } as const
  return { status: 'canceled', outcome, winner: null }
}

/** Members of an outcome without a decision on a response. */
const NO_RESULT = {
  checks: null,
  assurance_level: null,
  derivation: [],
  credentials: [],
  channel: null,
  session_binding: null,
  same_holder_key: null,
  trace: [],
  encrypted_claims: null,
  request_hash: null,
} as const satisfies Omit<Outcome, 'reason'>

/**
 * Returns the finished document; `undefined` if the status cannot change. The finished document has no
 * generations, and no terms of chosen wallets.
 */
function endedDocument(
  document: SessionDocument,
  { outcome, winner, returned = null, login, ...end }: SessionEnd,
  { webhook, now, baseUrl }: EventInput & { readonly baseUrl: string },
): (SessionDocument & { readonly pending_log_entry: PendingLogEntry }) | undefined {
  const status = transition(document.status, end.status)
  if (status === undefined) return undefined
  const { wallets: _, ...kept } = document
  const { verifier } = kept
  const ended: SessionDocument = {
    ...kept,
    status,
    version: document.version + 1,
    ended_at: now,
    verified_at: status === 'verified' ? now : null,
    held: null,
    returned,
    outcome,
    winner,
    generations: [],
    ...(document.login && { login: { ...document.login, result: login ?? null } }),
    // The signing key of the session has no further use and is erased.
    verifier: verifier.sealed_signing_jwk === null ? verifier : { ...verifier, sealed_signing_jwk: '' },
  }
  const eventId = randomIdentifier('evt_')
  const event = terminalEvent(ended, eventId, baseUrl)
  const { event_type, sequence } = event
  const isWanted = webhook === 'unknown' || webhook?.events.some((type) => type === event_type)
  const delivery_id = randomIdentifier('dlv_')
  const body = isWanted ? serialiseEvent(event) : ''
  const pending_log_entry = newLogEntry(eventId, ended, { now, hasWebhook: isWanted ?? false })
  return {
    ...ended,
    deliveries: isWanted
      ? enqueue(ended.deliveries, { delivery_id, event_id: eventId, event_type, sequence, body }, now)
      : ended.deliveries,
    pending_log_entry,
  }
}
