import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { SCOPES, type Scope } from '../../../src/relying-party/document/settings.ts'
import { loadSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { createApp } from '../../../src/routes/app.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const LIST = '/v1/admin/relying_parties'
const app = createApp()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

const as = (token: string, method: string, path: string, body?: unknown) =>
  call(app, method, path, { headers: { Authorization: `Bearer ${token}` }, body })
const admin = (method: string, path: string, body?: unknown) =>
  call(app, method, path, { headers: ADMIN, body })

async function keyWith(id: string, grant: object) {
  return json(admin('POST', `${LIST}/${id}/api_keys`, grant))
}

async function tokenOf(id: string, key: string, scope: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: key,
    scope,
  })
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return (await json(call(app, 'POST', '/oauth/token', { headers, body: body.toString() }))).access_token
}

async function refusalOf(response: Response) {
  const { code, errors } = await json(response)
  return [response.status, code, ...errors.map(({ pointer }: { pointer: string }) => pointer)]
}

describe('a relying party', () => {
  it('reads its settings as the operator reads them, without any secret', async () => {
    const { relying_party_id: id, api_key, webhook_secret } = await createRelyingParty()
    const response = await as(api_key, 'GET', '/v1/relying_party')
    expect(response.status).toBe(200)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const text = await response.text()
    expect(JSON.parse(text)).toEqual(await json(admin('GET', `${LIST}/${id}`)))
    for (const secret of [api_key.split('.')[2], webhook_secret, 'hash']) expect(text).not.toContain(secret)
  })

  it('changes its own trust anchors, webhook and retention', async () => {
    const { relying_party_id: id, api_key } = await createRelyingParty({ livemode: true })
    const change = {
      webhook: { url: 'https://hooks.shop.org/in', events: ['verification.verified'] },
      trust_anchors: [],
      by_value: true,
      status_unavailable: 'accept',
      certificate_revocation: 'accept_unknown',
      return_urls: ['https://shop.example/back'],
      origins: ['https://shop.example'],
      retention_seconds: 3600,
      formats: ['dc+sd-jwt'],
      request_options: { response_mode: 'direct_post' },
    }
    const response = await as(api_key, 'PATCH', '/v1/relying_party', change)
    expect(response.status).toBe(200)
    const shown = { ...change, webhook: { ...change.webhook, disabled: false } }
    expect(await json(response)).toMatchObject(shown)
    expect(await json(admin('GET', `${LIST}/${id}`))).toMatchObject(shown)
  })

  it('changes no other relying party', async () => {
    const [own, other] = [await createRelyingParty(), await createRelyingParty({ name: 'Other' })]
    await as(own.api_key, 'PATCH', '/v1/relying_party', { name: 'Mine', retention_seconds: 3600 })
    const shown = await json(admin('GET', `${LIST}/${other.relying_party_id}`))
    expect(shown).toMatchObject({ name: 'Other', retention_seconds: 172_800 })
  })

  it('cannot change its mode', async () => {
    const { relying_party_id: id, api_key } = await createRelyingParty()
    const response = await as(api_key, 'PATCH', '/v1/relying_party', { livemode: true })
    expect(await refusalOf(response)).toEqual([400, 'invalid_request', '/livemode'])
    expect((await json(admin('GET', `${LIST}/${id}`))).livemode).toBe(false)
  })

  it.each(['relying_party_id', 'api_keys', 'created_at', 'webhook_secrets'])(
    'cannot set %s',
    async (name) => {
      const { api_key } = await createRelyingParty()
      const response = await as(api_key, 'PATCH', '/v1/relying_party', { [name]: [] })
      expect(await refusalOf(response)).toEqual([400, 'invalid_request', `/${name}`])
    },
  )

  it.each([
    ['branding', { color: '#1d4ed8', logo: null }],
    ['google_wallet', { logo_uri: 'https://a.example/logo.png', privacy_policy_uri: 'https://a.example' }],
  ])('sets its %s in test mode; in live mode only the operator can set it', async (name, value) => {
    const change = { [name]: value }
    const test = await createRelyingParty()
    expect((await as(test.api_key, 'PATCH', '/v1/relying_party', change)).status).toBe(200)
    const live = await createRelyingParty({ livemode: true })
    const response = await as(live.api_key, 'PATCH', '/v1/relying_party', change)
    expect(await refusalOf(response)).toEqual([400, 'invalid_request', `/${name}`])
    expect((await admin('PATCH', `${LIST}/${live.relying_party_id}`, change)).status).toBe(200)
    // A value that was read can be sent back.
    expect((await as(live.api_key, 'PATCH', '/v1/relying_party', change)).status).toBe(200)
  })

  it('sets further identities in live mode, but only the operator sets what Google Wallet shows for them', async () => {
    const root = await mintRoot()
    const [own, other] = (await Promise.all([mintLeaf(root), mintLeaf(root)])).map(identityOf)
    const google_wallet = { logo_uri: 'https://a.example/l.png', privacy_policy_uri: 'https://a.example' }
    const plain = { verifier: { ...own, further: [other] } }
    const shown = { verifier: { ...own, further: [{ ...other, google_wallet }] } }
    const live = await createRelyingParty({ livemode: true })
    expect((await as(live.api_key, 'PATCH', '/v1/relying_party', plain)).status).toBe(200)
    const response = await as(live.api_key, 'PATCH', '/v1/relying_party', shown)
    expect(await refusalOf(response)).toEqual([400, 'invalid_request', '/verifier/further'])
    expect((await admin('PATCH', `${LIST}/${live.relying_party_id}`, shown)).status).toBe(200)
    expect((await as(live.api_key, 'PATCH', '/v1/relying_party', shown)).status).toBe(200)
    const test = await createRelyingParty()
    expect((await as(test.api_key, 'PATCH', '/v1/relying_party', shown)).status).toBe(200)
  })

  it('sets its name in test mode; in live mode only the operator can set it', async () => {
    const test = await createRelyingParty()
    expect((await as(test.api_key, 'PATCH', '/v1/relying_party', { name: 'Renamed' })).status).toBe(200)
    const live = await createRelyingParty({ livemode: true })
    const rename = { name: 'Tax Office', retention_seconds: 3600 }
    const response = await as(live.api_key, 'PATCH', '/v1/relying_party', rename)
    expect(await refusalOf(response)).toEqual([400, 'invalid_request', '/name'])
    const unchanged = await json(as(live.api_key, 'GET', '/v1/relying_party'))
    expect(unchanged).toMatchObject({ name: 'Shop', retention_seconds: 172_800 })
    // A value that was read can be sent back.
    expect((await as(live.api_key, 'PATCH', '/v1/relying_party', { name: 'Shop' })).status).toBe(200)
    expect((await admin('PATCH', `${LIST}/${live.relying_party_id}`, { name: 'Renamed' })).status).toBe(200)
  })

  it('changes its claims encryption key only with the scope claims:encrypt', async () => {
    const jwk = { kty: 'EC', crv: 'P-256', ...POINT }
    const { relying_party_id: id, api_key } = await createRelyingParty({ claims_encryption_jwk: jwk })
    const { api_key: weaker } = await keyWith(id, { scopes: without('claims:encrypt') })
    for (const claims_encryption_jwk of [jwk, null]) {
      const response = await as(weaker, 'PATCH', '/v1/relying_party', { claims_encryption_jwk })
      expect(await refusalOf(response)).toEqual([403, 'insufficient_scope', '/claims_encryption_jwk'])
    }
    expect((await json(as(weaker, 'GET', '/v1/relying_party'))).claims_encryption_jwk).toEqual(jwk)
    const change = { claims_encryption_jwk: null }
    expect((await as(api_key, 'PATCH', '/v1/relying_party', change)).status).toBe(200)
  })

  it('may use plain http on loopback for its webhook in test mode only', async () => {
    const change = { webhook: { url: 'http://localhost:9000/hook' } }
    const test = await createRelyingParty()
    expect((await as(test.api_key, 'PATCH', '/v1/relying_party', change)).status).toBe(200)
    const live = await createRelyingParty({ livemode: true })
    const response = await as(live.api_key, 'PATCH', '/v1/relying_party', change)
    expect(await refusalOf(response)).toEqual([400, 'invalid_request', '/webhook/url'])
  })

  it('rotates, tests and enables its webhook', async () => {
    const {
      relying_party_id: id,
      api_key,
      webhook_secret,
    } = await createRelyingParty({
      webhook: { url: 'https://hooks.shop.org/in' },
    })
    const rotated = await json(as(api_key, 'POST', '/v1/webhook/rotate_secret'))
    expect(rotated.webhook_secret).toMatch(/^whsec_/)
    const settings = await loadSettings(env, id, Date.now())
    const secrets = settings.ok ? settings.value.webhook?.secrets.map(({ secret }) => secret) : []
    expect(secrets).toEqual([rotated.webhook_secret, webhook_secret])
    await relyingPartyStub(env, id)?.disableWebhook('https://hooks.shop.org/in')
    expect((await json(as(api_key, 'POST', '/v1/webhook/enable'))).webhook.disabled).toBe(false)
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 204 }))
    expect(await json(as(api_key, 'POST', '/v1/webhook/test'))).toMatchObject({
      succeeded: true,
      status: 204,
    })
    expect(fetched).toHaveBeenCalledOnce()
    fetched.mockRestore()
  })

  it('a relying party without a webhook gets webhook_not_configured', async () => {
    const { api_key } = await createRelyingParty()
    for (const path of ['/v1/webhook/test', '/v1/webhook/enable']) {
      expect(await refusalOf(await as(api_key, 'POST', path))).toEqual([409, 'webhook_not_configured'])
    }
  })
})

