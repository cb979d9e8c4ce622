// The stored document of one session, with its schema version, written in one put. It contains no claim
// value. Times are Unix milliseconds.

import type { Trace } from '../../codec/traceparent.ts'
import { type Schema, upgradeDocument, versionMembers } from '../../codec/upgrade.ts'
import type { CheckResult, DocumentErrors } from '../../formats/format.ts'
import type { DcApiProtocol } from '../../openid4vp/dc-api.ts'
import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../../openid4vp/request/client-identifier.ts'
import type {
  IdentityProof,
  ProtocolId,
  RequestUriMethod,
  ResponseMode,
} from '../../openid4vp/request/generation.ts'
import type { VerifierAttestation } from '../../openid4vp/request/verifier-info.ts'
import type { DecidedCredential, LevelDerivation, Policy } from '../../policy/policy.ts'
import type { Preset } from '../../policy/presets.ts'
import type { ClaimsEncryptionJwk } from '../../relying-party/settings/encryption-jwk.ts'
import type { AssuranceLevel } from '../../trust/anchors/anchor.ts'
import type { CertificateRule } from '../../trust/refusal.ts'
import type { Delivery } from '../../webhook/outbox.ts'
import type { Channel, StoredGeneration } from './generations.ts'
import type { Login, LoginResult } from './login.ts'
import type { PendingIndexEntry, PendingListing } from './pending-entry.ts'
import type { ReasonCode } from './reasons.ts'
import type { SessionBinding } from './session-binding.ts'
import type { Status } from './state.ts'
import { addStep, type StoredStep } from './timeline.ts'
import type { WalletActivity } from './wallet-activity.ts'

/**
 * Version of the stored shape, and the first that is read. A change adds an upgrade step to `VERSIONS`.
 */
export const SCHEMA = 6

/** Start of the error for an unknown schema. Only the message reaches the edge, which responds with 503. */
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
  /** Increases with every change that a reader can see. */
  readonly version: number
  readonly created_at: number
  readonly expires_at: number
  readonly ended_at: number | null
  readonly verified_at: number | null
  readonly verifier: StoredVerifier
  /** Random key of the session's handles (base64url). */
  readonly handle_key: string
  readonly generation_count: number
  readonly generations: readonly StoredGeneration[]
  /** Wallets that were chosen, with their terms. Absent before the first, and after the end. */
  readonly wallets?: readonly StoredWallet[]
  /** True once a wallet has fetched a request, even if its generation is gone. */
  readonly request_fetched: boolean
  /** Absent before the first one. */
  readonly wallet_activity?: WalletActivity
  /** A success that waits for the return of its browser. */
  readonly held: Held | null
  /** The browser whose return ended the session. */
  readonly returned: Returned | null
  /** Content of the event. It never changes after the end. */
  readonly outcome: Outcome | null
  /** SHA-256 of the response that ended the session. Its identical retry gets the same result. */
  readonly winner: string | null
  /** The last ten refused responses, oldest first. */
  readonly attempts: readonly Attempt[]
  /** Number of all refused responses, including those that named no request of this service. */
  readonly attempt_count: number
  readonly deliveries: readonly Delivery[]
  /** The event, until the relying party's log has confirmed it. */
  readonly pending_log_entry: PendingLogEntry | null
  /** The entry in the relying party's list. Absent: its settings have no index. */
  readonly pending_index_entry?: PendingIndexEntry
  /**
   * Events of steps: how many, and the time of the last one of a refused response. Absent: the webhook was
   * subscribed to none at creation.
   */
  readonly step_events?: { readonly count: number; readonly refused_at: number | null }
  /** Their entries in the relying party's log, until it has confirmed them. */
  readonly pending_step_log?: PendingStepLog | null
  /** Steps of the session so far. Absent before the first. */
  readonly timeline?: readonly StoredStep[]
  /** Number of steps that are not in `timeline` any more. Absent for none. */
  readonly steps_left_out?: number
  readonly retention_ms: number
  readonly idempotency: Idempotency | null
  /** Trace of the request that created the session. Its webhooks belong to the same trace. */
  readonly trace_context?: Trace
  /** Absent: the session is no login of an OpenID Connect client, or nothing of it is left. */
  readonly login?: Login
  /** True once its login is erased. No client token opens the session any more. */
  readonly was_login?: true
}

/** An event on its way to the relying party's log. */
export type PendingLogEntry = {
  readonly event_id: string
  /** The only day of the log that may already have it. */
  readonly day: number
  /** Started calls. */
  readonly calls: number
  readonly next_call_at: number
}

