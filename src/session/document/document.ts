// The stored document of one session, with its schema version, written in one put. The document contains no
// claim value in plain text. Times are Unix milliseconds.

import type { Status } from '../../api/values.ts'
import type { Trace } from '../../codec/traceparent.ts'
import { type Schema, upgradeDocument, versionMembers } from '../../codec/upgrade.ts'
import type { ProtocolId } from '../../openid4vp/request/generation.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Delivery } from '../../webhook/outbox.ts'
import type { EvidenceTerms, StoredEvidence } from '../evidence/stored-evidence.ts'
import type { Attempt } from './attempt.ts'
import type { StoredGeneration } from './generations.ts'
import type { Login } from './login.ts'
import type { Held, Outcome, Returned } from './outcome.ts'
import type { PendingIndexEntry, PendingListing, PendingLogEntry, PendingStepLog } from './pending-entry.ts'
import type { StoredRequest } from './stored-request.ts'
import type { StoredVerifier, StoredWallet } from './stored-verifier.ts'
import type { StoredStep } from './timeline.ts'
import type { WalletActivity } from './wallet-activity.ts'

/**
 * Version of the stored document. If the form of the document changes, this number rises, and `VERSIONS` gets
 * an upgrade step. There is no step yet, so no older version can be read.
 */
export const SCHEMA = 6

/**
 * Start of the error message for an unknown schema. The caller of the session's object gets only the message.
 * The caller recognizes the error by this start, and responds with 503.
 */
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
  /** Random key of the session's handles (request id, `state` and `kid` of each request), base64url. */
  readonly handle_key: string
  readonly generation_count: number
  readonly generations: readonly StoredGeneration[]
  /**
   * Wallets that were chosen, with the terms of their requests. Absent before the first choice, and after the
   * end.
   */
  readonly wallets?: readonly StoredWallet[]
  /** True once a wallet has fetched a request, even if that request is no longer in `generations`. */
  readonly request_fetched: boolean
  /** Absent before the first activity. */
  readonly wallet_activity?: WalletActivity
  /** Successful outcome that is held until the person's browser returns; null if there is none. */
  readonly held: Held | null
  /** The browser whose return ended the session; null if no return ended it. */
  readonly returned: Returned | null
  /**
   * Result of the session, from which the event of the end is built. The result never changes after the end.
   */
  readonly outcome: Outcome | null
  /**
   * SHA-256 of the response that ended the session. An identical retry of that response gets the same result.
   */
  readonly winner: string | null
  /** The last ten refused responses, oldest first. */
  readonly attempts: readonly Attempt[]
  /** Number of all refused responses, including those that named no request of this service. */
  readonly attempt_count: number
  readonly deliveries: readonly Delivery[]
  /**
   * Queued event of the session's end, for the relying party's log. Null before the end, and after the log
   * has confirmed the event.
   */
  readonly pending_log_entry: PendingLogEntry | null
  /** State of the entry in the relying party's list. Absent if the relying party has no list. */
  readonly pending_index_entry?: PendingIndexEntry
  /**
   * Number of step events, and time of the last event about a refused response. Absent if the webhook had no
   * subscription to step events at creation.
   */
  readonly step_events?: { readonly count: number; readonly refused_at: number | null }
  /** Step events that are queued for the relying party's log, until the log has confirmed them. */
  readonly pending_step_log?: PendingStepLog | null
  /** Steps of the session so far. Absent before the first step. */
  readonly timeline?: readonly StoredStep[]
  /** Number of steps that were removed from `timeline`. Absent if no step was removed. */
  readonly steps_left_out?: number
  /** Rules for the evidence of this session. Absent if no evidence is kept, and after the end. */
  readonly evidence_terms?: EvidenceTerms
  /** Evidence of the outcome. Absent before the end, and if no evidence is kept of this outcome. */
  readonly evidence?: StoredEvidence
  readonly retention_ms: number
  readonly idempotency: Idempotency | null
  /** Trace of the request that created the session. The webhooks of the session belong to the same trace. */
  readonly trace_context?: Trace
  /** Absent if the session is no login of an OpenID Connect client, or if its login is erased. */
  readonly login?: Login
  /** True once the login of the session is erased. From then on, no client token opens the session. */
  readonly was_login?: true
}

/**
 * Rest of an erased session, without personal data: its `Idempotency-Key`, and a change that the list has not
 * confirmed yet.
 */
export type Tombstone = {
  readonly schema: typeof SCHEMA
  readonly erased: true
  readonly listing?: PendingListing
  /**
   * Time at which the database file is erased, even if the list has not confirmed the change by then. Until
   * then, the file still has bytes of the erased session's document. Absent once the file is erased.
   */
  readonly clear_at?: number
} & Idempotency

export type Idempotency = {
  /** SHA-256 of the body of the create request, base64url. */
  readonly body_digest: string
  readonly keep_until: number
}

/** Shortest time for which an `Idempotency-Key` is stored. */
export const IDEMPOTENCY_MS = 86_400_000

const VERSIONS = {
  member: 'schema',
  current: SCHEMA,
  steps: {},
  additions: {},
  unreadable: UNREADABLE,
} as const satisfies Schema

/** Members of a new document that contain its version. */
export const CURRENT_VERSION = versionMembers(VERSIONS)

/**
 * Returns the stored document or tombstone; `undefined` if nothing is stored. Throws for an unknown schema.
 */
export function readDocument(stored: unknown): SessionDocument | Tombstone | undefined {
  if (stored === undefined) return undefined
  return upgradeDocument(stored as object, VERSIONS) as SessionDocument | Tombstone
}

/** Returns the protocol of the response that ended the session, else the protocol of the session. */
export function readProtocol({ request, outcome }: SessionDocument): ProtocolId {
  return outcome?.protocol ?? request.protocol
}

/**
 * Returns the tombstone of a session that is erased at `now`; `undefined` if no `Idempotency-Key` must be
 * kept.
 */
export function buildTombstone(document: SessionDocument, now: number): Tombstone | undefined {
  const { idempotency } = document
  if (idempotency === null || idempotency.keep_until <= now) return undefined
  return { ...CURRENT_VERSION, erased: true, ...idempotency }
}

/** Returns the stage of a session (api/result). */
export function toStage(
  document: SessionDocument,
): 'created' | 'request_fetched' | 'awaiting_return' | 'done' {
  if (document.status !== 'pending') return 'done'
  if (document.held !== null) return 'awaiting_return'
  return document.request_fetched ? 'request_fetched' : 'created'
}
