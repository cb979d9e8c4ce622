// Binding to one browser (api/binding). Two browsers are two cookie jars.
// The second browser must never complete the first one's return.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { computeSpread, EXPIRY_SPREAD_MS } from '../../../src/session/store/spread.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  type Setting,
  setUp,
  stubOf,
  type WalletRequest,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON } from '../../workerd/clock.ts'
import { call, json } from '../edge/edge-app.ts'
import { type Browser, browser, completeReturn, openLink, responseCodeIn } from './person.ts'

const app = createApp()
const RETURN_URL = 'https://shop.example/done?order=17'
const MINUTE = 60_000

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Moves only the clock. */
function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Session = any

function redeem(setting: Setting, session: Session, returnCode: string) {
  const body = { return_code: returnCode }
  const path = `/v1/verify/${session.verification_id}/return`
  return call(app, 'POST', path, { headers: setting.headers, body })
}

const returnCodeIn = (returnUrl: string) => new URL(returnUrl).searchParams.get('return_code') ?? ''

/** Creates a session and a wallet response through the link of one browser. */
async function respondByLink(body: object = {}, settings: Record<string, unknown> = {}) {
  const setting = await setUp({ return_urls: [RETURN_URL], ...settings })
  const session = await createSession(setting, body)
  const person = browser()
  const request = await fetchRequest(await openLink(person, session))
  const answer = await goodResponse(setting, request)
  const response = await post(session.verification_id, answer)
  expect(response.status).toBe(200)
  const { redirect_uri } = await json(response)
  return { setting, session, person, request, answer, redirect_uri, code: responseCodeIn(redirect_uri) }
}

const statusOf = async (setting: Setting, session: Session) => {
  const { status, stage, session_binding, attempts } = await poll(setting, session.verification_id)
  return { status, stage, session_binding, attempts: attempts.map((one: Session) => one.reason.code) }
}

const AWAITING = { status: 'pending', stage: 'awaiting_return', session_binding: null, attempts: [] }

/** Returns the response for `direct_post.jwt`, encrypted by a foreign library. */
async function encrypted(setting: Setting, request: WalletRequest): Promise<{ response: string }> {
  const { jwks } = (request as WalletRequest & { client_metadata: { jwks: { keys: JWK[] } } }).client_metadata
  const [key = {}] = jwks.keys
  const { vp_token, state } = await goodResponse(setting, request)
  const payload = new TextEncoder().encode(JSON.stringify({ vp_token: JSON.parse(vp_token), state }))
  const header = { alg: 'ECDH-ES', enc: 'A128GCM', kid: key.kid ?? '' }
  const response = await new CompactEncrypt(payload)
    .setProtectedHeader(header)
    .encrypt(await importJWK(key, 'ECDH-ES'))
  return { response }
}

