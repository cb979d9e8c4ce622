import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { SCOPES, type Scope } from '../../../src/relying-party/document/settings.ts'
import { issueAccessToken } from '../../../src/relying-party/keys/access-token.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { authenticate, authenticateForSession } from '../../../src/routes/edge/authenticate.ts'
import { signClientToken } from '../../../src/session/request/client-token.ts'
import { ADMIN, call, createRelyingParty, edgeApp, json } from './edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const LIST = '/v1/admin/relying_parties'
const SESSION = `v_${'S'.repeat(43)}`
/** Session of a client token. */
const NAMED = { verification_id: SESSION, created_at: 1_800_000_000_000 }
const OTHER_SESSION = `v_${'T'.repeat(43)}`

const app = edgeApp((routes) => {
  routes.get('/test/read', async (c) => {
    const caller = await authenticate(c, 'verify:read')
    if (!caller.ok) return caller.error
    return c.json({ id: caller.value.settings.relying_party_id, key: caller.value.keyId })
  })
  routes.get('/test/:id/status', async (c) => {
    const caller = await authenticateForSession(c, c.req.param('id'), 'verify:read')
    return caller.ok ? c.json({ kind: caller.value.kind }) : caller.error
  })
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

const read = (authorization?: string) =>
  call(
    app,
    'GET',
    '/test/read',
    authorization === undefined ? {} : { headers: { Authorization: authorization } },
  )

async function codeOf(response: Response): Promise<string> {
  return `${response.status} ${(await json(response)).code}`
}

describe('an API key', () => {
  it('gives access to its relying party, within its scopes', async () => {
    const { relying_party_id, api_key, api_keys } = await createRelyingParty()
    const response = await read(`Bearer ${api_key}`)
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({ id: relying_party_id, key: api_keys[0].key_id })
    expect((await read(`bearer   ${api_key}`)).status).toBe(200) // RFC 9110 §11.1: the scheme's case is free
  })

  it('an API key without the required scope gets 403', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const { api_key } = await createKey(id, { scopes: ['verify:create', 'settings:manage'] })
    const response = await read(`Bearer ${api_key}`)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
    expect(await codeOf(response)).toBe('403 insufficient_scope')
  })

  it('an API key that has expired gets 401 expired_token, from the millisecond of its expiry', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const { api_key } = await createKey(id, { expires_at: new Date(NOW + 1000).toISOString() })
    vi.setSystemTime(NOW + 999)
    expect((await read(`Bearer ${api_key}`)).status).toBe(200)
    vi.setSystemTime(NOW + 1000)
    expect(await codeOf(await read(`Bearer ${api_key}`))).toBe('401 expired_token')
  })

  it('stops working within 60 s after it was deleted in another isolate', async () => {
    const { relying_party_id: id, api_key, api_keys } = await createRelyingParty()
    expect((await read(`Bearer ${api_key}`)).status).toBe(200)
    // Deleted at the object, past this isolate's copy, as another isolate would.
    await relyingPartyStub(env, id)?.deleteApiKey(api_keys[0].key_id)
    vi.setSystemTime(NOW + 59_999)
    expect((await read(`Bearer ${api_key}`)).status).toBe(200)
    vi.setSystemTime(NOW + 60_000)
    expect(await codeOf(await read(`Bearer ${api_key}`))).toBe('401 invalid_token')
  })

  it('stops working at once if it was deleted through this isolate', async () => {
    const { relying_party_id: id, api_key, api_keys } = await createRelyingParty()
    expect((await read(`Bearer ${api_key}`)).status).toBe(200)
    await call(app, 'DELETE', `${LIST}/${id}/api_keys/${api_keys[0].key_id}`, { headers: ADMIN })
    expect(await codeOf(await read(`Bearer ${api_key}`))).toBe('401 invalid_token')
  })

  it('an API key of an erased relying party gets 401', async () => {
    const { relying_party_id: id, api_key } = await createRelyingParty()
    await call(app, 'DELETE', `${LIST}/${id}`, { headers: ADMIN })
    expect(await codeOf(await read(`Bearer ${api_key}`))).toBe('401 invalid_token')
  })

  it('an API key with a wrong secret, of a wrong mode, or for another relying party gets 401', async () => {
    const { api_key } = await createRelyingParty()
    const other = (await createRelyingParty()).api_key
    const [clear, keyId, secret] = api_key.split('.')
    const [otherClear] = other.split('.')
    const forged = [
      `${clear}.${keyId}.${'A'.repeat(43)}`,
      `${clear}.${'0'.repeat(16)}.${secret}`,
      api_key.replace('wv_test_', 'wv_live_'),
      `${otherClear}.${keyId}.${secret}`,
    ]
    for (const key of forged) expect(await codeOf(await read(`Bearer ${key}`)), key).toBe('401 invalid_token')
  })

  it('an API key that is forged creates no object', async () => {
    const before = (await listDurableObjectIds(env.RELYING_PARTY)).length
    for (const relyingParty of ['A'.repeat(43), `${'x'.repeat(42)}8`]) {
      const key = `wv_test_${relyingParty}.${'0'.repeat(16)}.${'A'.repeat(43)}`
      expect(await codeOf(await read(`Bearer ${key}`))).toBe('401 invalid_token')
    }
    expect((await listDurableObjectIds(env.RELYING_PARTY)).length).toBe(before)
  })

  it('gets 503 with Retry-After if the settings of its relying party are unreachable', async () => {
    const { relying_party_id: id, api_key } = await createRelyingParty()
    forgetSettings(id)
    const broken = { settings: () => Promise.reject(new Error('Network connection lost.')) }
    const RELYING_PARTY = {
      idFromString: (text: string) => env.RELYING_PARTY.idFromString(text),
      get: () => broken,
    } as unknown as typeof env.RELYING_PARTY
    const headers = { Authorization: `Bearer ${api_key}` }
    const response = await call(app, 'GET', '/test/read', { headers, env: { ...env, RELYING_PARTY } })
    expect(response.headers.get('Retry-After')).toBe('1')
    expect(await codeOf(response)).toBe('503 temporarily_unavailable')
  })
})

