// OpenID4VP 1.0 over the Digital Credentials API (Appendix A): the requests that a page passes to its
// browser, and the parser of the response. There is no response URI and no `state`, because the browser
// returns the response to the page. The audience of the response is the origin of that page, not the Client
// Identifier as in the redirect flow.

import { isJsonObject, type JsonObject, member } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'
import { buildClientMetadata } from './request/client-metadata.ts'
import type { Generation, VerifierIdentity } from './request/generation.ts'
import {
  LIFETIME_SECONDS,
  type MultiSignedRequest,
  type RequestObjectInput,
  signForIdentities,
  signRequestObject,
} from './request/request-object.ts'
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
export const DC_API_PROTOCOLS = [
  'openid4vp-v1-multisigned',
  'openid4vp-v1-signed',
  'openid4vp-v1-unsigned',
  ISO_MDOC,
] as const
export type DcApiProtocol = (typeof DC_API_PROTOCOLS)[number]

/** An entry of `requests` for `navigator.credentials.get({digital})` (W3C Digital Credentials §3). */
type DcApiRequestEntry =
  | { readonly protocol: 'openid4vp-v1-multisigned'; readonly data: MultiSignedRequest }
  | { readonly protocol: 'openid4vp-v1-signed'; readonly data: { readonly request: string } }
  | { readonly protocol: 'openid4vp-v1-unsigned'; readonly data: JsonObject }

/**
 * Builds the entries of `requests`, in this order: multi-signed, signed, unsigned. The multi-signed request
 * is present only if the verifier has further identities. All requests have the same nonce and the same
 * encryption key (`Generation`). If `identity` is null, no request can be signed. Then there is only the
 * unsigned request, which has no Client Identifier (A.2).
 */
export async function buildDcApiRequests(
  input: DcApiRequestInput,
  identity: VerifierIdentity | null,
): Promise<readonly DcApiRequestEntry[]> {
  const unsigned = { protocol: 'openid4vp-v1-unsigned', data: buildDcApiParameters(input) } as const
  if (identity === null) return [unsigned]
  const signed = await signRequestObject(buildDcApiClaims(input, identity.clientId), identity)
  return [
    ...(await multiSignedRequests(input, identity)),
    { protocol: 'openid4vp-v1-signed', data: { request: signed } },
    unsigned,
  ]
}

/**
 * Builds the multi-signed request (A.3.2.2). Returns an empty list if there is only one identity. If an
 * identity has metadata for Google Wallet, the request contains this metadata. Other wallets ignore the
 * metadata.
 */
async function multiSignedRequests(
  input: DcApiRequestInput,
  { further = [], ...first }: VerifierIdentity,
): Promise<readonly DcApiRequestEntry[]> {
  if (further.length === 0) return []
  const identities = [first, ...further]
  const googleMetadata = identities.find((one) => one.googleMetadata !== undefined)?.googleMetadata
  const { client_id, verifier_info, ...payload } = buildDcApiClaims({ ...input, googleMetadata }, '')
  return [{ protocol: 'openid4vp-v1-multisigned', data: await signForIdentities(payload, identities) }]
}

/** Builds the claims of the signed request. */
export function buildDcApiClaims(input: DcApiRequestInput, clientId: string): JsonObject {
  const { origin, now, expiresAt, googleMetadata } = input
  return {
    ...buildDcApiParameters(input),
    // `gw_rp_metadata_bytes` is for Google Wallet, which responds only to requests with this member.
    ...(googleMetadata && {
      client_metadata: { ...buildClientMetadata(input), gw_rp_metadata_bytes: googleMetadata },
    }),
    // Only signed requests have attestations. Without a signature nothing binds them to the verifier.
    ...(input.verifierInfo && { verifier_info: input.verifierInfo }),
    client_id: clientId,
    // A.2: prevents replay of the signed request by another page.
    expected_origins: [origin],
    aud: 'https://self-issued.me/v2',
    iat: now,
    exp: Math.min(now + LIFETIME_SECONDS, expiresAt),
  }
}

/**
 * Builds the parameters that signed and unsigned requests share. The unsigned request must not have
 * `client_id` (A.2).
 */
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

/** Parses `data` of the browser's `DigitalCredential` object (A.4). The members of `data` are JSON values. */
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
