// One relying party: its settings, API keys and webhook endpoint in one document. Hashing and sealing are
// awaited first. Then the document is read, changed and written without an `await`, so that no call
// overwrites the change of another call. A change and its entry in the audit log are one transaction.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../config.ts'
import type { PublicJwk } from '../crypto/jwk.ts'
import { type Env, withJurisdiction } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import { disablesEndpoint } from '../webhook/delivery.ts'
import type { Origin } from './audit/actor.ts'
import {
  AUDIT_KEPT_MS,
  type AuditEvent,
  type AuditPage,
  type AuditQuery,
  openAuditLog,
} from './audit/audit-log.ts'
import { changedMembers } from './audit/changed-members.ts'
import {
  addWebhookSecret,
  openSettings,
  type RelyingPartyDocument,
  readDocument,
  setDisabled,
  toView,
  verifierKeys,
  WEBHOOK_SECRET_OVERLAP,
} from './document/document.ts'
import { toRelyingPartyId } from './document/identifier.ts'
import { openSealer } from './document/sealer.ts'
import type {
  ApiKeyGrant,
  Settings,
  SettingsInput,
  SettingsPatch,
  SettingsView,
} from './document/settings.ts'
import { openSignOuts, type SignIn, type SignOuts } from './document/sign-outs.ts'
import { lacksKey } from './document/stored-keys.ts'
import { parkSession, releaseParked } from './events/parked-sessions.ts'
import { sendTestEvent } from './events/test-webhook.ts'
import { eraseEvidence } from './evidence-sessions.ts'
import type { ListedDay } from './index/index-days.ts'
import { openListedDays } from './index/listed-days.ts'
import { openDayOpener } from './index/open-days.ts'
import { firstApiKey, newApiKey } from './keys/api-key.ts'
import { openKeyUses } from './keys/key-uses.ts'
import type { OidcClient, OidcClientInput } from './oidc/client.ts'
import { openOidcClients } from './oidc/clients.ts'
import { type Kept, openOnce, type PushedValue, type Stored, type Use } from './oidc/once.ts'
import { pruneByAlarm, wakeUpBy, writeWithAlarm } from './wake-up.ts'

/** Limit of API keys of one relying party. */
const MAXIMUM_API_KEYS = 50

/** Time after which an erasure that failed is repeated. */
const ERASED_AGAIN_MS = 60_000

const DOCUMENT = 'document'

