// Builds the parts of a generation (one authorization request) that other parties receive: its addresses, its
// Request Object, and the view of the relying party.

import type { Openid4vpView, WalletRequest } from '../../api/responses/verifications.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import { FORMATS } from '../../formats/index.ts'
import type { DcApiRequestInput } from '../../openid4vp/dc-api.ts'
import { buildPresentationDefinition } from '../../openid4vp/presentation-exchange/presentation-definition.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import {
  buildAuthorizationRequestUri,
  buildWalletLinks,
  type RequestReference,
  type RequestValue,
} from '../../openid4vp/request/authorization-request.ts'
import type { Generation } from '../../openid4vp/request/generation.ts'
import { unsignedParameters } from '../../openid4vp/request/request-object.ts'
import { requestedTypes } from '../../policy/query.ts'
import { linksOfProtocol, type NamedLinks } from '../../wallets/links.ts'
import type { SessionDocument } from '../document/document.ts'
import { requireRequestOptions } from '../document/stored-request.ts'
import { passesByValue, requireClientId } from '../document/stored-verifier.ts'
import type { RequestTerms } from './terms.ts'

/** Path prefix of every `request_uri`. The prefix is short, because the QR code contains it. */
export const REQUEST_PATH = '/r/'

/** Returns `wallet_request` (api/request): the request as wallets receive it. */
export function walletRequest(terms: RequestTerms, generation: Generation, baseUrl: string): WalletRequest {
  const { request } = terms
  const passed = passedRequest(terms, generation, baseUrl)
  return {
    protocol: request.protocol,
    wallet: terms.wallet?.id ?? null,
    uri: buildAuthorizationRequestUri(passed, terms.wallet?.link ?? undefined),
    client_id: requireClientId(terms),
    request_uri: 'requestUri' in passed ? passed.requestUri : null,
    request_uri_method: request.request_options.request_uri_method,
    response_uri: callbackUrl(terms, baseUrl),
    dcql_query: terms.query,
    transaction_data: request.transaction_data ?? null,
    wallet_links: buildWalletLinks(passed, linksFor(terms)),
    expires_at: isoTime(terms.expires_at),
  }
}

/**
 * Returns the links of the chosen wallet; without a chosen wallet, the links of every wallet of the protocol.
 */
function linksFor({ request, livemode, wallet }: RequestTerms): NamedLinks {
  if (wallet !== null) return wallet.links
  const { protocol, request_options } = request
  return linksOfProtocol({ protocol, prefix: request_options.client_id_prefix }, { livemode })
}

/** Returns the content of a request's URI: the whole request, or the address of the Request Object. */
function passedRequest(
  terms: RequestTerms,
  generation: Generation,
  baseUrl: string,
): RequestReference | RequestValue {
  if (passesByValue(terms)) {
    const world = { baseUrl, now: terms.created_at } // an unsigned request contains no time
    return { parameters: requestClaims(terms, generation, undefined, world) }
  }
  const { protocol, request_options } = terms.request
  // A protocol that allows only GET has no parameter for the method.
  const saysMethod = PROTOCOLS[protocol].requestUriMethods.includes('post')
  return {
    clientId: requireClientId(terms),
    requestUri: buildRequestUri(terms, generation, baseUrl),
    requestUriMethod: saysMethod ? (request_options.request_uri_method ?? undefined) : undefined,
  }
}

/** Returns the address of a generation's Request Object. */
function buildRequestUri(terms: RequestTerms, generation: Generation, baseUrl: string): string {
  return baseUrl + REQUEST_PATH + terms.verification_id.slice(2) + generation.requestId
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
  terms: RequestTerms,
  generation: Generation,
  walletNonce: string | undefined,
  { baseUrl, now }: { readonly baseUrl: string; readonly now: number },
): JsonObject {
  const claims = PROTOCOLS[terms.request.protocol].buildRequestObject({
    clientId: requireClientId(terms),
    responseUri: callbackUrl(terms, baseUrl),
    language: terms.language,
    walletNonce,
    ...requestInput(terms, generation, now),
  })
  if (passesByValue(terms)) return unsignedParameters(claims)
  return terms.wallet?.names_issuer ? { ...claims, iss: requireClientId(terms) } : claims
}

/** Returns the input for requests of the Digital Credentials API. `now` in Unix milliseconds. */
export function dcApiRequestInput(
  terms: RequestTerms,
  generation: Generation,
  { origin, now }: { readonly origin: string; readonly now: number },
): DcApiRequestInput {
  return {
    origin,
    googleMetadata: terms.verifier.google_metadata,
    ...requestInput(terms, generation, now),
  }
}

/** Returns the input that every kind of request needs. */
function requestInput(terms: RequestTerms, generation: Generation, now: number) {
  const { request, query, verifier, expires_at } = terms
  return {
    generation,
    responseMode: requireRequestOptions(terms).responseMode,
    query,
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
  { terms, generation }: { readonly terms: RequestTerms; readonly generation: Generation },
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
    wallet_request: walletRequest(terms, generation, addresses.baseUrl),
  }
}