describe('an API key of a relying party', () => {
  it('is returned once, works, is listed without its secret, and stops working when deleted', async () => {
    const { api_key, api_keys } = await createRelyingParty()
    const response = await as(api_key, 'POST', '/v1/api_keys', { scopes: ['settings:manage'] })
    expect(response.status).toBe(201)
    const created = await json(response)
    expect(created).toEqual({
      api_key: expect.stringMatching(/^wv_test_/),
      key_id: expect.any(String),
      name: null,
      scopes: ['settings:manage'],
      created_at: '2026-11-20T12:00:00.000Z',
      expires_at: null,
      last_used_at: null,
    })
    const { api_key: secret, ...record } = created
    const listed = await as(secret, 'GET', '/v1/api_keys')
    const text = await listed.text()
    // The last use is noted in the background, before or after this response.
    const last_used_at = expect.toBeOneOf([null, '2026-11-20T12:00:00.000Z'])
    const shown = [...api_keys, record].map((key: object) => ({ ...key, last_used_at }))
    expect(JSON.parse(text)).toEqual({ api_keys: shown })
    expect(text).not.toContain(secret.split('.')[2])
    expect((await as(api_key, 'DELETE', `/v1/api_keys/${created.key_id}`)).status).toBe(204)
    expect(await refusalOf(await as(secret, 'GET', '/v1/api_keys'))).toEqual([401, 'invalid_token'])
  })

  it('may delete itself', async () => {
    const { api_key, api_keys } = await createRelyingParty()
    expect((await as(api_key, 'DELETE', `/v1/api_keys/${api_keys[0].key_id}`)).status).toBe(204)
    expect((await as(api_key, 'GET', '/v1/relying_party')).status).toBe(401)
  })

  it('gets the scopes and expiry of the calling key by default', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const scopes = ['verify:read', 'settings:manage']
    const { api_key } = await keyWith(id, { scopes, expires_at: '2026-11-21T12:00:00Z' })
    expect(await json(as(api_key, 'POST', '/v1/api_keys', {}))).toMatchObject({
      scopes,
      expires_at: '2026-11-21T12:00:00.000Z',
    })
  })

  it('never gets a scope that the calling key does not have', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    for (const lacking of SCOPES.filter((scope) => scope !== 'settings:manage')) {
      const { api_key } = await keyWith(id, { scopes: without(lacking) })
      const asked = { scopes: ['settings:manage', lacking] }
      expect(await refusalOf(await as(api_key, 'POST', '/v1/api_keys', asked))).toEqual([
        403,
        'insufficient_scope',
        '/scopes',
      ])
      const { key_id } = await json(as(api_key, 'POST', '/v1/api_keys', { scopes: ['settings:manage'] }))
      expect(key_id).toBeDefined()
    }
  })

  it("never gets a scope that the calling access token does not have, even if the token's key has it", async () => {
    const { relying_party_id: id, api_key } = await createRelyingParty()
    const token = await tokenOf(id, api_key, 'settings:manage')
    const asked = { scopes: ['verify:read'] }
    expect((await as(token, 'POST', '/v1/api_keys', asked)).status).toBe(403)
    expect((await as(api_key, 'POST', '/v1/api_keys', asked)).status).toBe(201)
    expect((await json(as(token, 'POST', '/v1/api_keys', {}))).scopes).toEqual(['settings:manage'])
  })

  it('never expires later than the calling key', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const { api_key } = await keyWith(id, { expires_at: '2026-11-21T12:00:00Z' })
    for (const expires_at of [null, '2026-11-21T12:00:00.001Z', '2099-01-01T00:00:00Z']) {
      const response = await as(api_key, 'POST', '/v1/api_keys', { expires_at })
      expect(await refusalOf(response)).toEqual([400, 'invalid_request', '/expires_at'])
    }
    for (const expires_at of ['2026-11-21T12:00:00Z', '2026-11-20T13:00:00Z']) {
      expect((await as(api_key, 'POST', '/v1/api_keys', { expires_at })).status).toBe(201)
    }
  })
})

