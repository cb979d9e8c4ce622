// One wallet's answer, judged from its parameters to a verdict (CONTRACT 4, OpenID4VP 1.0 §8). It changes nothing: the object
// applies the verdict. Nothing here decides on anything the answer says of itself.

import { parseJsonObject } from '../../codec/json.ts'
import type { Context, RequestBinding } from '../../formats/format.ts'
import { FORMATS } from '../../formats/index.ts'
import { parseDcApiResponse } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { Exchange } from '../../openid4vp/protocols/protocol.ts'
import {
  type AuthorizationResponse,
  decryptResponse,
  type PresentationResponse,
  parseAuthorizationResponse,
  requireState,
  type WalletErrorResponse,
} from '../../openid4vp/response/authorization-response.ts'
import type { EnvelopeRefusal } from '../../openid4vp/response/refusal.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../openid4vp/response/response-encryption.ts'
import { verifyPresentations } from '../../openid4vp/response/verify-response.ts'
import {
  confirmationRefusal,
  decodeRequestedTransactions,
} from '../../openid4vp/transaction-data/transaction-data.ts'
import { reachesLevel, UNCHECKED_LEVEL } from '../../policy/assurance.ts'
import { BUILT_IN_TYPES, typeDefinitions, typeOf } from '../../policy/catalogue.ts'
import { decide } from '../../policy/decide.ts'
import type { Subscribed } from '../../relying-party/trust-lists/trust-lists.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { sandboxAnchors } from '../../trust/anchors/sandbox-anchor.ts'
import { passesByValue, type SessionDocument, type TraceEntry } from '../document.ts'
import { sealingKeyOf } from '../random.ts'
import { handleKeyOf, openEncryptionKey, openGeneration } from '../request/generation-keys.ts'
import { aliveGenerations, type StoredGeneration } from '../request/generations.ts'
import { type HandleKind, readHandle } from '../request/handles.ts'
import { callbackUrl, languageOf } from '../request/requests.ts'
import type { PostedAnswer } from '../results.ts'
import { readByValue } from './by-value.ts'
import { type Judgement, type Presented, type RefusalReason, refused, type Verdict } from './verdict.ts'

/** Judges a posted answer. */
export async function judgeAnswer(answer: PostedAnswer, judgement: Judgement): Promise<Verdict> {
  const byValue = 'parameters' in answer ? readByValue(new Map(answer.parameters), judgement) : undefined
  if (byValue !== undefined) {
    return byValue.ok ? verifyPresented(byValue.value, judgement) : refused(byValue.error, null)
  }
  const parsed = parseAnswer(answer, judgement.document)
  if (!parsed.ok) return refused(parsed.error.reason, null)
  const found = await findGeneration(parsed.value, answer, judgement)
  if (!found.ok) return refused(found.error, null)
  const generation = found.value
  const opened = await openAnswer(parsed.value, generation, judgement)
  if (!opened.ok) return refused(opened.error, generation)
  const { response, ...exchange } = opened.value
  if (response.kind === 'wallet_error') return judgeWalletError(response, generation, judgement)
  const presented = readPresented({ response, ...exchange }, generation, judgement)
  return presented.ok ? verifyPresented(presented.value, judgement) : refused(presented.error, generation)
}

