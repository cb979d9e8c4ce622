// Exchange protocols of the Digital Credentials API in one request (api/dc-api).

import { DC_API_PROTOCOLS, type DcApiProtocol, ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { requestedDocuments } from '../request/annex-c.ts'
import type { RequestTerms } from '../request/terms.ts'

/** Returns the exchange protocols that the session and the chosen wallet allow. */
export function listExchanges(terms: RequestTerms): readonly DcApiProtocol[] {
  const { supportsDcApi, supportsRedirect } = PROTOCOLS[terms.request.protocol]
  if (!supportsDcApi) return []
  const hasDocuments = requestedDocuments(terms) !== undefined
  return DC_API_PROTOCOLS.filter((id) => (id === ISO_MDOC ? hasDocuments : supportsRedirect)).filter(
    (id) => terms.wallet?.dc_api_protocols.includes(id) ?? true,
  )
}

/** Returns true if a request with these terms contains a request for this exchange protocol. */
export function hasExchange(terms: RequestTerms, protocol: DcApiProtocol): boolean {
  if (!listExchanges(terms).includes(protocol)) return false
  const { sealed_signing_jwk, further } = terms.verifier
  if (protocol === 'openid4vp-v1-multisigned') return further !== undefined
  return protocol !== 'openid4vp-v1-signed' || sealed_signing_jwk !== null
}

/**
 * Returns the Client Identifiers that a request of the Digital Credentials API offers to wallets. Returns
 * `undefined` if the request offers at most one. A response does not say which of these identifiers the
 * wallet used.
 */
export function offeredClientIds(terms: RequestTerms): readonly string[] | undefined {
  const { client_id, further } = terms.verifier
  if (!further || client_id === null || !hasExchange(terms, 'openid4vp-v1-multisigned')) return undefined
  return [client_id, ...further.map((one) => one.client_id)]
}
