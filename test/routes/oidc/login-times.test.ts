// api/logins by the clock: how long codes, tokens, secrets and pushed requests work, and what is left then.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { createSession, isPublished, type Setting, setUp, stubOf } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  ADULT_POLICY,
  answer,
  app,
  authorize,
  begin,
  CALLBACK,
  finish,
  newClient,
  openEnd,
  push,
  redeem,
  type TestClient,
  userInfoStatus,
} from './login-world.ts'

let setting: Setting
let client: TestClient

beforeEach(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  setting = await setUp()
  client = await newClient(setting)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Moves the clock of the service. */
function pass(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

async function codeOf(): Promise<{ readonly code: string; readonly id: string }> {
  const browser = await answer(setting, await begin(client))
  return { code: (await finish(client, browser)).get('code') ?? '', id: browser.id }
}

describe('an authorization code', () => {
  it('works 59 s after its redirect, and not after 61 s', async () => {
    const [early, late] = [await codeOf(), await codeOf()]
    pass(59)
    expect((await redeem(client, early.code)).status).toBe(200)
    pass(2)
    expect((await redeem(client, late.code)).tokens.error).toBe('invalid_grant')
  })

  it('is not given to a browser that returns more than three minutes after the successful response', async () => {
    const browser = await answer(setting, await begin(client))
    pass(179)
    expect((await finish(client, browser)).has('code')).toBe(true)
    pass(2)
    const late = await finish(client, browser)
    expect([late.get('error'), late.get('error_description')]).toEqual(['access_denied', 'session_expired'])
  })
})

describe('an authorization code under a policy with the session binding relying_party', () => {
  it('works 59 s after a redirect that comes 179 s after the response', async () => {
    const policy = { ...ADULT_POLICY, required_session_binding: 'relying_party' }
    const bound = await newClient(setting, { policies: [policy] })
    const browser = await answer(setting, await begin(bound))
    pass(179)
    const code = (await finish(bound, browser)).get('code') ?? ''
    pass(59)
    expect((await redeem(bound, code)).status).toBe(200)
  })
})

describe('a Durable Object that cannot be reached', () => {
  it('causes an OAuth error that pages of any origin can read', async () => {
    const lost = () =>
      Promise.reject(Object.assign(new Error('Network connection lost.'), { retryable: true }))
    const stub = { redeemLogin: lost, readUserInfo: lost, storeOnce: lost }
    const objects = { idFromString: () => ({}), get: () => stub }
    const { code } = await codeOf()
    const { tokens } = await redeem(client, (await codeOf()).code)
    const broken = { ...env, VERIFICATION_SESSION: objects } as unknown as typeof env
    const { status, tokens: refused } = await redeem(client, code, client.client_secret, broken)
    expect([status, refused.error]).toEqual([503, 'temporarily_unavailable'])
    const path = `${client.issuer.replace('https://verifier.example', '')}/userinfo`
    const headers = { Authorization: `Bearer ${tokens.access_token}` }
    const response = await call(app, 'GET', path, { headers, env: broken })
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([503, '*'])
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
  })
})

describe('a login that has begun', () => {
  /** Changes the client after the wallet has answered. Returns the end of the login. */
  async function endAfter(method: 'DELETE' | 'PATCH', body?: object) {
    const browser = await answer(setting, await begin(client))
    const path = `/v1/oidc_clients/${client.client_id}`
    const changed = await call(app, method, path, { headers: setting.headers, ...(body && { body }) })
    expect(changed.ok).toBe(true)
    const response = await openEnd(client, browser)
    return [response.status, response.headers.get('Location')]
  }

  it('does not redirect to a client that was deleted', async () => {
    expect(await endAfter('DELETE')).toEqual([404, null])
  })

  it('does not redirect to a redirect_uri that was removed', async () => {
    expect(await endAfter('PATCH', { redirect_uris: ['https://client.example/other'] })).toEqual([404, null])
  })

  it('redirects to a redirect_uri that was kept', async () => {
    const redirect_uris = ['https://client.example/other', CALLBACK]
    const [status, location] = await endAfter('PATCH', { redirect_uris })
    expect([status, String(location).startsWith(`${CALLBACK}?code=`)]).toEqual([303, true])
  })
})

describe('the cookie of a login', () => {
  const lifetimesOf = (response: Response) =>
    response.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*); Max-Age=(\d+);/.exec(line)?.slice(1))

  it.each(['query', 'form_post'])(
    'has a lifetime of three minutes from the response to the client with response_mode=%s',
    async (response_mode) => {
      const browser = await answer(setting, await begin(client, { response_mode }))
      const [name = '', secret = ''] = browser.cookies.split('; ')[0]?.split('=') ?? []
      expect(name).toBe(`__Host-wv_login_${browser.id}`)
      expect(lifetimesOf(await openEnd(client, browser))).toEqual([[name, secret, '180']])
    },
  )

  it('is removed when its browser returns after the code was redeemed, but the response to another browser removes no cookie', async () => {
    const browser = await answer(setting, await begin(client))
    await redeem(client, (await finish(client, browser)).get('code') ?? '')
    const name = `__Host-wv_login_${browser.id}`
    const over = await openEnd(client, browser)
    expect([over.status, lifetimesOf(over)]).toEqual([404, [[name, '', '0']]])
    const other = await openEnd(client, { ...browser, cookies: `${name}=${'A'.repeat(43)}` })
    expect([other.status, lifetimesOf(other)]).toEqual([404, []])
  })

  it('gives the error page the language of the login, even after the login has ended', async () => {
    const browser = await answer(setting, await begin(client, { ui_locales: 'it' }))
    await redeem(client, (await finish(client, browser)).get('code') ?? '')
    expect(await (await openEnd(client, browser)).text()).toContain('<html lang="it"')
  })
})

