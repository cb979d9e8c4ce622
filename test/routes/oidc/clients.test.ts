// Registration of OpenID Connect clients (api/logins): each rule, by one change in a good client.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import type { OidcClient } from '../../../src/relying-party/oidc/client.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import { app, begin, CALLBACK, newClient } from './login-world.ts'

let setting: Setting

beforeAll(async () => {
  setting = await setUp()
})

const ADULT = { name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }
const GOOD = { name: 'Shop', redirect_uris: [CALLBACK], policies: [ADULT] }
const PERSON = {
  name: 'person',
  credential_types: ['pid'],
  scope: ['personal_administrative_number', 'family_name', 'birthdate'],
}
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'AD4ODODlUOz7zomeVvloIV16pPhPdRr9Oas913KTyCg',
  y: 'Qz8O8PB1qhmlgum5SFXtcvm7v7GSmkltbfzbnihLLp4',
}

/** An odd modulus of 2048 bits, made up. */
const RSA = { kty: 'RSA', n: `u${'A'.repeat(340)}Q`, e: 'AQAB' }

const rsa = (changes: object) => ({ jwks: { keys: [{ ...RSA, ...changes }] } })

const send = (method: string, path: string, body?: object) =>
  call(app, method, path, { headers: setting.headers, ...(body && { body }) })

const create = (members: object) => send('POST', '/v1/oidc_clients', { ...GOOD, ...members })

