// Stored document of a relying party. Webhook secrets and the signing key are sealed, API keys are hashed. A
// sealed value can be opened only for the same relying party and the same field.

import { type Schema, upgradeDocument, versionMembers } from '../../codec/upgrade.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type Sealing, unseal } from '../../crypto/seal.ts'
import { decodePemCertificates } from '../../trust/x509/pem-certificates.ts'
import { subjectKeyJwk } from '../../trust/x509/subject-key.ts'
import type {
  ApiKeyRecord,
  ReaderCertificate,
  Settings,
  SettingsInput,
  SettingsView,
  SigningIdentity,
  WebhookEndpoint,
} from './settings.ts'

/**
 * Version of the stored document, and the oldest version that can be read. Each change of the document adds
 * one step to `SCHEMA`.
 */
export const SCHEMA_VERSION = 8

/** Limit of live secrets of one webhook. The newest secrets are kept. */
const MAXIMUM_WEBHOOK_SECRETS = 3

/**
 * Milliseconds for which a replaced verifier key stays in the DID document. This time covers the longest
 * session, even if the session began with settings that were 60 s old.
 */
export const VERIFIER_KEY_OVERLAP = 25 * 3600 * 1000

/** Limit of replaced verifier keys in a DID document. The newest keys are kept. */
const MAXIMUM_FORMER_KEYS = 16

/** Times are Unix milliseconds. */
export type RelyingPartyDocument = Omit<SettingsInput, 'webhook' | 'verifier' | 'reader_certificates'> & {
  readonly schema_version: typeof SCHEMA_VERSION
  readonly relying_party_id: string
  readonly created_at: number
  readonly webhook: Omit<WebhookEndpoint, 'secrets'> | null
  /**
   * Webhook secrets, newest first. The first secret is created together with the relying party. A webhook
   * that is set later then already has a secret.
   */
  readonly webhook_secrets: readonly SealedSecret[]
  readonly verifier: (Omit<SigningIdentity, 'signing_jwk'> & { readonly sealed_signing_jwk: string }) | null
  /** Reader certificates. Absent: none. */
  readonly reader_certificates?: readonly StoredReaderCertificate[]
  /** Replaced keys with which running sessions may still sign, newest first. */
  readonly former_verifier_keys: readonly FormerKey[]
  readonly api_keys: readonly ApiKeyRecord[]
}

export type StoredReaderCertificate = Omit<ReaderCertificate, 'signing_jwk'> & {
  readonly sealed_signing_jwk: string
}

type SealedSecret = { readonly sealed: string; readonly expires_at: number | null }

type FormerKey = { readonly jwk: PublicJwk; readonly until: number }

/**
 * Reads a stored value; `undefined` if nothing is stored. Throws for a version that this code does not
 * know.
 */
export function readDocument(stored: unknown): RelyingPartyDocument | undefined {
  if (stored === undefined) return undefined
  return upgradeDocument(stored as object, SCHEMA) as RelyingPartyDocument
}

const SCHEMA = {
  member: 'schema_version',
  current: SCHEMA_VERSION,
  steps: {},
  additions: {},
  unreadable: 'relying party document of unknown version ',
} as const satisfies Schema

/** Members of a new document that state its version. */
export const CURRENT_VERSION = versionMembers(SCHEMA)

/**
 * Returns the settings with unsealed secrets. Throws if a secret cannot be unsealed, as after a change of
 * SERVER_SECRET.
 */