describe('a link to a wallet', () => {
  it('sets a cookie that no script, no other site and no other host of its domain can read or overwrite', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const headers = { Authorization: `Bearer ${session.client_token}` }
    const response = await browser().send(`/v1/verify/${session.verification_id}/link`, { headers })
    const [cookie = '', ...others] = response.headers.getSetCookie()
    expect(others).toEqual([])
    const [pair, ...attributes] = cookie.split('; ')
    expect(pair).toMatch(/^__Host-wv_browser=[A-Za-z0-9_-]{43}$/)
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=86700', 'Path=/', 'SameSite=Strict', 'Secure'])
    const link = await json(response)
    expect(link.uri).toMatch(/^openid4vp:\/\/\?client_id=/)
    expect(Object.keys(link.wallet_links)).toContain('openid4vp')
  })

  it('does not replace the secret in the cookie that a browser already has, and the session does not contain the secret', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const person = browser()
    await openLink(person, session)
    const secret = person.jar.get('__Host-wv_browser')
    await openLink(person, session)
    expect(person.jar.get('__Host-wv_browser')).toBe(secret)
    const stored = await runInDurableObject(stubOf(session.verification_id), (_, state) =>
      JSON.stringify(state.storage.kv.get('session')),
    )
    expect(stored).not.toContain(secret)
  })

  it('stores a different identifier of the same browser in each session', async () => {
    const setting = await setUp()
    const person = browser()
    const marks = []
    for (const session of [await createSession(setting), await createSession(setting)]) {
      await openLink(person, session)
      const { generations } = await runInDurableObject(
        stubOf(session.verification_id),
        (_, state) => state.storage.kv.get('session') as Session,
      )
      marks.push(generations.at(-1).browser)
    }
    expect(new Set(marks).size).toBe(2)
  })

  it.each([
    ['without a token', {}, 401],
    ['with a malformed client_token', { Authorization: 'Bearer ct_foreign' }, 403],
  ])('rejects a call %s', async (_, headers, status) => {
    const session = await createSession(await setUp())
    const path = `/v1/verify/${session.verification_id}/link`
    expect((await browser().send(path, { headers })).status).toBe(status)
  })

  it('rejects the server of a relying party, because it is not a browser', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const { headers } = setting
    const response = await browser().send(`/v1/verify/${session.verification_id}/link`, { headers })
    expect((await json(response)).code).toBe('insufficient_scope')
  })

  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['a page with Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['no origin', { Origin: '' }],
  ])('rejects a call from %s', async (_, header) => {
    const session = await createSession(await setUp())
    const headers = { Authorization: `Bearer ${session.client_token}`, ...header }
    const response = await browser().send(`/v1/verify/${session.verification_id}/link`, { headers })
    expect((await json(response)).code).toBe('cross_site_request')
  })

  it('checks the token before the origin', async () => {
    const { verification_id } = await createSession(await setUp())
    const path = `/v1/verify/${verification_id}/link`
    expect((await json(call(app, 'POST', path))).code).toBe('missing_token')
    const headers = { Authorization: 'Bearer nonsense' }
    expect((await json(call(app, 'POST', path, { headers }))).code).toBe('invalid_token')
  })

  it('leaves the request of the QR code valid and the QR code visible', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    await openLink(browser(), session)
    later(2 * MINUTE)
    expect((await fetchRequest(session.wallet_request.request_uri)).nonce).toBeDefined()
    const view = await json(ask(setting, 'GET', session.verification_id, '/openid4vp'))
    expect(view.wallet_request.request_uri).toBe(session.wallet_request.request_uri)
  })

  it('does not bind a response that came by the QR code to the browser that opened the link', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    await openLink(browser(), session)
    const request = await fetchRequest(session.wallet_request.request_uri)
    expect((await post(session.verification_id, await goodResponse(setting, request))).status).toBe(200)
    const view = await poll(setting, session.verification_id)
    expect(view).toMatchObject({ status: 'verified', channel: 'qr', session_binding: 'none' })
  })
})

