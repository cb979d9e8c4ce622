// Why an answer was not heard, or how a session ended: every code, in families. What is published of each is in reasons.ts.

import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import type { PolicyReason } from '../../policy/policy.ts'

/** Reasons of the session's own, which no lower room finds. */
export type FlowReason =
  /** The wallet answered with an error code other than `access_denied`. */
  | 'wallet_error'
  | 'access_denied'
  | 'session_expired'
  | 'canceled_by_relying_party'
  | 'same_device_return_missing'
  | 'trust_list_unavailable'

/** Every reason. */
export type ReasonCode = ResponseRefusal['reason'] | PolicyReason | FlowReason

export type ReasonFamily = 'envelope' | 'credential' | 'holder' | 'trust' | 'status' | 'policy' | 'flow'

/** What is published of a reason. */
export type ReasonDescription = {
  readonly family: ReasonFamily
  readonly message: string
  /** Whether asking the same person again may end differently. */
  readonly retryable: boolean
}
