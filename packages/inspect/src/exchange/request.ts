// Reads the request of an exchange: what was asked, and what the response must be bound to. The values come
// from a stored request of the library, a Request Object, parameters, or messages of Annex C.

import { encodeBase64url } from '../../../../src/codec/base64url.ts'
import { type CborItem, findEntry, readBytes, readEmbedded, readText } from '../../../../src/codec/cbor.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../../src/codec/json.ts'
import { parseCoseKey } from '../../../../src/crypto/cose.ts'
import { type PublicJwk, parsePublicJwk } from '../../../../src/crypto/jwk.ts'
import { buildEncryptionInfo } from '../../../../src/iso18013-7/encryption-info.ts'
import { type DcqlQuery, dcqlQuery } from '../../../../src/openid4vp/dcql/query.ts'
import type { ResponseMode } from '../../../../src/openid4vp/response/response-mode.ts'
import { readRequest, type StoredRequest } from '../../../verify/src/stored-request.ts'
import { INPUT } from '../limits.ts'
import { isAnnexCRequest } from '../parts/annex-c.ts'
import { readToken } from '../parts/jws.ts'
import { isRequest, linkParameters } from '../parts/request.ts'
import { readCbor } from '../parts/status-list.ts'
import { digitalRequests } from '../recognize.ts'
import { decodeText, type Source } from '../source.ts'

/** Members of every request. `requestedAt`: Unix seconds, if the request has its time. */
type Common = {
  readonly query: DcqlQuery
  /** The whole policy, if it is known: a request alone has only its query. */
  readonly stored: StoredRequest | undefined
  readonly requestedAt: number | undefined
  readonly nonce: string
  /** Key to which the response is encrypted. */
  readonly publicJwk: PublicJwk | undefined
}

/** A request of OpenID4VP. */
export type Openid4vpRequest = Common & {
  readonly kind: 'openid4vp'
  readonly channel: StoredRequest['channel']
  readonly state: string
  readonly kid: string
  readonly responseMode: ResponseMode
  readonly transactionData: readonly string[] | null
}

/** A request of ISO/IEC TS 18013-7 Annex C. `encryptionInfo`: the text as sent. */
export type AnnexCRequest = Common & {
  readonly kind: 'annex_c'
  readonly origin: string
  readonly encryptionInfo: string
}

export type ExchangeRequest = Openid4vpRequest | AnnexCRequest

/** The request cannot be evaluated. The message says what is missing. */
export class NotEvaluatedError extends Error {}

/** Reads the request. `usesAnnexC`: true if the response came by Annex C. Throws `NotEvaluatedError`. */
export function readExchangeRequest(
  source: Source,
  { origin, usesAnnexC }: { readonly origin: string | undefined; readonly usesAnnexC: boolean },
): ExchangeRequest {
  const text = source.kind === 'text' ? source.text : ''
  const parsed = parseJson(text, INPUT.json)
  const value = parsed.ok ? parsed.value : undefined
  if (isJsonObject(value) && isJsonObject(member(value, 'channel'))) return ofStored(text, usesAnnexC)
  const entries = (value !== undefined && digitalRequests(value)) || []
  const datas = entries.map((entry) => (isJsonObject(entry) ? member(entry, 'data') : entry))
  const data = datas.find((each) => isAnnexCRequest(each) === usesAnnexC) ?? value
  if (isAnnexCRequest(data)) return ofAnnexC(data, requireOrigin(origin))
  const signed = isJsonObject(data) ? member(data, 'request') : undefined
  const link = linkParameters(text)
  const inLink = link && member(link, 'request')
  const compact = [signed, inLink, text].find(
    (each) => typeof each === 'string' && readToken(each) !== undefined,
  )
  const token = typeof compact === 'string' ? readToken(compact)?.payload : undefined
  const parameters = token ?? (isJsonObject(data) ? data : link)
  if (parameters === undefined || !isRequest(parameters))
    throw new NotEvaluatedError('the first input is no request: give the Request Object or the request link')
  return ofParameters(parameters, { isSigned: token !== undefined, origin })
}

function requireOrigin(origin: string | undefined): string {
  if (origin !== undefined && origin !== '') return origin
  throw new NotEvaluatedError('give the origin of the page, such as https://shop.example')
}

function ofStored(text: string, usesAnnexC: boolean): ExchangeRequest {
  const stored = readStored(text)
  const { channel, policy, createdAt: requestedAt, openid4vp, annexC } = stored
  const common = { query: policy.query, stored, requestedAt }
  if (usesAnnexC && annexC !== undefined && channel.kind === 'dc_api') {
    const { nonce, key: publicJwk } = annexC
    const encryptionInfo = buildEncryptionInfo({ nonce, x: publicJwk.x, y: publicJwk.y ?? '' })
    return { ...common, kind: 'annex_c', nonce, publicJwk, origin: channel.origin, encryptionInfo }
  }
  if (openid4vp === undefined) throw new NotEvaluatedError('the request has no OpenID4VP request')
  const { nonce, state, kid, key: publicJwk, responseMode } = openid4vp
  const keys = { nonce, state, kid, publicJwk, responseMode }
  return { ...common, ...keys, kind: 'openid4vp', channel, transactionData: null }
}

