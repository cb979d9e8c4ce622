// Evaluation of the presentations of one response, from their verification to a decision (OpenID4VP 1.0
// §8.6). The evaluation needs no session. So the service and the library evaluate a response in the same way.

import type {
  Context,
  CredentialFormat,
  DocumentErrors,
  RequestBinding,
} from '../formats/verification/format.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { Protocol } from '../openid4vp/protocols/protocol.ts'
import type { ResponseRefusal } from '../openid4vp/response/refusal.ts'
import {
  matchAgain,
  type TracedCheck,
  type VerifiedPresentation,
  verifyPresentations,
} from '../openid4vp/response/verify-response.ts'
import type { PresentationGroup } from '../openid4vp/response/vp-token.ts'
import {
  confirmationRefusal,
  decodeRequestedTransactions,
} from '../openid4vp/transaction-data/transaction-data.ts'
import { decide, type RequiredPolicy } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { restrictToSets } from '../trust/anchors/signer.ts'
import type { CertificateRule } from '../trust/refusal.ts'
import { type ClaimedIssuer, claimedIssuer } from './claimed-issuer.ts'
import { chooseReason, type EvaluationReason } from './unchecked.ts'

/** The request that a response answers, with the values that the response must be bound to. */
export type EvaluatedRequest = {
  readonly protocol: Pick<Protocol, 'acceptsHolderKeyId' | 'signerProfile'>
  /** Formats by their identifier. A protocol may replace a format. */
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Query that the wallet received. This query may request less than the query of the policy. */
  readonly query: DcqlQuery
  /** Texts of `transaction_data`, unchanged from the request. */
  readonly transactionData: readonly string[] | undefined
  readonly binding: Omit<RequestBinding, 'holderBinding' | 'transactionData' | 'types'>
  readonly policy: RequiredPolicy
  /** Sets of anchors that may vouch for credentials. Absent: every anchor. */
  readonly anchorSets: readonly string[] | undefined
  /** True if the request was unsigned, and any person may have answered it. */
  readonly isUnbound: boolean
}

/** Time, anchors, network and settings of an evaluation. */
export type EvaluationContext = Omit<
  Context,
  'trace' | 'signerProfile' | 'onSigner' | 'acceptsHolderKeyId'
> & {
  /** True if a list of anchors is missing or stale. An issuer without an anchor may be on that list. */
  readonly incomplete: boolean
  /** True if the sandbox issuer is accepted. The sandbox's private keys are public. */
  readonly acceptsSandbox: boolean
}

/** Result of an evaluation. */
export type PresentationsEvaluation =
  /** The presentations are authentic. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TracedCheck[]
      /** The presentations that satisfy the query. */
      readonly presentations: readonly VerifiedPresentation[]
    }
  /** The response is refused, for example because a signature is invalid or a check was not possible. */
  | {
      readonly kind: 'refused'
      readonly reason: EvaluationReason
      readonly details?: RefusalDetails
      /** Clause of the check that failed. Absent if no check of a credential failed. */
      readonly clause?: string
    }

/** Members of a refusal that only some reasons have. */
export type RefusalDetails = {
  /** The rule that a certificate violates. */
  readonly detail?: CertificateRule
  readonly document_errors?: DocumentErrors
  readonly claimed_issuer?: ClaimedIssuer
}

/** Verifies the presentations, then decides by the policy. */
export async function evaluatePresentations(
  groups: readonly PresentationGroup[],
  request: EvaluatedRequest,
  { incomplete, acceptsSandbox, ...context }: EvaluationContext,
): Promise<PresentationsEvaluation> {
  const { protocol, formats, policy } = request
  const trace: TracedCheck[] = []
  const transactionData = decodeRequestedTransactions(request.transactionData)
  const verified = await verifyPresentations({
    groups,
    query: request.query,
    formats,
    transactionData,
    expected: request.binding,
    context: { ...context, acceptsHolderKeyId: protocol.acceptsHolderKeyId },
    signerProfile: (format) => ({
      ...restrictToSets(protocol.signerProfile(format), request.anchorSets),
      acceptsSandbox,
    }),
    trace: (check) => trace.push(check),
  })
  if (!verified.ok) {
    const reason = chooseReason(verified.error.reason, { incomplete })
    const { signer } = verified.error
    const details = {
      ...(reason === verified.error.reason ? refusalDetails(verified.error) : {}),
      ...(signer && { claimed_issuer: await claimedIssuer(signer) }),
    }
    const clause = failedClause(trace)
    return { kind: 'refused', reason, details, ...(clause && { clause }) }
  }
  // The whole policy decides, even if the request to the chosen wallet asked for less.
  const presentations = matchAgain(policy.query, verified.value, formats)
  if (!presentations.ok) return { kind: 'refused', reason: presentations.error.reason }
  const { now } = context
  const decision = decide({ policy, presentations: presentations.value, now, isUnbound: request.isUnbound })
  // The transaction data must be confirmed by a credential that the decision uses.
  const unconfirmed = confirmationRefusal(transactionData, decision.credentials)
  if (unconfirmed !== undefined) return { kind: 'refused', reason: unconfirmed }
  // api/protocols: without holder binding, anyone may have presented the credential. Such a response may end
  // the session as verified, but never as rejected. So a negative decision refuses only the response.
  if (decision.reason !== null && !decision.holder_bound) return { kind: 'refused', reason: decision.reason }
  return { kind: 'decided', decision, trace, presentations: presentations.value }
}

/** Returns the clause of the first check that failed, or `undefined` if no check failed. */
export function failedClause(trace: readonly Pick<TracedCheck, 'clause' | 'result'>[]): string | undefined {
  return trace.find(({ result }) => result === 'fail')?.clause
}

/** Returns the additional members that a refusal for this reason has. */
export function refusalDetails(refusal: ResponseRefusal): RefusalDetails {
  if (refusal.reason === 'certificate_profile_violation') return { detail: refusal.rule }
  return refusal.reason === 'document_not_returned' ? { document_errors: refusal.documentErrors } : {}
}