describe('a client is rejected', () => {
  const uris = (...redirect_uris: string[]) => ({ redirect_uris })
  it.each<[string, object, string]>([
    ['without a redirect_uri', uris(), '/redirect_uris'],
    [
      'with 21 redirect_uris',
      uris(...Array.from({ length: 21 }, (_, i) => `${CALLBACK}/${i}`)),
      '/redirect_uris',
    ],
    ['with a redirect_uri by http', uris('http://client.example/callback'), '/redirect_uris/0'],
    ['with a redirect_uri that has a fragment', uris(`${CALLBACK}#`), '/redirect_uris/0'],
    [
      'with a redirect_uri that has a wildcard',
      uris('https://*.client.example/callback'),
      '/redirect_uris/0',
    ],
    [
      'with a redirect_uri that has user information',
      uris('https://user@client.example/'),
      '/redirect_uris/0',
    ],
    ['with a redirect_uri that has an empty user', uris('https://@client.example/'), '/redirect_uris/0'],
    [
      'with a redirect_uri that has a backslash',
      uris('https://client.example\\@attacker.example/'),
      '/redirect_uris/0',
    ],
    ['with a redirect_uri that has a line break', uris('https://client.example/\n'), '/redirect_uris/0'],
    ['with a redirect_uri of another scheme', uris('javascript:alert(1)'), '/redirect_uris/0'],
    [
      'with a preset beside credential_types in one policy',
      { policies: [{ ...ADULT, preset: 'age_over_18' }] },
      '/policies/0/credential_types',
    ],
    [
      'with transaction_data in a policy',
      { policies: [{ ...ADULT, transaction_data: [{ type: 'payment' }] }] },
      '/policies/0/transaction_data',
    ],
    [
      'with a policy that has the name of a scope',
      { policies: [{ ...ADULT, name: 'email' }] },
      '/policies/0/name',
    ],
    ['without a policy', { policies: [] }, '/policies'],
    ['with a policy name in capitals', { policies: [{ ...ADULT, name: 'Adult' }] }, '/policies/0/name'],
    ['with two policies of the same name', { policies: [ADULT, ADULT] }, '/policies'],
    [
      'with 21 policies',
      { policies: Array.from({ length: 21 }, (_, i) => ({ ...ADULT, name: `p${i}` })) },
      '/policies',
    ],
    ['with a default_policy that does not exist', { default_policy: 'other' }, '/default_policy'],
    ['with metadata in a policy', { policies: [{ ...ADULT, metadata: {} }] }, '/policies/0/metadata'],
    [
      'without a secret and without PKCE',
      { token_endpoint_auth_method: 'none', require_pkce: false },
      '/require_pkce',
    ],
    [
      'without a secret and with a policy that requires relying_party',
      {
        token_endpoint_auth_method: 'none',
        policies: [{ ...ADULT, required_session_binding: 'relying_party' }],
      },
      '/policies/0/required_session_binding',
    ],
    ['with private_key_jwt and no key', { token_endpoint_auth_method: 'private_key_jwt' }, '/jwks'],
    ['with an encryption and no key', { id_token_encrypted_response_alg: 'ECDH-ES' }, '/jwks'],
    [
      'with an EC key for RSA encryption',
      { id_token_encrypted_response_alg: 'RSA-OAEP-256', jwks: { keys: [P256] } },
      '/jwks',
    ],
    ['with a private key', { jwks: { keys: [{ ...P256, d: P256.x }] } }, '/jwks/keys/0'],
    ['with a key that is not on its curve', { jwks: { keys: [{ ...P256, y: P256.x }] } }, '/jwks/keys/0'],
    ['with a modulus of zero', rsa({ n: 'A'.repeat(342) }), '/jwks/keys/0/n'],
    ['with an even modulus', rsa({ n: `u${'A'.repeat(341)}` }), '/jwks/keys/0/n'],
    ['with a modulus of 2047 bits', rsa({ n: `f${'_'.repeat(340)}Q` }), '/jwks/keys/0/n'],
    ['with a modulus of 4104 bits', rsa({ n: `u${'A'.repeat(682)}B` }), '/jwks/keys/0/n'],
    ['with a modulus that is no base64url', rsa({ n: `u${'A'.repeat(344)}` }), '/jwks/keys/0/n'],
    ['with an exponent of 1', rsa({ e: 'AQ' }), '/jwks/keys/0/e'],
    ['with an exponent of 1 after a zero byte', rsa({ e: 'AAE' }), '/jwks/keys/0/e'],
    ['with an even exponent', rsa({ e: 'AQAA' }), '/jwks/keys/0/e'],
    ['with an exponent of 40 bits', rsa({ e: 'AQAAAAE' }), '/jwks/keys/0/e'],
    [
      'with a pairwise subject from a name',
      { policies: [PERSON], subject: { type: 'pairwise', claims: ['family_name'] } },
      '/subject/claims/0',
    ],
    [
      'with a pairwise subject from an age',
      { subject: { type: 'pairwise', claims: ['age_over_18'] } },
      '/subject/claims/0',
    ],
    [
      'with a pairwise subject from a claim that its policy does not request',
      { policies: [ADULT], subject: { type: 'pairwise', claims: ['document_number'] } },
      '/subject/claims',
    ],
  ])('%s', async (_, members, pointer) => {
    const response = await create(members)
    expect(response.status).toBe(400)
    const { errors } = await json(response)
    expect(errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer)
  })

  it('if it has a pairwise subject from a credential without holder binding', async () => {
    const pid = {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['personal_administrative_number'] }],
    }
    const withQuery = (credential: object) =>
      create({
        policies: [{ name: 'person', dcql_query: { credentials: [credential] } }],
        subject: { type: 'pairwise', claims: ['personal_administrative_number'] },
      })
    expect((await withQuery(pid)).status).toBe(201)
    const response = await withQuery({ ...pid, require_cryptographic_holder_binding: false })
    expect(response.status).toBe(400)
    expect((await json(response)).errors).toMatchObject([
      { pointer: '/subject/claims', message: expect.stringContaining('bound to their holder') },
    ])
  })

  it('if its RSA exponent is less than 3, with a message that says so', async () => {
    const { errors } = await json(create(rsa({ e: 'AQ' })))
    expect(errors).toMatchObject([
      { pointer: '/jwks/keys/0/e', message: expect.stringContaining('3 or more') },
    ])
  })

  it('with unsupported_scope if a policy names an unknown scope', async () => {
    const response = await create({ policies: [ADULT, { ...ADULT, name: 'odd', scope: ['shoe_size'] }] })
    expect(await json(response)).toMatchObject({
      code: 'unsupported_scope',
      errors: [{ pointer: '/policies/1/scope/0' }],
    })
  })

  it('if the relying party already has 50 clients', async () => {
    const full = await setUp()
    for (let i = 0; i < 50; i++) await newClient(full)
    const response = await call(app, 'POST', '/v1/oidc_clients', { headers: full.headers, body: GOOD })
    expect(await json(response)).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('with 404 if the service has no OIDC keys', async () => {
    const { OIDC_KEYS: _, OIDC_SUBJECT_KEY: __, ...without } = env as unknown as Record<string, string>
    const options = { headers: setting.headers, body: GOOD, env: without as unknown as typeof env }
    expect((await call(app, 'POST', '/v1/oidc_clients', options)).status).toBe(404)
  })
})

