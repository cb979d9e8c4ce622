// The stored outcome of a session, and a success that waits for its browser.

import { SESSION_BINDINGS, type SessionBinding } from '../../api/values.ts'
import type { CheckResult } from '../../formats/verification/format.ts'
import type { ProtocolId } from '../../openid4vp/request/generation.ts'
import type { DecidedCredential, LevelDerivation } from '../../policy/policy.ts'
import type { AssuranceLevel } from '../../trust/anchors/anchor.ts'
import type { StoredEvidence } from '../evidence/stored-evidence.ts'
import type { Channel } from './generations.ts'
import type { LoginResult } from './login.ts'
import type { ReasonCode } from './reasons.ts'

/** The stored outcome of a session. */
export type Outcome = {
  /**
   * Protocol and Client Identifier of the response. Present if the relying party has a separate identity for
   * the chosen wallet, and for Annex C. For Annex C the Client Identifier contains the origin.
   */
  readonly protocol?: ProtocolId
  readonly client_id?: string
  /** Client Identifiers that a multi-signed request offered. Absent: the request offered at most one. */
  readonly offered_client_ids?: readonly string[]
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
  /** Hash of the request that the response answers (`requestHash`); null without a response. */
  readonly request_hash: string | null
}

/**
 * A success that becomes final when the browser returns. It contains no claim value in plain text. Times are
 * Unix milliseconds.
 */
export type Held = {
  /**
   * SHA-256 of the response's body. An identical retry is accepted again. The response code and the return
   * code are derived from this digest.
   */
  readonly winner: string
  /** Number of the generation that the success responds to. */
  readonly generation: number
  /** `browserMark` of the browser that requested the generation. */
  readonly browser: string
  readonly outcome: Outcome
  readonly until: number
  /** True once the browser has returned. The relying party's server must still redeem the return code. */
  readonly returned: boolean
  /** Result of a login. */
  readonly login?: LoginResult
  /**
   * Evidence of the success. If the success ends the session, the session keeps this evidence. Otherwise the
   * evidence is erased.
   */
  readonly evidence?: StoredEvidence
}

/**
 * A browser that returned. A repeated call of this browser gets the same result. `until`: expiry of the
 * return code.
 */
export type Returned = { readonly browser: string; readonly until: number; readonly redeemed: boolean }

/**
 * One check of the response that ended the session. Checks are stored in the order in which they were made.
 */
export type TraceEntry = { readonly id: string; readonly clause: string; readonly result: CheckResult }

/** Returns true if the shown session binding is at least as strong as the required session binding. */
export function reaches(shown: SessionBinding | null, required: SessionBinding): boolean {
  return SESSION_BINDINGS.indexOf(shown ?? 'none') >= SESSION_BINDINGS.indexOf(required)
}

/**
 * Returns the session binding that views show: `relying_party` after the return code is redeemed, otherwise
 * the binding in `outcome`. After the end, `outcome` never changes, because the event has reported it.
 */
export function readBinding({
  outcome,
  returned,
}: {
  readonly outcome: Outcome | null
  readonly returned: Returned | null
}): SessionBinding | null {
  return returned?.redeemed ? 'relying_party' : (outcome?.session_binding ?? null)
}

/** Returns the credentials of an outcome for the view and the event. */
export function listCredentials(outcome: Outcome | null) {
  return (outcome?.credentials ?? []).map((credential) => ({
    ...credential,
    transaction_data: credential.transaction_data ?? [],
  }))
}
