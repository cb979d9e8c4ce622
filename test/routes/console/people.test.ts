// Sign-in of people by the OpenID Provider of their organisation: what it accepts, and what it refuses.

import { SignJWT, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CLIENT, type Faults } from '../../support/people/openid-provider.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { statusAndCode } from '../edge/access-world.ts'
import { ADMIN, call, createRelyingParty } from '../edge/edge-app.ts'
import {
  api,
  app,
  finish,
  newBrowser,
  newParty,
  OWN,
  type Party,
  send,
  serve,
  signInPerson,
  start,
} from './people-world.ts'

const NOW = NOON / 1000
let party: Party

startAtNoon()
beforeEach(async () => {
  party = await newParty()
  serve(party.provider)
})

/** Signs in with faults of the provider. */
async function withFaults(faults: Faults, fresh = false): Promise<Response> {
  party.provider.faults = faults
  const browser = newBrowser()
  const response = await finish(browser, party.provider.authorize(await start(browser, party, fresh)))
  expect([...browser.cookies.keys()].filter((name) => name.endsWith('wv_console'))).toHaveLength(
    response.status === 201 ? 1 : 0,
  )
  return response
}

async function refusal(response: Response): Promise<string> {
  const { status, code, detail } = (await response.json()) as { status: number; code: string; detail: string }
  return `${status} ${code} ${detail}`
}