describe('an access token', () => {
  it('works for five minutes', async () => {
    const { tokens } = await redeem(client, (await codeOf()).code)
    pass(299)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(200)
    pass(2)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(401)
  })

  it('expires with its login at the latest, so expires_in is shorter after a late redemption', async () => {
    pass(0) // stops the clock
    const [prompt, late] = [await codeOf(), await answer(setting, await begin(client))]
    expect((await redeem(client, prompt.code)).tokens.expires_in).toBe(300)
    pass(179)
    const code = (await finish(client, late)).get('code') ?? ''
    pass(59)
    const { tokens } = await redeem(client, code)
    expect(tokens.expires_in).toBe(92)
    pass(tokens.expires_in - 1)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(200)
    pass(2)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(401)
  })

  it('leaves no UserInfo in storage if it was revoked by a second use of the code', async () => {
    const { code, id } = await codeOf()
    const userInfo = () =>
      runInDurableObject(stubOf(id), (_, state) => {
        const { login } = state.storage.kv.get('session') as SessionDocument
        return login?.result?.failure === null ? login.result.userinfo : undefined
      })
    const { tokens } = await redeem(client, code)
    expect(await userInfo()).toEqual({ claims: { age_over_18: true } })
    expect((await redeem(client, code)).tokens.error).toBe('invalid_grant')
    expect(await userInfoStatus(client, tokens.access_token)).toBe(401)
    expect(await userInfo()).toEqual({ claims: {} })
  })

  it('ends if its client is deleted', async () => {
    const { tokens } = await redeem(client, (await codeOf()).code)
    const path = `/v1/oidc_clients/${client.client_id}`
    expect((await call(app, 'DELETE', path, { headers: setting.headers })).status).toBe(204)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(401)
  })
})

describe('a pushed request', () => {
  it('works 59 s after it was pushed, and not after 61 s', async () => {
    const [early, late] = [await push(client), await push(client)]
    pass(59)
    expect((await authorize(client, { request_uri: early })).status).toBe(303)
    pass(2)
    const refused = await authorize(client, { request_uri: late })
    expect(await refused.text()).toContain('invalid_request_uri')
  })

  it('leaves no row in storage after its expiry', async () => {
    await push(client)
    const stub = relyingPartyStub(env, setting.relyingPartyId)!
    pass(120)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const rows = await runInDurableObject(stub, (_, state) =>
      state.storage.sql.exec('SELECT * FROM oidc_once').toArray(),
    )
    expect(rows).toEqual([])
  })
})

