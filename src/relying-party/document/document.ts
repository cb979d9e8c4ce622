// Stored document of a relying party. Secrets and private keys are sealed, API keys are hashed. A sealed
// value can be opened only for the same relying party and the same field.

import { type Schema, upgradeDocument, versionMembers } from '../../codec/upgrade.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type Sealing, unseal } from '../../crypto/seal.ts'
import { decodePemCertificates } from '../../trust/x509/pem-certificates.ts'
import { subjectKeyJwk } from '../../trust/x509/subject-key.ts'
import type { StoredConsoleSignIn } from './console-sign-in.ts'
import { type EvidenceSettings, type StoredEvidenceSettings, viewOfEvidence } from './evidence-settings.ts'
import type {
  ApiKeyRecord,
  ConsoleSignIn,
  FurtherVerifier,
  ReaderCertificate,
  Settings,
  SettingsInput,
  SettingsView,
  SigningIdentity,
  WebhookEndpoint,
} from './settings.ts'

/**
 * Version of the stored document. Older versions cannot be read, because `SCHEMA` has no upgrade steps yet.
 * Each change of the document adds one upgrade step to `steps` or `additions`.
 */
export const SCHEMA_VERSION = 8

/** Milliseconds for which a replaced webhook secret still signs (api/webhooks). */
export const WEBHOOK_SECRET_OVERLAP = 24 * 3600 * 1000

/** Limit of valid secrets of one webhook. The newest secrets are kept. */
const MAXIMUM_WEBHOOK_SECRETS = 3

/**
 * Milliseconds for which a replaced verifier key stays in the DID document. This time covers the longest
 * session, even if the session began with settings that were 60 s old.
 */
export const VERIFIER_KEY_OVERLAP = 25 * 3600 * 1000

/** Limit of replaced verifier keys in a DID document. The newest keys are kept. */
const MAXIMUM_FORMER_KEYS = 16

/** Times are Unix milliseconds. */
export type RelyingPartyDocument = Omit<
  SettingsInput,
  'webhook' | 'verifier' | 'reader_certificates' | 'further_verifiers' | 'console_sign_in' | 'evidence'
> & {
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
  /** Further identities. Absent: none. */
  readonly further_verifiers?: readonly StoredFurtherVerifier[]
  /** Absent or null: people cannot sign in to the console. */
  readonly console_sign_in?: StoredConsoleSignIn | null
  /** Absent or null: no evidence is kept. */
  readonly evidence?: StoredEvidenceSettings | null
  /** Replaced keys with which running sessions may still sign, newest first. */
  readonly former_verifier_keys: readonly FormerKey[]
  readonly api_keys: readonly ApiKeyRecord[]
}

export type StoredReaderCertificate = Omit<ReaderCertificate, 'signing_jwk'> & {
  readonly sealed_signing_jwk: string
}

export type StoredFurtherVerifier = Omit<FurtherVerifier, 'signing_jwk'> & {
  readonly sealed_signing_jwk: string
}

type SealedSecret = { readonly sealed: string; readonly expires_at: number | null }

type FormerKey = { readonly jwk: PublicJwk; readonly until: number }

/**
 * Reads a stored value; `undefined` if nothing is stored. Throws if this code does not support the version of
 * the value.
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

/** Members of a new document that are passed in addition to the settings. */
type NewMembers = Pick<
  RelyingPartyDocument,
  'relying_party_id' | 'created_at' | 'webhook_secrets' | 'verifier' | 'api_keys'
> &
  Required<
    Pick<RelyingPartyDocument, 'reader_certificates' | 'further_verifiers' | 'console_sign_in' | 'evidence'>
  >

/** Members of a new document that state its version. */
const CURRENT_VERSION = versionMembers(SCHEMA)

