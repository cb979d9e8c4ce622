// Forms of a generation: its addresses, its Request Object, and the view of the relying party.

import type { Openid4vpView, WalletRequest } from '../../../openapi/responses/verifications.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import { FORMATS } from '../../formats/index.ts'
import type { DcApiRequestInput } from '../../openid4vp/dc-api.ts'
import { buildPresentationDefinition } from '../../openid4vp/presentation-exchange/presentation-definition.ts'
import { PROTOCOLS, queryLanguage } from '../../openid4vp/protocols/index.ts'
import {
  buildAuthorizationRequestUri,
  buildWalletLinks,
  type RequestReference,
  type RequestValue,
} from '../../openid4vp/request/authorization-request.ts'
import type { Generation, QueryLanguage } from '../../openid4vp/request/generation.ts'
import { unsignedParameters } from '../../openid4vp/request/request-object.ts'
import { requestedTypes } from '../../policy/query.ts'
import { clientIdOf, passesByValue, requestOptionsOf, type SessionDocument } from '../document.ts'

/** Path prefix of every `request_uri`. It is short, because it is part of the QR code. */
export const REQUEST_PATH = '/r/'

/** Returns `wallet_request` (CONTRACT 3): what wallets receive. */
export function walletRequest(
  document: SessionDocument,
  generation: Generation,
  baseUrl: string,
): WalletRequest {
  const { request } = document
  const passed = passedRequest(document, generation, baseUrl)
  return {
    protocol: request.protocol,
    uri: buildAuthorizationRequestUri(passed),
    client_id: clientIdOf(document),
    request_uri: 'requestUri' in passed ? passed.requestUri : null,
    request_uri_method: request.request_options.request_uri_method,
    response_uri: callbackUrl(document, baseUrl),
    dcql_query: document.policy.query,
    transaction_data: document.request.transaction_data ?? null,
    wallet_links: buildWalletLinks(passed, request.protocol),
    expires_at: isoTime(document.expires_at),
  }
}

/** Returns a request as its URI contains it: all of it, or the address to fetch it from. */
function passedRequest(
  document: SessionDocument,
  generation: Generation,
  baseUrl: string,
): RequestReference | RequestValue {
  if (passesByValue(document)) {
    const world = { baseUrl, now: document.created_at } // an unsigned request contains no time
    return { parameters: requestClaims(document, generation, undefined, world) }
  }
  const { protocol, request_options } = document.request
  // A protocol that knows only GET has no parameter for the method.
  const saysMethod = PROTOCOLS[protocol].requestUriMethods.includes('post')
  return {
    clientId: clientIdOf(document),
    requestUri: requestUriOf(document, generation, baseUrl),
    requestUriMethod: saysMethod ? (request_options.request_uri_method ?? undefined) : undefined,
  }
}

/** Returns the address of a generation's Request Object. */
function requestUriOf(document: SessionDocument, generation: Generation, baseUrl: string): string {
  return baseUrl + REQUEST_PATH + document.verification_id.slice(2) + generation.requestId
}

/** Returns the query language of the session's requests. */
export function languageOf({ policy, request }: SessionDocument): QueryLanguage {
  return queryLanguage(PROTOCOLS[request.protocol], policy)
}

/** Returns the Response URI. The relying party's view calls it `redirect_uri`. */
export function callbackUrl(
  { verification_id }: Pick<SessionDocument, 'verification_id'>,
  baseUrl: string,
): string {
  return `${baseUrl}/v1/verify/${verification_id}/callback`
}

/**
 * Returns the claims of the Request Object, or the parameters of a request by value. `now` in Unix
 * milliseconds.
 */
export function requestClaims(
  document: SessionDocument,
  generation: Generation,
  walletNonce: string | undefined,
  { baseUrl, now }: { readonly baseUrl: string; readonly now: number },
): JsonObject {
  const claims = PROTOCOLS[document.request.protocol].buildRequestObject({
    clientId: clientIdOf(document),
    responseUri: callbackUrl(document, baseUrl),
    language: languageOf(document),
    walletNonce,
    ...requestInput(document, generation, now),
  })
  return passesByValue(document) ? unsignedParameters(claims) : claims
}

/** Returns the input for requests of the Digital Credentials API. `now` in Unix milliseconds. */
export function dcApiRequestInput(
  document: SessionDocument,
  generation: Generation,
  { origin, now }: { readonly origin: string; readonly now: number },
): DcApiRequestInput {
  return {
    origin,
    googleMetadata: document.verifier.google_metadata,
    ...requestInput(document, generation, now),
  }
}

/** Returns the input that every kind of request needs. */
function requestInput(document: SessionDocument, generation: Generation, now: number) {
  const { request, policy, verifier, expires_at } = document
  return {
    generation,
    responseMode: requestOptionsOf(document).responseMode,
    query: policy.query,
    transactionData: request.transaction_data,
    verifierInfo: verifier.verifier_info,
    formats: FORMATS,
    now: Math.floor(now / 1000),
    expiresAt: Math.floor(expires_at / 1000),
  }
}

/** Returns the body of `GET …/openid4vp`: the view of the relying party, with `wallet_request` beside it. */
export function openid4vpView(
  document: SessionDocument,
  generation: Generation,
  addresses: { readonly baseUrl: string; readonly walletScheme: string; readonly qrCodeUrl: string },
): Openid4vpView {
  const id = document.verification_id
  return {
    verification_id: id,
    status: document.status,
    expires_at: isoTime(document.expires_at),
    deep_link: `${addresses.walletScheme}://verify?request=${id}`,
    qr_code_url: addresses.qrCodeUrl,
    authorization_request: {
      response_type: 'vp_token',
      response_mode: 'direct_post',
      client_id: addresses.baseUrl,
      redirect_uri: callbackUrl(document, addresses.baseUrl),
      nonce: generation.nonce,
      presentation_definition: buildPresentationDefinition({
        verificationId: id,
        match: document.request.credential_match ?? 'all',
        credentialTypes: requestedTypes(document.policy),
      }),
    },
    wallet_request: walletRequest(document, generation, addresses.baseUrl),
  }
}
