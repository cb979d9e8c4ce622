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
  /** Digest of the response that ends the session; null if no response does. */
  readonly winner: string | null
  /** The browser whose return ends the session. */
  readonly returned?: Returned | null
  /** Result of the login that a success ends. */
  readonly login?: LoginResult | undefined
}

/**
 * Time of an end, and the endpoint of its event. `unknown`: the event is queued, and the delivery decides.
 */
export type EventInput = {
  readonly webhook: WebhookEndpoint | null | 'unknown'
  readonly now: number
}

/**
 * Ends the session if its status allows it, in one compare-and-set and one write. Returns true if it did.
 * `document`: the current document, perhaps with changes that are written with the end.
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
  // For an unknown or disabled endpoint `nextWakeUp` sets the alarm to now.
  const isKnown = webhook !== null && webhook !== 'unknown' && !webhook.disabled
  const { event_id } = ended.pending_log_entry
  const due = isKnown ? ended.deliveries.filter((delivery) => delivery.event_id === event_id) : []
  const { deliveries, started } = planAttempts(ended.relying_party_id, ended.deliveries, { due, now })
  const canPost = started.length > 0
  store.commit({ ...ended, deliveries })
  recordOutcome(ended)
  // Not awaited, so that the response to the wallet is not delayed. The attempt is already stored, and the
  // alarm repeats it.
  const posted =
    canPost && isKnown
      ? inBackground(() => postAll(context, webhook, begunOf(deliveries, started)))
      : undefined
  void inBackground(() => reportEnd(context, posted))
  return true
}

/**
 * Sends the event to the log, and the entry to the list. The attempt waits for neither. The entry waits
 * briefly for the attempt, because it reports its result. One write stores all confirmations.
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
 * Checks the session binding. While a success is held, no other response ends the session.
 * A success with a weaker binding than required does not end it either.
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
  /** Protocol of the response, and the verifier in it, if they differ from those of the session. */
  readonly exchange?: Pick<Outcome, 'protocol' | 'client_id'>
  readonly winner: string
  readonly requestHash: string
}

/** The end by the decision on an authentic response. */
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
      // The relying party's own page binds at once; our page binds when its browser returns.
      session_binding: isByPage ? 'relying_party' : 'none',
      // OpenID4VP 1.0 §14.9: the verifier checks again what it asked the wallet to filter.
      trace: [
        ...trace,
        { id: 'policy', clause: 'OpenID4VP 1.0 §14.9', result: status === 'verified' ? 'pass' : 'fail' },
      ],
      encrypted_claims: response.encryptedClaims,
      request_hash: response.requestHash,
    },
  }
}

/** The end by `access_denied` from the wallet. */
export function declinedEnd({ exchange, channel, winner, requestHash }: ResponseEnd): SessionEnd {
  const declined = { reason: 'access_denied', channel, request_hash: requestHash } as const
  return { status: 'declined', outcome: { ...NO_RESULT, ...exchange, ...declined }, winner }
}

/** The end at `expires_at`, for the reason of the last attempt if there was one. */
export function expiredEnd({ attempts }: SessionDocument): SessionEnd {
  const reason = attempts.at(-1)?.reason ?? 'session_expired'
  return { status: 'expired', outcome: { ...NO_RESULT, reason }, winner: null }
}

/** The end by the relying party. */
export function canceledEnd(): SessionEnd {
  const outcome = { ...NO_RESULT, reason: 'canceled_by_relying_party' } as const
  return { status: 'canceled', outcome, winner: null }
}

/** Outcome without an authentic response. */
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
 * The finished document; `undefined` if the transition is refused. All generations are erased, and so are
 * the terms of chosen wallets.
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
