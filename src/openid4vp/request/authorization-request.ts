// Builds the URI of an Authorization Request (OpenID4VP 1.0 §5, §5.10). The URI of a request by reference has
// `client_id`, `request_uri` and `request_uri_method` only, so the QR code is small and easy to scan. The URI
// of a request by value has all parameters.

import type { Json, JsonObject } from '../../codec/json.ts'
import type { RequestUriMethod } from './generation.ts'

/** A request passed by reference. */
export type RequestReference = {
  /** Full Client Identifier, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  /** `undefined`: the URI has no `request_uri_method`, so the wallet uses GET. */
  readonly requestUriMethod: RequestUriMethod | undefined
}

/** A request passed by value: its unsigned parameters. */
export type RequestValue = { readonly parameters: JsonObject }

/**
 * Builds the URI of a request. `link` is the URI scheme that one wallet uses, or the URL of one wallet. The
 * default scheme is for any wallet.
 */
export function buildAuthorizationRequestUri(
  request: RequestReference | RequestValue,
  link = 'openid4vp',
): string {
  const query = Object.entries('parameters' in request ? request.parameters : referring(request)).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}=${encodeQueryValue(toText(value))}`]),
  )
  const start = link.includes(':') ? link : `${link}://`
  return `${start}?${query.join('&')}`
}

/** Builds `wallet_links`: one URI of the same request for each link. The key is the name of the link. */
export function buildWalletLinks(
  request: RequestReference | RequestValue,
  links: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => [name, buildAuthorizationRequestUri(request, link)]),
  )
}

function referring({ clientId, requestUri, requestUriMethod }: RequestReference) {
  return { client_id: clientId, request_uri: requestUri, request_uri_method: requestUriMethod }
}

/** §5: JSON values are written as JSON text in a URI. */
function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Encodes a value in the query of a URI. RFC 3986 §3.4 allows `:`, `/` and `,` there. These characters are
 * not escaped, which saves two characters each in the QR code.
 */
export function encodeQueryValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',')
}
