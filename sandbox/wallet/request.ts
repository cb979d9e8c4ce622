// The authorization request behind a wallet URI, passed by reference or by value, in OpenID4VP 1.0 and the
// drafts. The test wallet verifies nothing: its credentials prove nothing either.

import { decodeBase64url } from '../../src/codec/base64url.ts'
import { decodeUtf8 } from '../../src/codec/bytes.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../src/codec/json.ts'
import { err, ok, type Result } from '../../src/result.ts'
import { randomText } from '../issuer/sign.ts'

/** The members of a request that this wallet uses. */
export type WalletRequest = {
  /** Audience of every proof. */
  readonly clientId: string
  readonly nonce: string
  readonly state: string | undefined
  readonly responseUri: string
  readonly encrypted: boolean
  /** Drafts use the session transcript of ISO/IEC TS 18013-7 for mdocs. */
  readonly isDraft: boolean
  readonly dcqlQuery: JsonObject | undefined
  readonly presentationDefinition: JsonObject | undefined
  readonly transactionData: readonly string[]
  readonly encryptionKey: EncryptionKey | undefined
  readonly contentEncryption: string
}

/** Public key of the verifier. */
export type EncryptionKey = {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly kid?: string
}

/** `fetch` for the verifier's addresses. */
export type CallVerifier = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Reason for which the wallet cannot respond, as text for developers. `status` and `body` come from the
 * verifier's response, if there is a response.
 */
export type WalletError = { readonly detail: string; readonly status?: number; readonly body?: string }

/** Characters of a URI. A request passed by value is long. */
const URI_LIMIT = 65_536
const LIMITS = { length: 262_144, depth: 24 }

/** Reads the request of a wallet URI, and fetches it first if it is passed by reference. */
export async function receiveRequest(
  uri: string,
  call: CallVerifier,
): Promise<Result<WalletRequest, WalletError>> {
  if (uri.length > URI_LIMIT || !URL.canParse(uri)) return err({ detail: 'This is not a wallet URI.' })
  const parameters = new URL(uri).searchParams
  const requestUri = parameters.get('request_uri')
  if (requestUri === null) return readRequest(fromParameters(parameters))
  const posts = parameters.get('request_uri_method') === 'post'
  const walletNonce = randomText()
  const fetched = await fetchText(call, requestUri, posts ? asForm({ wallet_nonce: walletNonce }) : {})
  const { status, body } = fetched
  if (status !== 200) return err({ detail: 'The request could not be fetched.', status, body })
  const claims = decodePart(body, 1)
  if (claims === undefined) return err({ detail: 'The fetched document is not a Request Object.' })
  // §5.10: a request without the wallet's nonce may be an old request.
  if (posts && member(claims, 'wallet_nonce') !== walletNonce)
    return err({ detail: 'The Request Object does not repeat wallet_nonce.' })
  return readRequest(claims)
}

/** Returns the status and text of a response; status 0 if the verifier is unreachable. */
export async function fetchText(
  call: CallVerifier,
  url: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await call(url, init)
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: error instanceof Error ? error.message : '' }
  }
}

/** Options of `fetch` that post a form. */
export function asForm(parameters: Readonly<Record<string, string>>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  }
}

/** Reads the parameters of a request. */
export function readRequest(claims: JsonObject): Result<WalletRequest, WalletError> {
  const [clientId, nonce, state, responseUri, mode] = [
    'client_id',
    'nonce',
    'state',
    'response_uri',
    'response_mode',
  ].map((name) => textOf(claims, name))
  if (clientId === undefined || nonce === undefined)
    return err({ detail: 'The request has no client_id or no nonce.' })
  const metadata = objectOf(claims, 'client_metadata') ?? {}
  const enc = member(metadata, 'encrypted_response_enc_values_supported')
  const drafted = textOf(metadata, 'authorization_encrypted_response_enc')
  const transactionData = member(claims, 'transaction_data')
  return ok({
    clientId,
    nonce,
    state,
    responseUri: responseUri ?? '',
    encrypted: mode?.endsWith('.jwt') ?? false,
    isDraft: Object.hasOwn(metadata, 'vp_formats'),
    dcqlQuery: objectOf(claims, 'dcql_query'),
    presentationDefinition: objectOf(claims, 'presentation_definition'),
    transactionData: Array.isArray(transactionData) ? transactionData.filter(isText) : [],
    encryptionKey: encryptionKeyOf(metadata),
    contentEncryption: drafted ?? (Array.isArray(enc) ? enc.find(isText) : undefined) ?? 'A128GCM',
  })
}

/** Reads a request passed by value. Objects and lists are JSON text. */
function fromParameters(parameters: URLSearchParams): JsonObject {
  const read = (text: string) => {
    const parsed = parseJsonObject(`{"value":${text}}`, LIMITS)
    return parsed.ok ? (member(parsed.value, 'value') ?? text) : text
  }
  return Object.fromEntries(
    [...parameters].map(([name, text]) => [name, /^[[{]/.test(text) ? read(text) : text]),
  )
}

function encryptionKeyOf(metadata: JsonObject): EncryptionKey | undefined {
  const keys = member(objectOf(metadata, 'jwks') ?? {}, 'keys')
  const [key] = Array.isArray(keys) ? keys : []
  if (!isJsonObject(key)) return undefined
  const [kty = '', crv = '', x = '', y = '', kid] = ['kty', 'crv', 'x', 'y', 'kid'].map((name) =>
    textOf(key, name),
  )
  return { kty, crv, x, y, ...(kid !== undefined && { kid }) }
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = member(object, name)
  return isText(value) ? value : undefined
}

function objectOf(object: JsonObject, name: string): JsonObject | undefined {
  const value = member(object, name)
  return isJsonObject(value) ? value : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/**
 * Returns a part of a compact JWS as a JSON object, without verification: 0 its header, 1 its payload.
 * `undefined` for anything else.
 */
export function decodePart(compact: string, index: number): JsonObject | undefined {
  const bytes = decodeBase64url(compact.trim().split('.')[index] ?? '')
  const text = bytes && decodeUtf8(bytes)
  const parsed = text === undefined ? undefined : parseJsonObject(text, LIMITS)
  return parsed?.ok ? parsed.value : undefined
}
