// Settings of one relying party, in two forms: with secrets, for request handlers and sessions, and without
// secrets, for display.

import type { P256PrivateJwk } from '../../config.ts'
import type { RequestOptions } from '../../openid4vp/request/request-options.ts'
import type { VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'
import type { AddedTransactionDataType } from '../../openid4vp/transaction-data/transaction-data-types.ts'
import type { CredentialTypeDefinition } from '../../policy/policy.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { CertificateRevocation } from '../../trust/revocation/certificate-revocation.ts'
import type { Branding } from './branding.ts'
import type { ClaimsEncryptionJwk } from './encryption-jwk.ts'
import type { EvidenceSettings, EvidenceSettingsInput, EvidenceSettingsView } from './evidence-settings.ts'
import type { GoogleWallet } from './google-wallet.ts'

/** Scopes of API keys and access tokens (api/access). */
export const SCOPES = [
  'verify:create',
  'verify:read',
  'verify:request',
  'webhooks:manage',
  'settings:manage',
  'claims:encrypt',
  'evidence:read',
] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Scopes of a new key if the request that creates the key names no scopes. A key gets `evidence:read` only if
 * the request names it (api/evidence).
 */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'evidence:read')

/** Event types of a webhook (api/webhooks): one for each terminal status. */
export const EVENT_TYPES = [
  'verification.verified',
  'verification.rejected',
  'verification.declined',
  'verification.expired',
  'verification.canceled',
] as const
export type EventType = (typeof EVENT_TYPES)[number] | StepEventType | EvidenceEventType

/** Event types of steps of a pending verification. A webhook receives them only if its `events` name them. */
export const STEP_EVENT_TYPES = [
  'verification.created',
  'verification.request_fetched',
  'verification.response_refused',
] as const
export type StepEventType = (typeof STEP_EVENT_TYPES)[number]

/** Event types of the time stamp of evidence. A webhook receives them only if its `events` name them. */
export const EVIDENCE_EVENT_TYPES = ['evidence.time_stamped', 'evidence.time_stamp_failed'] as const
export type EvidenceEventType = (typeof EVIDENCE_EVENT_TYPES)[number]

/**
 * Returns true for an event of a step or of a time stamp, and for a delivery of such an event. Every other
 * event reports the end of a session.
 */
export function isStepEvent({ event_type }: { readonly event_type: string }): boolean {
  return [...STEP_EVENT_TYPES, ...EVIDENCE_EVENT_TYPES].some((type) => type === event_type)
}

