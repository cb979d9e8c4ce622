// GET /v1/audit: each change by the API, the console and the operator, and who signed in.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { createApp } from '../../../src/routes/app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const app = createApp()
const LIST = '/v1/admin/relying_parties'
const ADDRESS = { 'X-Client': '203.0.113.7' }
const WORLD: Env = { ...env, CLIENT_IP_HEADER: 'X-Client' }
const CREATION = { credential_types: ['age_attestation'], scope: ['age_over_18'] }

startAtNoon()

type Party = {
  readonly id: string
  readonly key: string
  readonly keyId: string
}

async function party(settings = {}): Promise<Party> {
  const { relying_party_id, api_key, api_keys } = await createRelyingParty(settings)
  return { id: relying_party_id, key: api_key, keyId: api_keys[0].key_id }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

function as(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  return call(app, method, path, { headers: { ...ADDRESS, ...bearer(token) }, body, env: WORLD })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function read(token: string, query = ''): Promise<any> {
  const response = await as(token, 'GET', `/v1/audit${query}`)
  expect(response.status).toBe(200)
  return response.json()
}

async function entriesOf(token: string, query = '') {
  return (await read(token, query)).entries as readonly { readonly action: string }[]
}

/** Signs in to the console. Returns a function that calls as its page does. */
async function signIn(token: string) {
  const own = { Origin: 'https://verifier.example', ...ADDRESS }
  const response = await call(app, 'POST', '/console/session', { headers: own, body: { token }, env: WORLD })
  expect(response.status).toBe(201)
  const { change_token } = (await response.json()) as { change_token: string }
  const [cookie = ''] = (response.headers.get('Set-Cookie') ?? '').split(';')
  const headers = { ...own, Cookie: cookie, 'Console-Token': change_token }
  return (method: string, path: string, body?: unknown) =>
    call(app, method, path, { headers, body, env: WORLD })
}

const NOTHING = { target: null, target_name: null, members: [] }

describe('an entry of the audit log', () => {
  it('names the key, the time, the action, the changed members, the channel and the address', async () => {
    const { key, keyId } = await party()
    await as(key, 'PATCH', '/v1/relying_party', { name: 'Other', origins: ['https://shop.example'] })
    const [entry, ...others] = (await read(key)).entries
    expect(entry).toEqual({
      number: 2,
      at: '2046-06-15T12:00:00.000Z',
      action: 'settings.changed',
      actor: { kind: 'api_key', id: keyId, name: null, email: null },
      ...NOTHING,
      members: ['name', 'origins'],
      channel: 'api',
      address: '203.0.113.7',
    })
    expect(others).toMatchObject([
      { number: 1, action: 'relying_party.created', channel: 'admin', address: null },
    ])
  })

  it('names a created key; later entries name this key as their target or as their actor', async () => {
    const { key } = await party()
    const made = await json(as(key, 'POST', '/v1/api_keys', { name: 'Till 3' }))
    await as(made.api_key, 'POST', '/v1/webhook/rotate_secret')
    await as(key, 'DELETE', `/v1/api_keys/${made.key_id}`)
    const named = { target: made.key_id, target_name: 'Till 3' }
    expect(await entriesOf(key)).toMatchObject([
      { action: 'api_key.deleted', ...named },
      { action: 'webhook.secret_rotated', actor: { kind: 'api_key', id: made.key_id, name: 'Till 3' } },
      { action: 'api_key.created', ...named },
      { action: 'relying_party.created' },
    ])
  })

  it('an audit entry of an access token names the key of the token', async () => {
    const { id, key, keyId } = await party()
    const body = `grant_type=client_credentials&client_id=${id}&client_secret=${key}`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { access_token } = await json(call(app, 'POST', '/oauth/token', { headers, body }))
    await as(access_token, 'PATCH', '/v1/relying_party', { name: 'Other' })
    expect((await entriesOf(key))[0]).toMatchObject({ actor: { kind: 'api_key', id: keyId } })
  })

  it('an audit entry of the operator has the name that the operator sent, and the channel admin', async () => {
    const { id, key } = await party()
    const headers = { ...ADMIN, ...ADDRESS, Operator: 'ada@ops' }
    await call(app, 'PATCH', `${LIST}/${id}`, { headers, body: { name: 'Other' }, env: WORLD })
    const actor = { kind: 'operator', id: null, name: 'ada@ops', email: null }
    expect((await entriesOf(key))[0]).toMatchObject({ actor, channel: 'admin', address: '203.0.113.7' })
  })

  it('has no address if the service does not know it', async () => {
    const { key } = await party()
    const headers = { ...ADDRESS, ...bearer(key) }
    await call(app, 'PATCH', '/v1/relying_party', { headers, body: { name: 'Other' } })
    expect((await entriesOf(key))[0]).toMatchObject({ action: 'settings.changed', address: null })
  })

  it('is not made by a refused change', async () => {
    const { id, key } = await party()
    const { api_key } = await json(as(key, 'POST', '/v1/api_keys', { scopes: ['verify:read'] }))
    expect((await as(api_key, 'PATCH', '/v1/relying_party', { name: 'x' })).status).toBe(403)
    expect((await as(key, 'PATCH', '/v1/relying_party', { name: '' })).status).toBe(400)
    expect((await as(key, 'DELETE', '/v1/api_keys/ffffffffffffffff')).status).toBe(404)
    expect((await call(app, 'PATCH', `${LIST}/${id}`, { body: { name: 'x' } })).status).toBe(401)
    expect((await entriesOf(key)).map(({ action }) => action)).toEqual([
      'api_key.created',
      'relying_party.created',
    ])
  })
})

const CLIENT = {
  name: 'App',
  redirect_uris: ['https://app.example/back'],
  policies: [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }],
}

it.each([
  ['the relying party', '/v1', 'api'],
  ['the operator', '', 'admin'],
])('each change of an OpenID Connect client by %s has an entry', async (_, prefix, channel) => {
  const { id, key } = await party()
  const place = prefix === '' ? `${LIST}/${id}/oidc_clients` : `${prefix}/oidc_clients`
  const token = prefix === '' ? ADMIN.Authorization.slice('Bearer '.length) : key
  const { client_id } = await json(as(token, 'POST', place, CLIENT))
  await as(token, 'PATCH', `${place}/${client_id}`, { name: 'Changed' })
  await as(token, 'POST', `${place}/${client_id}/rotate_secret`)
  await as(token, 'DELETE', `${place}/${client_id}`)
  const rest = { target: client_id, channel }
  expect((await entriesOf(key)).slice(0, 4)).toMatchObject([
    { action: 'oidc_client.deleted', ...rest },
    { action: 'oidc_client.secret_rotated', ...rest },
    { action: 'oidc_client.changed', ...rest, members: ['name'] },
    { action: 'oidc_client.created', ...rest },
  ])
})

describe('the console', () => {
  const CONSOLE = { channel: 'console', address: '203.0.113.7' }

  it('causes an entry for each sign-in and sign-out, with the key that was used', async () => {
    const { id, key } = await party()
    const body = { name: 'Ada' }
    const made = await json(call(app, 'POST', `${LIST}/${id}/api_keys`, { headers: ADMIN, body }))
    const page = await signIn(made.api_key)
    expect((await page('DELETE', '/console/session')).status).toBe(204)
    const actor = { kind: 'api_key', id: made.key_id, name: 'Ada', email: null }
    expect((await entriesOf(key)).slice(0, 2)).toMatchObject([
      { action: 'console.signed_out', actor, ...CONSOLE },
      { action: 'console.signed_in', actor, ...CONSOLE },
    ])
  })

  it('causes an entry with the channel console and the address of the person for each of its changes', async () => {
    const { key, keyId } = await party()
    const page = await signIn(key)
    const session = await json(page('POST', '/console/api/v1/verify', CREATION))
    const id = session.verification_id
    expect((await page('PATCH', '/console/api/v1/relying_party', { name: 'Other' })).status).toBe(200)
    expect((await page('POST', `/console/api/v1/verify/${id}/cancel`)).status).toBe(200)
    expect((await page('DELETE', `/console/api/v1/verify/${id}`)).status).toBe(204)
    const rest = { actor: { kind: 'api_key', id: keyId }, ...CONSOLE }
    expect((await entriesOf(key)).slice(0, 3)).toMatchObject([
      { action: 'verification.erased', target: id, ...rest },
      { action: 'verification.canceled', target: id, ...rest },
      { action: 'settings.changed', members: ['name'], ...rest },
    ])
  })

  it('causes no entry for a refused cancel of a verification, and a server’s cancel with an API key causes none', async () => {
    const { key } = await party()
    const page = await signIn(key)
    const before = await entriesOf(key)
    expect((await page('POST', '/console/api/v1/verify/v_unknown/cancel')).status).toBe(404)
    const session = await json(as(key, 'POST', '/v1/verify', CREATION))
    expect((await as(key, 'POST', `/v1/verify/${session.verification_id}/cancel`)).status).toBe(200)
    expect(await entriesOf(key)).toEqual(before)
  })

  it('is never recorded as the channel of a call from outside, whatever headers the call has', async () => {
    const { key } = await party()
    const headers = { ...bearer(key), Operator: 'console', 'Console-Token': 'x', Cookie: 'wv_console=x' }
    await call(app, 'PATCH', '/v1/relying_party', { headers, body: { name: 'Other' } })
    expect((await entriesOf(key))[0]).toMatchObject({ channel: 'api', address: null })
  })

  it('causes an entry without an actor for a failed sign-in with a key of the relying party', async () => {
    const { key, keyId } = await party()
    const wrong = key.slice(0, -4) + (key.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    const headers = { Origin: 'https://verifier.example', ...ADDRESS }
    const send = (token: string) =>
      call(app, 'POST', '/console/session', { headers, body: { token }, env: WORLD })
    expect((await send(wrong)).status).toBe(401)
    await vi.waitFor(
      async () =>
        expect((await entriesOf(key))[0]).toMatchObject({
          ...{ action: 'console.sign_in_failed', actor: null, target: keyId, ...CONSOLE },
        }),
      WAIT,
    )
  })

  it('refuses a sign-in if the audit entry cannot be stored', async () => {
    const { key } = await party()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { RELYING_PARTY } = env
    const audit = () => Promise.reject(new Error('internal error; reference = x'))
    const get = (id: DurableObjectId) => ({ settings: () => RELYING_PARTY.get(id).settings(), audit })
    const parties = { get, idFromString: (id: string) => RELYING_PARTY.idFromString(id) }
    const world = { ...WORLD, RELYING_PARTY: parties } as unknown as Env
    const headers = { Origin: 'https://verifier.example' }
    const response = await call(app, 'POST', '/console/session', {
      headers,
      body: { token: key },
      env: world,
    })
    expect(response.status).toBe(503)
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  it('cancels a verification even if the audit entry cannot be stored, and the service logs that the entry is lost', async () => {
    const { key } = await party()
    const page = await signIn(key)
    const session = await json(as(key, 'POST', '/v1/verify', CREATION))
    const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { RELYING_PARTY } = env
    const get = (id: DurableObjectId) => {
      const stub = RELYING_PARTY.get(id)
      const audit = () => Promise.reject(new Error('unreachable'))
      return { settings: () => stub.settings(), signOuts: () => stub.signOuts(), audit }
    }
    const parties = { get, idFromString: (id: string) => RELYING_PARTY.idFromString(id) }
    Object.assign(WORLD, { RELYING_PARTY: parties })
    const canceled = await page('POST', `/console/api/v1/verify/${session.verification_id}/cancel`)
    Object.assign(WORLD, { RELYING_PARTY })
    expect(canceled.status).toBe(200)
    expect(lines.mock.calls.join()).toContain('"event":"audit_entry_lost"')
  })
})

describe('GET /v1/audit', () => {
  it('requires the scope settings:manage', async () => {
    const { key } = await party()
    const scopes = ['verify:create', 'verify:read', 'verify:request', 'webhooks:manage', 'claims:encrypt']
    const { api_key } = await json(as(key, 'POST', '/v1/api_keys', { scopes }))
    expect((await as(api_key, 'GET', '/v1/audit')).status).toBe(403)
  })

  it('has pages with the newest entries first, and a cursor works only for the same relying party and filters', async () => {
    const { key } = await party()
    for (const name of ['a', 'b', 'c', 'd']) await as(key, 'PATCH', '/v1/relying_party', { name })
    const numbers = (page: { entries: { number: number }[] }) => page.entries.map(({ number }) => number)
    const first = await read(key, '?limit=2')
    expect([numbers(first), first.has_more, first.missing]).toEqual([[5, 4], true, null])
    const second = await read(key, `?limit=2&after=${first.next}`)
    expect([numbers(second), second.has_more]).toEqual([[3, 2], true])
    const third = await read(key, `?limit=2&after=${second.next}`)
    expect([numbers(third), third.has_more, third.next]).toEqual([[1], false, null])
    const other = await party()
    for (const [token, query] of [
      [other.key, `?after=${first.next}`],
      [key, `?after=${first.next}&action=settings.changed`],
      [key, `?after=${'A'.repeat(32)}`],
      [key, '?after=x'],
    ] as const) {
      const response = await as(token, 'GET', `/v1/audit${query}`)
      expect([response.status, (await json(response)).errors[0].pointer]).toEqual([400, '/after'])
    }
  })

  it('filters by action, actor and time', async () => {
    const { key, keyId } = await party()
    at(NOON + 1_000)
    await as(key, 'PATCH', '/v1/relying_party', { name: 'Other' })
    const made = await json(as(key, 'POST', '/v1/api_keys', { name: 'Till 3' }))
    at(NOON + 2_000)
    await as(made.api_key, 'POST', '/v1/webhook/rotate_secret')
    const found = async (query: string) => (await entriesOf(key, query)).map(({ action }) => action)
    expect(await found('?action=settings.changed')).toEqual(['settings.changed'])
    expect(await found('?action=settings.changed&action=api_key.created')).toEqual([
      'api_key.created',
      'settings.changed',
    ])
    expect(await found('?actor=Till%203')).toEqual(['webhook.secret_rotated'])
    expect(await found(`?actor=${keyId}`)).toEqual(['api_key.created', 'settings.changed'])
    const time = (ms: number) => encodeURIComponent(new Date(NOON + ms).toISOString())
    expect(await found(`?created_after=${time(2_000)}`)).toEqual(['webhook.secret_rotated'])
    expect(await found(`?created_before=${time(1_000)}`)).toEqual(['relying_party.created'])
  })

  it.each([
    ['?action=unknown', '/action'],
    ['?actor=', '/actor'],
    [`?actor=${'x'.repeat(301)}`, '/actor'],
    ['?created_after=yesterday', '/created_after'],
    ['?limit=101', '/limit'],
    ['?target=x', '/target'],
  ])('refuses %s', async (query, pointer) => {
    const { key } = await party()
    const response = await as(key, 'GET', `/v1/audit${query}`)
    const { code, errors } = await json(response)
    expect([response.status, code, errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  })

  it('says how many entries are missing, and the time of the newest missing entry', async () => {
    const { id, key } = await party()
    const stub = relyingPartyStub(env, id) as DurableObjectStub
    await runInDurableObject(stub, (_, { storage }) =>
      storage.kv.put('audit_missing', { entries: 7, until: NOON - 1_000 }),
    )
    expect((await read(key)).missing).toEqual({ entries: 7, until: '2046-06-15T11:59:59.000Z' })
  })
})
