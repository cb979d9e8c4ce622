// Evaluation of one wallet response, from its parameters to a decision (CONTRACT 4, OpenID4VP 1.0 §8). It
// changes nothing, and relies on nothing that the response claims about itself.

import { parseJsonObject } from '../../codec/json.ts'
import type { DocumentErrors, RequestBinding } from '../../formats/format.ts'
import { FORMATS } from '../../formats/index.ts'
import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import { mdocOfAnnexC } from '../../iso18013-7/format.ts'
import { ISO_MDOC, parseDcApiResponse } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { Exchange } from '../../openid4vp/protocols/protocol.ts'
import {
  type AuthorizationResponse,
  decryptResponse,
  type OpenResponse,
  parseAuthorizationResponse,
  requireState,
  type WalletErrorResponse,
} from '../../openid4vp/response/authorization-response.ts'
import type { EnvelopeRefusal, ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import { jsonRefusal, RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../openid4vp/response/response-encryption.ts'
import { verifyPresentations } from '../../openid4vp/response/verify-response.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import {
  confirmationRefusal,
  decodeRequestedTransactions,
} from '../../openid4vp/transaction-data/transaction-data.ts'
import { typeDefinitions, typeOf } from '../../policy/catalogue.ts'
import { decide } from '../../policy/decide.ts'
import type { Decision } from '../../policy/policy.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  type Attempt,
  clientIdOf,
  type Outcome,
  passesByValue,
  requestOptionsOf,
  type SessionDocument,
  type TraceEntry,
} from '../document.ts'
import { ANNEX_C_PROTOCOL } from '../request/annex-c.ts'
import { handleKeyOf, openEncryptionKey, openGeneration } from '../request/generation-keys.ts'
import { aliveGenerations, type StoredGeneration } from '../request/generations.ts'
import { type HandleKind, readHandle } from '../request/handles.ts'
import { callbackUrl, languageOf } from '../request/requests.ts'
import type { PostedResponse } from '../results.ts'
import { openAnnexCResponse } from './annex-c.ts'
import { parseByValue } from './by-value.ts'
import type { RefusalReason } from './reasons.ts'
import { anchorsOf, type EvaluationInput, reasonOf, uncheckedRules } from './trust-rules.ts'

/** Result of an evaluation. */
export type Evaluation =
  /** Authentic: it ends the session. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TraceEntry[]
      readonly generation: StoredGeneration
      /** Protocol of the response, and the verifier in it, if they are not those of the session. */
      readonly exchange?: Required<Pick<Outcome, 'protocol' | 'client_id'>>
    }
  /** `access_denied` from a wallet that has the `state` of a live, fetched request: it ends the session. */
  | { readonly kind: 'declined'; readonly generation: StoredGeneration }
  /** Another error of the wallet: accepted, and stored as an attempt. */
  | { readonly kind: 'wallet_error'; readonly generation: StoredGeneration }
  /** Not authentic, or not a response: stored as an attempt. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly generation: StoredGeneration | null
      readonly details?: AttemptDetails
    }

/** Members of an attempt that only some reasons have. */
type AttemptDetails = Pick<Attempt, 'detail' | 'document_errors'>

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
    return { ...refused(refusal.reason, generation), details: detailsOf(refusal) }
  }
  const parsed = parseResponse(response, input.document)
  if (!parsed.ok) return refused(parsed.error.reason, null)
  const found = await findGeneration(parsed.value, response, input)
  if (!found.ok) return refused(found.error, null)
  const generation = found.value
  const opened = await openResponse(parsed.value, generation, input)
  if (!opened.ok) return refused(opened.error, generation)
  const { open, ...exchange } = opened.value
  if (open.kind === 'wallet_error') return evaluateWalletError(open, generation, input.document)
  const { document } = input
  const groups = PROTOCOLS[document.request.protocol].parsePresentations(open, {
    query: document.policy.query,
    language: languageOf(document),
    nonce: generation.nonce,
  })
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