describe('a client', () => {
  it('may have an RSA key with the exponent 3 or 65537', async () => {
    for (const e of ['Aw', 'AQAB']) {
      const response = await create({ id_token_encrypted_response_alg: 'RSA-OAEP-256', ...rsa({ e }) })
      expect([e, response.status]).toEqual([e, 201])
    }
  })

  it('has the documented defaults, and shows its secret only in the response to its creation', async () => {
    const { client_id, client_secret, issuer } = await newClient(setting)
    expect(client_secret).toMatch(/^ocs_[\w-]{43}$/)
    const shown = await send('GET', `/v1/oidc_clients/${client_id}`)
    const text = await shown.text()
    const digest = createHash('sha256').update(client_secret).digest('base64url')
    expect([text.includes(client_secret), text.includes(digest)]).toEqual([false, false])
    expect(JSON.parse(text)).toMatchObject({
      issuer,
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
      require_pkce: true,
      token_endpoint_as_audience: false,
      require_pushed_authorization_requests: false,
      cross_device: true,
      default_policy: 'adult',
      subject: { type: 'transient' },
      id_token_signed_response_alg: 'RS256',
      userinfo_signed_response_alg: null,
    })
    const list = await json(send('GET', '/v1/oidc_clients'))
    expect(list.oidc_clients.map((one: { client_id: string }) => one.client_id)).toContain(client_id)
  })

  it('that an older version stored without token_endpoint_as_audience is shown with the value false', async () => {
    const { client_id } = await newClient(setting)
    const stub = relyingPartyStub(env, setting.relyingPartyId)
    if (stub === undefined) throw new Error('there is no relying party')
    await runInDurableObject(stub, (_, { storage }) => {
      const name = `oidc_client/${client_id}`
      const { token_endpoint_as_audience: _new, ...older } = storage.kv.get<OidcClient>(name)!
      storage.kv.put(name, older)
    })
    const shown = await json(send('GET', `/v1/oidc_clients/${client_id}`))
    expect(shown).toMatchObject({ name: 'Shop', token_endpoint_as_audience: false })
  })

  it('may have a policy that consists of a preset', async () => {
    const policy = { name: 'adult', preset: 'age_over_18' }
    const client = await newClient(setting, { policies: [policy] })
    expect(client).toMatchObject({ policies: [policy], warnings: [] })
    const { id } = await begin(client)
    expect(await json(send('GET', `/v1/verify/${id}`))).toMatchObject({
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      formats: ['mso_mdoc'],
    })
  })

  it('is changed in the members that are sent, and is then validated as a whole', async () => {
    const { client_id } = await newClient(setting)
    const path = `/v1/oidc_clients/${client_id}`
    const changed = await json(send('PATCH', path, { cross_device: false }))
    expect(changed).toMatchObject({
      name: 'Shop',
      warnings: [],
      policies: [{ required_session_binding: 'page' }],
    })
    expect(changed).not.toHaveProperty('client_secret')
    const refused = await send('PATCH', path, { policies: [{ ...ADULT, name: 'other' }] })
    expect((await json(refused)).errors).toMatchObject([{ pointer: '/default_policy' }])
  })

  it('of another relying party gets 404', async () => {
    const { client_id } = await newClient(await setUp())
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (await send(method, `/v1/oidc_clients/${client_id}`, method === 'PATCH' ? {} : undefined)).status,
      ).toBe(404)
    expect((await send('POST', `/v1/oidc_clients/${client_id}/rotate_secret`)).status).toBe(404)
  })

  it('without a secret cannot rotate a secret', async () => {
    const { client_id } = await json(create({ token_endpoint_auth_method: 'none' }))
    const rotated = await json(send('POST', `/v1/oidc_clients/${client_id}/rotate_secret`))
    expect(rotated).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: 'Its token_endpoint_auth_method has no secret.',
    })
  })

  it('with a loopback redirect_uri is accepted in test mode, and in live mode only if it is native', async () => {
    const http = { redirect_uris: ['http://127.0.0.1:3000/callback'] }
    expect((await create(http)).status).toBe(201)
    const live = await setUp({ livemode: true })
    const inLiveMode = (members: object) =>
      call(app, 'POST', '/v1/oidc_clients', { headers: live.headers, body: { ...GOOD, ...http, ...members } })
    expect((await inLiveMode({})).status).toBe(400)
    expect((await inLiveMode({ application_type: 'native' })).status).toBe(201)
  })
})
