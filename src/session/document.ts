// What one session stores: a single document, written whole in one put, with its schema version and the upgrades to it.
// It holds no claim value. Times are Unix milliseconds; the wire's ISO texts are made in view.ts.

import type { Trace } from '../codec/traceparent.ts'
import { upgradeDocument } from '../codec/upgrade.ts'
import type { CheckResult } from '../formats/format.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type {
  IdentityProof,
  ProtocolId,
  RequestUriMethod,
  ResponseMode,
} from '../openid4vp/request/generation.ts'
import type { VerifierAttestation } from '../openid4vp/request/verifier-info.ts'
import type { DecidedCredential, LevelDerivation, Policy } from '../policy/policy.ts'
import type { ClaimsEncryptionJwk } from '../relying-party/settings/settings.ts'
import type { AssuranceLevel } from '../trust/anchors/anchor.ts'
import { type Delivery, nextDue } from '../webhook/outbox.ts'
import type { Channel, StoredGeneration } from './request/generations.ts'
import type { ReasonCode } from './response/reasons.ts'
import type { SessionBinding } from './return/session-binding.ts'
import type { Status } from './state.ts'

/** Version of the stored shape: the first that is read. Older and newer ones are refused. A change adds a step to `readDocument`. */
export const SCHEMA = 6

/** Start of that error's message. Only the message reaches the edge, which responds with 503. */
export const UNREADABLE = 'the session document has an unknown schema: '

/** A session. */
export type SessionDocument = {
  readonly schema: typeof SCHEMA
  readonly erased: false
  readonly verification_id: string
  readonly relying_party_id: string
  readonly livemode: boolean
  readonly request: StoredRequest
  readonly policy: Policy
  readonly status: Status
  /** Rises with every change that a reader can see. */
  readonly version: number
  readonly created_at: number
  readonly expires_at: number
  readonly ended_at: number | null
  readonly verified_at: number | null
  readonly verifier: StoredVerifier
  /** Random key of this session's handles (base64url). */
  readonly handle_key: string
  readonly generation_count: number
  readonly generations: readonly StoredGeneration[]
  /** Whether a wallet ever fetched a request, though its generation be gone. */
  readonly request_fetched: boolean
  /** A success that waits for its browser to come back. */
  readonly held: Held | null
  /** The browser that came back with the success that ended the session. */
  readonly returned: Returned | null
  /** What the event tells: it never changes once the session has ended. */
  readonly outcome: Outcome | null
  /** SHA-256 of the answer that ended the session: its identical retry is answered alike. */
  readonly winner: string | null
  /** The last ten answers that were not heard, oldest first. */
  readonly attempts: readonly Attempt[]
  /** How many there were in all, junk that named no request of ours included. */
  readonly attempt_count: number
  readonly deliveries: readonly Delivery[]
  /** The event, until the relying party's log is known to have it. */
  readonly pending_log_entry: PendingLogEntry | null
  readonly retention_ms: number
  readonly idempotency: Idempotency | null
  /** The trace of the request that created the session: its webhooks belong to it. Older sessions have none. */
  readonly trace_context?: Trace
}

/** An event on its way to the relying party's log. */
export type PendingLogEntry = {
  readonly event_id: string
  /** The one day of the log that may have it already. */
  readonly day: number
  /** Calls begun. */
  readonly calls: number
  readonly next_call_at: number
}

/** What is left of an erased session that was made with an `Idempotency-Key`: no personal data. */
export type Tombstone = { readonly schema: typeof SCHEMA; readonly erased: true } & Idempotency

export type Idempotency = {
  /** SHA-256 of the creation's body, base64url. */
  readonly body_digest: string
  readonly keep_until: number
}

/** The creation request's own members, defaults filled in; `null` where the relying party said nothing. */
export type StoredRequest = {
  /** With a `dcql_query`, what is asked by name is `null`. */
  readonly credential_types: readonly string[] | null
  readonly scope: readonly string[] | null
  readonly dcql_query?: DcqlQuery
  /** The very texts that wallets are sent, and sign hashes of. */
  readonly transaction_data?: readonly string[]
  readonly required_assurance_level: AssuranceLevel
  readonly metadata: Readonly<Record<string, string>>
  readonly credential_match: 'any' | 'all' | null
  readonly formats: readonly string[] | null
  readonly protocol: ProtocolId
  readonly request_options: {
    readonly client_id_prefix: ClientIdPrefix
    readonly response_mode: ResponseMode
    /** `null` where the request is passed by value: nothing is fetched. */
    readonly request_uri_method: RequestUriMethod | null
  }
  readonly required_session_binding: SessionBinding
  readonly expires_in: number
  readonly return_url: string | null
  readonly locale: string | null
  /** Why it is asked, in the relying party's words, for the person to read. */
  readonly purpose?: string
  readonly allow_derived: boolean
  readonly retry_of: string | null
  /** The key claims are encrypted to: the session's own, else the settings' at creation. */
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
}

