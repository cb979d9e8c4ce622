// The end of a session (api/outcome, api/webhooks): one step from the pending document to the finished
// document. The same write queues the event and the log entry.

import type { TerminalStatus } from '../../api/values.ts'
import { loadConfig } from '../../config.ts'
import { withDeadline } from '../../net/time-limit.ts'
import type { Decision } from '../../policy/policy.ts'
import type { WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { serialiseEvent } from '../../webhook/event.ts'
import { enqueue } from '../../webhook/outbox.ts'
import { markBegun, planAttempts, postAll } from '../delivery/delivering.ts'
import { randomIdentifier, terminalEvent } from '../delivery/event.ts'
import { goesWithEvent, newLogEntry, publish } from '../delivery/publishing.ts'
import { startEvidence } from '../delivery/time-stamping.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Channel, StoredGeneration } from '../document/generations.ts'
import type { LoginResult } from '../document/login.ts'
import type { Outcome, Returned, TraceEntry } from '../document/outcome.ts'
import { reaches } from '../document/outcome.ts'
import type { PendingLogEntry } from '../document/pending-entry.ts'
import { transition } from '../document/state.ts'
import type { StoredVerifier } from '../document/stored-verifier.ts'
import { begunEvidence, type SealedEvidence } from '../evidence/stored-evidence.ts'
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
  /** Evidence of the outcome. Absent if no evidence is kept of this outcome. */
  readonly evidence?: SealedEvidence | undefined
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
  // For an unknown or disabled endpoint no attempt starts here. The event stays queued, and the alarm handles
  // the event at once (`nextWakeUp`).
  const isKnown = webhook !== null && webhook !== 'unknown' && !webhook.disabled
  const { event_id } = ended.pending_log_entry
  const due = isKnown ? ended.deliveries.filter((delivery) => delivery.event_id === event_id) : []
  const { deliveries, started } = planAttempts(env, ended.relying_party_id, ended.deliveries, { due, now })
  const canPost = started.length > 0
  store.commit({ ...ended, deliveries }, end.evidence?.parts)
  recordOutcome(ended)
  startEvidence(context, ended)
  // The attempt is not awaited, so that the response to the wallet is not delayed. The attempt is already
  // stored, so the alarm can repeat a lost attempt.
  const report = openReport(context)
  const posted =
    canPost && isKnown
      ? inBackground(() => postAll(context, webhook, markBegun(deliveries, started), report.write))
      : undefined
  void inBackground(() => report.complete(posted))
  return true
}

/**
 * The report of an end: its event for the log and its entry for the list. Both wait briefly for the result of
 * the webhook attempt (`posted`), because the entry contains this result. If the result comes later, a second
 * call sends it in a new entry.
 */
function openReport(context: SessionContext) {
  const { store } = context
  let sent: Promise<void> | undefined
  const send = () => {
    sent ??= inBackground(() => sendReport(context))
    return sent
  }
  return {
    /**
     * Writes the result of the webhook attempt. If the list entry was already sent, writes the result at
     * once. Otherwise adds the result to the queued entry, and waits briefly for the confirmations of the log
     * and the list. One write then stores the result and the confirmations.
     */
    write: async (changed: SessionDocument): Promise<void> => {
      const entry = changed.pending_index_entry
      const isSent = entry && (entry.next_call_at === null || entry.revision === context.sentRevision)
      if (isSent) return store.commit(changed)
      store.remember(changed, true)
      await withDeadline(send(), CONFIRMED_MS, undefined)
      const current = store.session()
      if (current?.created_at === changed.created_at) store.commit(current)
    },
    /** Resolves once everything is sent. Writes the confirmations that are not written yet. */
    complete: async (posted: Promise<void> | undefined): Promise<void> => {
      const isListed = store.session()?.pending_index_entry !== undefined
      if (isListed && posted !== undefined) await withDeadline(posted, RESULT_MS, undefined)
      await Promise.all([send(), posted])
      await sendEntry(context)
      store.save()
    },
  }
}

/** Sends the event and the list entry, in one call if both belong to the same day. */
async function sendReport(context: SessionContext): Promise<void> {
  const document = context.store.session()
  const isOneCall = document !== undefined && goesWithEvent(document)
  await Promise.all([publish(context), isOneCall ? undefined : sendEntry(context)])
}

/** Longest time for which the report of an end waits for the result of the first attempt. */
const RESULT_MS = 1_000
/**
 * Longest time for which the write of a webhook result waits for the confirmations of the log and the list.
 */
const CONFIRMED_MS = 250

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
  /** Channel of the response, as the result reports it. */
  readonly channel: Channel
  /**
   * Protocol and Client Identifier of the response. Present if the relying party has a separate identity for
   * the chosen wallet, and for Annex C. For Annex C the Client Identifier contains the origin.
   */
  readonly exchange?: Pick<Outcome, 'protocol' | 'client_id'>
  /** Client Identifiers that a multi-signed request offered. */
  readonly offered?: readonly string[]
  readonly winner: string
  readonly requestHash: string
}

/** Returns the end that an authentic response causes. The status of the end is that of the decision. */
export function decidedEnd(
  decision: Decision,
  {
    trace,
    generation,
    exchange,
    offered,
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
      ...(offered && { offered_client_ids: offered }),
      reason,
      checks,
      assurance_level,
      same_holder_key,
      derivation,
      credentials,
      channel,
      // If the relying party's own page sends the response, the session is bound at once. If our page sends
      // the response, the session is bound when the browser returns.
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

/** Returns the end of a session whose wallet responded with `access_denied`. */
export function declinedEnd({ exchange, offered, channel, winner, requestHash }: ResponseEnd): SessionEnd {
  const declined = { reason: 'access_denied', channel, request_hash: requestHash } as const
  const offers = offered && { offered_client_ids: offered }
  return { status: 'declined', outcome: { ...NO_RESULT, ...exchange, ...offers, ...declined }, winner }
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
 * generations, no chosen wallets and no `evidence_terms`.
 */
function endedDocument(
  document: SessionDocument,
  { outcome, winner, returned = null, login, evidence, ...end }: SessionEnd,
  { webhook, now, baseUrl }: EventInput & { readonly baseUrl: string },
): (SessionDocument & { readonly pending_log_entry: PendingLogEntry }) | undefined {
  const status = transition(document.status, end.status)
  if (status === undefined) return undefined
  const { wallets: _, evidence_terms: __, ...kept } = document
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
    ...(evidence && { evidence: begunEvidence(evidence.stored, now) }),
    ...(document.login && { login: { ...document.login, result: login ?? null } }),
    verifier: withoutKeys(verifier),
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

/**
 * Returns the verifier without its signing keys, which have no further use. The further identities are
 * removed as a whole.
 */
function withoutKeys(verifier: StoredVerifier): StoredVerifier {
  if (verifier.sealed_signing_jwk === null) return verifier
  const { further: _, ...first } = verifier
  return { ...first, sealed_signing_jwk: '' }
}
