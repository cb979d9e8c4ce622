import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SCHEMA_VERSION, WEBHOOK_SECRET_OVERLAP } from '../../src/relying-party/document/document.ts'
import { relyingPartyStub, toRelyingPartyId } from '../../src/relying-party/document/identifier.ts'
import type { Settings, SettingsInput } from '../../src/relying-party/document/settings.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../support/service/environment.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const URL_IN = 'https://hooks.shop.org/in'

const INPUT: SettingsInput = {
  name: 'Shop',
  livemode: false,
  webhook: { url: URL_IN, events: ['verification.verified'] },
  trust_anchors: [],
  anchor_sets: [],
  credential_types: [],
  transaction_data_types: [],
  formats: null,
  request_options: {},
  by_value: true,
  status_unavailable: 'refuse',
  certificate_revocation: 'off',
  return_urls: [],
  origins: [],
  branding: null,
  retention_seconds: 3600,
  claims_encryption_jwk: null,
  verifier: null,
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a relying party object', () => {
  it('can be created only once', async () => {
    const { stub } = await create()
    expect(await stub.create(INPUT, NOW)).toEqual({ ok: false, error: 'exists' })
  })

  it('returns not_found before it is created, and after it was erased', async () => {
    const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
    const unknown = { ok: false, error: 'not_found' }
    for (const erased of [false, true]) {
      if (erased) {
        await stub.create(INPUT, NOW)
        expect(await stub.erase()).toBe(true)
      }
      expect(await stub.settings()).toEqual(unknown)
      expect(await stub.view()).toEqual(unknown)
      expect(await stub.update({ name: 'x' })).toEqual(unknown)
      expect(await stub.createApiKey({ scopes: ['verify:read'], expires_at: null })).toEqual(unknown)
      expect(await stub.deleteApiKey('0011223344556677')).toBe(false)
      expect(await stub.rotateWebhookSecret()).toEqual(unknown)
      expect(await stub.enableWebhook()).toEqual(unknown)
      expect(await stub.disableWebhook(URL_IN)).toEqual(unknown)
      expect(await stub.sendTestWebhook()).toEqual(unknown)
      expect(await stub.erase()).toBe(false)
    }
  })

  it('can decrypt its secrets after an eviction from memory', async () => {
    const verifier = {
      signing_jwk: JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK),
      certificate_chain_pem: VERIFIER_CERTIFICATE_PEM,
    }
    const { stub, created } = await create({ verifier })
    await evictDurableObject(stub)
    const settings = await settingsFrom(stub)
    expect(settings.verifier).toEqual(verifier)
    expect(settings.webhook?.secrets).toEqual([{ secret: created.webhook_secret, expires_at: null }])
  })

  it('keeps its verifier identity if a change has no `verifier`, and replaces it if a change has `verifier`', async () => {
    const verifier = {
      signing_jwk: JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK),
      certificate_chain_pem: VERIFIER_CERTIFICATE_PEM,
    }
    const { stub } = await create()
    await stub.update({ verifier })
    await stub.update({ name: 'Renamed' })
    expect((await settingsFrom(stub)).verifier).toEqual(verifier)
    await stub.update({ verifier: null })
    expect((await settingsFrom(stub)).verifier).toBeNull()
  })

  it('cannot decrypt a secret that was copied from another relying party', async () => {
    const one = await create()
    const other = await create()
    const moved = await runInDurableObject(one.stub, (_, state) => state.storage.kv.get<Stored>('document'))
    const refused = await runInDurableObject(other.stub, async (object, state) => {
      const document = state.storage.kv.get<Stored>('document')
      state.storage.kv.put('document', { ...document, webhook_secrets: moved?.webhook_secrets })
      return object.settings().catch((error: Error) => error.message)
    })
    expect(refused).toContain('does not open')
  })

  it.each([1, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])(
    'rejects a document of version %i, names the version, and does not change the document',
    async (schema_version) => {
      const { stub } = await create()
      await runInDurableObject(stub, async (object, state) => {
        const stored = { ...state.storage.kv.get<Stored>('document'), schema_version }
        state.storage.kv.put('document', stored)
        await expect(object.settings()).rejects.toThrow(
          `relying party document of unknown version ${schema_version}`,
        )
        await expect(object.update({ name: 'Other' })).rejects.toThrow('unknown version')
        expect(state.storage.kv.get('document')).toEqual(stored)
      })
    },
  )
})

