// api/logins: CORS of the endpoints, redirects to loopback addresses, and the cookie of a local service.

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  answer,
  app,
  authorize,
  begin,
  finish,
  newClient,
  openEnd,
  pathOf,
  postForm,
  REQUEST,
  redeem,
  type TestClient,
} from './login-world.ts'

let setting: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp()
  client = await newClient(setting)
})

describe('a page of another origin', () => {
  const Origin = 'https://app.example'

  const get = (path: string, headers: Record<string, string> = {}) =>
    call(app, 'GET', pathOf(client.issuer) + path, { headers: { Origin, ...headers } })

  /** Returns the status, and the headers of CORS. */
  const grantOf = ({ status, headers }: Pick<Response, 'status' | 'headers'>) => [
    status,
    headers.get('Access-Control-Allow-Origin'),
    headers.get('Access-Control-Allow-Credentials'),
  ]

  it('can read metadata, keys, tokens and UserInfo, and their errors, without credentials', async () => {
    const browser = await answer(setting, await begin(client))
    const redeemed = await redeem(client, (await finish(client, browser)).get('code') ?? '')
    const bearer = { Authorization: `Bearer ${redeemed.tokens.access_token}` }
    const unknown = `${pathOf(client.issuer).slice(0, -43)}${'A'.repeat(43)}`
    const grants = {
      metadata: await get('/.well-known/openid-configuration'),
      keys: await get('/jwks'),
      token: redeemed,
      userinfo: await get('/userinfo', bearer),
      'unknown metadata': await call(app, 'GET', `${unknown}/.well-known/openid-configuration`),
      'unknown keys': await call(app, 'GET', `${unknown}/jwks`),
      'used code': await redeem(client, 'none'),
      'other secret': await redeem(client, 'none', 'none'),
      'no token': await get('/userinfo'),
    }
    const found = Object.entries(grants).map(([name, response]) => [name, ...grantOf(response)])
    expect(found).toEqual([
      ['metadata', 200, '*', null],
      ['keys', 200, '*', null],
      ['token', 200, '*', null],
      ['userinfo', 200, '*', null],
      ['unknown metadata', 404, '*', null],
      ['unknown keys', 404, '*', null],
      ['used code', 400, '*', null],
      ['other secret', 401, '*', null],
      ['no token', 401, '*', null],
    ])
  })

  it('cannot read any part of a login or of a pushed request', async () => {
    const browser = await begin(client)
    expect(grantOf(await authorize(client))).toEqual([303, null, null])
    expect(grantOf(await openEnd(client, browser))).toEqual([303, null, null])
    expect(grantOf(await postForm(client, 'par', REQUEST))).toEqual([201, null, null])
  })
})

describe('a redirect_uri on a loopback address', () => {
  const members = { redirect_uris: ['http://[::1]/callback', 'http://127.0.0.1:3000/other'] }
  const open = (native: TestClient, redirect_uri: string) => authorize(native, { ...REQUEST, redirect_uri })

  it('of a native client may have any port, for IPv6 and for IPv4', async () => {
    const native = await newClient(setting, { ...members, application_type: 'native' })
    for (const uri of [
      'http://[::1]/callback',
      'http://[::1]:51004/callback',
      'http://127.0.0.1/other',
      'http://127.0.0.1:1/other',
    ])
      expect([uri, (await open(native, uri)).status]).toEqual([uri, 303])
    for (const uri of [
      'http://[::1]:51004/other',
      'http://[::1]:51004/callback?',
      'http://[::1]:0/callback',
      'http://[::1]:99999/callback',
      'http://[::1]:/callback',
      'http://[::2]:51004/callback',
      'http://[0:0:0:0:0:0:0:1]:51004/callback',
      'http://[::1]:51004@attacker.example/callback',
      'http://127.0.0.1:51004/callback',
      'http://localhost:51004/callback',
      'https://[::1]:51004/callback',
    ])
      expect([uri, (await open(native, uri)).status]).toEqual([uri, 400])
  })

  it('of a native client gets the code at the port that its request names', async () => {
    const native = await newClient(setting, { ...members, application_type: 'native' })
    const redirect_uri = 'http://[::1]:51004/callback'
    const browser = await answer(setting, await begin(native, { redirect_uri }))
    const location = (await openEnd(native, browser)).headers.get('Location')
    expect(location).toMatch(/^http:\/\/\[::1\]:51004\/callback\?code=/)
  })

  it('of a web client must have exactly the registered port', async () => {
    const web = await newClient(setting, members)
    expect((await open(web, 'http://[::1]/callback')).status).toBe(303)
    expect((await open(web, 'http://[::1]:51004/callback')).status).toBe(400)
  })

  it('can receive a form_post even if it is an IPv6 address, which a CSP cannot contain', async () => {
    const native = await newClient(setting, { ...members, application_type: 'native' })
    const policyFor = async (redirect_uri: string) => {
      const begun = await begin(native, { redirect_uri, response_mode: 'form_post' })
      const response = await openEnd(native, await answer(setting, begun), { 'Accept-Encoding': 'gzip' })
      // The form has a code beside the `state` that the client chose.
      expect(response.headers.get('Content-Encoding')).toBeNull()
      return /form-action [^;]*/.exec(response.headers.get('Content-Security-Policy') ?? '')?.[0]
    }
    expect(await policyFor('http://127.0.0.1:51004/other')).toBe('form-action http://127.0.0.1:51004 https:')
    expect(await policyFor('http://[::1]:51004/callback')).toBe('form-action http: https:')
  })
})

describe('the cookie of a login', () => {
  it('has no name prefix and no Secure if the service is on loopback, which has no https', async () => {
    const local = { ...env, BASE_URL: 'http://localhost:8787' }
    const query = new URLSearchParams({ ...REQUEST, client_id: client.client_id })
    const response = await call(app, 'GET', `${pathOf(client.issuer)}/authorize?${query}`, { env: local })
    expect(response.status).toBe(303)
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^wv_login_v_[\w-]{43}=[\w-]{43}; Max-Age=1200; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })
})
