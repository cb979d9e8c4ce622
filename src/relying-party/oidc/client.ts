// An OpenID Connect client of a relying party, as it is stored. Its secrets are hashes.

import { canonicalJson } from '../../codec/canonical-json.ts'
import { type JsonObject, member } from '../../codec/json.ts'
import type { OidcRsaPublicJwk } from '../../config.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

export const APPLICATION_TYPES = ['web', 'native'] as const
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const

export const KEY_ALGORITHMS = ['ECDH-ES', 'RSA-OAEP-256'] as const
export const CONTENT_ALGORITHMS = ['A128GCM', 'A256GCM'] as const

/**
 * Scopes of OpenID Connect Core 1.0 §5.4 and §11. These scopes do not select a policy, and no policy has one
 * of these names.
 */
export const STANDARD_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const

/** Claims that identify one person, in the built-in credential types. Names and ages are not among them. */
export const SUBJECT_CLAIMS = [
  'personal_administrative_number',
  'document_number',
  'administrative_number',
  'person_id',
  'travel_document_number',
] as const

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** A public key of a client. */
export type ClientJwk = (PublicJwk | OidcRsaPublicJwk) & {
  readonly kid?: string
  readonly use?: 'sig' | 'enc'
  readonly alg?: string
}

/**
 * Requirements of a login. `request` has the members of a verification's create request, with their defaults.
 */
export type OidcPolicy = {
  readonly name: string
  readonly front_channel: boolean
  /** JSON text, because calls between Durable Objects do not support recursive types. */
  readonly request: string
}

export type SubjectRule =
  | { readonly type: 'transient' }
  | { readonly type: 'pairwise'; readonly claims: readonly string[] }

/** Members that a relying party sets. */
export type OidcClientInput = {
  readonly name: string
  readonly application_type: (typeof APPLICATION_TYPES)[number]
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: (typeof AUTH_METHODS)[number]
  /** Absent in a client that an older version stored: false. */
  readonly token_endpoint_as_audience?: boolean
  readonly require_pushed_authorization_requests: boolean
  readonly require_pkce: boolean
  /** Absent in a client that an older version stored: false. */
  readonly dpop_bound_access_tokens?: boolean
  readonly cross_device: boolean
  readonly policies: readonly OidcPolicy[]
  readonly default_policy: string
  readonly subject: SubjectRule
  readonly id_token_signed_response_alg: SigningAlgorithm
  readonly userinfo_signed_response_alg: SigningAlgorithm | null
  readonly id_token_encrypted_response_alg: (typeof KEY_ALGORITHMS)[number] | null
  readonly id_token_encrypted_response_enc: (typeof CONTENT_ALGORITHMS)[number] | null
  readonly userinfo_encrypted_response_alg: (typeof KEY_ALGORITHMS)[number] | null
  readonly userinfo_encrypted_response_enc: (typeof CONTENT_ALGORITHMS)[number] | null
  readonly jwks: { readonly keys: readonly ClientJwk[] } | null
}

/** A client. Times are Unix milliseconds. */
export type OidcClient = OidcClientInput & {
  readonly client_id: string
  readonly created_at: number
  /** Hashes of the client's secrets, newest first. */
  readonly secrets: readonly { readonly hash: string; readonly expires_at: number | null }[]
}

export const CLIENT_ID = /^oc_[0-9a-f]{32}$/

/** Returns the issuer of a relying party's tokens. */
export function writeIssuer(baseUrl: string, relyingPartyId: string): string {
  return `${baseUrl}/oidc/${relyingPartyId}`
}

/** Returns true for a confidential client (RFC 6749 §2.1), which must authenticate itself. */
export function isConfidential(client: Pick<OidcClientInput, 'token_endpoint_auth_method'>): boolean {
  return client.token_endpoint_auth_method !== 'none'
}

/**
 * Returns a policy as the service applies and shows it. `required_session_binding: none` becomes `page` if
 * the client forbids cross-device logins or has a pairwise `sub`.
 */
export function effectivePolicy(
  { cross_device, subject }: Pick<OidcClientInput, 'cross_device' | 'subject'>,
  { name, front_channel, request }: OidcPolicy,
): JsonObject {
  const members = JSON.parse(request) as JsonObject // this service wrote it
  const isWeak = member(members, 'required_session_binding') === 'none'
  const isRaised = isWeak && (!cross_device || subject.type === 'pairwise')
  return { name, front_channel, ...members, ...(isRaised && { required_session_binding: 'page' }) }
}

/** Returns the canonical text of a policy (RFC 8785), which is the input of its hash. */
export function policyText(client: OidcClientInput, policy: OidcPolicy): string {
  return canonicalJson(effectivePolicy(client, policy))
}

/** Returns the client's key for the encryption of a token; `undefined` if it has none. */
export function encryptionKey(
  { jwks }: Pick<OidcClientInput, 'jwks'>,
  algorithm: (typeof KEY_ALGORITHMS)[number],
): ClientJwk | undefined {
  const kty = algorithm === 'ECDH-ES' ? 'EC' : 'RSA'
  return jwks?.keys.find(
    (key) => key.kty === kty && key.use !== 'sig' && (key.alg === undefined || key.alg === algorithm),
  )
}

/** Returns the encryption of a token for the client; null if the token is not encrypted. */
export function tokenEncryption(client: OidcClientInput, token: 'id_token' | 'userinfo') {
  const alg = client[`${token}_encrypted_response_alg`]
  const enc = client[`${token}_encrypted_response_enc`]
  const jwk = alg && encryptionKey(client, alg)
  return alg && enc && jwk ? { alg, enc, jwk } : null
}

/** Returns the client's keys that may sign a `private_key_jwt` assertion. */
export function signingKeys({ jwks }: Pick<OidcClientInput, 'jwks'>): readonly ClientJwk[] {
  return jwks?.keys.filter(({ use }) => use !== 'enc') ?? []
}