describe('webhook secrets', () => {
  it('there are two webhook secrets for 24 hours after a rotation, then one', async () => {
    const { stub, created } = await create()
    const rotated = await stub.rotateWebhookSecret()
    const secret = rotated.ok ? rotated.value.secret : ''
    const previous = { secret: created.webhook_secret, expires_at: NOW + WEBHOOK_SECRET_OVERLAP }
    expect(rotated).toMatchObject({ value: { previousExpiresAt: NOW + 24 * 3600 * 1000 } })
    expect((await settingsFrom(stub)).webhook?.secrets).toEqual([{ secret, expires_at: null }, previous])
    vi.setSystemTime(NOW + WEBHOOK_SECRET_OVERLAP - 1)
    expect((await settingsFrom(stub)).webhook?.secrets).toHaveLength(2)
    vi.setSystemTime(NOW + WEBHOOK_SECRET_OVERLAP)
    expect((await settingsFrom(stub)).webhook?.secrets).toEqual([{ secret, expires_at: null }])
  })

  it('another rotation does not extend the lifetime of a webhook secret, and there are at most three secrets', async () => {
    const { stub, created } = await create()
    await stub.rotateWebhookSecret()
    vi.setSystemTime(NOW + 1000)
    await stub.rotateWebhookSecret()
    const secrets = (await settingsFrom(stub)).webhook?.secrets ?? []
    expect(secrets).toHaveLength(3)
    expect(secrets[2]).toEqual({ secret: created.webhook_secret, expires_at: NOW + WEBHOOK_SECRET_OVERLAP })
    await stub.rotateWebhookSecret()
    const after = (await settingsFrom(stub)).webhook?.secrets ?? []
    expect(after).toHaveLength(3)
    expect(after.map(({ secret }) => secret)).not.toContain(created.webhook_secret)
  })

  it('exist even without a webhook, and stay the same when a webhook is set later', async () => {
    const { stub, created } = await create({ webhook: null })
    await stub.update({ webhook: { url: URL_IN, events: ['verification.verified'] } })
    expect((await settingsFrom(stub)).webhook?.secrets).toEqual([
      { secret: created.webhook_secret, expires_at: null },
    ])
  })
})

describe('a webhook', () => {
  it('is disabled only by a 410 from its current URL, and stays disabled until it is enabled', async () => {
    const { stub } = await create()
    await stub.disableWebhook('https://hooks.shop.org/old')
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(false)
    await stub.disableWebhook(URL_IN)
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(true)
    await stub.update({ webhook: { url: URL_IN, events: ['verification.expired'] } })
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(true)
    await stub.enableWebhook()
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(false)
  })

  it('is enabled by a new URL', async () => {
    const { stub } = await create()
    await stub.disableWebhook(URL_IN)
    await stub.update({ webhook: { url: 'https://hooks.shop.org/new', events: ['verification.expired'] } })
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(false)
  })
})

describe('a test event', () => {
  it('is one POST, which a foreign library verifies with each secret that is still valid', async () => {
    const { stub, created } = await create()
    const rotated = await stub.rotateWebhookSecret()
    const fetched = receive(new Response('thanks', { status: 202 }))
    const tested = await stub.sendTestWebhook()
    expect(tested).toMatchObject({ ok: true, value: { succeeded: true, status: 202, error: null } })
    expect(fetched).toHaveBeenCalledTimes(1)
    const [url, init] = fetched.mock.calls[0] ?? []
    expect(url).toBe(URL_IN)
    const body = String(init?.body)
    for (const secret of [created.webhook_secret, rotated.ok ? rotated.value.secret : '']) {
      const headers = Object.fromEntries(new Headers(init?.headers))
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        event_type: 'webhook.test',
        relying_party_id: created.settings.relying_party_id,
        livemode: false,
      })
    }
  })

  it('returns what the receiver responded, and is not repeated', async () => {
    const { stub } = await create()
    const fetched = receive(new Response(null, { status: 500 }))
    expect(await stub.sendTestWebhook()).toMatchObject({ value: { succeeded: false, status: 500 } })
    expect(fetched).toHaveBeenCalledTimes(1)
  })

  it('disables the webhook when the receiver responds 410', async () => {
    const { stub } = await create()
    receive(new Response(null, { status: 410 }))
    await stub.sendTestWebhook()
    expect((await settingsFrom(stub)).webhook?.disabled).toBe(true)
  })

  it('requires a webhook', async () => {
    const { stub } = await create({ webhook: null })
    expect(await stub.sendTestWebhook()).toEqual({ ok: false, error: 'no_webhook' })
  })

  it('sends nothing to a URL that is no longer allowed', async () => {
    const { stub } = await create({
      livemode: true,
      webhook: { url: 'http://127.0.0.1:1/in', events: ['verification.verified'] },
    })
    const fetched = receive(new Response())
    expect(await stub.sendTestWebhook()).toMatchObject({
      value: { succeeded: false, error: 'forbidden_url' },
    })
    expect(fetched).not.toHaveBeenCalled()
  })
})

type Stored = { readonly webhook_secrets: unknown }
type Stub = NonNullable<ReturnType<typeof relyingPartyStub>>

async function create(change: Partial<SettingsInput> = {}) {
  const id = env.RELYING_PARTY.newUniqueId()
  const stub = relyingPartyStub(env, toRelyingPartyId(id))!
  const created = await stub.create({ ...INPUT, ...change }, NOW)
  if (!created.ok) throw new Error(created.error)
  return { stub, created: created.value }
}

async function settingsFrom(stub: Stub): Promise<Settings> {
  const settings = await stub.settings()
  if (!settings.ok) throw new Error(settings.error)
  return settings.value
}

function receive(response: Response) {
  return vi.spyOn(globalThis, 'fetch').mockResolvedValue(response)
}
