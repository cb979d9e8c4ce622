// Evaluation of one wallet response, from its parameters to a decision (api/outcome, OpenID4VP 1.0 §8). The
// evaluation does not change the session, and trusts no unverified statement of the response.

import { FORMATS } from '../../formats/index.ts'
import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { DocumentErrors, RequestBinding } from '../../formats/verification/format.ts'
import { mdocOfAnnexC } from '../../iso18013-7/format.ts'
import { ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { WalletErrorResponse } from '../../openid4vp/response/authorization-response.ts'
import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import { matchAgain, verifyPresentations } from '../../openid4vp/response/verify-response.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import {
  confirmationRefusal,
  decodeRequestedTransactions,
} from '../../openid4vp/transaction-data/transaction-data.ts'
import { typeDefinitions, typeOf } from '../../policy/catalogue.ts'
import { decide } from '../../policy/decide.ts'
import type { Decision } from '../../policy/policy.ts'
import type { Attempt } from '../document/attempt.ts'
import type { StoredGeneration } from '../document/generations.ts'
import type { Outcome, TraceEntry } from '../document/outcome.ts'
import type { RefusalReason } from '../document/reasons.ts'
import type { PostedResponse } from '../document/results.ts'
import { passesByValue, requireClientId } from '../document/stored-verifier.ts'
import { ANNEX_C_PROTOCOL } from '../request/annex-c.ts'
import { callbackUrl } from '../request/requests.ts'
import { channelOf, type RequestTerms, termsOf } from '../request/terms.ts'
import { openAnnexCResponse } from './annex-c.ts'
import { parseByValue } from './by-value.ts'
import { claimedIssuer } from './claimed-issuer.ts'
import { aliveFor, type Encryption, findRequest, openResponse, PLAIN } from './read-response.ts'
import { anchorsOf, type EvaluationInput, reasonOf, uncheckedRules } from './trust-rules.ts'

/** Result of an evaluation. */
export type Evaluation =
  /** An authentic response. It ends the session. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TraceEntry[]
      readonly generation: StoredGeneration
      readonly exchange?: Exchange
    }
  /** `access_denied` from a wallet that has a live request. It ends the session. */
  | { readonly kind: 'declined'; readonly generation: StoredGeneration; readonly exchange?: Exchange }
  /** Another error of the wallet. The response is accepted, and stored as an attempt. */
  | { readonly kind: 'wallet_error'; readonly generation: StoredGeneration }
  /** A response that is malformed or not authentic. It is refused, and stored as an attempt. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly generation: StoredGeneration | null
      readonly details?: AttemptDetails
      /** Clause of the check that failed. Absent if no check of a credential failed. */
      readonly clause?: string
    }

/** Protocol and Client Identifier of the request, if they differ from those of the session. */
type Exchange = Required<Pick<Outcome, 'protocol' | 'client_id'>>

/** Members of an attempt that only some reasons have. */
type AttemptDetails = Pick<Attempt, 'detail' | 'document_errors' | 'claimed_issuer'>

/** Evaluates a posted response. */
export async function evaluateResponse(
  response: PostedResponse,
  input: EvaluationInput,
): Promise<Evaluation> {
  const byValue = 'parameters' in response ? parseByValue(new Map(response.parameters), input) : undefined
  if (byValue !== undefined) {
    if (!byValue.ok) return refused(byValue.error, null)
    const { groups, generation } = byValue.value
    return decideOn({ groups, generation, bound: boundTo(generation, PLAIN, input) }, input)
  }
  if ('dcApi' in response && response.dcApi.protocol === ISO_MDOC) {
    const opened = await openAnnexCResponse(response.dcApi.data, aliveFor(response, input), input)
    if (opened.ok)
      return addDocumentErrors(await decideOn(opened.value, input, ANNEX_C), opened.value.documentErrors)
    const { refusal, generation } = opened.error
    return { ...refused(refusal.reason, generation), details: decodeDetails(refusal) }
  }
  const addressed = await findRequest(response, input)
  if (!addressed.ok) return refused(addressed.error.reason, addressed.error.generation)
  const { generation } = addressed.value
  const terms = termsOf(input.document, generation)
  const opened = await openResponse(addressed.value.response, generation, input)
  if (!opened.ok) return refused(opened.error, generation)
  const { open, ...exchange } = opened.value
  if (open.kind === 'wallet_error') return evaluateWalletError(open, generation, terms)
  const { query, language } = terms
  const { nonce } = generation
  const parser = PROTOCOLS[terms.request.protocol]
  const groups = parser.parsePresentations(open, { query, language, nonce })
  return groups.ok
    ? decideOn({ groups: groups.value, generation, bound: boundTo(generation, exchange, input) }, input)
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
  return { kind: 'declined', generation, ...exchangeOf(terms) }
}

/**
 * An opened response: its presentations, its request, and the values that bind the response to the request.
 */
type OpenedResponse = {
  readonly groups: readonly PresentationGroup[]
  readonly generation: StoredGeneration
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
}

/** Protocol of a response by Annex C, and the formats that this protocol verifies differently. */
const ANNEX_C = { id: ANNEX_C_PROTOCOL, formats: { mso_mdoc: mdocOfAnnexC } } as const
const BY_VALUE_FORMATS = { 'dc+sd-jwt': sdJwtVcOfDrafts }