function readStored(text: string): StoredRequest {
  try {
    return readRequest(text)
  } catch {
    throw new NotEvaluatedError('the stored request has another form than createRequest returns')
  }
}

type Found = { readonly isSigned: boolean; readonly origin: string | undefined }

function ofParameters(parameters: JsonObject, { isSigned, origin }: Found): Openid4vpRequest {
  const text = (name: string) => {
    const value = member(parameters, name)
    return typeof value === 'string' ? value : undefined
  }
  if (text('request_uri') !== undefined)
    throw new NotEvaluatedError(
      'the link names the address of the request: give the Request Object from there',
    )
  if (member(parameters, 'dcql_query') === undefined)
    throw new NotEvaluatedError(
      'the request has no dcql_query: drafts with Presentation Exchange are only decoded',
    )
  const [nonce, mode, responseUri] = [text('nonce'), text('response_mode'), text('response_uri')]
  const isDcApi = mode === 'dc_api' || mode === 'dc_api.jwt'
  const responseMode = mode?.endsWith('.jwt') ? 'direct_post.jwt' : 'direct_post'
  if (nonce === undefined) throw new NotEvaluatedError('the request has no nonce')
  if (!isDcApi && (mode?.startsWith('direct_post') !== true || responseUri === undefined))
    throw new NotEvaluatedError('the request has no direct_post with a response_uri, and no dc_api')
  const clientId = text('client_id') ?? ''
  const iat = member(parameters, 'iat')
  const transactions = member(parameters, 'transaction_data')
  return {
    kind: 'openid4vp',
    query: readQuery(member(parameters, 'dcql_query')),
    stored: undefined,
    requestedAt: typeof iat === 'number' ? iat : undefined,
    nonce,
    ...encryptionKey(parameters),
    state: text('state') ?? '',
    channel: isDcApi
      ? { kind: 'dc_api', origin: requireOrigin(originOf(parameters, origin)) }
      : { kind: 'redirect', responseUri: responseUri ?? '', clientId, isSigned },
    responseMode,
    transactionData: Array.isArray(transactions) ? transactions.map(String) : null,
  }
}

/** Returns the given origin, or the only expected origin of the request. */
function originOf(parameters: JsonObject, origin: string | undefined): string | undefined {
  const expected = member(parameters, 'expected_origins')
  return origin || (Array.isArray(expected) && expected.length === 1 ? String(expected[0]) : undefined)
}

function encryptionKey(parameters: JsonObject) {
  const metadata = member(parameters, 'client_metadata')
  const jwks = isJsonObject(metadata) ? member(metadata, 'jwks') : undefined
  const keys = isJsonObject(jwks) ? member(jwks, 'keys') : undefined
  const jwk = Array.isArray(keys) ? keys.find((key) => parsePublicJwk(key)?.crv === 'P-256') : undefined
  const kid = isJsonObject(jwk) ? member(jwk, 'kid') : undefined
  return { publicJwk: parsePublicJwk(jwk), kid: typeof kid === 'string' ? kid : '' }
}

function readQuery(value: Json | undefined): DcqlQuery {
  const parsed = dcqlQuery.safeParse(value)
  if (parsed.success) return parsed.data
  throw new NotEvaluatedError('the query is not well-formed: see the checks of the query')
}

function ofAnnexC(data: JsonObject, origin: string): AnnexCRequest {
  const [request, info] = ['deviceRequest', 'encryptionInfo'].map((name) => {
    const bytes = decodeText(String(member(data, name) ?? ''))
    return bytes && readCbor(bytes)
  })
  const content = info?.type === 'array' ? info.items[1] : undefined
  const nonce = content && readBytes(findEntry(content, 'nonce'))
  const publicJwk = content && parseCoseKey(findEntry(content, 'recipientPublicKey'))
  if (request === undefined || nonce === undefined || publicJwk === undefined)
    throw new NotEvaluatedError('the request has no readable deviceRequest or encryptionInfo')
  return {
    kind: 'annex_c',
    query: readQuery(queryOfDocuments(request)),
    stored: undefined,
    requestedAt: undefined,
    nonce: encodeBase64url(nonce),
    publicJwk,
    origin,
    encryptionInfo: String(member(data, 'encryptionInfo')),
  }
}

/** Returns the query that a DeviceRequest makes: each requested document with its elements. */
function queryOfDocuments(request: CborItem): Json {
  const requests = findEntry(request, 'docRequests')
  const items = requests?.type === 'array' ? requests.items : []
  return { credentials: items.slice(0, 10).map((item, i) => documentQueryOf(item, `document_${i}`)) }
}

function documentQueryOf(item: CborItem, id: string): Json {
  const bytes = readEmbedded(findEntry(item, 'itemsRequest'))
  const content = bytes && readCbor(bytes)
  const nameSpaces = content && findEntry(content, 'nameSpaces')
  const claims = (nameSpaces?.type === 'map' ? nameSpaces.entries : []).flatMap(({ key, value }) =>
    (value.type === 'map' ? value.entries : []).map((element) => ({
      path: [readText(key) ?? '', readText(element.key) ?? ''],
    })),
  )
  const docType = (content && readText(findEntry(content, 'docType'))) ?? ''
  return { id, format: 'mso_mdoc', meta: { doctype_value: docType }, claims }
}