describe('an API key that was revoked in another isolate', () => {
  const CHANGES: [string, string, unknown][] = [
    ['POST', '/v1/api_keys', {}],
    ['DELETE', '/v1/api_keys/0123456789abcdef', undefined],
    ['PATCH', '/v1/relying_party', { name: 'Taken over' }],
    ['POST', '/v1/webhook/rotate_secret', undefined],
    ['POST', '/v1/webhook/test', undefined],
    ['POST', '/v1/webhook/enable', undefined],
  ]

  it.each(CHANGES)('gets 401 for a change while it can still read: %s %s', async (method, path, body) => {
    const { relying_party_id: id, api_key, api_keys } = await createRelyingParty()
    const token = await tokenOf(id, api_key, 'settings:manage')
    // At the object, past this isolate's copy, as another isolate would.
    await relyingPartyStub(env, id)?.deleteApiKey(api_keys[0].key_id)
    expect((await as(api_key, 'GET', '/v1/relying_party')).status).toBe(200)
    expect(await refusalOf(await as(token, method, path, body))).toEqual([401, 'invalid_token'])
    expect(await refusalOf(await as(api_key, method, path, body))).toEqual([401, 'invalid_token'])
  })

  it('a forged API key with a known key id gets 401 without a read of the settings', async () => {
    const { api_key } = await createRelyingParty()
    await as(api_key, 'GET', '/v1/relying_party')
    let reads = 0
    const RELYING_PARTY = {
      idFromString: (text: string) => env.RELYING_PARTY.idFromString(text),
      get: (objectId: DurableObjectId) => {
        reads += 1
        return env.RELYING_PARTY.get(objectId)
      },
    } as unknown as typeof env.RELYING_PARTY
    const forged = `${api_key.slice(0, -43)}${'A'.repeat(43)}`
    const headers = { Authorization: `Bearer ${forged}` }
    for (let i = 0; i < 2; i += 1) {
      const options = { headers, env: { ...env, RELYING_PARTY } }
      const response = await call(app, 'POST', '/v1/webhook/enable', options)
      expect([response.status, reads]).toEqual([401, 0])
    }
  })
})

function without(scope: Scope): readonly Scope[] {
  return SCOPES.filter((each) => each !== scope)
}

const POINT = {
  x: 'TyBIpQRoTfaNQ_n_m7V7Dca3RLupaNFA3XR0wA7qkkM',
  y: 't9X06YskdC71EtK5LgVhvBW6sAJCJp4dOyu7jdKSGJs',
}
