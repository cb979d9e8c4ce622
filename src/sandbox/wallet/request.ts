// What a wallet is asked: the request behind an `openid4vp://` URI or another wallet scheme, passed by reference or by value, in
// OpenID4VP 1.0 and in the drafts. It is read for what it says; nothing is verified, for what is shown here proves nothing anyway.

import { encodeBase64url } from '../../codec/base64url.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { partOf } from './jwt-parts.ts'

/** A request, as far as this wallet heeds it. */
export type WalletRequest = {
  /** As it stands in the request: the audience of every proof. */
  readonly clientId: string
  readonly nonce: string
  readonly state: string | undefined
  readonly responseUri: string
  readonly encrypted: boolean
  /** Before 1.0 answers were encrypted as JARM has it, and mdocs presented in the session of ISO/IEC TS 18013-7. */
  readonly isDraft: boolean
  readonly dcqlQuery: JsonObject | undefined
  readonly presentationDefinition: JsonObject | undefined
  readonly transactionData: readonly string[]
  readonly encryptionKey: EncryptionKey | undefined
  readonly contentEncryption: string
}

/** A public key of the verifier's. */
export type EncryptionKey = {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly kid?: string
}

/** How this wallet reaches the verifier. */
export type Reach = (url: string, init?: RequestInit) => Promise<Response>

/** What stands in the way of an answer, in words for the developer; `status` and `body` are the verifier's, where it said something. */
export type WalletFault = { readonly detail: string; readonly status?: number; readonly body?: string }

/** Characters of a URI: a request passed by value is long. */
const URI_LIMIT = 65_536
const LIMITS = { length: 262_144, depth: 24 }

/** Takes a wallet URI; fetches the request where it is passed by reference. */
export async function receiveRequest(uri: string, reach: Reach): Promise<Result<WalletRequest, WalletFault>> {
  if (uri.length > URI_LIMIT || !URL.canParse(uri)) return err({ detail: 'This is no wallet URI.' })
  const parameters = new URL(uri).searchParams
  const requestUri = parameters.get('request_uri')
  if (requestUri === null) return readRequest(fromParameters(parameters))
  const posts = parameters.get('request_uri_method') === 'post'
  const walletNonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const fetched = await call(reach, requestUri, posts ? asForm({ wallet_nonce: walletNonce }) : {})
  const { status, body } = fetched
  if (status !== 200) return err({ detail: 'The request could not be fetched.', status, body })
  const claims = partOf(body, 1)
  if (claims === undefined) return err({ detail: 'What was fetched is no Request Object.' })
  // §5.10: what the wallet made fresh comes back, or this is an old request.
  if (posts && member(claims, 'wallet_nonce') !== walletNonce)
    return err({ detail: 'The Request Object does not repeat wallet_nonce.' })
  return readRequest(claims)
}

/** What the verifier answers; status 0 where it cannot be reached. */
export async function call(
  reach: Reach,
  url: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await reach(url, init)
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: error instanceof Error ? error.message : '' }
  }
}

/** A form as it is posted. */
export function asForm(parameters: Readonly<Record<string, string>>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  }
}

/** Reads the parameters of a request. */
export function readRequest(claims: JsonObject): Result<WalletRequest, WalletFault> {
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
  const offered = member(metadata, 'encrypted_response_enc_values_supported')
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
    contentEncryption: drafted ?? (Array.isArray(offered) ? offered.find(isText) : undefined) ?? 'A128GCM',
  })
}

/** Parameters of a request passed by value: objects and lists travel as JSON text. */
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
