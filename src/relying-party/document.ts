// What a relying party's object stores: one document. Secrets in it are sealed (webhook secrets, signing key) or hashed
// (API keys); the place each one is sealed for is this relying party and this field.

import { type Sealing, unseal } from '../crypto/seal.ts'
import type {
  ApiKeyRecord,
  Settings,
  SettingsInput,
  SettingsView,
  SigningIdentity,
  WebhookEndpoint,
} from './settings.ts'

/** The version of the stored shape. A change appends one upgrade step to `readDocument`. */
export const SCHEMA_VERSION = 2

/** Live secrets of one webhook at most: the newest ones stay. */
const MAXIMUM_WEBHOOK_SECRETS = 3

/** Times are Unix milliseconds. */
export type RelyingPartyDocument = Omit<SettingsInput, 'webhook' | 'verifier'> & {
  readonly schema_version: typeof SCHEMA_VERSION
  readonly relying_party_id: string
  readonly created_at: number
  readonly webhook: Omit<WebhookEndpoint, 'secrets'> | null
  /** Newest first. They are there from the start, so that a webhook set later has its secret already. */
  readonly webhook_secrets: readonly SealedSecret[]
  readonly verifier: { readonly sealed_signing_jwk: string; readonly certificate_chain_pem: string } | null
  readonly api_keys: readonly ApiKeyRecord[]
}

export type SealedSecret = { readonly sealed: string; readonly expires_at: number | null }

/** Reads what storage holds; `undefined` where there is nothing. Throws for a version this code does not know: it never guesses. */
export function readDocument(stored: unknown): RelyingPartyDocument | undefined {
  if (stored === undefined) return undefined
  const { schema_version } = stored as { schema_version: unknown } // written by this service alone
  if (schema_version === SCHEMA_VERSION) return stored as RelyingPartyDocument
  if (schema_version === 1) return fromVersion1(stored as Version1)
  throw new Error(`relying party document of unknown version ${String(schema_version)}`)
}

/** Before there was a choice: what could not be checked was refused. */
type Version1 = Omit<RelyingPartyDocument, 'schema_version' | 'status_unavailable'>

function fromVersion1(stored: Version1): RelyingPartyDocument {
  return { ...stored, schema_version: SCHEMA_VERSION, status_unavailable: 'refuse' }
}

/** Opens the document's secrets. Throws where they cannot be opened: the server secret is then not the one they were sealed with. */
export async function openSettings(
  document: RelyingPartyDocument,
  key: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<Settings> {
  const { webhook, webhook_secrets, verifier, schema_version, created_at, ...rest } = document
  return {
    ...rest,
    webhook: webhook && { ...webhook, secrets: await openSecrets(document, key, now) },
    verifier: verifier && {
      signing_jwk: JSON.parse(
        await open(sealingFor(document, key, 'verifier'), verifier.sealed_signing_jwk),
      ) as SigningIdentity['signing_jwk'], // sealed by us after validation
      certificate_chain_pem: verifier.certificate_chain_pem,
    },
  }
}

/** What may be shown: everything but secrets and hashes. */
export function viewOf(document: RelyingPartyDocument): SettingsView {
  const { webhook_secrets, verifier, api_keys, schema_version, ...rest } = document
  return {
    ...rest,
    verifier: verifier && { certificate_chain_pem: verifier.certificate_chain_pem },
    api_keys: api_keys.map(({ hash, ...shown }) => shown),
  }
}

/** Puts a new webhook secret in front; the one it replaces stays valid until `overlapUntil`. */
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

/** The key and the place of one secret field. */
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