describe('a successful response of a wallet that a link opened', () => {
  it('is held back: no view shows the outcome, and no event is queued', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const { setting, session } = await respondByLink({}, { webhook: { url: 'http://127.0.0.1:9/hook' } })
    const view = await poll(setting, session.verification_id)
    expect(view).toMatchObject(AWAITING)
    const results = [
      'verified_at',
      'checks',
      'assurance_level',
      'credential_type',
      'issuer',
      'format',
      'channel',
    ]
    for (const member of [...results, 'reason', 'encrypted_claims']) expect(view[member]).toBeNull()
    expect([view.credentials, view.trace, view.assurance_derivation]).toEqual([[], [], []])
    const { deliveries } = await json(ask(setting, 'GET', session.verification_id, '/deliveries'))
    expect(deliveries).toEqual([])
    expect(fetched).not.toHaveBeenCalled()
  })

  it('stores no claim value in the clear', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const request = await fetchRequest(await openLink(browser(), session))
    const answer = await goodResponse(setting, request, {
      age_over_18: true,
      family_name: 'Canary-Mustermann',
    })
    expect((await post(session.verification_id, answer)).status).toBe(200)
    const stored = await runInDurableObject(stubOf(session.verification_id), (_, state) =>
      JSON.stringify(state.storage.kv.get('session')),
    )
    expect(stored).toContain('"held":{')
    expect(stored).not.toContain('Canary-Mustermann')
  })

  it('verifies the session when the browser of the link returns, even after the object was evicted from memory', async () => {
    const { setting, session, person, code } = await respondByLink()
    await evictDurableObject(stubOf(session.verification_id))
    const response = await completeReturn(person, session, code)
    expect(await json(response)).toEqual({ object: 'browser_return', return_url: null })
    const view = await poll(setting, session.verification_id)
    expect(view).toMatchObject({
      status: 'verified',
      stage: 'done',
      channel: 'link',
      session_binding: 'page',
    })
    expect(view.checks).toEqual({ age_over_18: true })
  })

  it('leads to one event, with its session_binding, when the session is verified', async () => {
    const fetched = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response(null, { status: 204 }))
    const { session, person, code } = await respondByLink({}, { webhook: { url: 'http://127.0.0.1:9/hook' } })
    await completeReturn(person, session, code)
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1), WAIT)
    const event = JSON.parse(String(fetched.mock.calls[0]?.[1]?.body))
    expect(event).toMatchObject({ status: 'verified', channel: 'link', session_binding: 'page' })
  })

  it('gets the same answer if the wallet sends it again; any other response gets 409', async () => {
    const { setting, session, request, answer, redirect_uri } = await respondByLink()
    const id = session.verification_id
    expect(await json(post(id, answer))).toEqual({ redirect_uri })
    expect((await post(id, await goodResponse(setting, request))).status).toBe(409)
    const byQr = await fetchRequest(session.wallet_request.request_uri)
    expect((await post(id, await goodResponse(setting, byQr))).status).toBe(409)
    expect((await post(id, { error: 'access_denied', state: byQr.state })).status).toBe(409)
    expect((await post(id, { nonsense: '1' })).status).toBe(409)
    expect(await statusOf(setting, session)).toEqual(AWAITING)
  })

  it('has priority over another response whose verification ends later', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const id = session.verification_id
    const byQr = await goodResponse(setting, await fetchRequest(session.wallet_request.request_uri))
    const byLink = await goodResponse(setting, await fetchRequest(await openLink(browser(), session)))
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    let held: Promise<Response> | undefined
    vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...parameters) => {
      if (held === undefined) {
        held = post(id, byLink)
        await held
      }
      return verify(...parameters)
    })
    expect((await post(id, byQr)).status).toBe(409)
    expect((await held)?.status).toBe(200)
    expect(await statusOf(setting, session)).toEqual(AWAITING)
  })

  it('stays held back after any GET or HEAD request to the return address, and can still be completed', async () => {
    const { setting, session, person, code } = await respondByLink()
    const path = `/v1/verify/${session.verification_id}/return`
    for (const headers of [{ 'Sec-Purpose': 'prefetch' }, {}, { Cookie: 'x=y' }]) {
      expect((await call(app, 'GET', path, { headers })).status).toBe(200)
      await call(app, 'GET', `${path}?response_code=${code}`, { headers })
      await call(app, 'HEAD', path, { headers })
    }
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    expect((await completeReturn(person, session, code)).status).toBe(200)
    expect((await statusOf(setting, session)).status).toBe('verified')
  })

  it('is not affected if any browser sends a wrong response code', async () => {
    const { setting, session, person, code } = await respondByLink()
    const changed = `${code.slice(0, -1)}${code.endsWith('A') ? 'E' : 'A'}`
    for (const wrong of [changed, '', code.slice(1), `${code}A`, 'x'.repeat(200)]) {
      for (const someone of [person, browser()]) {
        expect((await completeReturn(someone, session, wrong)).status).toBe(400)
      }
    }
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    expect((await completeReturn(person, session, code)).status).toBe(200)
  })

  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['a site of the same domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['no origin', { Origin: '' }],
  ])('is still held back if a page of %s sends the correct response code', async (_, headers) => {
    const { setting, session, person, code } = await respondByLink()
    for (const someone of [person, browser()]) {
      const response = await completeReturn(someone, session, code, headers)
      expect((await json(response)).code).toBe('cross_site_request')
    }
    expect(await statusOf(setting, session)).toEqual(AWAITING)
  })

  it.each([
    ['without a cookie', async () => browser()],
    [
      'that also opened a link to this session',
      async (session: Session) => {
        const second = browser()
        await openLink(second, session)
        return second
      },
    ],
    [
      'with an invented cookie',
      async () => {
        const second = browser()
        second.jar.set('__Host-wv_browser', 'A'.repeat(43))
        return second
      },
    ],
    [
      'with the first browser’s secret under a cookie name that any host of the domain can set',
      async (_: Session, first: Browser) => {
        const second = browser()
        second.jar.set('wv_browser', first.jar.get('__Host-wv_browser') ?? '')
        return second
      },
    ],
  ])('is discarded if a second browser %s brings the response code', async (_, second) => {
    const { setting, session, person, code, answer } = await respondByLink()
    const response = await completeReturn(await second(session, person), session, code)
    expect((await json(response)).code).toBe('other_browser')
    const discarded = { status: 'pending', stage: 'request_fetched', session_binding: null }
    expect(await statusOf(setting, session)).toMatchObject(discarded)
    expect((await statusOf(setting, session)).attempts).toEqual(['same_device_return_missing'])
    // The code is used up for the first browser too. The same presentation is not accepted again.
    expect((await completeReturn(person, session, code)).status).toBe(400)
    expect((await post(session.verification_id, answer)).status).toBe(400)
    expect((await statusOf(setting, session)).status).toBe('pending')
  })

  it('is discarded by the alarm after five minutes, and the session then accepts another response', async () => {
    const { setting, session, person, code } = await respondByLink()
    const stub = stubOf(session.verification_id)
    const alarm = await runInDurableObject(stub, (_, state) => state.storage.getAlarm())
    expect(alarm).toBeLessThanOrEqual(Date.now() + 5 * MINUTE)
    later(5 * MINUTE - 1000)
    await runDurableObjectAlarm(stub)
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    later(1000)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const pending = { ...AWAITING, stage: 'request_fetched', attempts: ['same_device_return_missing'] }
    expect(await statusOf(setting, session)).toEqual(pending)
    expect(await runInDurableObject(stub, (_, state) => state.storage.getAlarm())).toBe(
      Date.parse(session.expires_at) + computeSpread(session.verification_id, EXPIRY_SPREAD_MS),
    )
    expect((await completeReturn(person, session, code)).status).toBe(400)
    const request = await fetchRequest(await openLink(person, session))
    const { redirect_uri } = await json(post(session.verification_id, await goodResponse(setting, request)))
    expect((await completeReturn(person, session, responseCodeIn(redirect_uri))).status).toBe(200)
    expect((await statusOf(setting, session)).status).toBe('verified')
  })

  it('can no longer be completed after five minutes, even if the alarm is late', async () => {
    const { setting, session, person, code } = await respondByLink()
    later(5 * MINUTE)
    expect((await completeReturn(person, session, code)).status).toBe(400)
    expect((await statusOf(setting, session)).attempts).toEqual(['same_device_return_missing'])
  })

  it('is discarded when its session expires, and the reason is same_device_return_missing', async () => {
    const { setting, session, person, code } = await respondByLink({ expires_in: 60 })
    later(60_000)
    await runDurableObjectAlarm(stubOf(session.verification_id))
    const view = await poll(setting, session.verification_id)
    expect(view).toMatchObject({ status: 'expired', reason: { code: 'same_device_return_missing' } })
    expect((await completeReturn(person, session, code)).status).toBe(400)
    expect(await statusOf(setting, session)).toMatchObject({ status: 'expired', session_binding: null })
  })

  it('is discarded when the relying party cancels', async () => {
    const { setting, session, person, code } = await respondByLink()
    await ask(setting, 'POST', session.verification_id, '/cancel')
    expect((await completeReturn(person, session, code)).status).toBe(400)
    const view = await poll(setting, session.verification_id)
    expect(view).toMatchObject({ status: 'canceled', checks: null, session_binding: null })
  })

  it('also waits for its browser if it is encrypted', async () => {
    const setting = await setUp()
    const session = await createSession(setting, { request_options: { response_mode: 'direct_post.jwt' } })
    const person = browser()
    const request = await fetchRequest(await openLink(person, session))
    const response = await post(session.verification_id, await encrypted(setting, request))
    expect(response.status).toBe(200)
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    const { redirect_uri } = await json(response)
    expect((await completeReturn(person, session, responseCodeIn(redirect_uri))).status).toBe(200)
    expect((await statusOf(setting, session)).session_binding).toBe('page')
  })
})