function parseAnswer(
  answer: PostedAnswer,
  { request }: SessionDocument,
): Result<AuthorizationResponse, EnvelopeRefusal> {
  const rules = {
    responseMode: request.request_options.response_mode,
    ...PROTOCOLS[request.protocol].responseEncryption,
  }
  if ('parameters' in answer) return parseAuthorizationResponse(new Map(answer.parameters), rules)
  const data = parseJsonObject(answer.dcApi.data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  return data.ok ? parseDcApiResponse(data.value, rules) : err({ reason: 'malformed_response' })
}

/** The live generation an answer belongs to: named by `kid` where it is encrypted, else by `state`. */
async function findGeneration(
  response: AuthorizationResponse,
  answer: PostedAnswer,
  { document, arrivedAt }: Judgement,
): Promise<Result<StoredGeneration, RefusalReason>> {
  const alive = answerable(aliveGenerations(document.generations, arrivedAt), answer)
  // A plain answer by the browser's API names nothing: its nonce decides whether it is of the newest request.
  if (response.kind !== 'encrypted' && 'dcApi' in answer) {
    const newest = alive.toSorted((a, b) => b.number - a.number)[0]
    return newest === undefined ? err('request_superseded') : ok(newest)
  }
  const kid = response.kind === 'encrypted' ? response.kid : undefined
  const [kind, handle, unknown]: [HandleKind, string | undefined, RefusalReason] =
    kid === undefined ? ['state', response.state, 'unknown_state'] : ['kid', kid, 'unknown_encryption_key']
  if (handle === undefined) return err('unknown_encryption_key') // of the plain, only the browser's API goes without a state
  const number = await readHandle(handleKeyOf(document), kind, handle)
  if (number === undefined) return err(unknown)
  const generation = alive.find((candidate) => candidate.number === number)
  return generation === undefined ? err('request_superseded') : ok(generation)
}

/** A request is answered the way it was asked, and where a page asked, by that page. */
function answerable(alive: readonly StoredGeneration[], answer: PostedAnswer): readonly StoredGeneration[] {
  if (!('dcApi' in answer)) return alive.filter(({ channel }) => channel !== 'dc_api')
  const { browser } = answer.dcApi
  return alive.filter((one) => one.channel === 'dc_api' && one.browser === browser)
}

/** An answer in the clear, and how it was decrypted. */
type OpenedAnswer<Response> = { readonly response: Response } & Omit<Exchange, 'responseUri'>

/** Decrypts where needed. Every `state` in the answer, outside and inside, must be this generation's own. */
async function openAnswer(
  response: AuthorizationResponse,
  stored: StoredGeneration,
  { document, config }: Judgement,
): Promise<Result<OpenedAnswer<PresentationResponse | WalletErrorResponse>, RefusalReason>> {
  if (response.kind !== 'encrypted') {
    return ok({ response, encryptionKey: null, agreementPartyUInfo: undefined })
  }
  const generation = await openGeneration(document, stored)
  if (response.state !== undefined && response.state !== generation.state) return err('state_mismatch')
  const encryptionKey = await openEncryptionKey(await sealingKeyOf(config), document, stored)
  const decrypted = await decryptResponse(response, { kid: generation.kid, privateJwk: encryptionKey })
  const read = stored.channel === 'dc_api' ? decrypted : requireState(decrypted)
  if (!read.ok) return err(read.error.reason)
  if (stored.channel !== 'dc_api' && read.value.state !== generation.state) return err('state_mismatch')
  const { agreementPartyUInfo } = response
  return ok({ response: read.value, encryptionKey, agreementPartyUInfo })
}

/** CONTRACT 4: an error needs a live request that a wallet fetched, or did not have to; only `access_denied` ends the session. */
function judgeWalletError(
  error: WalletErrorResponse,
  generation: StoredGeneration,
  { document }: Judgement,
): Verdict {
  const isInHand = generation.fetched || generation.channel === 'dc_api' || passesByValue(document)
  if (!isInHand) return refused('unknown_state', generation)
  if (error.error === 'access_denied') return { kind: 'declined', generation }
  return { kind: 'wallet_error', generation }
}

/** What an answer presents in its own protocol. */
function readPresented(
  { response, ...exchange }: OpenedAnswer<PresentationResponse>,
  generation: StoredGeneration,
  judgement: Judgement,
): Result<Presented, RefusalReason> {
  const { document } = judgement
  const { parsePresentations, formats } = PROTOCOLS[document.request.protocol]
  const { query } = document.policy
  const groups = parsePresentations(response, {
    query,
    language: languageOf(document),
    nonce: generation.nonce,
  })
  if (!groups.ok) return err(groups.error.reason)
  return ok({ groups: groups.value, generation, formats, ...boundTo(generation, exchange, judgement) })
}

async function verifyPresented(
  { groups, generation, formats, audience, handover }: Presented,
  judgement: Judgement,
): Promise<Verdict> {
  const { document, settings, subscribed, arrivedAt } = judgement
  const { acceptsAnchor } = PROTOCOLS[document.request.protocol]
  const { nonce } = generation
  const trace: TraceEntry[] = []
  const now = Math.floor(arrivedAt / 1000)
  const transactionData = decodeRequestedTransactions(document.request.transaction_data)
  const verified = await verifyPresentations({
    groups,
    query: document.policy.query,
    formats: { ...FORMATS, ...formats },
    transactionData,
    expected: { nonce, requestedAt: Math.floor(generation.created_at / 1000), audience, handover },
    context: {
      now,
      anchors: anchorsOf(judgement).filter(acceptsAnchor),
      typeOf: typeOf(typeDefinitions(settings.credential_types)),
      ...judgement.network,
      ...uncheckedRules(judgement),
    },
    trace: (check) => trace.push(check),
  })
  if (!verified.ok) return refused(findingOf(verified.error.reason, subscribed), generation)
  const decision = decide({ policy: document.policy, presentations: verified.value.presentations, now })
  // What a credential confirmed that the decision does not rest on is not confirmed.
  const unconfirmed = confirmationRefusal(transactionData, decision.credentials)
  if (unconfirmed !== undefined) return refused(unconfirmed, generation)
  // CONTRACT 5: without holder binding anyone may have presented it, so it may verify but ends nothing as a refusal.
  if (decision.reason !== null && !decision.holder_bound) return refused(decision.reason, generation)
  return { kind: 'decided', decision, trace, generation }
}

function anchorsOf({ settings, subscribed, sandboxed }: Judgement): readonly TrustAnchor[] {
  const anchors = [...settings.trust_anchors, ...subscribed.anchors]
  return sandboxed ? [...anchors, ...sandboxAnchors(BUILT_IN_NAMES, anchors)] : anchors
}

const BUILT_IN_NAMES = BUILT_IN_TYPES.map(({ name }) => name)

/** Where a list is missing that may vouch for the issuer, nobody knows yet that nobody does. */
function findingOf(reason: RefusalReason, { incomplete }: Subscribed): RefusalReason {
  return incomplete && UNVOUCHED.has(reason) ? 'trust_list_unavailable' : reason
}

/** What is found where no anchor at hand vouches for a chain that is well-formed. */
const UNVOUCHED: ReadonlySet<RefusalReason> = new Set([
  'untrusted_issuer',
  'invalid_certificate_path',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_profile_violation',
  'trust_anchor_in_chain',
  'self_signed_certificate',
])

/** A.4: by the Digital Credentials API the audience is the origin of the page, also where the request was signed. */
function boundTo(
  { origin }: StoredGeneration,
  exchange: Omit<Exchange, 'responseUri'>,
  { document, config }: Judgement,
): Pick<RequestBinding, 'audience' | 'handover'> {
  if (origin !== undefined) {
    const { encryptionKey } = exchange
    return { audience: `origin:${origin}`, handover: { kind: 'dc_api', origin, encryptionKey } }
  }
  const responseUri = callbackUrl(document, config.baseUrl)
  const handover = PROTOCOLS[document.request.protocol].handover({ ...exchange, responseUri })
  return { audience: document.verifier.client_id, handover }
}

/**
 * CONTRACT 8: where the relying party accepts a status that cannot be told. A session that asks for more than such a
 * credential is worth refuses it even so: the answer is then heard later, where accepted it would be rejected for good.
 */
function uncheckedRules({
  settings: { status_unavailable, certificate_revocation },
  document,
}: Judgement): Pick<Context, 'statusUnavailable' | 'certificateRevocation'> {
  const isEnough = reachesLevel(UNCHECKED_LEVEL, document.policy.required_assurance_level)
  const isRequired = certificate_revocation === 'accept_unknown' && !isEnough
  return {
    statusUnavailable: isEnough ? status_unavailable : 'refuse',
    certificateRevocation: isRequired ? 'require' : certificate_revocation,
  }
}
