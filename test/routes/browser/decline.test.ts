// The way out of the session page (api/outcome): *Do not share* ends the session as `declined`.

import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import type { Env } from '../../../src/env.ts'
import { createApp } from '../../../src/routes/app.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  type Setting,
  setUp,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { call, json } from '../edge/edge-app.ts'
import { browser, completeReturn, OWN_PAGE as OWN, openLink, responseCodeIn } from './person.ts'

const app = createApp()
const BASE = 'https://verifier.example'
const RETURN_URL = 'https://shop.example/done?order=17'
const DECLINED = { status: 'declined', reason: { code: 'declined_on_page', retryable: true } }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Session = any
type Headers = Readonly<Record<string, string>>

const withReturn = () => setUp({ return_urls: [RETURN_URL] })

function open(session: Session, query = '', headers: Headers = {}): Promise<Response> {
  const { verification_id: id, client_token: token } = session
  return call(app, 'GET', `/s/${id}?token=${token}${query}`, { headers })
}

/** Sends the form of the page, as a browser does. */
function decline(
  session: Session,
  { headers = {}, query = '', env: other }: { headers?: Headers; query?: string; env?: Env } = {},
): Promise<Response> {
  const { verification_id: id, client_token: token } = session
  const path = `/s/${id}/decline?token=${token}${query}`
  return call(app, 'POST', path, { headers: { ...OWN, ...headers }, ...(other && { env: other }) })
}

/** Follows the redirect of the form. */
async function follow(response: Response, headers: Headers = {}): Promise<Response> {
  expect(response.status).toBe(303)
  return call(app, 'GET', (response.headers.get('Location') ?? '').replace(BASE, ''), { headers })
}

const statusOf = async (setting: Setting, { verification_id }: Session) =>
  (await poll(setting, verification_id)).status

