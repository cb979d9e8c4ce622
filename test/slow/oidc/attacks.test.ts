// Attacks on logins, each with its own assertion (docs/decisions/openid-connect.md lists them).

import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import * as client from 'openid-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, login, type Request, redeem, request, respond } from '../../conformance/oidc/openid-login.ts'
import {
  ADULT,
  begunAt,
  CALLBACK,
  openLoginBrowser,
  type RegisteredClient,
  registerClient,
} from '../../support/service/login.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage({ CLIENT_IP_HEADER: 'x-client-address' })

// A relying party has 50 clients at most.
beforeEach(async () => {
  stage.rp = await relyingPartyOf(stage)
})

type Form = Readonly<Record<string, string | undefined>>

/** Posts a form to an endpoint of an issuer. */
function post(issuer: string, endpoint: string, form: Form, headers: Record<string, string> = {}) {
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return stage.service.fetch(`${issuer}/${endpoint}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(given).toString(),
  })
}

function basic({ client_id, client_secret = '' }: RegisteredClient): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
}

/** Redeems a code as a client does, with changes. */
function redeemCode(registered: RegisteredClient, made: Request, response: URL, changes: Form = {}) {
  const form = {
    grant_type: 'authorization_code',
    code: response.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: made.verifier,
    ...changes,
  }
  return post(registered.issuer, 'token', form, basic(registered))
}

async function errorOf(response: Response): Promise<string> {
  return `${response.status} ${((await response.json()) as { error: string }).error}`
}

/** A login whose code has come back and is not redeemed. */
async function withCode(registered: RegisteredClient, options = {}) {
  const made = await request(stage, registered, options)
  const browser = openLoginBrowser(stage.service)
  const response = await answer(stage, browser, made.url.href, options)
  return { made, browser, response }
}

describe('an authorization code', () => {
  it('is refused with the code_verifier of another login (code injection)', async () => {
    const registered = await registerClient(stage.rp)
    const [victim, attacker] = [await withCode(registered), await withCode(registered)]
    const injected = await redeemCode(registered, attacker.made, victim.response)
    expect(await errorOf(injected)).toBe('400 invalid_grant')
    expect((await redeem(victim.made, victim.response)).claims.age_over_18).toBe(true)
  })

  it('works once: a second use is refused and revokes the access token of the first use', async () => {
    const registered = await registerClient(stage.rp)
    const { made, response } = await withCode(registered)
    const first = await redeemCode(registered, made, response)
    const { access_token } = (await first.json()) as { access_token: string }
    const userInfo = () =>
      stage.service.fetch(`${registered.issuer}/userinfo`, {
        headers: { Authorization: `Bearer ${access_token}` },
      })
    expect((await userInfo()).status).toBe(200)
    expect(await errorOf(await redeemCode(registered, made, response))).toBe('400 invalid_grant')
    const refused = await userInfo()
    expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    expect(refused.status).toBe(401)
  })

  it('is refused if another client of the same relying party redeems it', async () => {
    const [owner, other] = [await registerClient(stage.rp), await registerClient(stage.rp)]
    const { made, response } = await withCode(owner)
    expect(await errorOf(await redeemCode(other, made, response))).toBe('400 invalid_grant')
  })

  it('is refused by the token endpoint of another issuer', async () => {
    const owner = await registerClient(stage.rp)
    const other = await registerClient(await relyingPartyOf(stage))
    const { made, response } = await withCode(owner)
    expect(await errorOf(await redeemCode(other, made, response))).toBe('400 invalid_grant')
  })

  it('is issued only by the issuer of its login', async () => {
    const registered = await registerClient(stage.rp)
    const other = await registerClient(await relyingPartyOf(stage))
    const { url } = await request(stage, registered)
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.begin(url.href)
    const address = await browser.comeBack(await respond(stage, await browser.link(begun)))
    const elsewhere = await browser.visit(`${other.issuer}/finish/${begun.verification_id}`)
    expect([elsewhere.status, elsewhere.headers.get('Location')]).toEqual([404, null])
    expect((await browser.finish(address)).searchParams.has('code')).toBe(true)
  })

  it('is not given to a browser that did not begin the login', async () => {
    const registered = await registerClient(stage.rp)
    const { url } = await request(stage, registered)
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.begin(url.href)
    const redirectUri = await respond(stage, await browser.link(begun))
    const address = await browser.comeBack(redirectUri)
    const stranger = openLoginBrowser(stage.service)
    const refused = await stranger.visit(address)
    expect([refused.status, refused.headers.get('Location')]).toEqual([404, null])
    const forged = openLoginBrowser(stage.service)
    forged.cookies.set(`__Host-wv_login_${begun.verification_id}`, 'A'.repeat(43))
    expect((await forged.visit(address)).status).toBe(404)
    expect((await browser.finish(address)).searchParams.has('code')).toBe(true)
  })

  it('is refused if its time or its secret was changed', async () => {
    const registered = await registerClient(stage.rp)
    const { made, response } = await withCode(registered)
    const [id = '', time = '', secret = '', mac = ''] = (response.searchParams.get('code') ?? '').split('.')
    const later = (Number.parseInt(time, 36) + 1).toString(36)
    const other = (secret.startsWith('A') ? 'B' : 'A') + secret.slice(1)
    for (const code of [`${id}.${later}.${secret}.${mac}`, `${id}.${time}.${other}.${mac}`, 'none', id]) {
      const refused = await redeemCode(registered, made, response, { code })
      expect(await errorOf(refused)).toBe('400 invalid_grant')
    }
  })

  it('is refused without client authentication, even if the client changes to the method `none` before the redemption', async () => {
    const registered = await registerClient(stage.rp)
    const { made, response } = await withCode(registered)
    const path = `/v1/oidc_clients/${registered.client_id}`
    const changed = await stage.rp.call('PATCH', path, { body: { token_endpoint_auth_method: 'none' } })
    expect(changed.status).toBe(200)
    const form = {
      grant_type: 'authorization_code',
      client_id: registered.client_id,
      code: response.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: made.verifier,
    }
    expect(await errorOf(await post(registered.issuer, 'token', form))).toBe('400 invalid_grant')
  })

  it('is refused with a redirect_uri that is registered but differs from the redirect_uri of the request', async () => {
    const second = 'https://client.example/other'
    const registered = await registerClient(stage.rp, { redirect_uris: [CALLBACK, second] })
    const { made, response } = await withCode(registered)
    const refused = await redeemCode(registered, made, response, { redirect_uri: second })
    expect(await errorOf(refused)).toBe('400 invalid_grant')
  })
})

describe('an access token', () => {
  it('is refused by the UserInfo endpoint of another issuer, and stays valid', async () => {
    const registered = await registerClient(stage.rp)
    const other = await registerClient(await relyingPartyOf(stage))
    const { tokens } = await login(stage, registered)
    const userInfo = ({ issuer }: RegisteredClient) =>
      stage.service.fetch(`${issuer}/userinfo`, {
        headers: { Authorization: `Bearer ${tokens.access_token}` },
      })
    const refused = await userInfo(other)
    expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    expect(await errorOf(refused)).toBe('401 invalid_token')
    expect((await userInfo(registered)).status).toBe(200)
  })
})

describe('a token', () => {
  it('gives access to UserInfo only if it is the access token of the login, which gives no access to the API', async () => {
    const registered = await registerClient(stage.rp)
    const { tokens, claims } = await login(stage, registered)
    const { api_key, relying_party_id } = stage.rp
    const form = { grant_type: 'client_credentials', client_id: relying_party_id, client_secret: api_key }
    const granted = await post(new URL(registered.issuer).origin, 'oauth/token', form)
    const { access_token } = (await granted.json()) as { access_token: string }
    const statusOf = async (address: string, token: string) =>
      (await stage.service.fetch(address, { headers: { Authorization: `Bearer ${token}` } })).status
    const view = `/v1/verify/${claims.verification_id}`
    expect(await statusOf(view, access_token)).toBe(200)
    for (const token of [tokens.access_token, String(tokens.id_token)])
      expect(await statusOf(view, token)).toBe(401)
    for (const token of [access_token, api_key, String(tokens.id_token)])
      expect(await statusOf(`${registered.issuer}/userinfo`, token)).toBe(401)
    expect(await statusOf(`${registered.issuer}/userinfo`, tokens.access_token)).toBe(200)
  })
})

describe('a mix-up of issuers', () => {
  it('is prevented because each response has the iss of its issuer, and the client refuses another iss', async () => {
    const registered = await registerClient(stage.rp)
    const { made, response } = await withCode(registered)
    expect(response.searchParams.get('iss')).toBe(registered.issuer)
    const mixed = new URL(response)
    mixed.searchParams.set('iss', 'https://attacker.example')
    await expect(redeem(made, mixed)).rejects.toThrow()
  })
})

describe('PKCE', () => {
  /** Opens a request with changes; `null` removes a parameter. Returns the page of the error. */
  async function open(registered: RegisteredClient, changes: Readonly<Record<string, string | null>>) {
    const { url } = await request(stage, registered)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const response = await stage.service.fetch(url.href)
    return { status: response.status, text: await response.text() }
  }

  it.each<[string, Readonly<Record<string, string | null>>]>([
    ['a missing challenge', { code_challenge: null, code_challenge_method: null }],
    ['a challenge without its method', { code_challenge_method: null }],
    ['a method without its challenge', { code_challenge: null }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['a challenge that is no SHA-256', { code_challenge: 'short' }],
  ])('rejects %s', async (_, changes) => {
    const { status, text } = await open(await registerClient(stage.rp), changes)
    expect([status, text.includes('invalid_request')]).toEqual([400, true])
  })

  it('requires a nonce if a client does not use PKCE', async () => {
    const registered = await registerClient(stage.rp, { require_pkce: false })
    const without = { code_challenge: null, code_challenge_method: null, nonce: null }
    const { text } = await open(registered, without)
    expect(text).toContain('nonce is required')
  })

  it('rejects a code without the verifier of its challenge, even if the client does not require PKCE', async () => {
    const registered = await registerClient(stage.rp, { require_pkce: false })
    const { made, response } = await withCode(registered)
    const refused = await redeemCode(registered, made, response, { code_verifier: undefined })
    expect(await errorOf(refused)).toBe('400 invalid_grant')
  })

  it('rejects a verifier without an earlier challenge (downgrade)', async () => {
    const registered = await registerClient(stage.rp, { require_pkce: false })
    const { made, response } = await withCode(registered, { withoutPkce: true })
    const code_verifier = client.randomPKCECodeVerifier()
    const refused = await redeemCode(registered, made, response, { code_verifier })
    expect(await errorOf(refused)).toBe('400 invalid_grant')
  })

  it('rejects a wrong verifier, and an invalid verifier', async () => {
    const registered = await registerClient(stage.rp)
    const { made, response } = await withCode(registered)
    for (const code_verifier of [client.randomPKCECodeVerifier(), 'short']) {
      const refused = await redeemCode(registered, made, response, { code_verifier })
      expect(await errorOf(refused)).toBe('400 invalid_grant')
    }
  })
})

describe('a redirect_uri', () => {
  it.each([
    'https://client.example/callback/',
    'https://client.example/callback/../callback',
    'https://client.example/Callback',
    'https://CLIENT.example/callback',
    'https://client.example:443/callback',
    'https://client.example:8443/callback',
    'https://client.example/%63allback',
    'https://client.example/callback?next=https://attacker.example',
    'https://client.example/callback#fragment',
    'https://client.example@attacker.example/callback',
    'https://user@client.example/callback',
    'https://login.client.example/callback',
    'https://client.example.attacker.example/callback',
    'http://client.example/callback',
    'https://attacker.example/?https://client.example/callback',
    '//client.example/callback',
    'javascript:alert(1)',
    '',
  ])(
    'with a text that differs from the registered redirect_uri gives an error page instead of a redirect: %s',
    async (redirect_uri) => {
      const { url } = await request(stage, await registerClient(stage.rp))
      url.searchParams.set('redirect_uri', redirect_uri)
      const response = await stage.service.fetch(url.href)
      expect([response.status, response.headers.get('Location')]).toEqual([400, null])
      expect(await response.text()).not.toContain('<a ')
    },
  )

  it('may differ from the registered address only in the port of a loopback IP address of a native client', async () => {
    const registered = await registerClient(stage.rp, {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    })
    const statusWith = async (redirectUri: string) => {
      const { url } = await request(stage, registered, { redirectUri })
      return (await stage.service.fetch(url.href)).status
    }
    expect(await statusWith('http://127.0.0.1:51004/callback')).toBe(303)
    for (const refused of [
      'http://localhost:51004/callback',
      'http://127.0.0.1:51004/other',
      'http://127.0.0.2:51004/callback',
      'http://127.0.0.1:51004@attacker.example/callback',
      'http://127.0.0.1:0/callback',
      'http://127.0.0.1:99999/callback',
    ]) {
      expect([refused, await statusWith(refused)]).toEqual([refused, 400])
    }
  })
})

/** Claims of an assertion that differ; `undefined` leaves one out. */
type Changes = Readonly<Record<string, unknown>>

describe('authentication with private_key_jwt', () => {
  async function keyedClient(alg = 'ES256') {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg }
    const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
    const registered = await registerClient(stage.rp, members)
    const claims = (changes: Changes = {}) => ({
      iss: registered.client_id,
      sub: registered.client_id,
      aud: registered.issuer,
      exp: Math.floor(Date.now() / 1000) + 60,
      jti: crypto.randomUUID(),
      ...changes,
    })
    const sign = (changes?: Changes, key: Parameters<SignJWT['sign']>[0] = privateKey, by = alg) =>
      new SignJWT(claims(changes) as JWTPayload).setProtectedHeader({ alg: by, kid: 'k1' }).sign(key)
    const send = (client_assertion: string, endpoint: 'token' | 'par' = 'token') =>
      post(registered.issuer, endpoint, {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
        grant_type: 'authorization_code',
        code: 'none',
        redirect_uri: CALLBACK,
      })
    return { registered, claims, sign, send, privateKey }
  }

  /** The client is authenticated if only the code is wrong. */
  const ACCEPTED = '400 invalid_grant'

  it('accepts an assertion for the issuer', async () => {
    const { sign, send } = await keyedClient()
    expect(await errorOf(await send(await sign()))).toBe(ACCEPTED)
  })

  it('rejects an assertion without a signature', async () => {
    const { claims, send } = await keyedClient()
    expect(await errorOf(await send(new UnsecuredJWT(claims() as JWTPayload).encode()))).toBe(
      '401 invalid_client',
    )
  })

  it('rejects an assertion that another key signed', async () => {
    const { sign, send } = await keyedClient()
    const { privateKey } = await generateKeyPair('ES256')
    expect(await errorOf(await send(await sign({}, privateKey)))).toBe('401 invalid_client')
  })

  it('rejects an assertion with RS256 if the RSA key has the alg PS256, as FAPI 2.0 requires', async () => {
    const { sign, send, privateKey } = await keyedClient('PS256')
    expect(await errorOf(await send(await sign()))).toBe(ACCEPTED)
    const sameKey = await importJWK(await exportJWK(privateKey), 'RS256')
    expect(await errorOf(await send(await sign({}, sameKey, 'RS256')))).toBe('401 invalid_client')
  })

  it.each<[string, (issuer: string) => Changes]>([
    ['for another audience', () => ({ aud: 'https://attacker.example' })],
    ['for the token endpoint', (issuer) => ({ aud: `${issuer}/token` })],
    ['for two audiences', (issuer) => ({ aud: [issuer, 'https://attacker.example'] })],
    ['that has expired', () => ({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ['that is valid for more than five minutes', () => ({ exp: Math.floor(Date.now() / 1000) + 360 })],
    ['without an expiry', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: Math.floor(Date.now() / 1000) + 60 })],
    ['without an identifier', () => ({ jti: undefined })],
    ['of another issuer', () => ({ iss: 'oc_00000000000000000000000000000000' })],
  ])('rejects an assertion %s', async (_, changes) => {
    const { sign, send, registered } = await keyedClient()
    expect(await errorOf(await send(await sign(changes(registered.issuer))))).toBe('401 invalid_client')
  })

  it('rejects a second assertion with the same jti, at either endpoint', async () => {
    const { sign, send } = await keyedClient()
    const [first, second] = [await sign({ jti: 'one' }), await sign({ jti: 'one', iat: 1 })]
    expect(await errorOf(await send(first))).toBe(ACCEPTED)
    expect(await errorOf(await send(first))).toBe('401 invalid_client')
    expect(await errorOf(await send(second, 'par'))).toBe('401 invalid_client')
  })

  it('rejects a client secret instead of an assertion, and a call without authentication', async () => {
    const { registered } = await keyedClient()
    const form = { grant_type: 'authorization_code', code: 'none', redirect_uri: CALLBACK }
    const named = await post(registered.issuer, 'token', { ...form, client_id: registered.client_id })
    expect(await errorOf(named)).toBe('401 invalid_client')
    const withSecret = await post(registered.issuer, 'token', form, basic(registered))
    expect(await errorOf(withSecret)).toBe('401 invalid_client')
  })
})

describe('failed authentications', () => {
  it('are limited for each IP address, and never lock out a client', async () => {
    const registered = await registerClient(stage.rp)
    const attempt = (client_secret: string, address: string) =>
      post(
        registered.issuer,
        'token',
        { grant_type: 'authorization_code', code: 'none', redirect_uri: CALLBACK },
        { ...basic({ ...registered, client_secret }), 'x-client-address': address },
      )
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) statuses.push((await attempt('wrong', '192.0.2.1')).status)
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
    const secret = registered.client_secret ?? ''
    expect(await errorOf(await attempt(secret, '192.0.2.1'))).toBe('400 invalid_grant')
    expect((await attempt('wrong', '192.0.2.2')).status).toBe(401)
  })
})

describe('a pushed request', () => {
  it('gives a login and a code only to the browser that begins a session first', async () => {
    const registered = await registerClient(stage.rp)
    const made = await request(stage, registered, { pushed: true })
    const [first, second] = [openLoginBrowser(stage.service), openLoginBrowser(stage.service)]
    const [one, two] = [await first.begin(made.url.href), await second.begin(made.url.href)]
    expect(one.verification_id).toBe(two.verification_id)
    const redirectUri = await respond(stage, await first.link(await first.begin(made.url.href)))
    await expect(second.link(two)).rejects.toThrow('404')
    await expect(second.finish(two.finish)).rejects.toThrow('404')
    const response = await first.finish(await first.comeBack(redirectUri))
    expect((await redeem(made, response)).claims.verification_id).toBe(one.verification_id)
    for (const browser of [first, second, openLoginBrowser(stage.service)]) {
      const again = await browser.visit(made.url.href)
      // A browser without the session's cookie gets a page for 60 s, which can begin nothing.
      if (again.status === 303) await expect(browser.link(await begunAt(again))).rejects.toThrow('404')
      else expect((await again.text()).includes('invalid_request_uri')).toBe(true)
    }
  })

  it('works only for its own client, and still works after another client tried to use it', async () => {
    const [owner, other] = [await registerClient(stage.rp), await registerClient(stage.rp)]
    const { url } = await request(stage, owner, { pushed: true })
    const stolen = new URL(url)
    stolen.searchParams.set('client_id', other.client_id)
    const refused = await stage.service.fetch(stolen.href)
    expect((await refused.text()).includes('invalid_request_uri')).toBe(true)
    expect((await stage.service.fetch(url.href)).status).toBe(303)
  })

  it('overrides other parameters that are sent beside its request_uri', async () => {
    const policies = [ADULT, { ...ADULT, name: 'weak', front_channel: true }]
    const registered = await registerClient(stage.rp, { policies })
    const made = await request(stage, registered, { pushed: true })
    made.url.searchParams.set('scope', 'openid weak')
    made.url.searchParams.set('redirect_uri', CALLBACK)
    const response = await answer(stage, openLoginBrowser(stage.service), made.url.href)
    expect((await redeem(made, response)).claims.policy).toMatch(/^adult#/)
  })

  it('still works after a prefetch, which creates no login', async () => {
    const { url } = await request(stage, await registerClient(stage.rp), { pushed: true })
    const prefetched = await stage.service.fetch(url.href, { headers: { 'Sec-Purpose': 'prefetch' } })
    expect([prefetched.status, prefetched.headers.getSetCookie()]).toEqual([503, []])
    expect((await stage.service.fetch(url.href)).status).toBe(303)
  })
})

describe('against login CSRF', () => {
  it('each login has its own cookie, with the prefix __Host- and with HttpOnly, Secure and SameSite=Lax', async () => {
    const registered = await registerClient(stage.rp)
    const cookieOf = async () => {
      const { url } = await request(stage, registered)
      return (await stage.service.fetch(url.href)).headers.getSetCookie()
    }
    const [first, second] = [await cookieOf(), await cookieOf()]
    const [, name] = /^(__Host-wv_login_v_[\w-]{43})=[\w-]{43}; (.*)$/.exec(first[0] ?? '') ?? []
    expect(first).toHaveLength(1)
    expect(first[0]?.split('; ').slice(1)).toEqual([
      'Max-Age=1200',
      'Path=/',
      'HttpOnly',
      'Secure',
      'SameSite=Lax',
    ])
    expect(name).toBeDefined()
    expect(second[0]?.startsWith(`${name}=`)).toBe(false)
  })

  it('another browser can neither open the page of the login nor send a response', async () => {
    const { url } = await request(stage, await registerClient(stage.rp))
    const attacker = openLoginBrowser(stage.service)
    const begun = await attacker.begin(url.href)
    const victim = openLoginBrowser(stage.service)
    expect((await victim.visit(begun.page)).status).toBe(404)
    const token = { Authorization: `Bearer ${begun.token}` }
    const link = await victim.post(`/v1/verify/${begun.verification_id}/link`, {}, begun.token)
    expect(link.status).toBe(404)
    const qr = await victim.visit(`/v1/verify/${begun.verification_id}/qr`, { headers: token })
    expect(qr.status).toBe(404)
    expect((await attacker.visit(begun.page)).status).toBe(200)
  })

  it('a response to the login link of an attacker completes no login in either browser', async () => {
    const { url } = await request(stage, await registerClient(stage.rp))
    const attacker = openLoginBrowser(stage.service)
    const begun = await attacker.begin(url.href)
    const redirectUri = await respond(stage, await attacker.link(begun)) // the victim got the attacker's link
    const victim = openLoginBrowser(stage.service)
    await expect(victim.comeBack(redirectUri)).rejects.toThrow('409')
    const pending = await attacker.finish(begun.finish)
    expect(pending.pathname).toBe(`/s/${begun.verification_id}`)
  })
})

describe('HTML markup', () => {
  const MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(1)>'

  /** Opens a request whose scope is wrong, once for each parameter with markup in it. */
  async function open(rp: RelyingParty, parameters: Readonly<Record<string, string>>) {
    const { url } = await request(stage, await registerClient(rp), { parameters })
    url.searchParams.set('scope', 'openid unknown')
    const names = [...url.searchParams.keys(), 'response_mode', 'claims', 'prompt', 'ui_locales', 'max_age']
    const others = ['request', 'request_uri', 'registration', 'login_hint', MARKUP]
    return Promise.all(
      [...new Set([...names, ...others])].map(async (name) => {
        const changed = new URL(url)
        changed.searchParams.set(name, MARKUP)
        const response = await stage.service.fetch(changed.href)
        return { name, response, text: await response.text() }
      }),
    )
  }

  it('in any parameter is shown as text on the error page', async () => {
    const pages = await open(stage.rp, {})
    for (const { name, response, text } of pages) {
      expect([name, response.status, /<script>|<img/.test(text)]).toEqual([name, 400, false])
      expect(response.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    }
    const { text } = pages.find(({ name }) => name === 'state')!
    expect(text).toContain(new URLSearchParams({ state: MARKUP }).toString().replace('*', '%2A'))
  })

  it('in any parameter is escaped in the form that sends an error to the client', async () => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const forms = await open(rp, { response_mode: 'form_post' })
    for (const { name, response, text } of forms) {
      expect([name, /<script>|<img/.test(text)]).toEqual([name, false])
      const isForm = text.includes(`<form method="post" action="${CALLBACK}">`)
      const status = ['client_id', 'redirect_uri'].includes(name) ? 400 : name === 'response_mode' ? 303 : 200
      expect([name, response.status, isForm]).toEqual([name, status, status === 200])
    }
    const { text } = forms.find(({ name }) => name === 'state')!
    expect(text).toContain('name="state" value="&quot;&gt;&lt;script&gt;alert(1)')
  })

  it('in the name of a client is shown as text on the login page', async () => {
    const registered = await registerClient(stage.rp, { name: '<b>Shop</b>' })
    const { url } = await request(stage, registered)
    const browser = openLoginBrowser(stage.service)
    const { page } = await browser.begin(url.href)
    expect(await (await browser.visit(page)).text()).not.toContain('<b>Shop')
  })
})

describe('the login page in a frame', () => {
  it('is forbidden on every site, even on the origins of the relying party', async () => {
    const rp = await relyingPartyOf(stage, { origins: ['https://client.example'] })
    const { url } = await request(stage, await registerClient(rp))
    const browser = openLoginBrowser(stage.service)
    const { page } = await browser.begin(url.href)
    const embedded = await browser.visit(`${page}&embed=https://client.example`)
    expect(embedded.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(await embedded.text()).not.toContain('data-embed="')
  })

  it('is forbidden on every site while it shows the code and after the login has ended', async () => {
    const rp = await relyingPartyOf(stage, { origins: ['https://client.example'] })
    const parameters = { response_mode: 'form_post' }
    const { url } = await request(stage, await registerClient(rp), { parameters })
    const browser = openLoginBrowser(stage.service)
    const address = await browser.comeBack(
      await respond(stage, await browser.link(await browser.begin(url.href))),
    )
    for (const visitor of [browser, openLoginBrowser(stage.service)]) {
      const { headers } = await visitor.visit(address)
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    }
  })
})

