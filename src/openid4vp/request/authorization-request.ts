// The Authorization Request as a wallet first meets it (OpenID4VP 1.0 §5, §5.10): a URI. Passed by reference it names who asks
// and where the Request Object is, and nothing more: shorter means a QR that is easier to scan. Passed by value it is all there is.

import type { Json, JsonObject } from '../../codec/json.ts'
import { PROTOCOLS } from '../protocols/index.ts'
import type { ProtocolId, RequestUriMethod } from './generation.ts'

/** A request passed by reference. */
export type RequestReference = {
  /** Full Client Identifier, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  /** Undefined where the protocol has no such parameter. */
  readonly requestUriMethod: RequestUriMethod | undefined
}

/** A request passed by value: its unsigned parameters. */
export type RequestValue = { readonly parameters: JsonObject }

/** The URI for one wallet scheme. The QR holds it with the default scheme. */
export function buildAuthorizationRequestUri(
  request: RequestReference | RequestValue,
  scheme = 'openid4vp',
): string {
  const query = Object.entries('parameters' in request ? request.parameters : referring(request)).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}=${encodeQueryValue(textOf(value))}`]),
  )
  return `${scheme}://?${query.join('&')}`
}

/** `wallet_links`: the same request for each scheme whose wallets speak the protocol. */
export function buildWalletLinks(
  request: RequestReference | RequestValue,
  protocol: ProtocolId,
): Readonly<Record<string, string>> {
  const { walletSchemes } = PROTOCOLS[protocol]
  return Object.fromEntries(
    walletSchemes.map((scheme) => [scheme, buildAuthorizationRequestUri(request, scheme)]),
  )
}

function referring({ clientId, requestUri, requestUriMethod }: RequestReference) {
  return { client_id: clientId, request_uri: requestUri, request_uri_method: requestUriMethod }
}

/** §5: in a URI, what is JSON is written as JSON. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// RFC 3986 §3.4 allows `:`, `/` and `,` in a query; escaped they would cost the QR two characters each.
function encodeQueryValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',')
}