describe('"Do not share" on the session page', () => {
  it('asks once for confirmation, and its form is the only form of the page', async () => {
    const setting = await setUp({ return_urls: [RETURN_URL], name: 'Shop & Söhne' })
    const session = await createSession(setting, { return_url: RETURN_URL })
    const response = await open(session)
    const html = await response.text()
    const { verification_id: id, client_token: token } = session
    const form = `<form method="post" action="/s/${id}/decline?token=${token}">`
    expect(html.match(/<form[^>]*>/g)).toEqual([form])
    const [, words, question] =
      /<details id="leave"><summary>(.*)<\/summary>\s*<p class="soft">(.*)<\/p>\s*<form/.exec(html) ?? []
    expect(words).toBe('Do not share, back to \u2068Shop &amp; Söhne\u2069')
    expect(question).toContain('is told that you shared nothing')
    expect(response.headers.get('Content-Security-Policy')).toContain("form-action 'self';")
    expect(response.headers.get('Referrer-Policy')).toBe('same-origin') // the form must send its origin
  })

  it.each([
    ['waiting', async () => undefined],
    ['scanned', async ({ wallet_request }: Session) => void (await fetchRequest(wallet_request.request_uri))],
    [
      'refused',
      async ({ verification_id, wallet_request }: Session) => {
        const { state } = await fetchRequest(wallet_request.request_uri)
        await post(verification_id, { error: 'invalid_request', state })
      },
    ],
  ])('ends a session in the state %s, and the browser goes back to the relying party', async (_, act) => {
    const setting = await withReturn()
    const session = await createSession(setting, { return_url: RETURN_URL })
    await act(session)
    expect(await (await open(session)).text()).toContain('<details id="leave">')
    const page = await follow(await decline(session))
    expect(await poll(setting, session.verification_id)).toMatchObject(DECLINED)
    expect(page.headers.get('Refresh')).toBe(`0; url=${RETURN_URL}`)
    const html = await page.text()
    expect(html).toContain('data-state="declined"')
    expect(html).toContain('You shared nothing.')
    expect(html).not.toContain(TEXTS.closePage)
    expect(html).not.toContain('<form')
    expect((await open(session)).headers.get('Refresh')).toBeNull() // an opened page stays
  })

  it('keeps the person on the page if there is no return_url, and the page says that it can be closed', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    expect(await (await open(session)).text()).toContain(`<summary>${TEXTS.leave.short}</summary>`)
    const page = await follow(await decline(session))
    expect(page.headers.get('Refresh')).toBeNull()
    expect(await page.text()).toContain(TEXTS.closePage)
    expect(await poll(setting, session.verification_id)).toMatchObject(DECLINED)
  })

  it('keeps an embedded page in its frame, and the page loads the script that reports the status to the embedding page', async () => {
    const origin = 'https://shop.example'
    const setting = await setUp({ return_urls: [RETURN_URL], origins: [origin] })
    const session = await createSession(setting, { return_url: RETURN_URL })
    const framed = { 'Sec-Fetch-Dest': 'iframe' }
    const embed = `&embed=${encodeURIComponent(origin)}`
    expect(await (await open(session, embed, framed)).text()).toMatch(/action="[^"]*&amp;embed=https/)
    const page = await follow(await decline(session, { query: embed }), framed)
    expect(page.headers.get('Refresh')).toBeNull()
    const html = await page.text()
    expect(html).toMatch(/data-embed="https:\/\/shop\.example" data-state="declined"/)
    expect(html).toContain('/assets/embed.js')
  })

  it('leads to the status declined in the event, the log, the list, the timeline and the state for the page', async () => {
    const posted: Session[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      posted.push(JSON.parse(String(init?.body)))
      return new Response(null, { status: 204 })
    })
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    const session = await createSession(setting)
    const { verification_id: id, client_token: token } = session
    await decline(session)
    await vi.waitFor(() => expect(posted).toHaveLength(1), WAIT)
    expect(posted[0]).toMatchObject({ event_type: 'verification.declined', ...DECLINED })
    const read = async (path: string) => json(await call(app, 'GET', path, { headers: setting.headers }))
    await vi.waitFor(async () => {
      const [{ events }, { verifications }] = [await read('/v1/events'), await read('/v1/verify')]
      expect(events).toMatchObject([{ event_type: 'verification.declined', verification_id: id }])
      expect(verifications).toMatchObject([DECLINED])
    }, WAIT)
    const { entries } = await read(`/v1/verify/${id}/timeline`)
    const end = { type: 'ended', status: 'declined', channel: null, reason: { code: 'declined_on_page' } }
    expect(entries).toContainEqual(
      expect.objectContaining({ ...end, reason: expect.objectContaining(end.reason) }),
    )
    const state = await call(app, 'GET', `/v1/verify/${id}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    expect(await json(state)).toMatchObject({ status: 'declined', family: 'declined_on_page' })
  })
})

describe('a session is not declined', () => {
  it.each([
    ['by a page of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['by a page of another origin of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['by a call without an origin', { Origin: '' }],
    ['by a page that hides its origin', { Origin: 'null' }],
  ])('%s', async (_, headers) => {
    const setting = await withReturn()
    const session = await createSession(setting, { return_url: RETURN_URL })
    const response = await decline(session, { headers })
    expect([response.status, (await json(response)).code]).toEqual([403, 'cross_site_request'])
    expect(await statusOf(setting, session)).toBe('pending')
  })

  it('by a link, a preview or a prefetch', async () => {
    const setting = await withReturn()
    const session = await createSession(setting, { return_url: RETURN_URL })
    const { verification_id: id, client_token: token } = session
    for (const headers of [OWN, { 'Sec-Purpose': 'prefetch' }]) {
      const got = await call(app, 'GET', `/s/${id}/decline?token=${token}`, { headers })
      expect(got.status).toBeGreaterThanOrEqual(404)
    }
    const page = await open(session, '&leave=')
    expect([page.status, page.headers.get('Refresh')]).toEqual([200, null])
    expect(await statusOf(setting, session)).toBe('pending')
  })

  it('with the token of another session, an empty token or the token of the relying party', async () => {
    const setting = await withReturn()
    const [session, other] = [await createSession(setting), await createSession(setting)]
    for (const token of [other.client_token, '', setting.headers.Authorization?.slice('Bearer '.length)])
      expect((await decline({ ...session, client_token: token })).status).toBe(404)
    expect(await statusOf(setting, session)).toBe('pending')
  })

  it('while its object cannot be reached', async () => {
    const setting = await withReturn()
    const session = await createSession(setting)
    const lost = Object.assign(new Error('Network connection lost.'), { retryable: true })
    const objects = { get: () => ({ decline: () => Promise.reject(lost) }) }
    const idFromString = (id: string) => env.VERIFICATION_SESSION.idFromString(id)
    const fake = { ...env, VERIFICATION_SESSION: { idFromString, ...objects } } as unknown as Env
    const response = await decline(session, { env: fake })
    expect(response.status).toBe(503)
    expect(await statusOf(setting, session)).toBe('pending')
  })
})

describe('a session that requires a binding to one browser', () => {
  const BOUND = { required_session_binding: 'page', return_url: RETURN_URL }

  it('can be declined only by the browser that has opened a link', async () => {
    const setting = await withReturn()
    const session = await createSession(setting, BOUND)
    const [person, stranger] = [browser(), browser()]
    await openLink(person, session)
    await openLink(stranger, await createSession(setting, BOUND))
    for (const headers of [{}, stranger.headers()]) {
      const response = await decline(session, { headers })
      expect(response.status).toBe(403)
      expect(await response.text()).toContain(TEXTS.leave.otherBrowser.text)
      expect(await statusOf(setting, session)).toBe('pending')
    }
    await follow(await decline(session, { headers: person.headers() }))
    expect(await poll(setting, session.verification_id)).toMatchObject(DECLINED)
  })

  it('can be declined on its page without a cookie if no link was opened yet', async () => {
    const setting = await withReturn()
    const session = await createSession(setting, BOUND)
    await follow(await decline(session))
    expect(await poll(setting, session.verification_id)).toMatchObject(DECLINED)
  })

  it('is declined in a new tab if its page is in a frame, because a frame has no cookie', async () => {
    const setting = await withReturn()
    const framed = { 'Sec-Fetch-Dest': 'iframe' }
    const bound = await (await open(await createSession(setting, BOUND), '', framed)).text()
    expect(bound).toMatch(/<form method="post" action="[^"]*" target="_blank">/)
    const free = await (await open(await createSession(setting), '', framed)).text()
    expect(free).not.toMatch(/<form[^>]*target/)
  })

  it('cannot be declined while a successful response waits for the return of the browser', async () => {
    const setting = await withReturn()
    const session = await createSession(setting, BOUND)
    const person = browser()
    const answer = await goodResponse(setting, await fetchRequest(await openLink(person, session)))
    const { redirect_uri } = await json(post(session.verification_id, answer))
    const page = await follow(await decline(session, { headers: person.headers() }))
    expect(await page.text()).toContain('data-state="returning"')
    expect((await completeReturn(person, session, responseCodeIn(redirect_uri))).status).toBe(200)
    expect(await statusOf(setting, session)).toBe('verified')
  })
})

describe('the first end of a session is its only end', () => {
  it('a response after the decline is refused', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const answer = await goodResponse(setting, await fetchRequest(session.wallet_request.request_uri))
    await decline(session)
    expect((await post(session.verification_id, answer)).status).toBe(409)
    expect(await poll(setting, session.verification_id)).toMatchObject(DECLINED)
  })

  it('a decline after the response shows the outcome of the response', async () => {
    const setting = await withReturn()
    const session = await createSession(setting, { return_url: RETURN_URL })
    const answer = await goodResponse(setting, await fetchRequest(session.wallet_request.request_uri))
    expect((await post(session.verification_id, answer)).status).toBe(200)
    const page = await follow(await decline(session))
    expect(page.headers.get('Refresh')).toBeNull()
    expect(await page.text()).toContain('data-state="verified"')
    expect(await statusOf(setting, session)).toBe('verified')
  })

  it('a decline, a response and a cancellation at the same moment lead to one outcome and one event', async () => {
    const posted: string[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      posted.push((JSON.parse(String(init?.body)) as { event_type: string }).event_type)
      return new Response(null, { status: 204 })
    })
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    for (let round = 0; round < 6; round++) {
      const session = await createSession(setting)
      const { verification_id: id } = session
      const answer = await goodResponse(setting, await fetchRequest(session.wallet_request.request_uri))
      const acts = [
        () => decline(session),
        () => post(id, answer),
        () => ask(setting, 'POST', id, '/cancel'),
        () => decline(session),
      ]
      posted.length = 0
      const first = round % acts.length
      const order = [...acts.slice(first), ...acts.slice(0, first)]
      const [answered] = await Promise.all([
        order[(acts.length + 1 - first) % acts.length]?.(),
        ...order.filter((act) => act !== acts[1]).map((act) => act()),
      ])
      const { status } = await poll(setting, id)
      expect(['verified', 'declined', 'canceled']).toContain(status)
      expect(answered?.status).toBe(status === 'verified' ? 200 : 409)
      await vi.waitFor(() => expect(posted).toEqual([`verification.${status}`]), WAIT)
    }
  })
})