describe('an unsuccessful response of a wallet that a link opened', () => {
  it('ends the session at once, and the browser returns without a return code', async () => {
    const setting = await setUp({ return_urls: [RETURN_URL] })
    const session = await createSession(setting, { return_url: RETURN_URL })
    const person = browser()
    const request = await fetchRequest(await openLink(person, session))
    const answer = await goodResponse(setting, request, { age_over_18: false })
    const { redirect_uri } = await json(post(session.verification_id, answer))
    expect(await statusOf(setting, session)).toMatchObject({ status: 'rejected', session_binding: 'none' })
    const back = await json(completeReturn(person, session, responseCodeIn(redirect_uri)))
    expect(back).toEqual({ object: 'browser_return', return_url: RETURN_URL })
  })

  it('ends the session at once if the wallet declined', async () => {
    const setting = await setUp()
    const session = await createSession(setting, { required_session_binding: 'page' })
    const request = await fetchRequest(await openLink(browser(), session))
    const { status } = await post(session.verification_id, { error: 'access_denied', state: request.state })
    expect(status).toBe(200)
    expect((await statusOf(setting, session)).status).toBe('declined')
  })
})

describe('required_session_binding', () => {
  it.each(['page', 'relying_party'])(
    'with required_session_binding `%s`, there is no QR code and no request for other devices',
    async (required) => {
      const setting = await setUp({ return_urls: [RETURN_URL] })
      const body = { required_session_binding: required, return_url: RETURN_URL }
      const session = await createSession(setting, body)
      expect(session).toMatchObject({ status: 'pending', qr_code: null, wallet_request: null })
      for (const path of ['/qr', '/openid4vp']) {
        const response = await ask(setting, 'GET', session.verification_id, path)
        expect(response.status).toBe(409)
        expect((await json(response)).code).toBe('binding_excludes_qr')
      }
      const headers = { Authorization: `Bearer ${session.client_token}` }
      const drawn = await call(app, 'GET', `/v1/verify/${session.verification_id}/qr`, { headers })
      expect((await json(drawn)).code).toBe('binding_excludes_qr')
    },
  )

  it.each([
    ['none', 0],
    ['page', 3],
  ] as const)(
    'with required_session_binding `%s`, the browser waits for %i scripts before it draws the page',
    async (required_session_binding, count) => {
      const { session_url: url } = await createSession(await setUp(), { required_session_binding })
      const html = await (await call(app, 'GET', url)).text()
      expect(html.match(/<script type="module" src="[^"]+" blocking="render">/g) ?? []).toHaveLength(count)
    },
  )

  it('`relying_party` requires a return_url', async () => {
    const setting = await setUp({ return_urls: [RETURN_URL] })
    const body = { required_session_binding: 'relying_party' }
    await expect(createSession(setting, body)).rejects.toThrow('"code":"policy_unsatisfiable"')
  })

  it('`page` is satisfied when the browser of the link returns', async () => {
    const { setting, session, person, code } = await respondByLink({ required_session_binding: 'page' })
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    await completeReturn(person, session, code)
    const view = await statusOf(setting, session)
    expect(view).toMatchObject({ status: 'verified', session_binding: 'page' })
  })
})

describe('a return code', () => {
  const REQUIRED = { required_session_binding: 'relying_party', return_url: RETURN_URL }

  it('is added to the registered return_url, which is otherwise unchanged', async () => {
    const cases = [
      ['https://shop.example/done', '?'],
      ['https://shop.example/done?a=b%20c+d', '&'],
      ['https://shop.example/done?', ''],
      ['https://shop.example/done?a=1&', ''],
    ] as const
    for (const [return_url, separator] of cases) {
      const { session, person, code } = await respondByLink({ return_url }, { return_urls: [return_url] })
      const back = await json(completeReturn(person, session, code))
      expect(back.return_url.slice(0, return_url.length)).toBe(return_url)
      expect(back.return_url.slice(return_url.length)).toMatch(
        new RegExp(`^[${separator}]{${separator.length}}return_code=[A-Za-z0-9_-]{43}$`),
      )
    }
  })

  it('verifies a session that requires the binding `relying_party`, but only when it is redeemed', async () => {
    const { setting, session, person, code } = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(person, session, code))
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    expect(await json(completeReturn(person, session, code))).toEqual({
      object: 'browser_return',
      return_url,
    })
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    const redeemed = await redeem(setting, session, returnCodeIn(return_url))
    expect(redeemed.status).toBe(200)
    const verified = { status: 'verified', session_binding: 'relying_party', checks: { age_over_18: true } }
    expect(await json(redeemed)).toMatchObject(verified)
    const { entries } = await json(ask(setting, 'GET', session.verification_id, '/timeline'))
    expect(entries.map(({ type }: Session) => type)).toContain('redeemed')
    expect(await poll(setting, session.verification_id)).toMatchObject(verified)
  })

  it('cannot be redeemed before the browser returned', async () => {
    const first = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(first.person, first.session, first.code))
    // Removes only the time of the return: the same code in a session whose browser has not returned.
    await runInDurableObject(stubOf(first.session.verification_id), (_, state) => {
      const document = state.storage.kv.get('session') as Session
      state.storage.kv.put('session', { ...document, held: { ...document.held, returned: false } })
    })
    await evictDurableObject(stubOf(first.session.verification_id))
    expect((await redeem(first.setting, first.session, returnCodeIn(return_url))).status).toBe(400)
    expect(await statusOf(first.setting, first.session)).toEqual(AWAITING)
  })

  it('is sent only to the first browser, and a second browser cannot invalidate it', async () => {
    const { setting, session, person, code } = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(person, session, code))
    expect((await completeReturn(browser(), session, code)).status).toBe(400)
    expect((await redeem(setting, session, returnCodeIn(return_url))).status).toBe(200)
    expect(await json(completeReturn(browser(), session, code))).toEqual({
      object: 'browser_return',
      return_url: RETURN_URL,
    })
    expect(await json(completeReturn(person, session, code))).toEqual({
      object: 'browser_return',
      return_url,
    })
    later(5 * MINUTE)
    expect(await json(completeReturn(person, session, code))).toEqual({
      object: 'browser_return',
      return_url: RETURN_URL,
    })
  })

  it('gets the same response if it is redeemed again before it expires, and changes the session only once', async () => {
    for (const body of [REQUIRED, { return_url: RETURN_URL }]) {
      const { setting, session, person, code } = await respondByLink(body)
      const { return_url } = await json(completeReturn(person, session, code))
      const returnCode = returnCodeIn(return_url)
      const before = await poll(setting, session.verification_id)
      const atOnce = await Promise.all([1, 2, 3].map(() => redeem(setting, session, returnCode)))
      expect(atOnce.map(({ status }) => status)).toEqual([200, 200, 200])
      const [first, ...others] = await Promise.all(atOnce.map((response) => response.text()))
      expect(others).toEqual([first, first])
      // A restart of the object between two calls
      await evictDurableObject(stubOf(session.verification_id))
      later(5 * MINUTE - 1000)
      const again = await redeem(setting, session, returnCode)
      expect([again.status, await again.text()]).toEqual([200, first])
      expect(await poll(setting, session.verification_id)).toEqual(JSON.parse(first ?? ''))
      expect(JSON.parse(first ?? '').version).toBe(before.version + 1)
      later(1000)
      expect((await json(redeem(setting, session, returnCode))).code).toBe('invalid_code')
      vi.useRealTimers()
    }
  })

  it('is refused for another session of the same relying party', async () => {
    const first = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(first.person, first.session, first.code))
    const { verification_id } = await createSession(first.setting, REQUIRED)
    const other = { verification_id }
    expect((await json(redeem(first.setting, other, returnCodeIn(return_url)))).code).toBe('invalid_code')
    const person = browser()
    const session = await createSession(first.setting, REQUIRED)
    const request = await fetchRequest(await openLink(person, session))
    const { redirect_uri } = await json(
      post(session.verification_id, await goodResponse(first.setting, request)),
    )
    await completeReturn(person, session, responseCodeIn(redirect_uri))
    expect((await json(redeem(first.setting, session, returnCodeIn(return_url)))).code).toBe('invalid_code')
    expect(await statusOf(first.setting, session)).toEqual(AWAITING)
  })

  it('is unknown after the session was erased, by DELETE or after its retention', async () => {
    for (const erase of ['hand', 'time']) {
      at(NOON) // at midnight, an event that is still queued for the log of its day would delay the erasure
      const { setting, session, person, code } = await respondByLink(REQUIRED, { retention_seconds: 3600 })
      const { return_url } = await json(completeReturn(person, session, code))
      expect((await redeem(setting, session, returnCodeIn(return_url))).status).toBe(200)
      if (erase === 'hand') await ask(setting, 'DELETE', session.verification_id)
      else later(3600_000 + MINUTE)
      expect((await json(redeem(setting, session, returnCodeIn(return_url)))).code).toBe(
        'verification_not_found',
      )
    }
  })

  it('raises the session_binding of a verified session from page to relying_party', async () => {
    const { setting, session, person, code } = await respondByLink({ return_url: RETURN_URL })
    const { return_url } = await json(completeReturn(person, session, code))
    const { version, ...before } = await poll(setting, session.verification_id)
    expect(before).toMatchObject({ status: 'verified', session_binding: 'page' })
    const redeemed = await redeem(setting, session, returnCodeIn(return_url))
    expect(redeemed.status).toBe(200)
    const raised = { ...before, session_binding: 'relying_party', version: version + 1 }
    expect(await json(redeemed)).toEqual(raised)
    expect(await poll(setting, session.verification_id)).toEqual(raised)
  })

  it('expires after five minutes', async () => {
    const held = await respondByLink(REQUIRED)
    const heldUrl = (await json(completeReturn(held.person, held.session, held.code))).return_url
    const done = await respondByLink({ return_url: RETURN_URL })
    const doneUrl = (await json(completeReturn(done.person, done.session, done.code))).return_url
    later(5 * MINUTE)
    expect((await redeem(held.setting, held.session, returnCodeIn(heldUrl))).status).toBe(400)
    expect((await redeem(done.setting, done.session, returnCodeIn(doneUrl))).status).toBe(400)
    const missing = { status: 'pending', attempts: ['same_device_return_missing'] }
    expect(await statusOf(held.setting, held.session)).toMatchObject(missing)
    expect((await statusOf(done.setting, done.session)).status).toBe('verified')
  })

  it('changes nothing if it is wrong or is a response code', async () => {
    const { setting, session, person, code } = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(person, session, code))
    for (const wrong of [code, 'A'.repeat(43), `${returnCodeIn(return_url)}A`]) {
      expect((await redeem(setting, session, wrong)).status).toBe(400)
    }
    expect(await statusOf(setting, session)).toEqual(AWAITING)
    expect((await redeem(setting, session, returnCodeIn(return_url))).status).toBe(200)
  })

  it('cannot be redeemed by another relying party, which gets 404', async () => {
    const { setting, session, person, code } = await respondByLink(REQUIRED)
    const { return_url } = await json(completeReturn(person, session, code))
    const other = await setUp()
    const foreign = await redeem(other, session, returnCodeIn(return_url))
    expect((await json(foreign)).code).toBe('verification_not_found')
    expect((await redeem(setting, session, returnCodeIn(return_url))).status).toBe(200)
    const afterwards = await redeem(other, session, returnCodeIn(return_url))
    expect((await json(afterwards)).code).toBe('verification_not_found')
  })

  it('requires a token with the scope to read', async () => {
    const { session } = await respondByLink(REQUIRED)
    const path = `/v1/verify/${session.verification_id}/return`
    const body = { return_code: 'A' }
    expect((await call(app, 'POST', path, { body })).status).toBe(401)
    const headers = { Authorization: `Bearer ${session.client_token}` }
    expect((await call(app, 'POST', path, { headers, body })).status).toBe(403)
  })
})

