// Evaluation of one wallet response, from its parameters to a decision (api/outcome, OpenID4VP 1.0 §8). The
// evaluation does not change the session, and trusts no unverified statement of the response.

import { type EvaluationSubject, evaluateSubject } from '../../evidence/evaluation/evaluate.ts'
import { type RefusalDetails, refusalDetails } from '../../exchange/evaluate-presentations.ts'
import { boundTo, type Encryption, PLAIN } from '../../exchange/open-response.ts'
import { uncheckedRules } from '../../exchange/unchecked.ts'
import type { DocumentErrors, RequestBinding } from '../../formats/verification/format.ts'
import { ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { WalletErrorResponse } from '../../openid4vp/response/authorization-response.ts'
import type { VerifiedPresentation } from '../../openid4vp/response/verify-response.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import type { Decision } from '../../policy/policy.ts'
import { CLOCK_SKEW } from '../../trust/clock-skew.ts'
import type { StoredGeneration } from '../document/generations.ts'
import type { Outcome, TraceEntry } from '../document/outcome.ts'
import type { RefusalReason } from '../document/reasons.ts'
import type { PostedResponse } from '../document/results.ts'
import { passesByValue, requireClientId } from '../document/stored-verifier.ts'
import { ANNEX_C_PROTOCOL } from '../request/annex-c.ts'
import { callbackUrl } from '../request/requests.ts'
import { buildTerms, type RequestTerms, readChannel } from '../request/terms.ts'
import { openAnnexCResponse } from './annex-c.ts'
import { parseByValue } from './by-value.ts'
import { aliveFor, findRequest, openStored, unofferedRequest } from './read-response.ts'
import { collectAnchors, type EvaluationInput } from './trust-rules.ts'

/** Result of an evaluation. */
export type Evaluation =
  /** An authentic response. It ends the session, or its success is held until the browser returns. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TraceEntry[]
      readonly generation: StoredGeneration
      /** The inputs of the evaluation and the verified presentations, for evidence. */
      readonly subject: EvaluationSubject
      readonly presentations: readonly VerifiedPresentation[]
      readonly exchange?: Exchange
    }
  /** `access_denied` from a wallet that has a live request. This error ends the session. */
  | { readonly kind: 'declined'; readonly generation: StoredGeneration; readonly exchange?: Exchange }
  /** Another error of the wallet. The response is accepted, and stored as an attempt. */
  | { readonly kind: 'wallet_error'; readonly generation: StoredGeneration }
  /** A response that is malformed or not authentic. Such a response is refused, and stored as an attempt. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly generation: StoredGeneration | null
      readonly details?: RefusalDetails
      /** Clause of the check that failed. Absent if no check of a credential failed. */
      readonly clause?: string
    }

/**
 * Protocol and Client Identifier of the response. Present only for Annex C, and for a chosen wallet whose
 * requests have their own verifier identity. For Annex C the Client Identifier contains the origin.
 */
type Exchange = Required<Pick<Outcome, 'protocol' | 'client_id'>>

/** Evaluates a posted response. */
export async function evaluateResponse(
  response: PostedResponse,
  input: EvaluationInput,
): Promise<Evaluation> {
  const byValue = 'parameters' in response ? parseByValue(new Map(response.parameters), input) : undefined
  if (byValue !== undefined) {
    if (!byValue.ok) return refused(byValue.error, null)
    const { groups, generation } = byValue.value
    return decideOn({ groups, generation, bound: judgeBinding(generation, PLAIN, input) }, input)
  }
  const unoffered = unofferedRequest(response, input)
  if (unoffered !== undefined) return refused('malformed_response', unoffered)
  if ('dcApi' in response && response.dcApi.protocol === ISO_MDOC) {
    const opened = await openAnnexCResponse(response.dcApi.data, aliveFor(response, input), input)
    if (opened.ok)
      return addDocumentErrors(
        await decideOn(opened.value, input, ANNEX_C_PROTOCOL),
        opened.value.documentErrors,
      )
    const { refusal, generation } = opened.error
    return { ...refused(refusal.reason, generation), details: refusalDetails(refusal) }
  }
  const addressed = await findRequest(response, input)
  if (!addressed.ok) return refused(addressed.error.reason, addressed.error.generation)
  const { generation } = addressed.value
  const terms = buildTerms(input.document, generation)
  const opened = await openStored(addressed.value.response, generation, input)
  if (!opened.ok) return refused(opened.error, generation)
  const { open, ...exchange } = opened.value
  if (open.kind === 'wallet_error') return evaluateWalletError(open, generation, terms)
  const { query, language } = terms
  const { nonce } = generation
  const parser = PROTOCOLS[terms.request.protocol]
  const groups = parser.parsePresentations(open, { query, language, nonce })
  return groups.ok
    ? decideOn({ groups: groups.value, generation, bound: judgeBinding(generation, exchange, input) }, input)
    : refused(groups.error.reason, generation)
}

