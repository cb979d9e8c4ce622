// A sign-in of a person or a key, after it was opened: its scopes, its age, its hour without activity, its
// end.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CLIENT } from '../../support/people/openid-provider.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { statusAndCode } from '../edge/access-world.ts'
import { ADMIN, call, createRelyingParty } from '../edge/edge-app.ts'
import {
  api,
  app,
  type Browser,
  finish,
  newBrowser,
  newParty,
  type Party,
  ROLES,
  send,
  serve,
  signInPerson,
  signInWithKey,
  start,
} from './people-world.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const ADMIN_TOKEN = ADMIN.Authorization.slice('Bearer '.length)
const PARTIES = '/v1/admin/relying_parties'
let party: Party
let person: Browser

startAtNoon()
beforeEach(async () => {
  party = await newParty()
  serve(party.provider)
  party.provider.account = { sub: 'sub-1', roles: ['admin'] }
  party.provider.authTime = NOON / 1000
  person = await signInPerson(party)
})

const change = (body: object) =>
  call(app, 'PATCH', `${PARTIES}/${party.rp.relying_party_id}`, { headers: ADMIN, body })
const setting = (members: object = {}) => ({
  console_sign_in: { issuer: party.provider.issuer, ...CLIENT, roles: ROLES, ...members },
})
const active = (browser: Browser) => send(browser, 'POST', '/console/session/activity')

describe('the scopes of a person', () => {
  it('are the scopes that the current settings give to the role of the person', async () => {
    await change(setting({ roles: { admin: ['verify:read'] } }))
    expect((await api(person, 'GET', '/v1/verify')).status).toBe(200)
    expect(await statusAndCode(await api(person, 'GET', '/v1/relying_party'))).toBe('403 insufficient_scope')
  })

  it.each<[string, () => object]>([
    ['the role is removed', () => setting({ roles: { other: ['verify:read'] } })],
    ['the setting is removed', () => ({ console_sign_in: null })],
    ['another client replaces the client', () => setting({ client_id: 'other' })],
    ['another provider replaces the provider', () => setting({ issuer: 'https://login.other.example.com' })],
  ])('end together with the sign-in if %s', async (_, body) => {
    expect((await change(body())).status).toBe(200)
    const response = await api(person, 'GET', '/v1/verify')
    expect(await statusAndCode(response)).toBe('401 invalid_token')
    expect(person.cookies.size).toBe(0)
  })

  it('end when the relying party is deleted', async () => {
    await call(app, 'DELETE', `${PARTIES}/${party.rp.relying_party_id}`, { headers: ADMIN })
    expect(await statusAndCode(await api(person, 'GET', '/v1/verify'))).toBe('401 invalid_token')
  })

  it('limit the scopes that the person can give to an API key or to a role', async () => {
    const key = await api(person, 'POST', '/v1/api_keys', {})
    expect(((await key.json()) as { scopes: string[] }).scopes.toSorted()).toEqual(ROLES.admin.toSorted())
    const roles = { admin: [...ROLES.admin, 'verify:request'] }
    const response = await api(person, 'PATCH', '/v1/relying_party', setting({ roles }))
    expect(await response.json()).toMatchObject({
      code: 'insufficient_scope',
      errors: [{ pointer: '/console_sign_in/roles/admin' }],
    })
  })

  it('are not passed to the API in a header or token, so a copied header gives no access', async () => {
    const fetched = vi.spyOn(app, 'fetch')
    expect((await api(person, 'GET', '/v1/verify')).status).toBe(200)
    const inner = fetched.mock.calls.map(([request]) => request).at(-1) as Request
    expect([...inner.headers.keys()]).toEqual(['operator'])
    const replayed = await call(app, 'GET', '/v1/verify', { headers: Object.fromEntries(inner.headers) })
    expect(await statusAndCode(replayed)).toBe('401 missing_token')
    const [cookie = ''] = person.cookies.values()
    for (const headers of [{ Cookie: `__Host-wv_console=${cookie}` }, { Authorization: `Bearer ${cookie}` }])
      expect(
        (await call(app, 'GET', '/v1/verify', { headers: headers as Record<string, string> })).status,
      ).toBe(401)
  })

  it('allow the person to read the verifications of their own relying party only', async () => {
    const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
    const made = await api(person, 'POST', '/v1/verify', body)
    const { verification_id: id } = (await made.json()) as { verification_id: string }
    expect((await api(person, 'GET', `/v1/verify/${id}`)).status).toBe(200)
    expect((await api(person, 'GET', `/v1/verify/${id}/timeline`)).status).toBe(200)
    const other = await newParty()
    serve(other.provider)
    const stranger = await signInPerson(other)
    expect(await statusAndCode(await api(stranger, 'GET', `/v1/verify/${id}`))).toBe(
      '404 verification_not_found',
    )
  })
})