/** Verifies the presentations, then decides by the policy. */
async function decideOn(
  { groups, generation, bound }: OpenedResponse,
  input: EvaluationInput,
  own?: typeof ANNEX_C,
): Promise<Evaluation> {
  const { document, settings, arrivedAt } = input
  const terms = termsOf(document, generation)
  const protocol = PROTOCOLS[terms.request.protocol]
  const { required_assurance_level, require_same_holder_key = false } = document.request
  const trace: TraceEntry[] = []
  const now = Math.floor(arrivedAt / 1000)
  const transactionData = decodeRequestedTransactions(terms.request.transaction_data)
  const formats = {
    ...FORMATS,
    ...(generation.channel === 'by_value' ? BY_VALUE_FORMATS : (own?.formats ?? protocol.formats)),
  }
  const verified = await verifyPresentations({
    groups,
    query: terms.query,
    formats,
    transactionData,
    expected: {
      nonce: generation.nonce,
      requestedAt: Math.floor(generation.created_at / 1000),
      ...bound,
    },
    context: {
      now,
      anchors: anchorsOf(input),
      typeOf: typeOf(typeDefinitions(settings.credential_types)),
      acceptsHolderKeyId: protocol.acceptsHolderKeyId,
      ...input.network,
      ...uncheckedRules(input),
    },
    signerProfile: (format) => ({
      ...protocol.signerProfile?.(format),
      acceptsSandbox: input.sandboxed,
    }),
    trace: (check) => trace.push(check),
  })
  if (!verified.ok) {
    const reason = reasonOf(verified.error.reason, input.subscribed)
    const { signer } = verified.error
    const details = {
      ...(reason === verified.error.reason ? decodeDetails(verified.error) : {}),
      ...(signer && { claimed_issuer: await claimedIssuer(signer) }),
    }
    const clause = failedClause(trace)
    return { ...refused(reason, generation), details, ...(clause && { clause }) }
  }
  // The policy of the session decides, even if the request was lowered for a chosen wallet.
  const presentations = matchAgain(document.policy.query, verified.value, formats)
  if (!presentations.ok) return refused(presentations.error.reason, generation)
  const decision = decide({
    policy: { ...document.policy, required_assurance_level, require_same_holder_key },
    presentations: presentations.value,
    now,
    isUnbound: generation.browser === null && channelOf(document, generation) === 'by_value',
  })
  // The transaction data must be confirmed by a credential that the decision uses.
  const unconfirmed = confirmationRefusal(transactionData, decision.credentials)
  if (unconfirmed !== undefined) return refused(unconfirmed, generation)
  // api/protocols: without holder binding, anyone may have presented the credential. Such a response may
  // verify the session, but must not reject it.
  if (decision.reason !== null && !decision.holder_bound) return refused(decision.reason, generation)
  // Annex C has no Client Identifier. The origin takes its place, as in OpenID4VP 1.0 A.2.
  const exchange =
    own === undefined ? exchangeOf(terms) : { exchange: { protocol: own.id, client_id: bound.audience } }
  return { kind: 'decided', decision, trace, generation, ...exchange }
}

/** Returns the clause of the first check that failed, or `undefined` if no check failed. */
export function failedClause(trace: readonly TraceEntry[]): string | undefined {
  return trace.find(({ result }) => result === 'fail')?.clause
}

/** Returns the protocol and the Client Identifier, if the chosen wallet has its own verifier identity. */
function exchangeOf(terms: RequestTerms): { readonly exchange?: Exchange } {
  if (terms.wallet?.verifier === undefined) return {}
  return { exchange: { protocol: terms.request.protocol, client_id: requireClientId(terms) } }
}

function decodeDetails(refusal: ResponseRefusal): AttemptDetails {
  if (refusal.reason === 'certificate_profile_violation') return { detail: refusal.rule }
  return refusal.reason === 'document_not_returned' ? { document_errors: refusal.documentErrors } : {}
}

/** Adds the wallet's error codes for documents that it did not return, if the response is refused. */
function addDocumentErrors(evaluation: Evaluation, documentErrors: DocumentErrors): Evaluation {
  if (evaluation.kind !== 'refused' || Object.keys(documentErrors).length === 0) return evaluation
  return { ...evaluation, details: { ...evaluation.details, document_errors: documentErrors } }
}

/**
 * Returns the audience and the handover that the presentations must have. A.4: in the Digital Credentials API
 * the audience is the origin of the page, also for signed requests.
 */
function boundTo(
  generation: StoredGeneration,
  encryption: Encryption,
  { document, config }: EvaluationInput,
): Pick<RequestBinding, 'audience' | 'handover'> {
  const { channel, origin } = generation
  const responseUri = callbackUrl(document, config.baseUrl)
  // The relying party's view has our address as the Client Identifier, and no encryption key.
  if (channel === 'by_value') {
    return { audience: config.baseUrl, handover: { kind: 'redirect', responseUri, encryptionKey: null } }
  }
  if (origin !== undefined) {
    const { encryptionKey } = encryption
    return { audience: `origin:${origin}`, handover: { kind: 'dc_api', origin, encryptionKey } }
  }
  const handover = PROTOCOLS[document.request.protocol].handover({ ...encryption, responseUri })
  return { audience: requireClientId(termsOf(document, generation)), handover }
}