/** Every event type of a webhook. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, ...STEP_EVENT_TYPES, ...EVIDENCE_EVENT_TYPES] as const

/** Settings with their secrets. A cached copy is at most 60 s old. */
export type Settings = {
  readonly relying_party_id: string
  readonly name: string
  readonly livemode: boolean
  readonly webhook: WebhookEndpoint | null
  readonly trust_anchors: readonly TrustAnchor[]
  /**
   * Names of the operator's trust lists to which the relying party subscribes. The anchors of these lists are
   * used in addition to `trust_anchors`.
   */
  readonly anchor_sets: readonly string[]
  readonly credential_types: readonly CredentialTypeDefinition[]
  /** Types of transaction data that the relying party added. */
  readonly transaction_data_types: readonly AddedTransactionDataType[]
  readonly formats: readonly string[] | null
  readonly request_options: RequestOptions
  readonly by_value: boolean
  /**
   * Treatment of a credential whose status is unavailable. Revoked and suspended credentials are never
   * accepted.
   */
  readonly status_unavailable: StatusRefusal
  /**
   * Treatment of issuers' certificates that name a revocation list. Only `off` accepts revoked certificates,
   * because this value checks nothing.
   */
  readonly certificate_revocation: CertificateRevocation
  readonly return_urls: readonly string[]
  readonly origins: readonly string[]
  /** Address of the privacy notice. The session page links to this address. Absent or null: none. */
  readonly privacy_policy_uri?: string | null
  /** Page on which a person can prove the requested facts without a wallet. Absent or null: none. */
  readonly alternative_url?: string | null
  /** Days for which the relying party stores values, as it declares. Absent or null: not declared. */
  readonly values_retention_days?: number | null
  /** Look of the relying party's pages; null: the default look of this service. */
  readonly branding: Branding | null
  readonly retention_seconds: number
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
  /**
   * Keys, time stamp and object store of evidence, and the outcomes of which evidence is kept. Absent or
   * null: no evidence (api/evidence).
   */
  readonly evidence?: EvidenceSettings | null
  /** The relying party's own certificate; null: requests use the certificate of this service. */
  readonly verifier: SigningIdentity | null
  /**
   * True if a create request must not ask for more than the registration certificate covers. Absent: false.
   */
  readonly enforce_registration?: boolean
  /**
   * True if the EU age verification app may get the request for `age_over_18` by value: the link then
   * contains the whole request. Absent: false.
   */
  readonly eu_age_verification?: boolean
  /** False: the verifications are not listed and not counted. Absent: true. */
  readonly index?: boolean
  /** Metadata that Google Wallet shows to its user. Absent or null: requests do not contain this metadata. */
  readonly google_wallet?: GoogleWallet | null
  /** Certificates whose keys sign requests of `org-iso-mdoc`. Absent: none. */
  readonly reader_certificates?: readonly ReaderCertificate[]
  /** Identities that sign multi-signed requests beside `verifier`. Absent: none. */
  readonly further_verifiers?: readonly FurtherVerifier[]
  /** Sign-in of people to the console. Absent or null: the console accepts API keys only. */
  readonly console_sign_in?: ConsoleSignIn | null
  readonly api_keys: readonly ApiKeyRecord[]
}

/**
 * The OpenID Provider of the relying party's own organisation. People sign in to the console through it.
 * `client_id` and `client_secret` belong to the client that is registered for this service at the provider.
 */
export type ConsoleSignIn = {
  /** Issuer Identifier of the provider (OpenID Connect Discovery 1.0 §3), compared as text. */
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string
  /**
   * Claim of the ID token that has the roles. Dots lead to a claim in another claim: `realm_access.roles`.
   */
  readonly roles_claim: string
  /** Scopes by role. A role without an entry has no scope. */
  readonly roles: Readonly<Record<string, readonly Scope[]>>
}

/** `console_sign_in` as a response shows it. */
export type ConsoleSignInView = Omit<ConsoleSignIn, 'client_secret'>

/**
 * `console_sign_in` in the body of a request. If the body has no secret, the stored secret of the same client
 * is kept.
 */
export type ConsoleSignInInput = ConsoleSignInView & { readonly client_secret?: string }

/** Returns the address of the privacy notice: the setting, else the address that Google Wallet shows. */
export function privacyNotice({
  privacy_policy_uri,
  google_wallet,
}: Pick<Settings, 'privacy_policy_uri' | 'google_wallet'>): string | null {
  if (privacy_policy_uri) return privacy_policy_uri
  return google_wallet && 'privacy_policy_uri' in google_wallet ? google_wallet.privacy_policy_uri : null
}

/** `accept`: the credential reaches at most the assurance level `low`, and the result shows `unavailable`. */
export const STATUS_UNAVAILABLE = ['refuse', 'accept'] as const
export type StatusRefusal = (typeof STATUS_UNAVAILABLE)[number]

/**
 * A verifier certificate (PEM, leaf first, without the trust anchor), its private key, and attestations of
 * that key.
 */
export type SigningIdentity = {
  readonly signing_jwk: P256PrivateJwk
  readonly certificate_chain_pem: string
  /** Root of the chain (PEM), for wallets that expect it in `x5c`. */
  readonly root_certificate_pem?: string
  /** Verifier Attestation JWT (OpenID4VP 1.0 §12). */
  readonly attestation_jwt?: string
  /** Registration of the subject by a registrar, for create requests without `intended_use`. */
  readonly registration?: VerifierRegistration
  /** Registrations for intended uses. A create request chooses one by its `intended_use`. Absent: none. */
  readonly uses?: readonly RegisteredUse[]
}

/** Registration for one intended use. */
export type RegisteredUse = VerifierRegistration & { readonly intended_use: string }

