// OpenID4VP 1.0 over the Digital Credentials API (Appendix A): the two requests a page hands to its browser, and the reading of
// what comes back. There is no response URI and no `state`: the browser brings the answer to the page that asked, and the
// origin of that page stands where the redirect flow has a Client Identifier.

import { isJsonObject, type JsonObject, member } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'
import { buildClientMetadata, type ClientMetadataInput } from './request/client-metadata.ts'
import type { Generation, ResponseMode, VerifierIdentity } from './request/generation.ts'
import { LIFETIME_SECONDS, signRequestObject } from './request/request-object.ts'
import { type VerifierAttestation, verifierInfoParameter } from './request/verifier-info.ts'
import {
  type EncryptedResponse,
  type OpenResponse,
  parseOpenResponse,
} from './response/authorization-response.ts'
import type { EnvelopeRefusal } from './response/refusal.ts'
import { type EncryptionRules, parseEncryptedJwe } from './response/response-encryption.ts'
import { transactionDataParameter } from './transaction-data/transaction-data.ts'

/** What one request is made from. Times are Unix seconds. */
export type DcApiRequestInput = Omit<ClientMetadataInput, 'generation'> & {
  readonly generation: Pick<Generation, 'nonce' | 'kid' | 'encryptionPublicJwk'>
  /** Serialised, without a path (HTML §7.1.1): the one page that may use the request. */
  readonly origin: string
  /** As it is sent. */
  readonly transactionData?: readonly string[] | undefined
  readonly verifierInfo?: readonly VerifierAttestation[] | undefined
  readonly now: number
  /** The end of the session. */
  readonly expiresAt: number
}

/** An entry of `requests` as `navigator.credentials.get({digital})` takes it (W3C Digital Credentials §3). */
export type DigitalCredentialRequest = { readonly protocol: DcApiProtocol; readonly data: JsonObject }

/** Exchange protocol identifiers (A.1). */
export const DC_API_PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'] as const
export type DcApiProtocol = (typeof DC_API_PROTOCOLS)[number]

/**
 * Both requests, the one that says who asks first. They are one generation: same nonce, same key. Without an identity nobody signs
 * (A.2: `redirect_uri` is no prefix of this API), and there is the unsigned one only.
 */
export async function buildDcApiRequests(
  input: DcApiRequestInput,
  identity: VerifierIdentity | null,
): Promise<readonly DigitalCredentialRequest[]> {
  const unsigned = { protocol: 'openid4vp-v1-unsigned', data: buildDcApiParameters(input) } as const
  if (identity === null) return [unsigned]
  const signed = await signRequestObject(buildDcApiClaims(input, identity.clientId), identity)
  return [{ protocol: 'openid4vp-v1-signed', data: { request: signed } }, unsigned]
}

/** The claims of the signed one. */
export function buildDcApiClaims(input: DcApiRequestInput, clientId: string): JsonObject {
  const { origin, now, expiresAt } = input
  return {
    ...buildDcApiParameters(input),
    // Only here: unsigned, nothing ties it to whoever asks.
    ...verifierInfoParameter(input),
    client_id: clientId,
    // A.2: against replay of the signed request by another page.
    expected_origins: [origin],
    aud: 'https://self-issued.me/v2',
    iat: now,
    exp: Math.min(now + LIFETIME_SECONDS, expiresAt),
  }
}

/** A.2: what both have. `client_id` must be absent where nothing is signed. */
export function buildDcApiParameters(input: DcApiRequestInput): JsonObject {
  return {
    response_type: 'vp_token',
    response_mode: input.responseMode === 'direct_post.jwt' ? 'dc_api.jwt' : 'dc_api',
    nonce: input.generation.nonce,
    dcql_query: { ...input.query },
    ...transactionDataParameter(input),
    client_metadata: buildClientMetadata(input),
  }
}

/** What the browser's credential carries in `data` (A.4): the response parameters as JSON values. */
export function parseDcApiResponse(
  data: JsonObject,
  { responseMode, ...rules }: EncryptionRules & { readonly responseMode: ResponseMode },
): Result<EncryptedResponse | OpenResponse, EnvelopeRefusal> {
  const given = ['response', 'vp_token', 'error'].filter((name) => Object.hasOwn(data, name))
  if (given.length !== 1) return err({ reason: 'malformed_response' })
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