function refused(
  reason: RefusalReason,
  generation: StoredGeneration | null,
): Evaluation & { readonly kind: 'refused' } {
  return { kind: 'refused', reason, generation }
}

/**
 * Evaluates an error of the wallet (api/outcome). Refuses the error if no wallet has received the request.
 * Only `access_denied` ends the session.
 */
function evaluateWalletError(
  { error }: WalletErrorResponse,
  generation: StoredGeneration,
  terms: RequestTerms,
): Evaluation {
  const isWithWallet = generation.fetched || generation.channel === 'dc_api' || passesByValue(terms)
  if (!isWithWallet) return refused('unknown_state', generation)
  if (error !== 'access_denied') return { kind: 'wallet_error', generation }
  return { kind: 'declined', generation, ...toExchange(terms) }
}

/**
 * An opened response: its presentations, its request, and the values that bind the response to the request.
 */
type OpenedResponse = {
  readonly groups: readonly PresentationGroup[]
  readonly generation: StoredGeneration
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
}

/** Verifies the presentations, then decides by the policy. */
async function decideOn(
  opened: OpenedResponse,
  input: EvaluationInput,
  own?: typeof ANNEX_C_PROTOCOL,
): Promise<Evaluation> {
  const { generation, bound } = opened
  const subject = computeSubject(opened, input, own !== undefined)
  const evaluation = await evaluateSubject(subject)
  if (evaluation.kind === 'refused') return { ...evaluation, generation }
  const { decision, trace } = evaluation
  // Annex C has no Client Identifier. The origin takes its place, as in OpenID4VP 1.0 A.2.
  const exchange =
    own === undefined
      ? toExchange(buildTerms(input.document, generation))
      : { exchange: { protocol: own, client_id: bound.audience } }
  const { presentations } = evaluation
  return { kind: 'decided', decision, trace, generation, subject, presentations, ...exchange }
}

/** Returns the inputs of the evaluation. Evidence contains them, so that the evaluation can be repeated. */
function computeSubject(
  { groups, generation, bound }: OpenedResponse,
  input: EvaluationInput,
  isAnnexC: boolean,
): EvaluationSubject {
  const { document, settings, arrivedAt } = input
  const terms = buildTerms(document, generation)
  const { required_assurance_level, require_same_holder_key = false, anchor_sets = null } = document.request
  const { statusUnavailable, certificateRevocation } = uncheckedRules(settings, required_assurance_level)
  const { encryptionKey, ...handover } = bound.handover
  return {
    session: {
      protocol: terms.request.protocol,
      annex_c: isAnnexC,
      channel: generation.channel,
      nonce: generation.nonce,
      audience: bound.audience,
      handover,
      query: terms.query,
      transaction_data: terms.request.transaction_data ?? null,
      requested_at: Math.floor(generation.created_at / 1000),
    },
    rules: {
      now: Math.floor(arrivedAt / 1000),
      clock_skew: CLOCK_SKEW,
      policy: { ...document.policy, required_assurance_level, require_same_holder_key },
      unbound: generation.browser === null && readChannel(document, generation) === 'by_value',
      credential_types: settings.credential_types,
      trust: {
        anchors: collectAnchors(input),
        anchor_sets,
        sandbox: input.sandboxed,
        status_unavailable: statusUnavailable,
        certificate_revocation: certificateRevocation,
      },
    },
    groups,
    responseKey: encryptionKey,
    network: input.network,
    incomplete: input.subscribed.incomplete,
  }
}

/**
 * Returns the protocol and the Client Identifier, if requests for the chosen wallet have their own verifier
 * identity.
 */
function toExchange(terms: RequestTerms): { readonly exchange?: Exchange } {
  if (terms.wallet?.verifier === undefined) return {}
  return { exchange: { protocol: terms.request.protocol, client_id: requireClientId(terms) } }
}

/** If the response is refused, adds the wallet's error codes for documents that the wallet did not return. */
function addDocumentErrors(evaluation: Evaluation, documentErrors: DocumentErrors): Evaluation {
  if (evaluation.kind !== 'refused' || Object.keys(documentErrors).length === 0) return evaluation
  return { ...evaluation, details: { ...evaluation.details, document_errors: documentErrors } }
}

/** Returns the audience and the handover that the presentations must have. */
function judgeBinding(
  generation: StoredGeneration,
  encryption: Encryption,
  { document, config }: EvaluationInput,
): OpenedResponse['bound'] {
  const { channel, origin } = generation
  const responseUri = callbackUrl(document, config.baseUrl)
  // `by_value`: the request in the relying party's view has our address as its Client Identifier, and has no
  // encryption key.
  if (channel === 'by_value') {
    return { audience: config.baseUrl, handover: { kind: 'redirect', responseUri, encryptionKey: null } }
  }
  const protocol = PROTOCOLS[document.request.protocol]
  if (origin !== undefined) return boundTo({ origin }, encryption, protocol)
  const clientId = requireClientId(buildTerms(document, generation))
  return boundTo({ responseUri, clientId }, encryption, protocol)
}