describe('an access token', () => {
  const minutes = (count: number) => NOW + count * 60_000

  it('gives access to its relying party for 15 minutes, within its scopes and with its key id', async () => {
    const { relying_party_id, api_key, api_keys } = await createRelyingParty()
    const token = await tokenOf({ relying_party_id, api_key })
    expect(await json(read(`Bearer ${token}`))).toEqual({ id: relying_party_id, key: api_keys[0].key_id })
    vi.setSystemTime(minutes(15) - 1)
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    vi.setSystemTime(minutes(15))
    const response = await read(`Bearer ${token}`)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    expect(await codeOf(response)).toBe('401 expired_token')
  })

  it('has only the scopes that both the token and its API key have', async () => {
    const created = await createRelyingParty()
    const token = await tokenOf(created)
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    const narrow = await tokenOf(created, ['verify:create'])
    expect(await codeOf(await read(`Bearer ${narrow}`))).toBe('403 insufficient_scope')
    const weaker = await createKey(created.relying_party_id, { scopes: ['verify:create'] })
    const wide = await tokenOf({ ...created, api_key: weaker.api_key }, ['verify:create', 'verify:read'])
    expect(await codeOf(await read(`Bearer ${wide}`))).toBe('403 insufficient_scope')
  })

  it('is revoked with its API key, within 60 s after the key was deleted in another isolate', async () => {
    const created = await createRelyingParty()
    const token = await tokenOf(created)
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    const stub = relyingPartyStub(env, created.relying_party_id)
    await stub?.deleteApiKey(created.api_keys[0].key_id)
    vi.setSystemTime(minutes(1) - 1)
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    vi.setSystemTime(minutes(1))
    expect(await codeOf(await read(`Bearer ${token}`))).toBe('401 invalid_token')
  })

  it('an access token whose API key has expired gets 401 expired_token', async () => {
    const created = await createRelyingParty()
    const { api_key } = await createKey(created.relying_party_id, {
      expires_at: new Date(minutes(1)).toISOString(),
    })
    const token = await tokenOf({ ...created, api_key }) // of 15 minutes: the key's expiry is checked too
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    vi.setSystemTime(minutes(1))
    expect(await codeOf(await read(`Bearer ${token}`))).toBe('401 expired_token')
  })

  it('an access token of an erased relying party gets 401', async () => {
    const created = await createRelyingParty()
    const token = await tokenOf(created)
    await call(app, 'DELETE', `${LIST}/${created.relying_party_id}`, { headers: ADMIN })
    expect(await codeOf(await read(`Bearer ${token}`))).toBe('401 invalid_token')
  })

  it('an access token that names the key of another relying party, another mode, or an unknown object gets 401', async () => {
    const created = await createRelyingParty()
    const other = await createRelyingParty()
    const grant = { ...grantOf(created), scopes: SCOPES, keyExpiresAt: null }
    const wrong = [
      { ...grant, keyId: other.api_keys[0].key_id },
      { ...grant, livemode: true },
      { ...grant, relyingPartyId: `rp_${'A'.repeat(43)}` },
    ]
    for (const each of wrong) {
      const { token } = await issueAccessToken(loadConfig(env), each, NOW)
      expect(await codeOf(await read(`Bearer ${token}`))).toBe('401 invalid_token')
    }
  })

  it('an access token that is forged causes no read of the settings', async () => {
    const created = await createRelyingParty()
    const token = await tokenOf(created)
    forgetSettings(created.relying_party_id)
    const RELYING_PARTY = {
      idFromString: () => {
        throw new Error('an object was asked for')
      },
    } as unknown as typeof env.RELYING_PARTY
    const [header, payload] = token.split('.')
    const headers = { Authorization: `Bearer ${header}.${payload}.${'A'.repeat(86)}` }
    const response = await call(app, 'GET', '/test/read', { headers, env: { ...env, RELYING_PARTY } })
    expect(await codeOf(response)).toBe('401 invalid_token')
  })

  it('gets 503 if the settings of its relying party are unreachable', async () => {
    const created = await createRelyingParty()
    const token = await tokenOf(created)
    forgetSettings(created.relying_party_id)
    const RELYING_PARTY = {
      idFromString: (text: string) => env.RELYING_PARTY.idFromString(text),
      get: () => ({ settings: () => Promise.reject(new Error('Network connection lost.')) }),
    } as unknown as typeof env.RELYING_PARTY
    const headers = { Authorization: `Bearer ${token}` }
    const response = await call(app, 'GET', '/test/read', { headers, env: { ...env, RELYING_PARTY } })
    expect(await codeOf(response)).toBe('503 temporarily_unavailable')
  })
})

