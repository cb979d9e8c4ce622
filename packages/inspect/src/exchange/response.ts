// Reads the response of an exchange. The library opens it (`openPosted`). A response that the caller gives
// decrypted, or as its presentations alone, is open already.

import { encodeBase64url } from '../../../../src/codec/base64url.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../../src/codec/json.ts'
import { openHpke } from '../../../../src/crypto/hpke.ts'
import type { PrivateJwk } from '../../../../src/crypto/jwk.ts'
import { boundTo } from '../../../../src/exchange/open-response.ts'
import type { EvaluationReason } from '../../../../src/exchange/unchecked.ts'
import { buildDcApiTranscript } from '../../../../src/formats/mdoc/session-transcript.ts'
import type { Handover } from '../../../../src/formats/verification/format.ts'
import { parseDocuments } from '../../../../src/iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../../../src/iso18013-7/encrypted-response.ts'
import { documentQuery } from '../../../../src/openid4vp/dcql/document-query.ts'
import type { Protocol } from '../../../../src/openid4vp/protocols/protocol.ts'
import type { PresentationGroup } from '../../../../src/openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../../../../src/result.ts'
import { openPosted, readPosted } from '../../../verify/src/posted-response.ts'
import { INPUT } from '../limits.ts'
import { isJwe } from '../parts/jws.ts'
import { formParameters } from '../recognize.ts'
import { type Bytes, decodeText, type Source } from '../source.ts'
import { type AnnexCRequest, NotEvaluatedError, type Openid4vpRequest } from './request.ts'

/** An opened response. `isGivenOpen`: nothing was decrypted, so `state` and `kid` were not compared. */
export type Opened =
  | {
      readonly kind: 'presentations'
      readonly groups: readonly PresentationGroup[]
      readonly audience: string
      readonly handover: Handover
      readonly isGivenOpen: boolean
    }
  | { readonly kind: 'wallet_error'; readonly error: string }

type OpenResult = Result<Opened, EvaluationReason>

/** Returns true if a response is of Annex C: an encrypted response or a DeviceResponse in CBOR. */
export function isOfAnnexC(source: Source): boolean {
  const value = jsonOf(source)
  if (isJsonObject(value) && member(value, 'protocol') !== undefined)
    return member(value, 'protocol') === 'org-iso-mdoc'
  const response = isJsonObject(value) ? member(value, 'response') : undefined
  return typeof response === 'string' && decodeText(response)?.[0] === ARRAY_OF_TWO
}

/** First byte of `["dcapi", …]` (RFC 8949 §3). */
const ARRAY_OF_TWO = 0x82

function jsonOf(source: Source): Json | undefined {
  const parsed = source.kind === 'text' ? parseJson(source.text, INPUT.json) : undefined
  return parsed?.ok ? parsed.value : undefined
}

/** Opens a response of OpenID4VP. `key`: the private key of the request, if it is known. */
export async function openResponseOf(
  source: Source,
  request: Openid4vpRequest,
  { key, protocol }: { readonly key: PrivateJwk | undefined; readonly protocol: Protocol },
): Promise<OpenResult> {
  const given = givenResponse(source, request)
  if ('vpToken' in given) return openGiven(given.vpToken, request, { key, protocol })
  const isEncrypted = request.responseMode === 'direct_post.jwt'
  if (isEncrypted && key === undefined)
    throw new NotEvaluatedError(
      'the response is encrypted: give the private key of the request, or the decrypted response',
    )
  const { nonce, state, kid, responseMode, channel, query } = request
  const posted = readPosted(given.posted, channel)
  if (!posted.ok) return posted
  // A plain response needs no key.
  const keys = { nonce, state, kid, responseMode, key: key ?? NO_KEY }
  const opened = await openPosted(posted.value, { keys, channel, query, protocol })
  if (!opened.ok || opened.value.kind === 'wallet_error') return opened as OpenResult // without presentations
  const { groups, bound } = opened.value
  return ok({ kind: 'presentations', groups, ...bound, isGivenOpen: false })
}

const NO_KEY: PrivateJwk = { kty: 'EC', crv: 'P-256', x: '', y: '', d: '' }

type GivenResponse = { readonly posted: unknown } | { readonly vpToken: Json }

