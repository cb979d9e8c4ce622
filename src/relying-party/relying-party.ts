import type { ApiKeyGrant } from './document/settings.ts'
// One relying party: its settings, API keys and webhook endpoint in one document. Hashing and sealing are
// awaited first. Then the document is read, changed and written without an `await`, so that no call
// overwrites the change of another call.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../config.ts'
import type { PublicJwk } from '../crypto/jwk.ts'
import { randomBytes } from '../crypto/random.ts'
import { deriveKey, type Sealing, seal } from '../crypto/seal.ts'
import { type Env, withJurisdiction } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import { disablesEndpoint } from '../webhook/delivery.ts'
import { createSecretFrom } from '../webhook/signature.ts'
import {
  addWebhookSecret,
  CURRENT_VERSION,
  openSettings,
  type RelyingPartyDocument,
  readDocument,
  replaceVerifier,
  replaceWebhook,
  type StoredReaderCertificate,
  sealingFor,
  setDisabled,
  toView,
  verifierKeys,
} from './document/document.ts'
import { toRelyingPartyId } from './document/identifier.ts'
import {
  type ReaderCertificate,
  SCOPES,
  type Settings,
  type SettingsInput,
  type SettingsPatch,
  type SettingsView,
  type SigningIdentity,
} from './document/settings.ts'
import { openSignOuts, type SignIn, type SignOuts } from './document/sign-outs.ts'
import { parkSession, releaseParked } from './events/parked-sessions.ts'
import { sendTestEvent } from './events/test-webhook.ts'
import { COUNTED_DAYS } from './index/index-days.ts'
import { openDayOpener } from './index/open-days.ts'
import { newApiKey } from './keys/api-key.ts'
import type { OidcClient, OidcClientInput } from './oidc/client.ts'
import { openOidcClients } from './oidc/clients.ts'
import { type Kept, openOnce, type PushedValue, pruneByAlarm, type Stored, type Use } from './oidc/once.ts'

/** Milliseconds for which a replaced webhook secret still signs (api/webhooks). */
export const WEBHOOK_SECRET_OVERLAP = 24 * 3600 * 1000

/** Limit of API keys of one relying party. */
const MAXIMUM_API_KEYS = 50

const DOCUMENT = 'document'
/** Days with indexed verifications. */
const INDEX_DAYS = 'index_days'