/** Who asks, pinned at creation: a renewed certificate changes nothing for a session that runs. */
export type StoredVerifier = SigningVerifier | UnsignedVerifier
export type SigningVerifier = IdentityProof & {
  readonly client_id: string
  readonly sealed_signing_jwk: string
  readonly verifier_info?: readonly VerifierAttestation[]
}
/** Whose requests nobody signs: all that is known of it is where answers go, and nothing ties a registration to it. */
type UnsignedVerifier = {
  readonly client_id: string
  readonly sealed_signing_jwk: null
  readonly verifier_info?: never
}

/** How the session ended. */
export type Outcome = {
  readonly reason: ReasonCode | null
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: AssuranceLevel | null
  readonly derivation: readonly LevelDerivation[]
  readonly credentials: readonly DecidedCredential[]
  readonly channel: Channel | null
  readonly session_binding: SessionBinding | null
  readonly trace: readonly TraceEntry[]
  /** Compact JWE. */
  readonly encrypted_claims: string | null
  /** `requestHash` of the request that was answered; null where none was. */
  readonly request_hash: string | null
}

/** A success that waits for its browser. It holds no claim value in the clear. Times are Unix milliseconds. */
export type Held = {
  /** SHA-256 of the response's body. Its identical retry is accepted again, and both codes are derived from it. */
  readonly answer: string
  /** Number of its generation. */
  readonly generation: number
  /** `browserMark` of the browser that requested the generation. */
  readonly browser: string
  readonly outcome: Outcome
  readonly until: number
  /** True once the browser has returned: the relying party's server must still redeem its code. */
  readonly returned: boolean
}

/** A browser that returned: its repeated call gets the same result. `until`: the end of its return code's life. */
export type Returned = { readonly browser: string; readonly until: number; readonly redeemed: boolean }

/** One ordered check of the answer that ended the session. */
export type TraceEntry = { readonly id: string; readonly clause: string; readonly result: CheckResult }

/** An answer that was not heard. */
export type Attempt = { readonly at: number; readonly reason: ReasonCode; readonly channel: Channel | null }

const ATTEMPTS_KEPT = 10

/** Erasure waits this long at most for an event that is still owed, to the webhook or to the log. */
const OWED_EVENT_WAIT_MS = 7 * 86_400_000

/** How long an `Idempotency-Key` is kept at least. */
export const IDEMPOTENCY_MS = 86_400_000

/** Reads a stored value. Throws for a schema that this version does not read. */
export function readDocument(stored: unknown): SessionDocument | Tombstone | undefined {
  if (stored === undefined) return undefined
  const { schema } = stored as { schema: unknown } // only this module writes it
  const document = upgradeDocument(stored as object, schema, {
    current: SCHEMA,
    steps: {},
    unreadable: UNREADABLE,
  })
  return document as SessionDocument | Tombstone
}

/** Whether a request is passed by value, unsigned: whoever has its URI has all of it, and there is nothing to fetch. */
export function passesByValue({ verifier }: Pick<SessionDocument, 'verifier'>): boolean {
  return verifier.sealed_signing_jwk === null
}

/** Notes an answer that was not heard; the last ten are kept. */
export function noteAttempt(document: SessionDocument, attempt: Attempt): SessionDocument {
  const attempts = [...document.attempts, attempt].slice(-ATTEMPTS_KEPT)
  return { ...document, attempts, attempt_count: document.attempt_count + 1 }
}

/** When the object has work to do next; `null`: never. The one alarm is always set to this. */
export function nextWakeUp(document: SessionDocument | Tombstone): number | null {
  if (document.erased) return document.keep_until
  if (document.status === 'pending') return Math.min(document.expires_at, document.held?.until ?? Infinity)
  return Math.min(...eventsDue(document), eraseAt(document))
}

/** When a finished session's results are erased: later by at most seven days while its event is still owed. */
export function eraseAt(document: SessionDocument): number {
  const latest = erasedBy(document)
  return eventsDue(document).length === 0 ? latest - OWED_EVENT_WAIT_MS : latest
}

/** When a finished session's results are erased at the latest. */
export function erasedBy(document: SessionDocument): number {
  return (document.ended_at ?? document.expires_at) + document.retention_ms + OWED_EVENT_WAIT_MS
}

function eventsDue({ deliveries, pending_log_entry }: SessionDocument): readonly number[] {
  const times = [nextDue(deliveries), pending_log_entry?.next_call_at ?? null]
  return times.filter((time) => time !== null)
}

/** What remains after erasure at `now`: a tombstone while the `Idempotency-Key` must still be known. */
export function tombstoneOf(document: SessionDocument, now: number): Tombstone | undefined {
  const { idempotency } = document
  if (idempotency === null || idempotency.keep_until <= now) return undefined
  return { schema: SCHEMA, erased: true, ...idempotency }
}

/** What happens in a session, in order (CONTRACT 4). */
export function stageOf(
  document: SessionDocument,
): 'created' | 'request_fetched' | 'awaiting_return' | 'done' {
  if (document.status !== 'pending') return 'done'
  if (document.held !== null) return 'awaiting_return'
  return document.request_fetched ? 'request_fetched' : 'created'
}