describe('the Authorization header', () => {
  it.each([
    [undefined, '401 missing_token'],
    ['Basic YTpi', '401 missing_token'],
    ['Bearer', '401 invalid_token'],
    ['Bearer ', '401 invalid_token'],
    ['Bearer a b', '401 invalid_token'],
    ['Bearer wv_', '401 invalid_token'],
    [`Bearer wv_test_${'a'.repeat(5000)}`, '401 invalid_token'],
    ['Bearer eyJhbGciOiJub25lIn0.e30.', '401 invalid_token'],
  ])('%s gives the error %s', async (header, code) => {
    expect(await codeOf(await read(header))).toBe(code)
  })
})

describe('a client token', () => {
  const status = (id: string, options: { readonly header?: string; readonly token?: string }) => {
    const query = options.token === undefined ? '' : `?token=${encodeURIComponent(options.token)}`
    const headers = options.header === undefined ? {} : { Authorization: `Bearer ${options.header}` }
    return call(app, 'GET', `/test/${id}/status${query}`, { headers })
  }

  it('gives access to its own session, as Bearer token or as query parameter', async () => {
    const token = await signClientToken(loadConfig(env), NAMED)
    expect(token).toMatch(/^ct_[0-9a-z]{8}\.[A-Za-z0-9_-]{43}$/)
    expect(await json(status(SESSION, { header: token }))).toEqual({ kind: 'client_token' })
    expect(await json(status(SESSION, { token }))).toEqual({ kind: 'client_token' })
  })

  it('gets 403 for another session, and for routes of relying parties', async () => {
    const token = await signClientToken(loadConfig(env), NAMED)
    expect(await codeOf(await status(OTHER_SESSION, { header: token }))).toBe('403 insufficient_scope')
    expect(await codeOf(await status(OTHER_SESSION, { token }))).toBe('403 insufficient_scope')
    expect(await codeOf(await read(`Bearer ${token}`))).toBe('403 insufficient_scope')
    expect(await codeOf(await call(app, 'GET', `/test/read?token=${token}`))).toBe('403 insufficient_scope')
    expect(await codeOf(await call(app, 'GET', `${LIST}?token=${token}`))).toBe('403 insufficient_scope')
    expect(await codeOf(await call(app, 'GET', '/test/read?token=wv_test'))).toBe('401 missing_token')
  })

  it.each([
    ['another time of creation', (token: string) => token.replace(/^ct_[^.]*/, 'ct_1')],
    ['the same time after a leading zero', (token: string) => token.replace(/^ct_/, 'ct_0')],
    ['no time', (token: string) => token.replace(/^ct_[^.]*\./, 'ct_')],
    ['another MAC', (token: string) => token.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['a dot added at its end', (token: string) => `${token}.`],
  ])('a client token with %s is refused', async (_, change) => {
    const token = change(await signClientToken(loadConfig(env), NAMED))
    expect(await codeOf(await status(SESSION, { header: token }))).toBe('403 insufficient_scope')
  })

  it('a client token of another service is refused', async () => {
    const config = { ...loadConfig(env), serverSecret: new Uint8Array(32) }
    const token = await signClientToken(config, NAMED)
    expect((await status(SESSION, { token })).status).toBe(403)
  })

  it('is the only kind of token that is accepted in a URL', async () => {
    const created = await createRelyingParty()
    const { api_key } = created
    const token = await tokenOf(created)
    for (const each of [api_key, token]) {
      expect(await json(status(SESSION, { header: each }))).toEqual({ kind: 'relying_party' })
      expect(await codeOf(await status(SESSION, { token: each }))).toBe('401 invalid_token')
    }
    expect(await codeOf(await status(SESSION, { token: '' }))).toBe('401 missing_token')
  })
})

type Created = { readonly relying_party_id: string; readonly api_key: string }

function grantOf({ relying_party_id, api_key }: Created) {
  return { relyingPartyId: relying_party_id, keyId: api_key.split('.')[1] ?? '', livemode: false }
}

/** A token for the API key that is valid for 15 minutes, whatever the key allows. */
async function tokenOf(created: Created, scopes: readonly Scope[] = SCOPES): Promise<string> {
  const grant = { ...grantOf(created), scopes, keyExpiresAt: null }
  return (await issueAccessToken(loadConfig(env), grant, Date.now())).token
}

async function createKey(id: string, grant: unknown) {
  return json(call(app, 'POST', `${LIST}/${id}/api_keys`, { headers: ADMIN, body: grant }))
}