export class RelyingParty extends DurableObject<Env> {
  readonly #id = toRelyingPartyId(this.ctx.id)
  readonly #oidcClients = openOidcClients(this.ctx.storage)
  readonly #once = openOnce(this.ctx.storage)
  readonly #signOuts = openSignOuts(this.ctx.storage)
  #key: Uint8Array<ArrayBuffer> | undefined
  readonly #openDays = openDayOpener(this.ctx, this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
  }

  /** Stores a new relying party. Its first API key has every scope and does not expire. */
  async create(input: SettingsInput, now: number) {
    const key = await newApiKey({
      relyingPartyId: this.#id,
      livemode: input.livemode,
      scopes: SCOPES,
      created_at: now,
      expires_at: null,
    })
    const webhook = await this.#newWebhookSecret()
    const verifier = input.verifier && (await this.#sealKey(input.verifier))
    const reader_certificates = await this.#sealKeys(input.reader_certificates ?? [])
    if (this.#load() !== undefined) return err('exists')
    const document: RelyingPartyDocument = {
      ...input,
      ...CURRENT_VERSION,
      relying_party_id: this.#id,
      created_at: now,
      webhook: input.webhook && { ...input.webhook, disabled: false },
      webhook_secrets: [{ sealed: webhook.sealed, expires_at: null }],
      verifier,
      reader_certificates,
      former_verifier_keys: [],
      api_keys: [key.record],
    }
    this.#save(document)
    return ok({ api_key: key.apiKey, webhook_secret: webhook.secret, settings: toView(document) })
  }

  /** Returns the settings with their secrets, for authentication and for sessions. */
  async settings(): Promise<Result<Settings, 'not_found'>> {
    const document = this.#load()
    if (document === undefined) return err('not_found')
    this.#openDays(this.#id, this.indexDays())
    return ok(await openSettings(document, await this.#sealingKey(), Date.now()))
  }

  /** Returns the settings without secrets. */
  view(): Result<SettingsView, 'not_found'> {
    return this.#change((document) => document)
  }

  /** Replaces the settings that the patch contains. A webhook with a new URL is enabled. */
  async update(patch: SettingsPatch): Promise<Result<SettingsView, 'not_found'>> {
    const { webhook, verifier, reader_certificates, ...members } = patch
    const sealed = verifier && (await this.#sealKey(verifier))
    const readers = reader_certificates && (await this.#sealKeys(reader_certificates))
    return this.#change((document) => ({
      ...(sealed === undefined ? document : replaceVerifier(document, sealed, Date.now())),
      ...members,
      ...(readers && { reader_certificates: readers }),
      ...(webhook === undefined ? {} : { webhook: replaceWebhook(document.webhook, webhook) }),
    }))
  }

  /** Returns the public keys of the relying party's DID document. */
  verifierKeys(): Result<readonly PublicJwk[], 'not_found'> {
    const document = this.#load()
    return document === undefined ? err('not_found') : ok(verifierKeys(document, Date.now()))
  }

  /** Erases all data. Returns false if the relying party does not exist. */
  async erase(): Promise<boolean> {
    // The document is deleted first, so that a call that still waits for a hash does not write it again.
    const existed = this.ctx.storage.kv.delete(DOCUMENT)
    if (!existed) return false
    const deleted = this.ctx.storage.deleteAll()
    this.#once.reset()
    await deleted
    return true
  }

  async createApiKey(grant: ApiKeyGrant) {
    const livemode = this.#load()?.livemode // never changes, so it is still right after the `await` below
    if (livemode === undefined) return err('not_found')
    const { apiKey, record } = await newApiKey({
      relyingPartyId: this.#id,
      livemode,
      created_at: Date.now(),
      ...grant,
    })
    const document = this.#load()
    if (document === undefined) return err('not_found')
    if (document.api_keys.length >= MAXIMUM_API_KEYS) return err('too_many_keys')
    this.#save({ ...document, api_keys: [...document.api_keys, record] })
    const { hash, ...shown } = record
    return ok({ api_key: apiKey, record: shown })
  }

  /** Deletes an API key. Returns false if there is none. */
  deleteApiKey(keyId: string): boolean {
    const document = this.#load()
    if (!document?.api_keys.some((record) => record.key_id === keyId)) return false
    const api_keys = document.api_keys.filter((record) => record.key_id !== keyId)
    this.#save({ ...document, api_keys })
    return true
  }

  /**
   * Creates a webhook secret. The old one also signs for 24 hours. `previousExpiresAt` is Unix milliseconds.
   */
  async rotateWebhookSecret(): Promise<Result<{ secret: string; previousExpiresAt: number }, 'not_found'>> {
    const { secret, sealed } = await this.#newWebhookSecret()
    const now = Date.now()
    const overlapUntil = now + WEBHOOK_SECRET_OVERLAP
    const changed = this.#change((document) => addWebhookSecret(document, sealed, { now, overlapUntil }))
    return changed.ok ? ok({ secret, previousExpiresAt: overlapUntil }) : changed
  }

  /** Returns the OpenID Connect clients in the order of their creation. */
  oidcClients(): Result<readonly OidcClient[], 'not_found'> {
    return this.#load() === undefined ? err('not_found') : ok(this.#oidcClients.list())
  }

  oidcClient(clientId: string): Result<OidcClient, 'not_found'> {
    return this.#load() === undefined ? err('not_found') : this.#oidcClients.find(clientId)
  }

  addOidcClient(client: OidcClient): Result<OidcClient, 'not_found' | 'too_many_clients'> {
    return this.#load() === undefined ? err('not_found') : this.#oidcClients.add(client)
  }

  replaceOidcClient(clientId: string, input: OidcClientInput): Result<OidcClient, 'not_found'> {
    return this.#oidcClients.replace(clientId, input)
  }

  /** Adds the hash of a new secret of a client. The old secret works for 24 hours. */
  addOidcSecret(clientId: string, hash: string): Result<OidcClient, 'not_found'> {
    return this.#oidcClients.addSecret(clientId, hash, Date.now())
  }

  /** Deletes a client. Returns false if there is none. */
  deleteOidcClient(clientId: string): boolean {
    return this.#oidcClients.remove(clientId)
  }

  /** Stores a single-use name with a value. */
  async storeOnce(name: string, value: string, use: Use): Promise<Stored> {
    if (this.#load() === undefined) return err('deleted')
    // The alarm is set first: after a crash between the two, a name without an alarm would stay stored.
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(use.expiresAt + 1_000)
    if (this.#load() === undefined) return err('deleted')
    return this.#once.store(name, value, { ...use, now: Date.now() })
  }

  /** Returns the pushed request of this name; null if the client has no such request. Writes nothing. */
  pushedRequest(name: string, clientId: string): PushedValue | null {
    return this.#once.readOf(clientId, name, Date.now())
  }

  keepPushedRequest(name: string, expiresAt: number): Kept {
    return this.#once.keep(name, expiresAt, Date.now())
  }

  /** Resumes deliveries after a 410. */
  enableWebhook(): Result<SettingsView, 'not_found'> {
    return this.#change((document) => setDisabled(document, false))
  }

  /** Stops deliveries to a URL that responded 410. A URL that was set meanwhile stays enabled. */
  disableWebhook(url: string): Result<SettingsView, 'not_found'> {
    return this.#change((document) =>
      document.webhook?.url === url ? setDisabled(document, true) : document,
    )
  }

  /**
   * Stores the object id of a session that has an event for the disabled webhook. Returns false if the
   * webhook is not disabled.
   */
  park(sessionId: string): boolean {
    if (!this.#load()?.webhook?.disabled) return false
    parkSession(this.ctx.storage, sessionId)
    return true
  }

  /** Adds a day with indexed verifications. Returns false for a deleted relying party. */
  addIndexDay(day: number): boolean {
    if (this.#load() === undefined) return false
    const days = this.indexDays()
    if (days.includes(day)) return true
    const kept = days.filter((known) => known >= day - COUNTED_DAYS)
    this.ctx.storage.kv.put(
      INDEX_DAYS,
      [...kept, day].sort((a, b) => a - b),
    )
    return true
  }

  /** Ends a sign-in of the console. `now` is Unix milliseconds. A deleted relying party has none. */
  endSignIn(signIn: SignIn, now: number): void {
    if (this.#load() !== undefined) this.#signOuts.end(signIn, now)
  }

  /** Returns the ended sign-ins of the console. */
  signOuts(): Result<SignOuts, never> {
    return ok(this.#signOuts.read())
  }

  /** Returns the days with indexed verifications, oldest first. */
  indexDays(): readonly number[] {
    return this.ctx.storage.kv.get<readonly number[]>(INDEX_DAYS) ?? []
  }

  /** Releases events that waited for the webhook, and removes names that have expired. */
  override async alarm(): Promise<void> {
    await releaseParked(this.ctx.storage, this.env)
    await pruneByAlarm(this.ctx.storage, this.#once)
  }

  /** Sends one test event and returns its outcome. A 410 disables the webhook, as with a real event. */
  async sendTestWebhook() {
    const settings = await this.settings()
    if (!settings.ok) return settings
    const { webhook } = settings.value
    if (webhook === null) return err('no_webhook')
    const delivery = await sendTestEvent(settings.value, webhook, loadConfig(this.env))
    if (disablesEndpoint(delivery)) this.disableWebhook(webhook.url)
    return ok(delivery)
  }

  #change(step: (document: RelyingPartyDocument) => RelyingPartyDocument): Result<SettingsView, 'not_found'> {
    const document = this.#load()
    if (document === undefined) return err('not_found')
    const changed = step(document)
    if (changed !== document) this.#save(changed)
    if (document.webhook?.disabled && !changed.webhook?.disabled) void this.ctx.storage.setAlarm(Date.now())
    return ok(toView(changed))
  }

  #load(): RelyingPartyDocument | undefined {
    return readDocument(this.ctx.storage.kv.get(DOCUMENT))
  }

  #save(document: RelyingPartyDocument): void {
    this.ctx.storage.kv.put(DOCUMENT, document)
  }

  async #newWebhookSecret(): Promise<{ readonly secret: string; readonly sealed: string }> {
    const secret = createSecretFrom(randomBytes(32))
    return { secret, sealed: await seal(await this.#sealing('webhook_secret'), secret, randomBytes(12)) }
  }

  #sealKeys(readers: readonly ReaderCertificate[]): Promise<readonly StoredReaderCertificate[]> {
    return Promise.all(readers.map((reader) => this.#sealKey(reader)))
  }

  async #sealKey<Sent extends Pick<SigningIdentity, 'signing_jwk'>>(
    sent: Sent,
  ): Promise<Omit<Sent, 'signing_jwk'> & { readonly sealed_signing_jwk: string }> {
    const { signing_jwk, ...shown } = sent
    const text = JSON.stringify(signing_jwk)
    const sealed_signing_jwk = await seal(await this.#sealing('verifier'), text, randomBytes(12))
    return { ...shown, sealed_signing_jwk }
  }

  async #sealing(field: 'webhook_secret' | 'verifier'): Promise<Sealing> {
    return sealingFor({ relying_party_id: this.#id }, await this.#sealingKey(), field)
  }

  async #sealingKey(): Promise<Uint8Array<ArrayBuffer>> {
    this.#key ??= await deriveKey(loadConfig(this.env).serverSecret, 'relying-party')
    return this.#key
  }
}
