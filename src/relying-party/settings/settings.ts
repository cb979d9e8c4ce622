// One relying party's settings: what its object stores, and the view of them that the edge and the sessions cache.

import type { P256PrivateJwk } from '../../config.ts'
import type { ClientIdPrefix } from '../../openid4vp/request/client-identifier.ts'
import type { VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'
import type { AddedTransactionDataType } from '../../openid4vp/transaction-data/transaction-data-types.ts'
import type { CredentialTypeDefinition } from '../../policy/policy.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { CertificateRevocation } from '../../trust/revocation/certificate-revocation.ts'
import type { Branding } from './branding.ts'

/** Scopes of API keys and access tokens (CONTRACT 1). */
export const SCOPES = [
  'verify:create',
  'verify:read',
  'verify:request',
  'webhooks:manage',
  'settings:manage',
  'claims:encrypt',
] as const
export type Scope = (typeof SCOPES)[number]

/** Event types a relying party may choose from (CONTRACT 7): one for each terminal status. */
export const EVENT_TYPES = [
  'verification.verified',
  'verification.rejected',
  'verification.declined',
  'verification.expired',
  'verification.canceled',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Settings as the rest of the service reads them, secrets opened. Never served older than 60 s. */
export type Settings = {
  readonly relying_party_id: string
  readonly name: string
  readonly livemode: boolean
  readonly webhook: WebhookEndpoint | null
  readonly trust_anchors: readonly TrustAnchor[]
  /** Names of the operator's lists whose anchors count as well. */
  readonly anchor_sets: readonly string[]
  readonly credential_types: readonly CredentialTypeDefinition[]
  /** Types of transaction data of its own. */
  readonly transaction_data_types: readonly AddedTransactionDataType[]
  readonly formats: readonly string[] | null
  readonly request_options: RequestOptions
  readonly by_value: boolean
  /** What to do with a credential whose status cannot be told. Revoked and suspended ones are never accepted. */
  readonly status_unavailable: StatusRefusal
  /** What to do about issuers' certificates that name a revocation list. Revoked ones are accepted by `off` alone, which does not look. */
  readonly certificate_revocation: CertificateRevocation
  readonly return_urls: readonly string[]
  readonly origins: readonly string[]
  /** How its pages look; null: like ours. */
  readonly branding: Branding | null
  readonly retention_seconds: number
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
  /** The relying party's own certificate; null: the service's. */
  readonly verifier: SigningIdentity | null
  readonly api_keys: readonly ApiKeyRecord[]
}

/** `accept`: the credential counts for `low` at most, and the result says `unavailable`. */
export const STATUS_UNAVAILABLE = ['refuse', 'accept'] as const
export type StatusRefusal = (typeof STATUS_UNAVAILABLE)[number]

/** A verifier certificate (PEM, leaf first, without the trust anchor), its private key, and what attests that key. */
export type SigningIdentity = {
  readonly signing_jwk: P256PrivateJwk
  readonly certificate_chain_pem: string
  /** OpenID4VP 1.0 §12. */
  readonly attestation_jwt?: string
  /** What a registrar says of its subject. */
  readonly registration?: VerifierRegistration
}

/** What the operator sets when a relying party is created, defaults filled in. */
export type SettingsInput = Omit<Settings, 'relying_party_id' | 'webhook' | 'api_keys'> & {
  readonly webhook: { readonly url: string; readonly events: readonly EventType[] } | null
}

/** What may change afterwards: anything but the mode, which every API key carries. */
export type SettingsPatch = Partial<Omit<SettingsInput, 'livemode'>>

/** Settings as they are shown: without secrets. Times are Unix milliseconds. */
export type SettingsView = Omit<Settings, 'webhook' | 'verifier' | 'api_keys'> & {
  readonly created_at: number
  readonly webhook: Omit<WebhookEndpoint, 'secrets'> | null
  readonly verifier: Omit<SigningIdentity, 'signing_jwk'> | null
  readonly api_keys: readonly Omit<ApiKeyRecord, 'hash'>[]
}

/** Where events go, and the secrets (`whsec_…`) that sign them: two while one rotates. */
export type WebhookEndpoint = {
  readonly url: string
  readonly events: readonly EventType[]
  readonly secrets: readonly { readonly secret: string; readonly expires_at: number | null }[]
  /** Set by a 410 answer, cleared by `enable`. */
  readonly disabled: boolean
}

/** An API key as stored: its SHA-256, never the key. Times are Unix milliseconds. */
export type ApiKeyRecord = {
  readonly key_id: string
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly created_at: number
  readonly expires_at: number | null
}

/** Defaults for `request_options` of the relying party's sessions. */
export type RequestOptions = {
  readonly client_id_prefix?: ClientIdPrefix
  readonly response_mode?: 'direct_post.jwt' | 'direct_post'
  readonly request_uri_method?: 'post' | 'get'
}

/** A public P-256 key that claims are encrypted to. */
export type ClaimsEncryptionJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid?: string
}