const OIDC_CLIENT = {
  name: 'Shop',
  redirect_uris: ['https://shop.example/callback'],
  policies: [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }],
}
const ONE_CLIENT = '/v1/oidc_clients/oc_0123456789abcdef0123456789abcdef'
const CHANGES: readonly { readonly method: string; readonly path: string; readonly body?: object }[] = [
  { method: 'POST', path: '/v1/api_keys', body: {} },
  { method: 'DELETE', path: '/v1/api_keys/0123456789abcdef' },
  { method: 'POST', path: '/v1/webhook/rotate_secret' },
  { method: 'POST', path: '/v1/oidc_clients', body: OIDC_CLIENT },
  { method: 'PATCH', path: ONE_CLIENT, body: { name: 'x' } },
  { method: 'DELETE', path: ONE_CLIENT },
  { method: 'POST', path: `${ONE_CLIENT}/rotate_secret` },
  { method: 'PATCH', path: '/v1/relying_party', body: { console_sign_in: null } },
  { method: 'PATCH', path: '/v1/relying_party', body: { verifier: null } },
  { method: 'PATCH', path: '/v1/relying_party', body: { claims_encryption_jwk: null } },
  { method: 'PATCH', path: '/v1/relying_party', body: { evidence: null } },
]

describe('a change of keys, secrets and people', () => {
  const STALE = '403 fresh_sign_in_required'

  it.each(CHANGES)(
    'needs a sign-in of the last ten minutes: $method $path',
    async ({ method, path, body }) => {
      const key = await signInWithKey(party.rp.api_key)
      const tried = async (browser: Browser) => statusAndCode(await api(browser, method, path, body))
      at(NOON + 10 * MINUTE + 1)
      expect([await tried(person), await tried(key)]).toEqual([STALE, STALE])
      at(NOON + 10 * MINUTE)
      expect([await tried(person), await tried(key)]).not.toContain(STALE)
    },
  )

  it('needs a fresh sign-in, also if the operator changes a relying party or its keys', async () => {
    const operator = await signInWithKey(ADMIN_TOKEN)
    const { relying_party_id, api_keys } = await createRelyingParty()
    at(NOON + 10 * MINUTE + 1)
    for (const [method, path, body] of [
      ['POST', PARTIES, { name: 'Made' }],
      ['POST', `${PARTIES}/${relying_party_id}/api_keys`, {}],
      ['DELETE', `${PARTIES}/${relying_party_id}/api_keys/${api_keys[0].key_id}`],
      ['POST', `${PARTIES}/${relying_party_id}/webhook/rotate_secret`],
      ['PATCH', `${PARTIES}/${relying_party_id}`, { console_sign_in: null }],
    ] as const)
      expect(await statusAndCode(await api(operator, method, path, body))).toBe(STALE)
  })

  it('a change of any other setting, such as trust_anchors, needs no fresh sign-in', async () => {
    at(NOON + 30 * MINUTE)
    expect((await api(person, 'PATCH', '/v1/relying_party', { retention_seconds: 7200 })).status).toBe(200)
    expect((await api(person, 'PATCH', '/v1/relying_party', { trust_anchors: [] })).status).toBe(200)
  })

  it('needs no fresh sign-in if a server makes it with an API key', async () => {
    at(NOON + 2 * HOUR)
    const headers = { Authorization: `Bearer ${party.rp.api_key}` }
    expect((await call(app, 'POST', '/v1/api_keys', { headers, body: {} })).status).toBe(201)
  })

  it('needs an authentication at the provider in the last ten minutes; a newer sign-in to the console is not enough', async () => {
    party.provider.authTime = NOON / 1000 - 601
    await signInPerson(party, person)
    expect(await statusAndCode(await api(person, 'POST', '/v1/api_keys', {}))).toBe(STALE)
    party.provider.authTime = undefined
    await signInPerson(party, person)
    expect(await statusAndCode(await api(person, 'POST', '/v1/api_keys', {}))).toBe(STALE)
    await signInPerson(party, person, true)
    expect((await api(person, 'POST', '/v1/api_keys', {})).status).toBe(201)
  })

  it('still needs a fresh sign-in after activity of the person', async () => {
    at(NOON + 11 * MINUTE)
    expect((await active(person)).status).toBe(204)
    expect(await statusAndCode(await api(person, 'POST', '/v1/api_keys', {}))).toBe(STALE)
  })
})

