// OpenID4VP 1.0 over the Digital Credentials API (Appendix A): the two requests that a page passes to its
// browser, and the parser of the response. There is no response URI and no `state`, because the browser
// returns the response to the page. The origin of that page replaces the Client Identifier of the redirect
// flow.

import { isJsonObject, type JsonObject, member } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'
import { buildClientMetadata } from './request/client-metadata.ts'
import type { Generation, VerifierIdentity } from './request/generation.ts'
import { LIFETIME_SECONDS, type RequestObjectInput, signRequestObject } from './request/request-object.ts'
import {
  type EncryptedResponse,
  type OpenResponse,
  parseOpenResponse,
} from './response/authorization-response.ts'
import type { EnvelopeRefusal } from './response/refusal.ts'
import { type EncryptionRules, parseEncryptedJwe } from './response/response-encryption.ts'
import type { ResponseMode } from './response/response-mode.ts'

/** Input of one request. Times are Unix seconds. */
export type DcApiRequestInput = Omit<
  RequestObjectInput,
  'language' | 'clientId' | 'responseUri' | 'generation' | 'walletNonce'
> & {
  readonly generation: Pick<Generation, 'nonce' | 'kid' | 'encryptionPublicJwk'>
  /** Metadata for Google Wallet in base64url. Absent: the request does not contain this metadata. */
  readonly googleMetadata?: string | undefined
  /** Serialised origin without a path (HTML §7.1.1). Only pages of this origin may use the request. */
  readonly origin: string
}

/** Exchange protocol identifier of ISO/IEC TS 18013-7 Annex C. */
export const ISO_MDOC = 'org-iso-mdoc'

/** Exchange protocol identifiers (OpenID4VP 1.0 A.1, ISO/IEC TS 18013-7 Annex C). */
export const DC_API_PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', ISO_MDOC] as const
export type DcApiProtocol = (typeof DC_API_PROTOCOLS)[number]

/**
 * Builds both requests as entries of `requests` for `navigator.credentials.get({digital})` (W3C Digital
 * Credentials §3). The signed request comes first. Both belong to one generation, so they have the same nonce
 * and key. Without an identity only the unsigned request is returned (A.2: this API has no `redirect_uri`
 * prefix).
 */
export async function buildDcApiRequests(input: DcApiRequestInput, identity: VerifierIdentity | null) {
  const unsigned = { protocol: 'openid4vp-v1-unsigned', data: buildDcApiParameters(input) } as const
  if (identity === null) return [unsigned]
  const signed = await signRequestObject(buildDcApiClaims(input, identity.clientId), identity)
  return [{ protocol: 'openid4vp-v1-signed', data: { request: signed } } as const, unsigned]
}

/** Builds the claims of the signed request. */
export function buildDcApiClaims(input: DcApiRequestInput, clientId: string): JsonObject {
  const { origin, now, expiresAt, googleMetadata } = input
  return {
    ...buildDcApiParameters(input),
    // This member is specific to Google Wallet, which answers only requests that have it.
    ...(googleMetadata && {
      client_metadata: { ...buildClientMetadata(input), gw_rp_metadata_bytes: googleMetadata },
    }),
    // Only the signed request has attestations. Without a signature nothing binds them to the verifier.
    ...(input.verifierInfo && { verifier_info: input.verifierInfo }),
    client_id: clientId,
    // A.2: prevents replay of the signed request by another page.
    expected_origins: [origin],
    aud: 'https://self-issued.me/v2',
    iat: now,
    exp: Math.min(now + LIFETIME_SECONDS, expiresAt),
  }
}

/** Builds the parameters that both requests have. The unsigned request must not have `client_id` (A.2). */
export function buildDcApiParameters(input: DcApiRequestInput): JsonObject {
  return {
    response_type: 'vp_token',
    response_mode: input.responseMode === 'direct_post.jwt' ? 'dc_api.jwt' : 'dc_api',
    nonce: input.generation.nonce,
    dcql_query: { ...input.query },
    ...(input.transactionData && { transaction_data: input.transactionData }),
    client_metadata: buildClientMetadata(input),
  }
}

/** Parses `data` of the credential from the browser (A.4). Its members are JSON values. */
export function parseDcApiResponse(
  data: JsonObject,
  { responseMode, ...rules }: EncryptionRules & { readonly responseMode: ResponseMode },
): Result<EncryptedResponse | OpenResponse, EnvelopeRefusal> {
  const present = ['response', 'vp_token', 'error'].filter((name) => Object.hasOwn(data, name))
  if (present.length !== 1) return err({ reason: 'malformed_response' })
  const response = member(data, 'response')
  if (response === undefined) {
    const isPlain = isJsonObject(member(data, 'vp_token'))
    if (isPlain && responseMode !== 'direct_post') return err({ reason: 'encryption_required' })
    return parseOpenResponse(data, true)
  }
  if (responseMode !== 'direct_post.jwt') return err({ reason: 'unexpected_encryption' })
  if (typeof response !== 'string') return err({ reason: 'malformed_response' })
  const parsed = parseEncryptedJwe(response, rules)
  return parsed.ok ? ok({ kind: 'encrypted', ...parsed.value, state: undefined }) : parsed
}