/** Returns the document of a new relying party. */
export function newDocument(input: SettingsInput, members: NewMembers): RelyingPartyDocument {
  const webhook = input.webhook && { ...input.webhook, disabled: false }
  return {
    ...input,
    ...CURRENT_VERSION,
    ...members,
    webhook,
    former_verifier_keys: [],
  }
}

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
  const { reader_certificates = [], further_verifiers = [], console_sign_in = null, ...shown } = members
  const { evidence, ...rest } = shown
  return {
    ...rest,
    ...(evidence !== undefined && { evidence: evidence && (await openEvidence(document, key, evidence)) }),
    reader_certificates: await openKeys(document, key, reader_certificates),
    further_verifiers: await openKeys(document, key, further_verifiers),
    webhook: webhook && { ...webhook, secrets: await openSecrets(document, key, now) },
    verifier: verifier && (await openKey(document, key, verifier)),
    console_sign_in: console_sign_in && (await openConsoleSignIn(document, key, console_sign_in)),
  }
}

function openKeys<Stored extends { readonly sealed_signing_jwk: string }>(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  stored: readonly Stored[],
) {
  return Promise.all(stored.map((one) => openKey(document, key, one)))
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

async function openConsoleSignIn(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  { sealed_client_secret, ...shown }: StoredConsoleSignIn,
): Promise<ConsoleSignIn> {
  const client_secret = await open(sealingFor(document, key, 'console_sign_in'), sealed_client_secret)
  return { ...shown, client_secret }
}

async function openEvidence(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  { push, ...setting }: StoredEvidenceSettings,
): Promise<EvidenceSettings> {
  if (!push) return setting
  const { sealed_secret_access_key, ...shown } = push
  const secret_access_key = await open(sealingFor(document, key, 'evidence_push'), sealed_secret_access_key)
  return { ...setting, push: { ...shown, secret_access_key } }
}

/** Returns the settings without secrets and hashes. `lastUses`: last use of each API key, by its id. */
export function toView(document: RelyingPartyDocument, lastUses: ReadonlyMap<string, number>): SettingsView {
  const { webhook_secrets, verifier, former_verifier_keys, api_keys, schema_version, ...members } = document
  const { reader_certificates = [], further_verifiers = [], console_sign_in = null, ...shown } = members
  const { evidence, ...rest } = shown
  return {
    ...rest,
    ...(evidence !== undefined && { evidence: evidence && viewOfEvidence(evidence) }),
    verifier: verifier && withoutKey(verifier),
    reader_certificates: reader_certificates.map(withoutKey),
    further_verifiers: further_verifiers.map(withoutKey),
    console_sign_in: console_sign_in && withoutSecret(console_sign_in),
    api_keys: api_keys.map(({ hash, name = null, ...shown }) => ({
      ...shown,
      name,
      last_used_at: lastUses.get(shown.key_id) ?? null,
    })),
  }
}

function withoutKey<Stored extends { readonly sealed_signing_jwk: string }>(stored: Stored) {
  const { sealed_signing_jwk, ...shown } = stored
  return shown
}

function withoutSecret({ sealed_client_secret, ...shown }: StoredConsoleSignIn) {
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
 * with it. A key that the new identity keeps is not an old key.
 */
export function replaceVerifier(
  document: RelyingPartyDocument,
  verifier: RelyingPartyDocument['verifier'],
  now: number,
): RelyingPartyDocument {
  const isKept = verifier?.sealed_signing_jwk === document.verifier?.sealed_signing_jwk
  const old = isKept ? [] : currentVerifierKey(document)
  const replaced = old.map((jwk) => ({ jwk, until: now + VERIFIER_KEY_OVERLAP }))
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
 * Returns a list with the public key of the leaf certificate; an empty list without a verifier. This key is
 * the public part of the signing key: the validation of the settings has compared the two keys.
 */
function currentVerifierKey({ verifier }: RelyingPartyDocument): readonly PublicJwk[] {
  const [leaf] = decodePemCertificates(verifier?.certificate_chain_pem ?? '') ?? []
  const jwk = leaf?.subjectKey && subjectKeyJwk(leaf.subjectKey)
  return jwk === undefined ? [] : [jwk]
}

/** Fields that are sealed. */
export type SealedField = 'webhook_secret' | 'verifier' | 'console_sign_in' | 'evidence_push'

/** Returns the key and the additional data of one sealed field. */
export function sealingFor(
  document: { readonly relying_party_id: string },
  key: Uint8Array<ArrayBuffer>,
  field: SealedField,
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