function parseResponse(
  response: PostedResponse,
  document: SessionDocument,
): Result<AuthorizationResponse, EnvelopeRefusal> {
  const { supportsRedirect, responseEncryption } = PROTOCOLS[document.request.protocol]
  // Without the redirect flow no request of OpenID4VP was made.
  if (!supportsRedirect) return err({ reason: 'malformed_response' })
  const rules = { ...requestOptionsOf(document), ...responseEncryption }
  if ('parameters' in response) return parseAuthorizationResponse(new Map(response.parameters), rules)
  const data = parseJsonObject(response.dcApi.data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (data.ok) return parseDcApiResponse(data.value, rules)
  return err(jsonRefusal(data.error))
}

/** Finds the live generation of a response, by `kid` if it is encrypted, else by `state`. */
async function findGeneration(
  response: AuthorizationResponse,
  posted: PostedResponse,
  input: EvaluationInput,
): Promise<Result<StoredGeneration, RefusalReason>> {
  const alive = aliveFor(posted, input)
  // A plain response by the browser's API names no request. Its nonce is checked against the newest one.
  if (response.kind !== 'encrypted' && 'dcApi' in posted) {
    const newest = alive.toSorted((a, b) => b.number - a.number)[0]
    return newest === undefined ? err('request_superseded') : ok(newest)
  }
  const kid = response.kind === 'encrypted' ? response.kid : undefined
  const [kind, handle, unknown]: [HandleKind, string | undefined, RefusalReason] =
    kid === undefined ? ['state', response.state, 'unknown_state'] : ['kid', kid, 'unknown_encryption_key']
  if (handle === undefined) return err('unknown_encryption_key') // every other plain response has a state
  const number = await readHandle(handleKeyOf(input.document), kind, handle)
  if (number === undefined) return err(unknown)
  const generation = alive.find((candidate) => candidate.number === number)
  return generation === undefined ? err('request_superseded') : ok(generation)
}

/** Returns the live requests that a response may be for. */
function aliveFor(posted: PostedResponse, { document, arrivedAt }: EvaluationInput) {
  return aliveGenerations(document.generations, arrivedAt).filter(isOfChannel(posted))
}

/** A response must come by the channel of its request, and from the browser whose page made the request. */
function isOfChannel(posted: PostedResponse): (generation: StoredGeneration) => boolean {
  if (!('dcApi' in posted)) return ({ channel }) => channel !== 'dc_api'
  return ({ channel, browser }) => channel === 'dc_api' && browser === posted.dcApi.browser
}

/** How a response was encrypted. */
type Encryption = Omit<Exchange, 'responseUri'>
const PLAIN: Encryption = { encryptionKey: null, agreementPartyUInfo: undefined }

/** Decrypts if needed. Every `state`, outside and inside, must be that of the generation. */
async function openResponse(
  response: AuthorizationResponse,
  stored: StoredGeneration,
  { document, config }: EvaluationInput,
): Promise<Result<Encryption & { readonly open: OpenResponse }, RefusalReason>> {
  if (response.kind !== 'encrypted') return ok({ open: response, ...PLAIN })
  const generation = await openGeneration(document, stored)
  if (response.state !== undefined && response.state !== generation.state) return err('state_mismatch')
  const encryptionKey = await openEncryptionKey(config, document, stored)
  const decrypted = await decryptResponse(response, { kid: generation.kid, privateJwk: encryptionKey })
  const open = stored.channel === 'dc_api' ? decrypted : requireState(decrypted)
  if (!open.ok) return err(open.error.reason)
  if (stored.channel !== 'dc_api' && open.value.state !== generation.state) return err('state_mismatch')
  return ok({ open: open.value, encryptionKey, agreementPartyUInfo: response.agreementPartyUInfo })
}

/** CONTRACT 4: an error needs a live request that a wallet has. Only `access_denied` ends the session. */
function evaluateWalletError(
  { error }: WalletErrorResponse,
  generation: StoredGeneration,
  document: SessionDocument,
): Evaluation {
  const isWithWallet = generation.fetched || generation.channel === 'dc_api' || passesByValue(document)
  if (!isWithWallet) return refused('unknown_state', generation)
  return { kind: error === 'access_denied' ? 'declined' : 'wallet_error', generation }
}

/** An opened response: its presentations, its request, and what binds it to the request. */
type OpenedResponse = {
  readonly groups: readonly PresentationGroup[]
  readonly generation: StoredGeneration
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
}

/** Protocol of a response that is not of the session's own, and the formats that differ in it. */
const ANNEX_C = { id: ANNEX_C_PROTOCOL, formats: { mso_mdoc: mdocOfAnnexC } } as const
const BY_VALUE_FORMATS = { 'dc+sd-jwt': sdJwtVcOfDrafts }

/** Verifies the presentations, then decides by the policy. */
async function decideOn(
  { groups, generation, bound }: OpenedResponse,
  input: EvaluationInput,
  own?: typeof ANNEX_C,
): Promise<Evaluation> {
  const { document, settings, arrivedAt } = input
  const protocol = PROTOCOLS[document.request.protocol]
  const { required_assurance_level, require_same_holder_key = false } = document.request
  const trace: TraceEntry[] = []
  const now = Math.floor(arrivedAt / 1000)
  const transactionData = decodeRequestedTransactions(document.request.transaction_data)
  const verified = await verifyPresentations({
    groups,
    query: document.policy.query,
    formats: {
      ...FORMATS,
      ...(generation.channel === 'by_value' ? BY_VALUE_FORMATS : (own?.formats ?? protocol.formats)),
    },
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
    const details = reason === verified.error.reason ? detailsOf(verified.error) : {}
    return { ...refused(reason, generation), details }
  }
  const decision = decide({
    policy: { ...document.policy, required_assurance_level, require_same_holder_key },
    presentations: verified.value,
    now,
  })
  // A confirmation counts only in a credential that the decision rests on.
  const unconfirmed = confirmationRefusal(transactionData, decision.credentials)
  if (unconfirmed !== undefined) return refused(unconfirmed, generation)
  // CONTRACT 5: without holder binding anyone may have presented the credential. It may verify, but not
  // reject.
  if (decision.reason !== null && !decision.holder_bound) return refused(decision.reason, generation)
  // Annex C has no Client Identifier. The origin takes its place, as in OpenID4VP 1.0 A.2.
  const exchange = own && { exchange: { protocol: own.id, client_id: bound.audience } }
  return { kind: 'decided', decision, trace, generation, ...exchange }
}

function detailsOf(refusal: ResponseRefusal): AttemptDetails {
  if (refusal.reason === 'certificate_profile_violation') return { detail: refusal.rule }
  return refusal.reason === 'document_not_returned' ? { document_errors: refusal.documentErrors } : {}
}

/** Adds the wallet's codes for documents that it left out to a refusal of those that it returned. */
function addDocumentErrors(evaluation: Evaluation, documentErrors: DocumentErrors): Evaluation {
  if (evaluation.kind !== 'refused' || Object.keys(documentErrors).length === 0) return evaluation
  return { ...evaluation, details: { ...evaluation.details, document_errors: documentErrors } }
}

/** A.4: by the Digital Credentials API the audience is the page's origin, for signed requests too. */
function boundTo(
  { channel, origin }: StoredGeneration,
  encryption: Encryption,
  { document, config }: EvaluationInput,
): Pick<RequestBinding, 'audience' | 'handover'> {
  const responseUri = callbackUrl(document, config.baseUrl)
  // The relying party's view names our address as the client, and no key.
  if (channel === 'by_value') {
    return { audience: config.baseUrl, handover: { kind: 'redirect', responseUri, encryptionKey: null } }
  }
  if (origin !== undefined) {
    const { encryptionKey } = encryption
    return { audience: `origin:${origin}`, handover: { kind: 'dc_api', origin, encryptionKey } }
  }
  const handover = PROTOCOLS[document.request.protocol].handover({ ...encryption, responseUri })
  return { audience: clientIdOf(document), handover }
}