export async function openSettings(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<Settings> {
  const { webhook, webhook_secrets, verifier, former_verifier_keys, schema_version, created_at, ...members } =
    document
  const { reader_certificates = [], ...rest } = members
  const opened = reader_certificates.map((one) => openKey(document, key, one))
  return {
    ...rest,
    reader_certificates: await Promise.all(opened),
    webhook: webhook && { ...webhook, secrets: await openSecrets(document, key, now) },
    verifier: verifier && (await openKey(document, key, verifier)),
  }
}

async function openKey<Stored extends { readonly sealed_signing_jwk: string }>(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  { sealed_signing_jwk, ...shown }: Stored,
): Promise<Omit<Stored, 'sealed_signing_jwk'> & Pick<SigningIdentity, 'signing_jwk'>> {
  const text = await open(sealingFor(document, key, 'verifier'), sealed_signing_jwk)
  // The signing key was validated before it was sealed.
  return { ...shown, signing_jwk: JSON.parse(text) as SigningIdentity['signing_jwk'] }
}

/** Returns the settings without secrets and hashes. */
export function toView(document: RelyingPartyDocument): SettingsView {
  const { webhook_secrets, verifier, former_verifier_keys, api_keys, schema_version, ...members } = document
  const { reader_certificates = [], ...rest } = members
  return {
    ...rest,
    verifier: verifier && withoutKey(verifier),
    reader_certificates: reader_certificates.map(withoutKey),
    api_keys: api_keys.map(({ hash, ...shown }) => shown),
  }
}

function withoutKey<Stored extends { readonly sealed_signing_jwk: string }>(stored: Stored) {
  const { sealed_signing_jwk, ...shown } = stored
  return shown
}

/** Puts a new webhook secret first. The replaced secret stays valid until `overlapUntil`. */
export function addWebhookSecret(
  document: RelyingPartyDocument,
  sealed: string,
  times: { readonly now: number; readonly overlapUntil: number },
): RelyingPartyDocument {
  const older = document.webhook_secrets
    .filter((secret) => isLive(secret, times.now))
    .map((secret) => ({ ...secret, expires_at: secret.expires_at ?? times.overlapUntil }))
  const secrets = [{ sealed, expires_at: null }, ...older].slice(0, MAXIMUM_WEBHOOK_SECRETS)
  return { ...document, webhook_secrets: secrets }
}

/**
 * Replaces the verifier identity. The old key stays in the DID document for as long as a session may sign
 * with it.
 */
export function replaceVerifier(
  document: RelyingPartyDocument,
  verifier: RelyingPartyDocument['verifier'],
  now: number,
): RelyingPartyDocument {
  const replaced = currentVerifierKey(document).map((jwk) => ({ jwk, until: now + VERIFIER_KEY_OVERLAP }))
  const former = document.former_verifier_keys.filter(({ until }) => until > now)
  const former_verifier_keys = [...replaced, ...former].slice(0, MAXIMUM_FORMER_KEYS)
  return { ...document, verifier, former_verifier_keys }
}

/**
 * Returns the public keys of the DID document at `now`: the signing key, and the keys with which sessions may
 * still sign.
 */
export function verifierKeys(document: RelyingPartyDocument, now: number): readonly PublicJwk[] {
  const former = document.former_verifier_keys.filter(({ until }) => until > now)
  return [...currentVerifierKey(document), ...former.map(({ jwk }) => jwk)]
}

/**
 * Returns a list with the public key of the leaf certificate; an empty list without a verifier. It is the
 * public part of the signing key: the validation of the settings has compared the two keys.
 */
function currentVerifierKey({ verifier }: RelyingPartyDocument): readonly PublicJwk[] {
  const [leaf] = decodePemCertificates(verifier?.certificate_chain_pem ?? '') ?? []
  const jwk = leaf?.subjectKey && subjectKeyJwk(leaf.subjectKey)
  return jwk === undefined ? [] : [jwk]
}

/** Returns the key and the additional data of one sealed field. */
export function sealingFor(
  document: { readonly relying_party_id: string },
  key: Uint8Array<ArrayBuffer>,
  field: 'webhook_secret' | 'verifier',
): Sealing {
  return { key, aad: `${document.relying_party_id}/${field}` }
}

async function openSecrets(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<WebhookEndpoint['secrets']> {
  const sealing = sealingFor(document, key, 'webhook_secret')
  const live = document.webhook_secrets.filter((secret) => isLive(secret, now))
  return Promise.all(
    live.map(async ({ sealed, expires_at }) => ({ secret: await open(sealing, sealed), expires_at })),
  )
}

function isLive(secret: SealedSecret, now: number): boolean {
  return secret.expires_at === null || secret.expires_at > now
}

async function open(sealing: Sealing, sealed: string): Promise<string> {
  const text = await unseal(sealing, sealed)
  if (text === undefined) throw new Error('a sealed setting does not open: was SERVER_SECRET changed?')
  return text
}

/** Returns the webhook of the new settings. A disabled webhook stays disabled only if the URL is the same. */
export function replaceWebhook(
  current: RelyingPartyDocument['webhook'],
  next: SettingsInput['webhook'],
): RelyingPartyDocument['webhook'] {
  return next && { ...next, disabled: current?.url === next.url && current.disabled }
}

/** Disables or enables the webhook, if there is one. */
export function setDisabled(document: RelyingPartyDocument, disabled: boolean): RelyingPartyDocument {
  return document.webhook === null ? document : { ...document, webhook: { ...document.webhook, disabled } }
}
