// Evaluation of a response from recorded inputs. The service runs the evaluation when the response arrives,
// and the command `evidence verify` runs it again. The code of the evaluation is in the folder `exchange`.

import type { PrivateJwk } from '../../crypto/jwk.ts'
import { evaluatePresentations, type PresentationsEvaluation } from '../../exchange/evaluate-presentations.ts'
import { FORMATS } from '../../formats/index.ts'
import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { Context, CredentialFormat } from '../../formats/verification/format.ts'
import { mdocOfAnnexC } from '../../iso18013-7/format.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import { typeDefinitions, typeOf } from '../../policy/catalogue.ts'
import { checkCertificates } from '../../trust/revocation/certificate-revocation.ts'
import type { BindingInputs, EvaluationRules } from './record.ts'

/** A response to evaluate. */
export type EvaluationSubject = {
  readonly session: BindingInputs
  readonly rules: EvaluationRules
  readonly groups: readonly PresentationGroup[]
  /** Our key that decrypted the response; null if the response was not encrypted. */
  readonly responseKey: PrivateJwk | null
  readonly network: Pick<Context, 'fetchResource' | 'sharedCache'>
  /** True if a list of anchors is missing or stale. Default: false. */
  readonly incomplete?: boolean
}

/** Verifies the presentations, then decides by the policy. Never throws for bad presentations. */
export function evaluateSubject(subject: EvaluationSubject): Promise<PresentationsEvaluation> {
  const { session, rules, groups, responseKey, network, incomplete = false } = subject
  const { policy, trust, now, clock_skew: clockSkew } = rules
  return evaluatePresentations(
    groups,
    {
      protocol: PROTOCOLS[session.protocol],
      formats: formatsOf(session),
      query: session.query,
      transactionData: session.transaction_data ?? undefined,
      binding: {
        nonce: session.nonce,
        requestedAt: session.requested_at,
        audience: session.audience,
        handover: { ...session.handover, encryptionKey: responseKey },
      },
      policy,
      anchorSets: trust.anchor_sets ?? undefined,
      isUnbound: rules.unbound,
    },
    {
      now,
      clockSkew,
      anchors: trust.anchors,
      incomplete,
      acceptsSandbox: trust.sandbox,
      typeOf: typeOf(typeDefinitions(rules.credential_types)),
      ...network,
      statusUnavailable: trust.status_unavailable,
      certificateRevocation: trust.certificate_revocation,
      checkCertificates,
    },
  )
}

/**
 * Returns the credential formats for a response. Some channels and protocols replace a format by a variant
 * with other checks.
 */
function formatsOf({
  channel,
  annex_c,
  protocol,
}: BindingInputs): Readonly<Record<string, CredentialFormat>> {
  if (channel === 'by_value') return { ...FORMATS, 'dc+sd-jwt': sdJwtVcOfDrafts }
  return { ...FORMATS, ...(annex_c ? { mso_mdoc: mdocOfAnnexC } : PROTOCOLS[protocol].formats) }
}