describe('a cross-site POST', () => {
  it('to the login page is refused', async () => {
    const { url } = await request(stage, await registerClient(stage.rp))
    const browser = openLoginBrowser(stage.service)
    const { verification_id, token } = await browser.begin(url.href)
    const response = await browser.visit(`/v1/verify/${verification_id}/link`, {
      method: 'POST',
      headers: { Origin: 'https://attacker.example', Authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(403)
  })
})

describe('the browser', () => {
  it('starts no second login if the person goes back or reloads the page after the code was redeemed', async () => {
    const registered = await registerClient(stage.rp)
    const { browser, claims } = await login(stage, registered)
    const finish = `${registered.issuer}/finish/${claims.verification_id}`
    const again = await browser.visit(finish)
    expect([again.status, again.headers.get('Location')]).toEqual([404, null])
  })

  it('stays in the same login if the page is reloaded before the redemption, and one redemption works', async () => {
    const registered = await registerClient(stage.rp)
    const { made, browser, response } = await withCode(registered)
    const [id = ''] = (response.searchParams.get('code') ?? '').split('.')
    const second = await browser.finish(`${registered.issuer}/finish/v_${id}`)
    expect((await redeemCode(registered, made, second)).status).toBe(200)
    expect(await errorOf(await redeemCode(registered, made, response))).toBe('400 invalid_grant')
  })

  it('may log in twice at the same time, in two tabs', async () => {
    const registered = await registerClient(stage.rp)
    const browser = openLoginBrowser(stage.service)
    const [one, two] = [await request(stage, registered), await request(stage, registered)]
    const [first, second] = [await browser.begin(one.url.href), await browser.begin(two.url.href)]
    const links = [await browser.link(first), await browser.link(second)]
    const [a = '', b = ''] = await Promise.all(links.map((link) => respond(stage, link)))
    const responses = [
      await browser.finish(await browser.comeBack(a)),
      await browser.finish(await browser.comeBack(b)),
    ]
    expect((await redeem(one, responses[0]!)).claims.age_over_18).toBe(true)
    expect((await redeem(two, responses[1]!)).claims.age_over_18).toBe(true)
  })
})

it('a client secret works after one rotation, and not after a second rotation', async () => {
  const registered = await registerClient(stage.rp)
  const { made, response } = await withCode(registered)
  const rotate = async () => {
    const path = `/v1/oidc_clients/${registered.client_id}/rotate_secret`
    const rotated = await stage.rp.call('POST', path)
    return (await rotated.json()) as { client_id: string; client_secret: string }
  }
  const second = await rotate()
  expect((await redeemCode(registered, made, response)).status).toBe(200)
  const third = await rotate()
  const statusOf = async (client_secret: string) =>
    errorOf(await redeemCode({ ...registered, client_secret }, made, response))
  expect(await statusOf(third.client_secret)).toBe('400 invalid_grant')
  expect(await statusOf(second.client_secret)).toBe('400 invalid_grant')
  expect(await statusOf(registered.client_secret ?? '')).toBe('401 invalid_client')
})

describe('a person who edits the authorization URL', () => {
  const policies = [
    { ...ADULT, name: 'strong', scope: ['age_over_21'] },
    { ...ADULT, name: 'weak' },
  ]

  it('cannot choose one of several policies if no policy has front_channel: true', async () => {
    const registered = await registerClient(stage.rp, { policies })
    for (const scope of ['openid', 'openid weak', 'openid strong']) {
      const { url } = await request(stage, registered, { parameters: { scope } })
      const response = await stage.service.fetch(url.href)
      expect([response.status, (await response.text()).includes('invalid_request')]).toEqual([400, true])
    }
  })

  it('cannot choose a policy with front_channel: true if another policy of the client lacks front_channel', async () => {
    const [strong, weak] = policies
    const registered = await registerClient(stage.rp, {
      policies: [strong, { ...weak, front_channel: true }],
    })
    const pushed = await request(stage, registered, { pushed: true })
    expect((await stage.service.fetch(pushed.url.href)).status).toBe(303)
    const { url } = await request(stage, registered, { parameters: { scope: 'openid weak' } })
    const response = await stage.service.fetch(url.href)
    expect([response.status, (await response.text()).includes('invalid_request')]).toEqual([400, true])
  })

  it('can choose a policy if every policy has front_channel: true, and the ID token names the policy', async () => {
    const marked = policies.map((policy) => ({ ...policy, front_channel: true }))
    const registered = await registerClient(stage.rp, { policies: marked })
    const { claims } = await login(stage, registered, { parameters: { scope: 'openid weak' } })
    expect(claims).toMatchObject({ policy: expect.stringMatching(/^weak#[0-9a-f]{16}$/), age_over_18: true })
    expect(claims).not.toHaveProperty('age_over_21')
  })

  it('cannot change a condition of the policy by the claims parameter', async () => {
    const registered = await registerClient(stage.rp)
    const wanted = JSON.stringify({ id_token: { email: null, age_over_18: { value: false } } })
    const { claims } = await login(stage, registered, { parameters: { claims: wanted } })
    expect(claims.age_over_18).toBe(true)
  })
})
