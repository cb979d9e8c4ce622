// The Authorization Request as a URI (OpenID4VP 1.0 §5, §5.10). By reference, it names only the verifier and
// the URI of the Request Object, because a shorter QR is easier to scan. By value, it has all parameters.

import type { Json, JsonObject } from '../../codec/json.ts'
import type { RequestUriMethod } from './generation.ts'

/** A request passed by reference. */
export type RequestReference = {
  /** Full Client Identifier, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  /** `undefined` if the protocol has no `request_uri_method`. */
  readonly requestUriMethod: RequestUriMethod | undefined
}

/** A request passed by value: its unsigned parameters. */
export type RequestValue = { readonly parameters: JsonObject }

/**
 * Builds the URI of a request for one wallet. `link` is the scheme of the wallet, or the start of its URL.
 * The QR has the default scheme.
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

/** Builds `wallet_links`: the same request as a URI for each link, by the name of the link. */
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
 * Encodes a value in the query of a URI. RFC 3986 §3.4 allows `:`, `/` and `,` there. They are not escaped.
 * This saves two characters each in the QR.
 */
export function encodeQueryValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',')
}
