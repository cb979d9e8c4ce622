// Rules of trust in one evaluation (api/trust): the accepted anchors, and the result if a check was not
// possible.

import type { Config } from '../../config.ts'
import type { Context } from '../../formats/verification/format.ts'
import { reachesLevel, UNCHECKED_LEVEL } from '../../policy/assurance.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import type { SubscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { sandboxAnchors } from '../../trust/anchors/sandbox-anchor.ts'
import type { SessionDocument } from '../document/document.ts'
import type { RefusalReason } from '../document/reasons.ts'
import type { Network } from './network.ts'

/** Input of an evaluation. */
export type EvaluationInput = {
  readonly document: SessionDocument
  readonly settings: Settings
  readonly config: Config
  readonly network: Network
  /** Anchors of the lists that the relying party subscribes to. */
  readonly subscribed: SubscribedAnchors
  /**
   * True in test mode if a sandbox is bound. The sandbox issuer is then accepted and added to the anchors.
   */
  readonly sandboxed: boolean
  /** Arrival of the response, in Unix milliseconds. */
  readonly arrivedAt: number
}

/**
 * Returns the anchors of the relying party, of its subscribed lists, and of the sandbox if it is accepted.
 */
export function anchorsOf({ settings, subscribed, sandboxed }: EvaluationInput): readonly TrustAnchor[] {
  const anchors = [...settings.trust_anchors, ...subscribed.anchors]
  return sandboxed ? [...anchors, ...sandboxAnchors(BUILT_IN_NAMES, anchors)] : anchors
}

const BUILT_IN_NAMES = BUILT_IN_TYPES.map(({ name }) => name)

/**
 * Returns the reason that is reported. While a list of issuers is missing, an untrusted issuer is reported as
 * `trust_list_unavailable`, because the missing list may contain the issuer.
 */
export function reasonOf(reason: RefusalReason, { incomplete }: SubscribedAnchors): RefusalReason {
  return incomplete && UNTRUSTED.has(reason) ? 'trust_list_unavailable' : reason
}

/** Reasons of a refusal that a missing anchor can cause for a well-formed chain. */
const UNTRUSTED: ReadonlySet<RefusalReason> = new Set([
  'untrusted_issuer',
  'invalid_certificate_path',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_profile_violation',
  'trust_anchor_in_chain',
  'self_signed_certificate',
])

/**
 * Returns the rules for a status that cannot be checked (api/revocation). If the low level of an unchecked
 * credential is enough for the session, the settings decide. Otherwise the response is refused, so that a
 * later response can succeed. An accepted credential with a low level would end the session as rejected.
 */
export function uncheckedRules({
  settings: { status_unavailable, certificate_revocation },
  document,
}: EvaluationInput): Pick<Context, 'statusUnavailable' | 'certificateRevocation'> {
  const isEnough = reachesLevel(UNCHECKED_LEVEL, document.request.required_assurance_level)
  const isRequired = certificate_revocation === 'accept_unknown' && !isEnough
  return {
    statusUnavailable: isEnough ? status_unavailable : 'refuse',
    certificateRevocation: isRequired ? 'require' : certificate_revocation,
  }
}
