// The stored outcome of a session, and a success that waits for its browser.

import { SESSION_BINDINGS, type SessionBinding } from '../../api/values.ts'
import type { CheckResult } from '../../formats/verification/format.ts'
import type { ProtocolId } from '../../openid4vp/request/generation.ts'
import type { DecidedCredential, LevelDerivation } from '../../policy/policy.ts'
import type { AssuranceLevel } from '../../trust/anchors/anchor.ts'
import type { Channel } from './generations.ts'
import type { LoginResult } from './login.ts'
import type { ReasonCode } from './reasons.ts'

/** The stored outcome of a session. */
export type Outcome = {
  /** Protocol and verifier of the response, if they differ from the session's. */
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
  /** Number of the generation that the success responds to. */
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

/** Returns true if the shown binding is at least the required one. */
export function reaches(shown: SessionBinding | null, required: SessionBinding): boolean {
  return SESSION_BINDINGS.indexOf(shown ?? 'none') >= SESSION_BINDINGS.indexOf(required)
}

/**
 * Returns the binding as readers see it. `outcome` keeps the binding of the event, even if a return code is
 * redeemed later.
 */
export function bindingOf({
  outcome,
  returned,
}: {
  readonly outcome: Outcome | null
  readonly returned: Returned | null
}): SessionBinding | null {
  return returned?.redeemed ? 'relying_party' : (outcome?.session_binding ?? null)
}

/** Returns the credentials of an outcome for the view and the event. */
export function credentialsOf(outcome: Outcome | null) {
  return (outcome?.credentials ?? []).map((credential) => ({
    ...credential,
    transaction_data: credential.transaction_data ?? [],
  }))
}