/** A further identity of the relying party, certified by another trust scheme. */
export type FurtherVerifier = Pick<
  SigningIdentity,
  'signing_jwk' | 'certificate_chain_pem' | 'registration' | 'uses'
> & {
  /** Metadata for Google Wallet, if Google certified this identity. */
  readonly google_wallet?: GoogleWallet
}

/** A reader certificate (PEM, leaf first, without the root), its private key, and its domains. */
export type ReaderCertificate = Pick<SigningIdentity, 'signing_jwk' | 'certificate_chain_pem'> & {
  /** Host names of the origins whose pages may use the certificate. */
  readonly domains: readonly string[]
}

/** An identity in a request body. Without a key, the stored key of its leaf certificate stays. */
export type Sent<Identity extends Pick<SigningIdentity, 'signing_jwk'>> = Omit<Identity, 'signing_jwk'> &
  Partial<Pick<Identity, 'signing_jwk'>>

/** Members of the settings with secrets. Their form differs between bodies, storage and views. */
type WithSecrets =
  | 'webhook'
  | 'verifier'
  | 'reader_certificates'
  | 'further_verifiers'
  | 'console_sign_in'
  | 'evidence'
  | 'api_keys'

/** Body that creates a relying party, with its defaults. */
export type SettingsInput = Omit<Settings, 'relying_party_id' | WithSecrets> & {
  readonly verifier: Sent<SigningIdentity> | null
  readonly reader_certificates?: readonly Sent<ReaderCertificate>[]
  readonly further_verifiers?: readonly Sent<FurtherVerifier>[]
  readonly console_sign_in?: ConsoleSignInInput | null
  readonly evidence?: EvidenceSettingsInput | null
  readonly webhook: { readonly url: string; readonly events: readonly EventType[] } | null
}

/**
 * Body that changes settings: any member except `livemode`. The mode is fixed, because every API key contains
 * it.
 */
export type SettingsPatch = Partial<Omit<SettingsInput, 'livemode'>>

/** Settings without secrets. Times are Unix milliseconds. */
export type SettingsView = Omit<Settings, WithSecrets> & {
  readonly created_at: number
  readonly evidence?: EvidenceSettingsView | null
  readonly webhook: Omit<WebhookEndpoint, 'secrets'> | null
  readonly verifier: Omit<SigningIdentity, 'signing_jwk'> | null
  readonly reader_certificates: readonly Omit<ReaderCertificate, 'signing_jwk'>[]
  readonly further_verifiers: readonly Omit<FurtherVerifier, 'signing_jwk'>[]
  readonly console_sign_in: ConsoleSignInView | null
  readonly api_keys: readonly ApiKeyView[]
}

/** An API key without its hash. `last_used_at`: start of the hour of the key's last use; null: never used. */
export type ApiKeyView = Omit<ApiKeyRecord, 'hash' | 'name'> & {
  readonly name: string | null
  readonly last_used_at: number | null
}

/** Webhook endpoint, and the secrets (`whsec_…`) that sign its events: one, or several during a rotation. */
export type WebhookEndpoint = {
  readonly url: string
  readonly events: readonly EventType[]
  readonly secrets: readonly { readonly secret: string; readonly expires_at: number | null }[]
  /** Set to true after a 410 response of the endpoint. The relying party can enable the webhook again. */
  readonly disabled: boolean
}

/** A stored API key: its SHA-256, never the key. Times are Unix milliseconds. */
export type ApiKeyRecord = {
  readonly key_id: string
  /** Name that the creator of the key chose. Absent or null: none. */
  readonly name?: string | null
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly created_at: number
  readonly expires_at: number | null
}

/** Name, scopes and expiry of a new API key; null: no expiry. Times are Unix milliseconds. */
export type ApiKeyGrant = Pick<ApiKeyRecord, 'name' | 'scopes' | 'expires_at'>

/**
 * A list of trusted issuers. Only test-mode relying parties may subscribe to a list that is not `livemode`.
 */
export type TrustListEntry = { readonly name: string; readonly livemode: boolean }
