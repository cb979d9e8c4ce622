// The setting `console_sign_in`: its limits, and its secret, which never leaves the service by a response.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { loadSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { createApp } from '../../../src/routes/app.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const LIST = '/v1/admin/relying_parties'
const app = createApp()
const GOOD = {
  issuer: 'https://login.shop.example.com/realms/staff',
  client_id: 'console',
  client_secret: 'a very secret text',
  roles: { support: ['verify:read'] },
}
const { client_secret, ...WITHOUT_SECRET } = GOOD

const patch = (id: string, console_sign_in: object | null, world: Env = env) =>
  call(app, 'PATCH', `${LIST}/${id}`, { headers: ADMIN, body: { console_sign_in }, env: world })

async function pointersOf(response: Response): Promise<readonly string[]> {
  const { code, errors } = await json(response)
  expect([response.status, code]).toEqual([400, 'invalid_request'])
  return errors.map(({ pointer }: { pointer: string }) => pointer)
}

async function secretOf(id: string): Promise<string | undefined> {
  const settings = await loadSettings(env, id, Date.now())
  return settings.ok ? settings.value.console_sign_in?.client_secret : expect.unreachable()
}

describe('console_sign_in', () => {
  it('is shown without its secret, which is stored sealed', async () => {
    const created = await createRelyingParty({ console_sign_in: GOOD })
    const { relying_party_id: id, api_key } = created
    const shown = { ...WITHOUT_SECRET, roles_claim: 'roles' }
    expect(created.console_sign_in).toEqual(shown)
    const own = await call(app, 'GET', '/v1/relying_party', {
      headers: { Authorization: `Bearer ${api_key}` },
    })
    const text = await own.text()
    expect(JSON.parse(text).console_sign_in).toEqual(shown)
    expect(text).not.toContain(client_secret)
    const stub = relyingPartyStub(env, id) ?? expect.unreachable()
    const stored = await runInDurableObject(stub, (_, state) =>
      JSON.stringify(state.storage.kv.get('document')),
    )
    expect(stored).toContain('sealed_client_secret')
    expect(stored).not.toContain(client_secret)
    expect(await secretOf(id)).toBe(client_secret)
  })

  it('is null by default, and null removes it with its secret', async () => {
    const { relying_party_id: id, console_sign_in } = await createRelyingParty()
    expect(console_sign_in).toBeNull()
    await patch(id, GOOD)
    expect((await json(patch(id, null))).console_sign_in).toBeNull()
    expect(await secretOf(id)).toBeUndefined()
    expect(await pointersOf(await patch(id, WITHOUT_SECRET))).toEqual(['/console_sign_in/client_secret'])
  })

  it('keeps its stored secret only if the client and the provider stay the same', async () => {
    const { relying_party_id: id } = await createRelyingParty({ console_sign_in: GOOD })
    const roles = { support: ['verify:read'], admin: ['settings:manage'] }
    expect((await json(patch(id, { ...WITHOUT_SECRET, roles }))).console_sign_in.roles).toEqual(roles)
    expect(await secretOf(id)).toBe(client_secret)
    for (const change of [{ issuer: 'https://login.other.example.com' }, { client_id: 'other' }]) {
      const response = await patch(id, { ...WITHOUT_SECRET, ...change })
      expect(await pointersOf(response)).toEqual(['/console_sign_in/client_secret'])
    }
    expect((await patch(id, { ...GOOD, client_secret: 'new' })).status).toBe(200)
    expect(await secretOf(id)).toBe('new')
  })

  it('ignores a change without a secret if another client_id is stored when the change is written', async () => {
    const { relying_party_id: id } = await createRelyingParty({ console_sign_in: GOOD })
    const stub = relyingPartyStub(env, id) ?? expect.unreachable()
    const console_sign_in = { ...WITHOUT_SECRET, client_id: 'other', roles_claim: 'roles' } as const
    const updated = await stub.update({ console_sign_in: console_sign_in as never })
    expect(updated).toMatchObject({ ok: true, value: { console_sign_in: { client_id: 'console' } } })
    expect(await secretOf(id)).toBe(client_secret)
  })

  const AT = '/console_sign_in'
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`r${i}`, ['verify:read']]))
  const long = Object.fromEntries(
    Array.from({ length: 15 }, (_, i) => [`${i}`.padEnd(100, 'x'), ['verify:read']]),
  )

  it.each<[string, object, string]>([
    ['an issuer by http', { issuer: 'http://login.shop.example.com' }, `${AT}/issuer`],
    ['an issuer with a query', { issuer: 'https://login.shop.example.com/?a=b' }, `${AT}/issuer`],
    ['an issuer with a fragment', { issuer: 'https://login.shop.example.com/#a' }, `${AT}/issuer`],
    ['an issuer with a user name', { issuer: 'https://a@login.shop.example.com' }, `${AT}/issuer`],
    ['an issuer on another port', { issuer: 'https://login.shop.example.com:8443' }, `${AT}/issuer`],
    ['a private address', { issuer: 'https://10.0.0.1' }, `${AT}/issuer`],
    ['a private name', { issuer: 'https://keycloak.internal' }, `${AT}/issuer`],
    ['an issuer at this service', { issuer: 'https://verifier.example/oidc/x' }, `${AT}/issuer`],
    ['a loopback address, without ALLOW_LOOPBACK', { issuer: 'http://localhost:8080' }, `${AT}/issuer`],
    ['a long issuer', { issuer: `https://login.shop.example.com/${'a'.repeat(255)}` }, `${AT}/issuer`],
    ['an empty client_id', { client_id: '' }, `${AT}/client_id`],
    ['a client_id with a line break', { client_id: 'a\nb' }, `${AT}/client_id`],
    ['a long client_id', { client_id: 'a'.repeat(101) }, `${AT}/client_id`],
    ['an empty secret', { client_secret: '' }, `${AT}/client_secret`],
    ['a long secret', { client_secret: 'a'.repeat(201) }, `${AT}/client_secret`],
    ['an empty claim', { roles_claim: '' }, `${AT}/roles_claim`],
    ['a long claim', { roles_claim: 'a'.repeat(201) }, `${AT}/roles_claim`],
    ['no role', { roles: {} }, `${AT}/roles`],
    ['too many roles', { roles: many }, `${AT}/roles`],
    ['role names that fill the cookie', { roles: long }, `${AT}/roles`],
    ['a role without a name', { roles: { '': ['verify:read'] } }, `${AT}/roles/`],
    ['a role without a scope', { roles: { support: [] } }, `${AT}/roles/support`],
    ['an unknown scope', { roles: { support: ['verify:all'] } }, `${AT}/roles/support/0`],
    ['a repeated scope', { roles: { support: ['verify:read', 'verify:read'] } }, `${AT}/roles/support`],
    ['an unknown member', { scope: 'openid' }, `${AT}/scope`],
  ])('rejects %s', async (_, change, pointer) => {
    const { relying_party_id: id } = await createRelyingParty()
    const world = { ...env, ALLOW_LOOPBACK: '0' } as Env
    expect(await pointersOf(await patch(id, { ...GOOD, ...change }, world))).toEqual([pointer])
  })

  it('accepts a loopback issuer with ALLOW_LOOPBACK, and only in test mode', async () => {
    const world = { ...env, ALLOW_LOOPBACK: '1' } as Env
    const loopback = { ...GOOD, issuer: 'http://localhost:8080/realms/staff' }
    const test = await createRelyingParty()
    expect((await patch(test.relying_party_id, loopback, world)).status).toBe(200)
    const live = await createRelyingParty({ livemode: true })
    expect(await pointersOf(await patch(live.relying_party_id, loopback, world))).toEqual([`${AT}/issuer`])
  })

  it('grants no scope that the calling key lacks', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const body = { scopes: ['settings:manage', 'verify:read'] }
    const { api_key } = await json(call(app, 'POST', `${LIST}/${id}/api_keys`, { headers: ADMIN, body }))
    const own = (roles: object) =>
      call(app, 'PATCH', '/v1/relying_party', {
        headers: { Authorization: `Bearer ${api_key}` },
        body: { console_sign_in: { ...GOOD, roles } },
      })
    const refused = await own({ a: ['verify:read'], 'b/c': ['verify:create'] })
    expect(await json(refused)).toMatchObject({
      code: 'insufficient_scope',
      errors: [{ pointer: '/console_sign_in/roles/b~1c' }],
    })
    expect((await own({ a: ['verify:read'] })).status).toBe(200)
  })
})