describe('if the service uses http on loopback,', () => {
  it('the cookie has no prefix in its name', async () => {
    const session = await createSession(await setUp())
    const local = { ...env, BASE_URL: 'http://localhost:8787' }
    const headers = { Authorization: `Bearer ${session.client_token}`, Origin: 'http://localhost:8787' }
    const path = `/v1/verify/${session.verification_id}/link`
    const response = await call(app, 'POST', path, { headers, env: local })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^wv_browser=[A-Za-z0-9_-]{43}~[A-Za-z0-9_-]{43}; /)
    expect(cookie).not.toContain('Secure')
  })

  it('the cookie is accepted only if this service made it', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const world = { ...env, BASE_URL: 'http://localhost:8787' }
    const link = async (cookie: string) => {
      const headers = {
        Authorization: `Bearer ${session.client_token}`,
        Origin: world.BASE_URL,
        Cookie: cookie,
      }
      const response = await call(app, 'POST', `/v1/verify/${session.verification_id}/link`, {
        headers,
        env: world,
      })
      expect(response.status).toBe(200)
      return response.headers.getSetCookie()[0]?.split('; ')[0] ?? ''
    }
    const own = await link('')
    expect(await link(own)).toBe(own)
    const [, secret = '', mac = ''] = /=(.*)~(.*)/.exec(own) ?? []
    const invented = 'A'.repeat(43)
    for (const value of [secret, `${secret}~`, invented, `${invented}~${mac}`, `${secret}~${invented}`]) {
      const replaced = await link(`wv_browser=${value}`)
      expect(replaced, value).not.toContain(value.slice(0, 43))
    }
  })
})
