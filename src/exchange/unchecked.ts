// Rules for what could not be checked (api/trust, api/revocation): a list of issuers that is missing, and a
// status that is unknown.

import type { Context } from '../formats/verification/format.ts'
import type { ResponseRefusal } from '../openid4vp/response/refusal.ts'
import { reachesLevel, UNCHECKED_LEVEL } from '../policy/assurance.ts'
import type { PolicyReason } from '../policy/policy.ts'
import type { AssuranceLevel } from '../trust/anchors/anchor.ts'

/** Reasons for which an evaluation refuses or rejects a response. */
export type EvaluationReason = ResponseRefusal['reason'] | PolicyReason | 'trust_list_unavailable'

/**
 * Returns the reason that is reported. While a list of issuers is missing, an untrusted issuer is reported as
 * `trust_list_unavailable`, because the missing list may contain the issuer.
 */
export function chooseReason(
  reason: EvaluationReason,
  { incomplete }: { readonly incomplete: boolean },
): EvaluationReason {
  return incomplete && UNTRUSTED.has(reason) ? 'trust_list_unavailable' : reason
}

/** Refusal reasons that a missing anchor can cause, although the chain is well-formed. */
const UNTRUSTED: ReadonlySet<EvaluationReason> = new Set([
  'untrusted_issuer',
  'invalid_certificate_path',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_profile_violation',
  'trust_anchor_in_chain',
  'self_signed_certificate',
])

/** Settings for a status that cannot be checked. */
export type UncheckedSettings = {
  readonly status_unavailable: 'refuse' | 'accept'
  readonly certificate_revocation: NonNullable<Context['certificateRevocation']>
}

/**
 * Returns the rules for a status that cannot be checked (api/revocation). A credential with an unchecked
 * status has the level `UNCHECKED_LEVEL`. If the request requires no higher level, the settings decide.
 * Otherwise the response is refused, so that a later response can succeed. If the credential were accepted,
 * its level would be too low, and the session would end as rejected.
 */
export function uncheckedRules(
  { status_unavailable, certificate_revocation }: UncheckedSettings,
  required: AssuranceLevel,
): Required<Pick<Context, 'statusUnavailable' | 'certificateRevocation'>> {
  const isEnough = reachesLevel(UNCHECKED_LEVEL, required)
  const isRequired = certificate_revocation === 'accept_unknown' && !isEnough
  return {
    statusUnavailable: isEnough ? status_unavailable : 'refuse',
    certificateRevocation: isRequired ? 'require' : certificate_revocation,
  }
}