export class RelyingParty extends DurableObject<Env> {
  readonly #id = toRelyingPartyId(this.ctx.id)
  readonly #audit = openAuditLog(this.ctx.storage)
  readonly #oidcClients = openOidcClients(this.ctx.storage, this.#audit)
  readonly #once = openOnce(this.ctx.storage)
  readonly #signOuts = openSignOuts(this.ctx.storage)
  readonly #sealer = openSealer(this.env, this.#id)
  readonly #keyUses = openKeyUses(this.ctx.storage)
  readonly #listedDays = openListedDays(this.ctx.storage)
  readonly #openDays = openDayOpener(this.ctx, this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
  }

  /** Stores a new relying party. Its first API key has the default scopes and does not expire. */
  async create(input: SettingsInput, now: number, by?: Origin) {
    const key = await firstApiKey(this.#id, input.livemode, now)
    const { document, webhookSecret } = await this.#sealer.newDocument(input, now, key.record)
    if (this.#load() !== undefined) return err('exists')
    this.#transaction(() => {
      this.#save(document)
      this.#note(by, { action: 'relying_party.created', target: key.record.key_id })
    })
    return ok({ api_key: key.apiKey, webhook_secret: webhookSecret, settings: this.#view(document) })
  }

  /** Returns the settings with their secrets, for authentication and for sessions. */
  async settings(): Promise<Result<Settings, 'not_found'>> {
    const document = this.#load()
    if (document === undefined) return err('not_found')
    this.#openDays(this.#id, this.listedDays())
    return ok(await openSettings(document, await this.#sealer.key(), Date.now()))
  }

  /** Returns the settings without secrets. */
  view(): Result<SettingsView, 'not_found'> {
    const document = this.#load()
    return document === undefined ? err('not_found') : ok(this.#view(document))
  }

  /** Replaces the settings that the patch contains. A webhook with a new URL is enabled. */
  async update(patch: SettingsPatch, by?: Origin) {
    const step = await this.#sealer.sealPatch(patch)
    if (lacksKey(patch, this.#load() ?? {})) return err('key_missing')
    return this.#change(step, (before, after) => {
      const names = changedMembers(before, after, Object.keys(patch))
      if (names.length > 0) this.#note(by, { action: 'settings.changed', members: names })
    })
  }

  /** Returns false for a deleted relying party. */
  exists(): boolean {
    return this.#load() !== undefined
  }

  /** Returns the public keys of the relying party's DID document. */
  verifierKeys(): Result<readonly PublicJwk[], 'not_found'> {
    const document = this.#load()
    return document === undefined ? err('not_found') : ok(verifierKeys(document, Date.now()))
  }

  /** Erases all data, and the evidence of all sessions. Returns false if the relying party does not exist. */
  async erase(): Promise<boolean> {
    // The document is deleted first, so that a call that still waits for a hash does not write it again.
    const existed = this.ctx.storage.kv.delete(DOCUMENT)
    if (existed) await this.#eraseRest()
    return existed
  }

  /** Erases remaining data of a deleted relying party. After a failure or a crash, the alarm repeats this. */
  async #eraseRest(): Promise<void> {
    void this.ctx.storage.setAlarm(Date.now() + ERASED_AGAIN_MS)
    if (!(await eraseEvidence(this.env, this.#id))) return
    const deleted = this.ctx.storage.deleteAll()
    this.#once.reset()
    await deleted
  }

  async createApiKey(grant: ApiKeyGrant, by?: Origin) {
    const livemode = this.#load()?.livemode // never changes, so it is still right after the `await` below
    if (livemode === undefined) return err('not_found')
    const key = { relyingPartyId: this.#id, livemode, created_at: Date.now() }
    const { apiKey, record } = await newApiKey({ ...key, ...grant })
    const document = this.#load()
    if (document === undefined) return err('not_found')
    if (document.api_keys.length >= MAXIMUM_API_KEYS) return err('too_many_keys')
    const { hash, name = null, ...shown } = record
    this.#transaction(() => {
      this.#save({ ...document, api_keys: [...document.api_keys, record] })
      this.#note(by, { action: 'api_key.created', target: record.key_id, target_name: name })
    })
    return ok({ api_key: apiKey, record: { ...shown, name, last_used_at: null } })
  }

  /** Deletes an API key. Returns false if there is none. */
  deleteApiKey(keyId: string, by?: Origin): boolean {
    const document = this.#load()
    const deleted = document?.api_keys.find((record) => record.key_id === keyId)
    if (document === undefined || deleted === undefined) return false
    const api_keys = document.api_keys.filter((record) => record !== deleted)
    this.#transaction(() => {
      this.#save({ ...document, api_keys })
      this.#keyUses.remove(keyId)
      this.#note(by, { action: 'api_key.deleted', target: keyId, target_name: deleted.name ?? null })
    })
    return true
  }

  /** Stores the hour of a use of a key. `now` is Unix milliseconds. An unknown key is ignored. */
  noteKeyUse(keyId: string, now: number): void {
    if (this.#load()?.api_keys.some(({ key_id }) => key_id === keyId)) this.#keyUses.note(keyId, now)
  }

  /** Creates a webhook secret. The old secret also signs until `previousExpiresAt` (Unix milliseconds). */
  async rotateWebhookSecret(by?: Origin) {
    const { secret, sealed } = await this.#sealer.newWebhookSecret()
    const now = Date.now()
    const overlapUntil = now + WEBHOOK_SECRET_OVERLAP
    const step = (document: RelyingPartyDocument) => addWebhookSecret(document, sealed, { now, overlapUntil })
    const changed = this.#change(step, () => this.#note(by, { action: 'webhook.secret_rotated' }))
    return changed.ok ? ok({ secret, previousExpiresAt: overlapUntil }) : changed
  }

  /** Returns the OpenID Connect clients in the order of their creation. */
  oidcClients(): Result<readonly OidcClient[], 'not_found'> {
    return this.#load() === undefined ? err('not_found') : ok(this.#oidcClients.list())
  }

  oidcClient(clientId: string): Result<OidcClient, 'not_found'> {
    return this.#load() === undefined ? err('not_found') : this.#oidcClients.find(clientId)
  }

  addOidcClient(client: OidcClient, by?: Origin): Result<OidcClient, 'not_found' | 'too_many_clients'> {
    if (this.#load() === undefined) return err('not_found')
    return this.#transaction(() => this.#oidcClients.add(client, by))
  }

  replaceOidcClient(clientId: string, input: OidcClientInput, by?: Origin): Result<OidcClient, 'not_found'> {
    return this.#transaction(() => this.#oidcClients.replace(clientId, input, by))
  }

  /** Adds the hash of a new secret of a client. The old secret works for 24 hours. */
  addOidcSecret(clientId: string, hash: string, by?: Origin): Result<OidcClient, 'not_found'> {
    return this.#transaction(() => this.#oidcClients.addSecret(clientId, hash, Date.now(), by))
  }

  /** Deletes a client. Returns false if there is none. */
  deleteOidcClient(clientId: string, by?: Origin): boolean {
    return this.#transaction(() => this.#oidcClients.remove(clientId, by))
  }

  /** Stores a name that is accepted only once, and its value. Example: the `jti` of a client assertion. */
  async storeOnce(name: string, value: string, use: Use): Promise<Stored> {
    if (this.#load() === undefined) return err('deleted')
    return writeWithAlarm(this.ctx.storage, use.expiresAt + 1_000, () =>
      this.#load() === undefined
        ? err('deleted')
        : this.#once.store(name, value, { ...use, now: Date.now() }),
    )
  }

  /** Returns the pushed request of this name; null if the client has no such request. Writes nothing. */
  pushedRequest(name: string, clientId: string): PushedValue | null {
    return this.#once.readOf(clientId, name, Date.now())
  }

  keepPushedRequest(name: string, expiresAt: number): Kept {
    return this.#once.keep(name, expiresAt, Date.now())
  }

  /** Resumes webhook deliveries, which stop after a response with the status 410. */
  enableWebhook(by?: Origin): Result<SettingsView, 'not_found'> {
    const step = (document: RelyingPartyDocument) => setDisabled(document, false)
    return this.#change(step, (before) => {
      if (before.webhook?.disabled) this.#note(by, { action: 'webhook.enabled' })
    })
  }

  /** Stops deliveries to a URL that responded 410. A URL that was set meanwhile stays enabled. */
  disableWebhook(url: string): Result<SettingsView, 'not_found'> {
    return this.#change((document) =>
      document.webhook?.url === url ? setDisabled(document, true) : document,
    )
  }

  /**
   * Stores the id of a session that has an event for the disabled webhook. Returns false if the webhook is
   * not disabled.
   */
  park(verificationId: string): boolean {
    if (!this.#load()?.webhook?.disabled) return false
    parkSession(this.ctx.storage, verificationId)
    return true
  }

  /** Adds a day with listed verifications. Returns `deleted` for a deleted relying party. */
  addListDay(day: number): 'added' | 'old' | 'deleted' {
    return this.#load() === undefined ? 'deleted' : this.#listedDays.add(day)
  }

  /** Returns the days with listed verifications, oldest first. */
  listedDays(): readonly ListedDay[] {
    return this.#listedDays.read()
  }

  /** Ends a sign-in of the console. `now` is Unix milliseconds. A deleted relying party has no sign-ins. */
  endSignIn(signIn: SignIn, now: number, by?: Origin): void {
    if (this.#load() === undefined) return
    this.#transaction(() => {
      if (this.#signOuts.end(signIn, now)) this.#note(by, { action: 'console.signed_out' })
    })
  }

  /** Appends an entry to the audit log. A deleted relying party has no log. */
  audit(by: Origin | undefined, event: AuditEvent): void {
    if (this.#load() !== undefined) this.#transaction(() => this.#note(by, event))
  }

  /** Returns a page of the audit log, newest first. */
  readAudit(query: AuditQuery): AuditPage {
    return this.#audit.read(query, Date.now())
  }

  /** Returns the ended sign-ins of the console. */
  signOuts(): Result<SignOuts, never> {
    return ok(this.#signOuts.read())
  }

  /** Releases events that waited for the webhook. Erases expired single-use names and audit log entries. */
  override async alarm(): Promise<void> {
    if (this.#load() === undefined) return this.#eraseRest()
    await releaseParked(this.ctx.storage, this.env)
    await pruneByAlarm(this.ctx.storage, [this.#once, this.#audit])
  }

  /** Sends one test event and returns its outcome. A 410 disables the webhook, as with a real event. */
  async sendTestWebhook(by?: Origin) {
    const settings = await this.settings()
    if (!settings.ok) return settings
    const { webhook } = settings.value
    if (webhook === null) return err('no_webhook')
    this.audit(by, { action: 'webhook.tested' })
    const delivery = await sendTestEvent(settings.value, webhook, loadConfig(this.env))
    if (disablesEndpoint(delivery)) this.disableWebhook(webhook.url)
    return ok(delivery)
  }

  /** Makes a change of the document. `note` appends its entry to the audit log, in the same transaction. */
  #change(
    step: (document: RelyingPartyDocument) => RelyingPartyDocument,
    note: (before: RelyingPartyDocument, after: RelyingPartyDocument) => void = () => {},
  ): Result<SettingsView, 'not_found'> {
    const document = this.#load()
    if (document === undefined) return err('not_found')
    const changed = step(document)
    // This alarm releases the waiting events. It is set first: `#transaction` then sets no alarm of its own.
    if (document.webhook?.disabled && !changed.webhook?.disabled) void this.ctx.storage.setAlarm(Date.now())
    this.#transaction(() => {
      if (changed !== document) this.#save(changed)
      note(document, changed)
    })
    return ok(this.#view(changed))
  }

  /** Makes a change and its entry in the audit log in one write: after a failure, neither is stored. */
  #transaction<Value>(change: () => Value): Value {
    const value = this.ctx.storage.transactionSync(change)
    this.ctx.waitUntil(wakeUpBy(this.ctx.storage, Date.now() + AUDIT_KEPT_MS))
    return value
  }

  /** Appends an entry to the audit log. */
  #note(by: Origin | undefined, event: AuditEvent): void {
    this.#audit.append(event, by, Date.now())
  }

  #view(document: RelyingPartyDocument): SettingsView {
    return toView(document, this.#keyUses.read())
  }

  #load(): RelyingPartyDocument | undefined {
    return readDocument(this.ctx.storage.kv.get(DOCUMENT))
  }

  #save(document: RelyingPartyDocument): void {
    this.ctx.storage.kv.put(DOCUMENT, document)
  }
}