it('a client secret that was replaced works for one more day', async () => {
  const path = `/v1/oidc_clients/${client.client_id}/rotate_secret`
  await call(app, 'POST', path, { headers: setting.headers })
  pass(86_399)
  expect((await redeem(client, 'none')).tokens.error).toBe('invalid_grant')
  pass(2)
  expect((await redeem(client, 'none')).tokens.error).toBe('invalid_client')
})

describe('storage of a session no longer contains its login', () => {
  const stored = (id: string) =>
    runInDurableObject(stubOf(id), (_, state) => Object.keys(state.storage.kv.get('session') as object))
  const alarmOf = (id: string) => runInDurableObject(stubOf(id), (_, state) => state.storage.getAlarm())

  it.each([true, false])('330 s after the successful response (code redeemed: %s)', async (is) => {
    pass(0)
    const ended = Date.now()
    const { code, id } = await codeOf()
    if (is) await redeem(client, code)
    await isPublished(id)
    expect(await stored(id)).toContain('login')
    expect(Number(await alarmOf(id)) - ended).toBe(330_000)
    pass(330)
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
    expect(await stored(id)).not.toContain('login')
  })

  it('nine minutes after the end of an unsuccessful login', async () => {
    const { id } = await begin(client)
    const path = `/v1/verify/${id}/cancel`
    expect((await call(app, 'POST', path, { headers: setting.headers })).status).toBe(200)
    await isPublished(id)
    pass(331)
    await runDurableObjectAlarm(stubOf(id))
    expect(await stored(id)).toContain('login')
    pass(210)
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
    expect(await stored(id)).not.toContain('login')
  })
})

describe('the rows that storage writes for a login', () => {
  /** Counts the rows that objects write from now on. */
  function countRows(id: string): Promise<() => number> {
    return runInDurableObject(stubOf(id), (_, state) => {
      const kv = Object.getPrototypeOf(state.storage.kv)
      const storage = Object.getPrototypeOf(state.storage)
      const spies = [vi.spyOn(kv, 'put'), vi.spyOn(storage, 'setAlarm')]
      return () => spies.reduce((rows, spy) => rows + spy.mock.calls.length, 0)
    })
  }

  it('are three after the verification: one at the redemption, and two at the alarm', async () => {
    const browser = await answer(setting, await begin(client))
    await isPublished(browser.id)
    const rows = await countRows(browser.id)
    const code = (await finish(client, browser)).get('code') ?? ''
    expect(rows()).toBe(0)
    const { tokens } = await redeem(client, code)
    expect(rows()).toBe(1)
    expect(await userInfoStatus(client, tokens.access_token)).toBe(200)
    expect(rows()).toBe(1)
    pass(331)
    await runDurableObjectAlarm(stubOf(browser.id))
    expect(rows()).toBe(3)
  })

  it('are three more than for a verification with the session binding relying_party, even if the login is answered a minute before expires_at', async () => {
    pass(0) // stops the clock
    const required_session_binding = 'relying_party'
    // Without a list: its rows are written in the background.
    setting = await setUp({ index: false, return_urls: [CALLBACK] })
    const request = { required_session_binding, return_url: CALLBACK }
    const [first, second] = [await createSession(setting, request), await createSession(setting, request)]
    const bound = await newClient(setting, { policies: [{ ...ADULT_POLICY, required_session_binding }] })
    const begun = await begin(bound)
    pass(540) // a minute is left
    const rows = await countRows(begun.id)

    const verify = async ({ verification_id: id, client_token: token }: typeof first) => {
      const { returnUrl } = await answer(setting, { id, token, cookies: '' })
      const body = { return_code: new URL(returnUrl).searchParams.get('return_code') }
      const redeemed = await call(app, 'POST', `/v1/verify/${id}/return`, { headers: setting.headers, body })
      expect(redeemed.status).toBe(200)
      await isPublished(id)
      return rows()
    }
    const before = await verify(first) // the first event of the day writes more rows
    const between = await verify(second)
    const browser = await answer(setting, begun)
    await redeem(bound, (await finish(bound, browser)).get('code') ?? '')
    await isPublished(begun.id)
    pass(331)
    await runDurableObjectAlarm(stubOf(begun.id))
    expect(rows() - between).toBe(between - before + 3)
  })
})
