// Finds the request of a posted response, and opens the response (OpenID4VP 1.0 §8.2, §8.3, Appendix A.4).
// Nothing in the response is verified here.

import { parseJsonObject } from '../../codec/json.ts'
import { namedRequest, openResponse } from '../../exchange/open-response.ts'
import { parseDcApiResponse } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import {
  type AuthorizationResponse,
  parseAuthorizationResponse,
} from '../../openid4vp/response/authorization-response.ts'
import type { EnvelopeRefusal } from '../../openid4vp/response/refusal.ts'
import {
  decryptJwe,
  jsonRefusal,
  RESPONSE_DEPTH,
  RESPONSE_LIMIT,
} from '../../openid4vp/response/response-encryption.ts'
import type { ResponseMode } from '../../openid4vp/response/response-mode.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import { aliveGenerations, type StoredGeneration } from '../document/generations.ts'
import type { RefusalReason } from '../document/reasons.ts'
import type { PostedResponse } from '../document/results.ts'
import { requireRequestOptions } from '../document/stored-request.ts'
import { openEncryptionKey, openGeneration, requireHandleKey } from '../request/generation-keys.ts'
import { readHandle } from '../request/handles.ts'
import { buildTerms } from '../request/terms.ts'
import { hasExchange } from './exchanges.ts'
import type { EvaluationInput } from './trust-rules.ts'

/** A response, possibly still encrypted, and its request. */
type FoundResponse = { readonly response: AuthorizationResponse; readonly generation: StoredGeneration }

/** A refused response. `generation`: the live request that the response names; null if it names none. */
type UnreadResponse = { readonly reason: RefusalReason; readonly generation: StoredGeneration | null }

/**
 * Finds the live request of a response, and parses the response in the response mode of that request.
 * Requests for chosen wallets may have another mode than the session. If a response cannot be parsed in this
 * mode, the refusal belongs to the request that its `state` names.
 */
export async function findRequest(
  posted: PostedResponse,
  input: EvaluationInput,
): Promise<Result<FoundResponse, UnreadResponse>> {
  const { document } = input
  const unread = (reason: RefusalReason, generation: StoredGeneration | null = null) =>
    err({ reason, generation })
  // A protocol without the redirect flow makes no OpenID4VP request.
  if (!PROTOCOLS[document.request.protocol].supportsRedirect) return unread('malformed_response')
  const usual = requireRequestOptions(document).responseMode
  // A wallet that has only `org-iso-mdoc` has no response mode.
  const modeOf = (generation: StoredGeneration) =>
    buildTerms(document, generation).request.request_options.response_mode ?? usual
  const modes = new Set([usual, ...aliveFor(posted, input).map(modeOf)])
  const readings = new Map([...modes].map((mode) => [mode, parseResponse(posted, mode, document)]))
  let refusal: RefusalReason | undefined
  for (const reading of readings.values()) {
    const addressed = reading.ok
      ? await findGeneration(reading.value, posted, input)
      : err(reading.error.reason)
    if (!addressed.ok) {
      refusal ??= addressed.error
      continue
    }
    const response = readings.get(modeOf(addressed.value)) ?? reading
    return response.ok
      ? ok({ response: response.value, generation: addressed.value })
      : unread(response.error.reason, addressed.value)
  }
  const namedGeneration = await findNamed(posted, input)
  const reading = namedGeneration && readings.get(modeOf(namedGeneration))
  if (namedGeneration !== undefined && reading?.ok === false)
    return unread(reading.error.reason, namedGeneration)
  return unread(refusal ?? 'malformed_response')
}