/** Returns what was posted, or the presentations of a response that is open already. */
function givenResponse(
  source: Source,
  { channel, query, responseMode, state }: Openid4vpRequest,
): GivenResponse {
  const isDcApi = channel.kind === 'dc_api'
  const text = source.kind === 'text' ? source.text : encodeBase64url(source.bytes)
  const asPosted = (data: JsonObject): GivenResponse => ({
    posted: isDcApi ? { protocol: 'openid4vp-v1-unsigned', data } : formOf({ state, ...data }),
  })
  if (formParameters(text) !== undefined || (!isDcApi && FORM.test(text))) return { posted: text }
  if (isJwe(text)) return asPosted({ response: text })
  const value = jsonOf(source)
  if (!isJsonObject(value))
    return {
      vpToken: onlyQuery(
        query.credentials.map(({ id }) => id),
        text,
      ),
    }
  if (Object.hasOwn(value, 'protocol')) return { posted: value }
  if (Object.hasOwn(value, 'response') || Object.hasOwn(value, 'error')) return asPosted(value)
  const vpToken = member(value, 'vp_token') ?? value
  return responseMode === 'direct_post' ? asPosted({ vp_token: vpToken }) : { vpToken }
}

/** Start of a form, also of one that is malformed. */
const FORM = /^[\w.%+-]{1,64}=/

/** A presentation alone answers the only credential query. */
function onlyQuery([id, ...others]: readonly string[], presentation: string): Json {
  if (id !== undefined && others.length === 0) return { [id]: [presentation] }
  throw new NotEvaluatedError('the request has several credential queries: give the whole vp_token')
}

function formOf(parameters: JsonObject): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
  return new URLSearchParams(pairs).toString()
}

/** Reads presentations that are open already. The key of the request is part of what a device signs. */
function openGiven(
  vpToken: Json,
  { channel, query, nonce, state, publicJwk, responseMode }: Openid4vpRequest,
  { key, protocol }: { readonly key: PrivateJwk | undefined; readonly protocol: Protocol },
): OpenResult {
  const isEncrypted = responseMode === 'direct_post.jwt'
  const encryptionKey = isEncrypted ? (key ?? withoutPrivate(publicJwk)) : null
  const response = {
    ...({ kind: 'presentation', state, hasJsonValues: true, vpToken } as const),
    presentationSubmission: undefined,
  }
  const groups = protocol.parsePresentations(response, { query, language: 'dcql', nonce })
  if (!groups.ok) return err(groups.error.reason)
  const bound = boundTo(channel, { encryptionKey, agreementPartyUInfo: undefined }, protocol)
  return ok({ kind: 'presentations', groups: groups.value, ...bound, isGivenOpen: true })
}

/** A public key in the place of the private one: enough for a signature of the device, not for its MAC. */
function withoutPrivate(publicJwk: Openid4vpRequest['publicJwk']): PrivateJwk | null {
  return publicJwk === undefined ? null : { ...publicJwk, d: '' }
}

/** Opens a response of Annex C: encrypted, or a DeviceResponse that is open already. */
export async function openDocumentsOf(
  source: Source,
  { query, origin, encryptionInfo, publicJwk }: AnnexCRequest,
  key: PrivateJwk | undefined,
): Promise<OpenResult> {
  const documents = documentQuery(query)
  if (documents === undefined) throw new NotEvaluatedError('documents alone cannot answer the query')
  const response = await deviceResponseOf(source, { origin, encryptionInfo }, key)
  if (!response.ok) return response
  const parsed = parseDocuments(response.value, query, documents)
  if (!parsed.ok) return err(parsed.error.reason)
  const encryptionKey = key ?? withoutPrivate(publicJwk)
  const handover = { kind: 'iso_dc_api', origin, encryptionInfo, encryptionKey } as const
  const { groups } = parsed.value
  const isGivenOpen = source.bytes !== undefined
  return ok({ kind: 'presentations', groups, audience: `origin:${origin}`, handover, isGivenOpen })
}

async function deviceResponseOf(
  source: Source,
  bound: { readonly origin: string; readonly encryptionInfo: string },
  key: PrivateJwk | undefined,
): Promise<Result<Bytes, EvaluationReason>> {
  const value = jsonOf(source)
  const inner = isJsonObject(value) ? member(value, 'data') : undefined
  const data = isJsonObject(inner) ? inner : value
  if (!isJsonObject(data)) {
    if (source.bytes !== undefined) return ok(source.bytes)
    throw new NotEvaluatedError('the response is no response of Annex C')
  }
  const message = parseEncryptedResponse(data)
  if (!message.ok) return err(message.error.reason)
  if (key === undefined)
    throw new NotEvaluatedError('the response is encrypted: give the private key of the request')
  const deviceResponse = await openHpke(message.value, key, { info: await buildDcApiTranscript(bound) })
  return deviceResponse === undefined ? err('decryption_failed') : ok(deviceResponse)
}