describe('an hour without activity', () => {
  const OVER = '401 missing_token'

  it('ends the sign-in of a person, of a key and of the operator, even if pages still read data', async () => {
    const signIns = [person, await signInWithKey(party.rp.api_key), await signInWithKey(ADMIN_TOKEN)]
    const reads = async () =>
      Promise.all(signIns.map(async (one) => (await send(one, 'GET', '/console/session')).status))
    at(NOON + HOUR - 1)
    expect(await reads()).toEqual([200, 200, 200])
    at(NOON + HOUR)
    expect(await reads()).toEqual([401, 401, 401])
    expect(await statusAndCode(await api(person, 'GET', '/v1/verify'))).toBe(OVER)
    expect(await statusAndCode(await active(person))).toBe(OVER)
  })

  it('begins again when the page reports activity of the person, but the sign-in ends after 12 hours', async () => {
    const token = person.changeToken
    for (let hours = 0.9; hours < 12; hours += 0.9) {
      at(NOON + hours * HOUR)
      const response = await active(person)
      expect(response.status).toBe(204)
      expect(response.headers.get('Set-Cookie')).toContain('Max-Age=')
    }
    expect(person.changeToken).toBe(token)
    at(NOON + 12 * HOUR - 1)
    expect((await api(person, 'GET', '/v1/verify')).status).toBe(200)
    at(NOON + 12 * HOUR)
    expect(await statusAndCode(await api(person, 'GET', '/v1/verify'))).toBe(OVER)
    expect(await statusAndCode(await active(person))).toBe(OVER)
  })

  it('begins again only if our page asks for it with its page token', async () => {
    const stranger = { ...person, changeToken: '' }
    expect(await statusAndCode(await active(stranger))).toBe('403 cross_site_request')
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('')
    const headers = {
      Cookie: cookie,
      'Console-Token': person.changeToken,
      Origin: 'https://elsewhere.example',
    }
    const response = await call(app, 'POST', '/console/session/activity', { headers })
    expect(await statusAndCode(response)).toBe('403 cross_site_request')
  })

  it('does not begin again after a sign-out', async () => {
    const copy = { ...person, cookies: new Map(person.cookies) }
    await send(person, 'DELETE', '/console/session')
    expect(await statusAndCode(await active(copy))).toBe(OVER)
  })
})

describe('the sign-out of a person', () => {
  it('ends the sign-in on the server, and the response has the address for signing out at the provider', async () => {
    const copy = { ...person, cookies: new Map(person.cookies) }
    const colleague = await signInPerson(party)
    const response = await send(person, 'DELETE', '/console/session')
    expect(response.status).toBe(200)
    const end_session_url = `${party.provider.issuer}/logout?client_id=${CLIENT.client_id}`
    expect(await response.json()).toEqual({ end_session_url })
    expect(person.cookies.size).toBe(0)
    expect(await statusAndCode(await api(copy, 'GET', '/v1/verify'))).toBe('401 missing_token')
    expect((await api(colleague, 'GET', '/v1/verify')).status).toBe(200)
  })

  it.each<[string, string | undefined]>([
    ['has no end_session_endpoint', undefined],
    ['has an end_session_endpoint that is not https', 'http://login.example.com/logout'],
  ])('gets 204 if the provider %s', async (_, end_session_endpoint) => {
    party = await newParty()
    serve(party.provider)
    party.provider.account = { sub: 'sub-1', roles: ['admin'] }
    party.provider.faults = { metadata: { end_session_endpoint } }
    person = await signInPerson(party)
    expect((await send(person, 'DELETE', '/console/session')).status).toBe(204)
  })

  it('gets 204 if the provider does not respond', async () => {
    at(NOON + 301_000)
    vi.mocked(globalThis.fetch).mockRejectedValue(new TypeError('unreachable'))
    expect((await send(person, 'DELETE', '/console/session')).status).toBe(204)
  })
})

describe('the audit log', () => {
  type Entry = { readonly action: string; readonly actor: object | null; readonly channel: string }
  const PERSON = { kind: 'person', id: 'sub-1', name: 'ada', email: 'ada@shop.example' }

  async function entries(): Promise<readonly Entry[]> {
    const headers = { Authorization: `Bearer ${party.rp.api_key}` }
    const response = await call(app, 'GET', '/v1/audit', { headers })
    return ((await response.json()) as { entries: readonly Entry[] }).entries
  }

  it('names the person who signed in, changed something and signed out', async () => {
    party = await newParty()
    serve(party.provider)
    party.provider.account = {
      sub: 'sub-1',
      preferred_username: 'ada',
      email: 'ada@shop.example',
      roles: ['admin'],
    }
    person = await signInPerson(party)
    await api(person, 'PATCH', '/v1/relying_party', { retention_seconds: 7200 })
    await send(person, 'DELETE', '/console/session')
    expect((await entries()).slice(0, 3)).toMatchObject([
      { action: 'console.signed_out', actor: PERSON, channel: 'console' },
      { action: 'settings.changed', actor: PERSON, channel: 'console', members: ['retention_seconds'] },
      { action: 'console.signed_in', actor: PERSON, channel: 'console' },
    ])
  })

  it('names a person who has no role, and names nobody if the response of the provider is refused', async () => {
    party.provider.account = { sub: 'sub-1', preferred_username: 'eve', roles: [] }
    const browser = newBrowser()
    await finish(browser, party.provider.authorize(await start(browser, party)))
    await finish(newBrowser(), party.provider.authorize(await start(browser, party)))
    await vi.waitFor(async () =>
      expect((await entries()).slice(0, 2)).toMatchObject([
        { action: 'console.sign_in_failed', actor: null },
        { action: 'console.sign_in_failed', actor: { kind: 'person', name: 'eve' } },
      ]),
    )
  })
})