/** Events of steps on their way to the log, in their order. Their bodies are those of the deliveries. */
export type PendingStepLog = Omit<PendingLogEntry, 'event_id'> & { readonly event_ids: readonly string[] }

/**
 * Remainder of an erased session, without personal data: its `Idempotency-Key`, and what the list does not
 * have yet.
 */
export type Tombstone = {
  readonly schema: typeof SCHEMA
  readonly erased: true
  readonly listing?: PendingListing
} & Idempotency

export type Idempotency = {
  /** SHA-256 of the creation's body, base64url. */
  readonly body_digest: string
  readonly keep_until: number
}

/** Members of the creation request with defaults; `null` for what the relying party left out. */
export type StoredRequest = {
  /** `null` with a `dcql_query`. */
  readonly credential_types: readonly string[] | null
  readonly scope: readonly string[] | null
  readonly dcql_query?: DcqlQuery
  /** The exact texts that wallets receive and sign hashes of. */
  readonly transaction_data?: readonly string[]
  readonly required_assurance_level: AssuranceLevel
  /** Question that names its types and scopes. Absent: the creation named them. */
  readonly preset?: Preset
  /** Absent in sessions that an older version created: not required. */
  readonly require_same_holder_key?: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly credential_match: 'any' | 'all' | null
  readonly formats: readonly string[] | null
  readonly protocol: ProtocolId
  readonly request_options: {
    /** `null` in a protocol without Client Identifiers. */
    readonly client_id_prefix: ClientIdPrefix | null
    /** `null` in a protocol without response modes. */
    readonly response_mode: ResponseMode | null
    /** `null` for a request that is not fetched. */
    readonly request_uri_method: RequestUriMethod | null
  }
  /** Id of the wallet that the creation chose. Absent: any wallet. */
  readonly wallet?: string
  readonly required_session_binding: SessionBinding
  readonly expires_in: number
  readonly return_url: string | null
  readonly locale: string | null
  /** Heading of the page in the relying party's words, in the language of `locale`. */
  readonly heading?: string
  /** Reason for the request in the relying party's words, in the language of `locale`. */
  readonly purpose?: string
  readonly allow_derived: boolean
  /** Absent where the relying party left it out: false. */
  readonly intent_to_retain?: boolean
  readonly retry_of: string | null
  /** Key that claims are encrypted to: that of the creation, else that of the settings at creation. */
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
}

/** The verifier's identity, pinned at creation: a renewed certificate does not change a running session. */
export type StoredVerifier =
  | (IdentityProof & {
      readonly client_id: string
      readonly sealed_signing_jwk: string
      readonly verifier_info?: readonly VerifierAttestation[]
      /** Metadata for Google Wallet in base64url. */
      readonly google_metadata?: string
    })
  /**
   * Verifier of unsigned requests, without a registration. It is known by its Response URI; where that is
   * `null`, by the origin of the page.
   */
  | {
      readonly client_id: string | null
      readonly sealed_signing_jwk: null
      readonly verifier_info?: never
      readonly google_metadata?: never
    }

/**
 * The request for a chosen wallet, as it was lowered when that wallet was first chosen. A later release may
 * change the profile, but not the requests of this session.
 */
export type StoredWallet = {
  /** Id of its profile. */
  readonly id: string
  readonly query: DcqlQuery
  readonly request_options: StoredRequest['request_options']
  /** Scheme or start of an address that opens it. Null without links and QR codes. */
  readonly link: string | null
  /** All of its links, by their name in `wallet_links`. */
  readonly links: Readonly<Record<string, string>>
  readonly dc_api_protocols: readonly DcApiProtocol[]
  /** True if its identity sends the root. Absent: false. */
  readonly include_root?: true
  /** Its identity, or the id of an earlier wallet that has the same. Absent: that of the session. */
  readonly verifier?: StoredVerifier | { readonly of: string }
}

/** The stored outcome of a session. */
export type Outcome = {
  /** Protocol of the response, and the verifier in it, if they are not those of the session. */
  readonly protocol?: ProtocolId
  readonly client_id?: string
  readonly reason: ReasonCode | null
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: AssuranceLevel | null
  /** Absent in sessions that an older version ended. */
  readonly same_holder_key?: boolean | null
  readonly derivation: readonly LevelDerivation[]
  readonly credentials: readonly DecidedCredential[]
  readonly channel: Channel | null
  readonly session_binding: SessionBinding | null
  readonly trace: readonly TraceEntry[]
  /** Compact JWE. */
  readonly encrypted_claims: string | null
  /** `requestHash` of the request of the response; null without a response. */
  readonly request_hash: string | null
}