describe('the authorization request', () => {
  it('has PKCE, state, nonce, and a redirect URI that only this relying party has', async () => {
    const url = new URL(await start(newBrowser(), party))
    expect(url.origin + url.pathname).toBe(`${party.provider.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.client_id,
      redirect_uri: `https://verifier.example/console/people/${party.rp.relying_party_id}`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('asks the provider for a new authentication if a fresh sign-in is needed', async () => {
    const asked = new URL(await start(newBrowser(), party, true)).searchParams
    expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0'])
  })

  it('sets an encrypted cookie that no script and no other site can use', async () => {
    const body = { relying_party_id: party.rp.relying_party_id }
    const response = await call(app, 'POST', '/console/people', { headers: OWN, body })
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^__Host-wv_console_flow=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  it.each([{}, { Origin: 'https://elsewhere.example' }])(
    'is not made for a page of another site',
    async (headers) => {
      const body = { relying_party_id: party.rp.relying_party_id }
      const response = await call(app, 'POST', '/console/people', { headers, body })
      expect(await statusAndCode(response)).toBe('403 cross_site_request')
      expect(response.headers.get('Set-Cookie')).toBeNull()
    },
  )

  it('does not reveal which relying parties exist', async () => {
    const without = await createRelyingParty()
    for (const relying_party_id of [without.relying_party_id, `rp_${'A'.repeat(43)}`]) {
      const response = await send(newBrowser(), 'POST', '/console/people', { relying_party_id })
      expect(await statusAndCode(response)).toBe('404 people_not_enabled')
    }
    const response = await send(newBrowser(), 'POST', '/console/people', { relying_party_id: '../x' })
    expect(await statusAndCode(response)).toBe('400 invalid_request')
  })

  it.each<[string, Faults]>([
    ['with another issuer', { metadata: { issuer: 'https://login.shop.example.com/realms/other' } }],
    ['without its issuer', { metadata: { issuer: undefined } }],
    [
      'whose authorization endpoint is a script',
      { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    ],
    [
      'whose authorization endpoint is http',
      { metadata: { authorization_endpoint: 'http://login.example.com/' } },
    ],
    [
      'whose token endpoint is a private address',
      { metadata: { token_endpoint: 'https://169.254.169.254/' } },
    ],
    ['whose keys are at this service', { metadata: { jwks_uri: 'https://verifier.example/jwks' } }],
  ])('is not made from metadata %s', async (_, faults) => {
    party.provider.faults = faults
    const response = await send(newBrowser(), 'POST', '/console/people', {
      relying_party_id: party.rp.relying_party_id,
    })
    expect(await statusAndCode(response)).toBe('502 sign_in_provider_failed')
  })

  it('is not made if the provider does not respond', async () => {
    vi.mocked(globalThis.fetch).mockRejectedValue(new TypeError('unreachable'))
    const response = await send(newBrowser(), 'POST', '/console/people', {
      relying_party_id: party.rp.relying_party_id,
    })
    expect(await refusal(response)).toContain('did not respond in time')
  })
})

describe('a person', () => {
  it('signs in with the scopes of their roles; the response contains no client secret, code or token of the provider', async () => {
    const browser = newBrowser()
    const response = await finish(browser, party.provider.authorize(await start(browser, party)))
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      owner: 'relying_party',
      relying_party: { relying_party_id: party.rp.relying_party_id },
      scopes: ['verify:read'],
      person: { subject: 'sub-1', name: 'ada', email: 'ada@shop.example' },
    })
    for (const secret of [CLIENT.client_secret, 'code-1', 'eyJ']) expect(text).not.toContain(secret)
    expect([...browser.cookies.keys()]).toEqual(['__Host-wv_console'])
    expect((await api(browser, 'GET', '/v1/verify')).status).toBe(200)
    expect(await statusAndCode(await api(browser, 'GET', '/v1/relying_party'))).toBe('403 insufficient_scope')
    const session = await send(browser, 'GET', '/console/session')
    expect(await session.json()).toMatchObject({ scopes: ['verify:read'], person: { name: 'ada' } })
  })

  it('is accepted with roles in a claim inside another claim, and with one role as a text', async () => {
    for (const [roles_claim, account] of [
      ['realm_access.roles', { realm_access: { roles: ['x', 'admin'] } }],
      ['role', { role: 'admin' }],
      ['https://shop.example/roles', { 'https://shop.example/roles': ['admin'] }],
    ] as const) {
      party = await newParty({ roles_claim })
      serve(party.provider)
      party.provider.account = { sub: 's', ...account }
      const browser = await signInPerson(party)
      expect((await api(browser, 'GET', '/v1/relying_party')).status).toBe(200)
    }
  })

  it.each([
    ['no claim', {}],
    ['an empty list', { roles: [] }],
    ['an empty text', { roles: '' }],
    ['another role', { roles: ['guest'] }],
    ['roles similar to a role of the settings', { roles: ['support2', 'supp'] }],
    ['a text that contains a role of the settings', { roles: 'guest support' }],
    ['names of members that every object has', { roles: ['constructor', '__proto__', 'toString'] }],
    ['an object', { roles: { support: true } }],
    ['null', { roles: null }],
  ])('a person is refused if none of their roles is in the settings: %s', async (_, account) => {
    party.provider.account = { sub: 'sub-1', ...account }
    expect(await statusAndCode(await withFaults({}))).toBe('403 role_missing')
  })

  it('sees only their own relying party', async () => {
    const other = await createRelyingParty({ name: 'Other' })
    party.provider.account = { sub: 'sub-1', roles: ['admin'] }
    const browser = await signInPerson(party)
    const settings = await (await api(browser, 'GET', '/v1/relying_party')).json()
    expect(settings).toMatchObject({ relying_party_id: party.rp.relying_party_id })
    const admin = `/v1/admin/relying_parties/${other.relying_party_id}`
    expect(await statusAndCode(await api(browser, 'GET', admin))).toBe('404 not_found')
  })
})

describe('a response of the provider', () => {
  it('is refused in a browser that does not have the cookie of the started sign-in', async () => {
    const redirect = party.provider.authorize(await start(newBrowser(), party))
    expect(await refusal(await finish(newBrowser(), redirect))).toContain('no sign-in of this browser')
    expect(party.provider.requests).not.toContain('/token')
  })

  it('is refused if its state belongs to another started sign-in', async () => {
    const [mine, theirs] = [newBrowser(), newBrowser()]
    await start(mine, party)
    const redirect = party.provider.authorize(await start(theirs, party))
    expect(await refusal(await finish(mine, redirect))).toContain('no sign-in of this browser')
    expect(party.provider.requests).not.toContain('/token')
  })

  it('is refused at the redirect URI of another relying party, and its code goes to no provider', async () => {
    const other = await newParty()
    serve(party.provider, other.provider)
    const browser = newBrowser()
    const redirect = new URL(party.provider.authorize(await start(browser, party)))
    redirect.pathname = `/console/people/${other.rp.relying_party_id}`
    expect(await refusal(await finish(browser, redirect.href))).toContain('no sign-in of this browser')
    expect([...party.provider.requests, ...other.provider.requests]).not.toContain('/token')
  })

  it('can be used only once, and only within ten minutes', async () => {
    const browser = newBrowser()
    const redirect = party.provider.authorize(await start(browser, party))
    const copy = { ...browser, cookies: new Map(browser.cookies) }
    expect((await finish(browser, redirect)).status).toBe(201)
    expect(await statusAndCode(await finish(browser, redirect))).toBe('403 sign_in_refused')
    // Even with a copy of the cookie, the provider accepts a code once.
    expect(await refusal(await finish(copy, redirect))).toContain('rejected the code')
    const late = newBrowser()
    const lateRedirect = party.provider.authorize(await start(late, party))
    at(NOON + 600_000)
    expect(await statusAndCode(await finish(late, lateRedirect))).toBe('403 sign_in_refused')
  })

  it.each<[string, Faults]>([
    ['the issuer of another provider', { redirect: { iss: 'https://login.shop.example.com/realms/other' } }],
    ['no issuer, although the metadata promises it', { redirect: { iss: null } }],
  ])('is refused with %s', async (_, faults) => {
    expect(await refusal(await withFaults(faults))).toContain('not from the provider')
    expect(party.provider.requests).not.toContain('/token')
  })

  it('may omit the issuer if the metadata of the provider does not promise it', async () => {
    const metadata = { authorization_response_iss_parameter_supported: undefined }
    expect((await withFaults({ metadata, redirect: { iss: null } })).status).toBe(201)
  })

  it('is refused if the client in the settings was changed after the start of the sign-in', async () => {
    const browser = newBrowser()
    const redirect = party.provider.authorize(await start(browser, party))
    const { issuer } = party.provider
    const console_sign_in = { issuer, ...CLIENT, client_id: 'other', roles: { support: ['verify:read'] } }
    await call(app, 'PATCH', `/v1/admin/relying_parties/${party.rp.relying_party_id}`, {
      headers: ADMIN,
      body: { console_sign_in },
    })
    expect(await refusal(await finish(browser, redirect))).toContain('have changed')
    expect(party.provider.requests).not.toContain('/token')
  })

  it('is refused with a message that the provider rejected the client, if the client secret is wrong', async () => {
    const browser = newBrowser()
    const redirect = party.provider.authorize(await start(browser, party))
    const { issuer } = party.provider
    const console_sign_in = { issuer, ...CLIENT, client_secret: 'wrong', roles: { support: ['verify:read'] } }
    await call(app, 'PATCH', `/v1/admin/relying_parties/${party.rp.relying_party_id}`, {
      headers: ADMIN,
      body: { console_sign_in },
    })
    expect(await refusal(await finish(browser, redirect))).toContain('rejected the client')
  })

  it.each<[string, string, () => Response]>([
    [
      'a redirect',
      '502',
      () => new Response(null, { status: 302, headers: { location: 'https://a.example.com/' } }),
    ],
    ['an error of the server', '502', () => new Response('x', { status: 500 })],
    ['no JSON', '502', () => new Response('<html>')],
    ['no ID token', '502', () => Response.json({ access_token: 'x' })],
    ['an ID token that is no text', '502', () => Response.json({ id_token: { sub: 'x' } })],
    ['more than 64 KiB', '502', () => Response.json({ id_token: 'x'.repeat(70_000) })],
    ['an ID token of more than 16 KiB', '403', () => Response.json({ id_token: 'x'.repeat(20_000) })],
  ])('is refused if the token endpoint sends %s', async (_, status, tokenResponse) => {
    const response = await withFaults({ tokenResponse })
    expect(String(response.status)).toBe(status)
  })
})

describe('an ID token', () => {
  const claim = (change: object): Faults => ({ claims: () => change })
  const SECRET = new TextEncoder().encode(CLIENT.client_secret.padEnd(32, 'x'))

  it.each<[string, Faults, string]>([
    ['of another issuer', claim({ iss: 'https://login.shop.example.com/realms/other' }), 'claim iss'],
    ['for another client', claim({ aud: 'other' }), 'claim aud'],
    ['for several clients, without azp', claim({ aud: ['console', 'other'] }), 'claim azp'],
    ['whose authorized party is another client', claim({ azp: 'other' }), 'claim azp'],
    ['of another sign-in', claim({ nonce: 'other' }), 'claim nonce'],
    ['without a nonce', claim({ nonce: undefined }), 'claim nonce'],
    ['that has expired', claim({ exp: NOW - 61 }), 'claim exp'],
    ['without an expiry', claim({ exp: undefined }), 'claim exp'],
    ['with an iat one hour ago', claim({ iat: NOW - 3600 }), 'claim iat'],
    ['with an iat in the future', claim({ iat: NOW + 3600 }), 'claim iat'],
    ['without a subject', claim({ sub: undefined }), 'claim sub'],
    ['with a subject that is no text', claim({ sub: 7 }), 'claim sub'],
    ['with an empty subject', claim({ sub: '' }), 'claim sub'],
    ['whose auth_time is not a number', claim({ auth_time: 'now' }), 'claim auth_time'],
    ['without a signature', { sign: (claims) => new UnsecuredJWT(claims).encode() }, 'form'],
    [
      'with a MAC of the client secret',
      { sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(SECRET) },
      'form',
    ],
    ['that is no JWT', { sign: () => 'x' }, 'form'],
  ])('%s is refused', async (_, faults, reason) => {
    const response = await withFaults(faults)
    expect(await refusal(response)).toBe(`403 sign_in_refused The ID token is not acceptable: ${reason}.`)
  })

  it('an ID token with a MAC is refused even if the provider publishes the secret as a key', async () => {
    const secret = { kty: 'oct', k: btoa(CLIENT.client_secret.padEnd(32, 'x')), kid: 'k1', alg: 'HS256' }
    const sign: Faults['sign'] = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(SECRET)
    expect(await refusal(await withFaults({ sign, keys: [secret] }))).toContain('form')
  })

  it('an ID token signed with another key that has the same key id is refused', async () => {
    const other = await newParty()
    const sign: Faults['sign'] = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(other.provider.privateKey)
    expect(await refusal(await withFaults({ sign }))).toContain('signature')
  })

  it('an ID token signed with a new key is accepted after the keys are fetched again, which happens at most once in ten seconds', async () => {
    await signInPerson(party)
    const { privateKey, publicJwk } = party.provider
    const sign: Faults['sign'] = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k2' }).sign(privateKey)
    const keys = [{ ...publicJwk, kid: 'k2' }]
    expect(await refusal(await withFaults({ sign, keys }))).toContain('unknown_key')
    at(NOON + 11_000)
    expect((await withFaults({ sign, keys })).status).toBe(201)
  })

  it('an ID token for several clients is accepted if its authorized party is this service', async () => {
    expect((await withFaults(claim({ aud: ['console', 'other'], azp: 'console' }))).status).toBe(201)
  })

  it.each<[string, object]>([
    ['without the time of authentication', { auth_time: undefined }],
    ['of an earlier authentication', { auth_time: NOW - 61 }],
  ])('%s is refused if a fresh sign-in is required', async (_, change) => {
    expect(await refusal(await withFaults(claim(change), true))).toContain('claim auth_time')
    expect((await withFaults(claim(change))).status).toBe(201)
  })
})