function parseResponse(
  posted: PostedResponse,
  responseMode: ResponseMode,
  { request, wallets }: SessionDocument,
): Result<AuthorizationResponse, EnvelopeRefusal> {
  const { kidRequired, ...encryption } = PROTOCOLS[request.protocol].responseEncryption
  const mayOmitKid = wallets?.some(({ omits_kid }) => omits_kid) === true
  const rules = { responseMode, ...encryption, kidRequired: kidRequired && !mayOmitKid }
  if ('parameters' in posted) return parseAuthorizationResponse(new Map(posted.parameters), rules)
  const data = parseJsonObject(posted.dcApi.data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (data.ok) return parseDcApiResponse(data.value, rules)
  return err(jsonRefusal(data.error))
}

/** Finds the live request that the parameter `state` of a response names; `undefined` if there is none. */
async function findNamed(posted: PostedResponse, input: EvaluationInput) {
  const state = 'parameters' in posted ? new Map(posted.parameters).get('state') : undefined
  if (state === undefined) return undefined
  const number = await readHandle(requireHandleKey(input.document), 'state', state)
  return aliveFor(posted, input).find((generation) => generation.number === number)
}

/** Finds the live generation of a response, by `kid` if the response is encrypted, else by `state`. */
async function findGeneration(
  response: AuthorizationResponse,
  posted: PostedResponse,
  input: EvaluationInput,
): Promise<Result<StoredGeneration, RefusalReason>> {
  const alive = aliveFor(posted, input)
  // A plain response through the Digital Credentials API names no request. So the newest request is returned.
  // The nonces are compared later.
  if (response.kind !== 'encrypted' && 'dcApi' in posted) {
    const newest = alive.toSorted((a, b) => b.number - a.number)[0]
    return newest === undefined ? err('request_superseded') : ok(newest)
  }
  const requestName = namedRequest(response)
  if (requestName === undefined) return findByKey(response, alive, input)
  const number = await readHandle(requireHandleKey(input.document), requestName.kind, requestName.handle)
  if (number === undefined) return err(requestName.unknown)
  const generation = alive.find((candidate) => candidate.number === number)
  return generation === undefined ? err('request_superseded') : ok(generation)
}

/**
 * Finds the request of an encrypted response that has neither `kid` nor `state`. Only the requests for
 * wallets that omit `kid` are tried. The response can be decrypted only with the key of its request. A plain
 * response always has a `state`.
 */
async function findByKey(
  response: AuthorizationResponse,
  alive: readonly StoredGeneration[],
  { document, config }: EvaluationInput,
): Promise<Result<StoredGeneration, RefusalReason>> {
  for (const stored of alive) {
    if (response.kind !== 'encrypted' || !buildTerms(document, stored).wallet?.omits_kid) continue
    const privateJwk = await openEncryptionKey(config, document, stored)
    if ((await decryptJwe(response, { kid: '', privateJwk })).ok) return ok(stored)
  }
  return err('unknown_encryption_key')
}

/**
 * Returns the newest live request of the page, if no live request of the page has the exchange protocol of
 * the response. The caller refuses such a response, because a browser answers only in a protocol that the
 * page requested.
 */
export function unofferedRequest(
  posted: PostedResponse,
  { document, arrivedAt }: EvaluationInput,
): StoredGeneration | undefined {
  if (!('dcApi' in posted)) return undefined
  const ofPage = aliveGenerations(document.generations, arrivedAt).filter(isOfPage(posted.dcApi))
  if (ofPage.some(isOfChannel(posted, document))) return undefined
  return ofPage.toSorted((a, b) => b.number - a.number)[0]
}

/** Returns the live requests that a response may be for. */
export function aliveFor(posted: PostedResponse, { document, arrivedAt }: EvaluationInput) {
  return aliveGenerations(document.generations, arrivedAt).filter(isOfChannel(posted, document))
}

/**
 * Returns a filter for the requests that a response may be for. The response must come by the channel of the
 * request. In the Digital Credentials API the response must also come from the browser that made the request,
 * by an exchange protocol of the request.
 */
function isOfChannel(
  posted: PostedResponse,
  document: SessionDocument,
): (generation: StoredGeneration) => boolean {
  if (!('dcApi' in posted)) return ({ channel }) => channel !== 'dc_api'
  const { protocol } = posted.dcApi
  const isOfSamePage = isOfPage(posted.dcApi)
  return (generation) => isOfSamePage(generation) && hasExchange(buildTerms(document, generation), protocol)
}

function isOfPage({ browser }: DcApiPosted): (generation: StoredGeneration) => boolean {
  return (generation) => generation.channel === 'dc_api' && generation.browser === browser
}

type DcApiPosted = Extract<PostedResponse, { readonly dcApi: unknown }>['dcApi']

/** Opens the response with the key of its request. */
export function openStored(
  response: AuthorizationResponse,
  stored: StoredGeneration,
  { document, config }: EvaluationInput,
): ReturnType<typeof openResponse> {
  return openResponse(response, async () => ({
    ...(await openGeneration(document, stored)),
    isDcApi: stored.channel === 'dc_api',
    openKey: () => openEncryptionKey(config, document, stored),
  }))
}
