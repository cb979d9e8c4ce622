// The Authorization Request as a wallet first meets it (OpenID4VP 1.0 §5, §5.10): a URI that names who asks and where
// the Request Object is, and nothing more. Shorter means a QR that is easier to scan.

import type { ProtocolId, RequestUriMethod } from './generation.ts'
import { PROTOCOLS } from './protocols/index.ts'

/** A request passed by reference. */
export type RequestReference = {
  /** Full Client Identifier, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  /** Undefined where the protocol has no such parameter. */
  readonly requestUriMethod: RequestUriMethod | undefined
}

/** The URI for one wallet scheme. The QR holds it with the default scheme. */
export function buildAuthorizationRequestUri(request: RequestReference, scheme = 'openid4vp'): string {
  const { clientId, requestUri, requestUriMethod } = request
  const parameters = { client_id: clientId, request_uri: requestUri, request_uri_method: requestUriMethod }
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeQueryValue(value)}`],
  )
  return `${scheme}://?${query.join('&')}`
}

/** `wallet_links`: the same request for each scheme whose wallets speak the protocol. */
export function buildWalletLinks(
  request: RequestReference,
  protocol: ProtocolId,
): Readonly<Record<string, string>> {
  const { walletSchemes } = PROTOCOLS[protocol]
  return Object.fromEntries(
    walletSchemes.map((scheme) => [scheme, buildAuthorizationRequestUri(request, scheme)]),
  )
}

// RFC 3986 §3.4 allows `:` and `/` in a query; escaped they would cost the QR two characters each.
function encodeQueryValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/')
}