/**
 * A success that waits for its browser. It holds no claim value in the clear. Times are Unix milliseconds.
 */
export type Held = {
  /**
   * SHA-256 of the response's body. Its identical retry is accepted again, and both codes are derived from
   * it.
   */
  readonly winner: string
  /** Number of its generation. */
  readonly generation: number
  /** `browserMark` of the browser that requested the generation. */
  readonly browser: string
  readonly outcome: Outcome
  readonly until: number
  /** True once the browser has returned: the relying party's server must still redeem its code. */
  readonly returned: boolean
  /** Result of a login. */
  readonly login?: LoginResult
}

/**
 * A browser that returned: its repeated call gets the same result. `until`: the end of its return code's
 * life.
 */
export type Returned = { readonly browser: string; readonly until: number; readonly redeemed: boolean }

/** One check of the response that ended the session, in order. */
export type TraceEntry = { readonly id: string; readonly clause: string; readonly result: CheckResult }

/** A refused response. */
export type Attempt = {
  readonly at: number
  readonly reason: ReasonCode
  readonly channel: Channel | null
  /** The rule that a certificate violates. */
  readonly detail?: CertificateRule
  readonly document_errors?: DocumentErrors
}

const ATTEMPTS_KEPT = 10

/** Shortest time for which an `Idempotency-Key` is stored. */
export const IDEMPOTENCY_MS = 86_400_000

const VERSIONS = {
  member: 'schema',
  current: SCHEMA,
  steps: {},
  additions: {},
  unreadable: UNREADABLE,
} as const satisfies Schema

/** The members of a new document that name its version. */
export const CURRENT_VERSION = versionMembers(VERSIONS)

/** Reads a stored value. Throws for a schema that this version does not read. */
export function readDocument(stored: unknown): SessionDocument | Tombstone | undefined {
  if (stored === undefined) return undefined
  return upgradeDocument(stored as object, VERSIONS) as SessionDocument | Tombstone
}

/** Returns true for an unsigned request by value: its URI contains all of it, and nothing is fetched. */
export function passesByValue({ verifier }: Pick<SessionDocument, 'verifier'>): boolean {
  return verifier.sealed_signing_jwk === null
}

/** Returns the Client Identifier. Every protocol of the redirect flow has one. */
export function clientIdOf({ verifier }: Pick<SessionDocument, 'verifier'>): string {
  if (verifier.client_id === null) throw new Error('this protocol has no Client Identifier')
  return verifier.client_id
}

/** Returns the options of requests of OpenID4VP. Every protocol of the redirect flow has them. */
export function requestOptionsOf({ request }: { readonly request: Pick<StoredRequest, 'request_options'> }) {
  const { client_id_prefix: clientIdPrefix, response_mode: responseMode } = request.request_options
  if (clientIdPrefix === null || responseMode === null) {
    throw new Error('this protocol has no requests of OpenID4VP')
  }
  return { clientIdPrefix, responseMode }
}

/** Returns the protocol of the response that ended the session, else that of the session. */
export function protocolOf({ request, outcome }: SessionDocument): ProtocolId {
  return outcome?.protocol ?? request.protocol
}

/** Adds a refused response. The last ten are stored. `clause`: that of the check that failed. */
export function addAttempt(document: SessionDocument, attempt: Attempt, clause?: string): SessionDocument {
  const attempts = [...document.attempts, attempt].slice(-ATTEMPTS_KEPT)
  const { at, reason, channel } = attempt
  const counted = { ...document, attempts, attempt_count: document.attempt_count + 1 }
  return addStep(counted, { type: 'response_refused', reason, channel, ...(clause && { clause }) }, at)
}

/** Returns the tombstone of an erasure at `now`: there is one while the `Idempotency-Key` must be stored. */
export function tombstoneOf(document: SessionDocument, now: number): Tombstone | undefined {
  const { idempotency } = document
  if (idempotency === null || idempotency.keep_until <= now) return undefined
  return { ...CURRENT_VERSION, erased: true, ...idempotency }
}

/** Returns the stage of a session (CONTRACT 4). */
export function stageOf(
  document: SessionDocument,
): 'created' | 'request_fetched' | 'awaiting_return' | 'done' {
  if (document.status !== 'pending') return 'done'
  if (document.held !== null) return 'awaiting_return'
  return document.request_fetched ? 'request_fetched' : 'created'
}
