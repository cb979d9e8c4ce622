// api/logins: a login stores nothing before the first POST of its page, and nothing is left of a login that
// no wallet acted on.

import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchRequest, poll, type Setting, setUp, stubOf } from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  app,
  authorize,
  type Begun,
  begin,
  newClient,
  openPage,
  pathOf,
  REQUEST,
  sendForm,
  type TestClient,
  withCookiesOf,
} from './login-world.ts'

const ORIGIN = 'https://verifier.example'
const HOOK = 'http://127.0.0.1:9/hook'
const EVENTS = ['created', 'request_fetched', 'verified', 'expired'].map((name) => `verification.${name}`)

let setting: Setting
let client: TestClient
let posted: string[]

beforeAll(async () => {
  setting = await setUp({ webhook: { url: HOOK, events: EVENTS } })
  client = await newClient(setting)
})
beforeEach(() => {
  posted = []
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    posted.push((JSON.parse(String(init?.body)) as { event_type: string }).event_type)
    return new Response(null, { status: 204 })
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Moves the clock of the service. */
function pass(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

const countSessions = async () => (await listDurableObjectIds(env.VERIFICATION_SESSION)).length

type Headers = Readonly<Record<string, string>>

function getPage({ id, token, cookies }: Begun, headers: Headers = {}): Promise<Response> {
  return call(app, 'GET', `/s/${id}?token=${token}`, { headers: { Cookie: cookies, ...headers } })
}

function postLink({ id, token, cookies }: Begun, headers: Headers = {}): Promise<Response> {
  const own = { Origin: ORIGIN, Cookie: cookies, Authorization: `Bearer ${token}` }
  return call(app, 'POST', `/v1/verify/${id}/link`, { headers: { ...own, ...headers } })
}

function postDcApi({ id, token, cookies }: Begun): Promise<Response> {
  const headers = { Origin: ORIGIN, Cookie: cookies, Authorization: `Bearer ${token}` }
  return call(app, 'POST', `/v1/verify/${id}/dc-api/request`, { headers, body: {} })
}

/** Opens the end of a login by the link of its page. */
function openEnd({ id, token, cookies }: Begun): Promise<Response> {
  const address = `${pathOf(client.issuer)}/finish/${id}?token=${token}`
  return call(app, 'GET', address, { headers: { Cookie: cookies } })
}

describe('before the first POST of its page, a login', () => {
  it('has no session, even after browsers have opened its addresses', async () => {
    const opened = await openPage(client)
    const before = await countSessions()
    const page = await getPage(opened)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="link"')])
    expect((await getPage(opened, { 'Sec-Purpose': 'prefetch' })).status).toBe(503)
    expect((await getPage({ ...opened, cookies: '' })).status).toBe(404)
    const { id, token, cookies } = opened
    const headers = { Cookie: cookies, Authorization: `Bearer ${token}` }
    for (const path of ['', '/qr', '/watch'])
      expect((await call(app, 'GET', `/v1/verify/${id}${path}`, { headers })).status).toBe(404)
    expect((await openEnd(opened)).headers.get('Location')).toBe(`${ORIGIN}/s/${id}?token=${token}`)
    expect(await countSessions()).toBe(before)
  })

  it('shows, in place of the QR code, a form that is sent only to our own origin', async () => {
    const page = await getPage(await openPage(client))
    const text = await page.text()
    expect(text).toContain('<form method="post" action="#others"><button id="show-code"')
    expect(text).not.toContain('<img id="qr"')
    expect(page.headers.get('Content-Security-Policy')).toContain("form-action 'self';")
    expect(page.headers.get('Referrer-Policy')).toBe('same-origin')
  })

  it('shows the wallet that the address of its page names', async () => {
    const opened = await openPage(client)
    const chosen = { ...opened, token: `${opened.token}&wallet=eudi-android` }
    expect(await (await getPage(chosen)).text()).toContain('class="chosen"')
    const unknown = { ...opened, token: `${opened.token}&wallet=none` }
    expect(await (await getPage(unknown)).text()).not.toContain('class="chosen"')
  })
})

describe('the first POST of the page of a login', () => {
  it.each([
    ['a link', postLink, 200],
    ['a request for the browser’s API', postDcApi, 200],
    ['the form', sendForm, 303],
  ] as const)('creates exactly one session by %s', async (_, send, status) => {
    const opened = await openPage(client)
    const before = await countSessions()
    const first = await Promise.all([send(opened), send(opened)])
    expect(first.map((one) => one.status)).toEqual([status, status])
    const cookies = withCookiesOf(opened.cookies, first[0])
    expect((await send({ ...opened, cookies })).status).toBe(status)
    expect(await countSessions()).toBe(before + 1)
    expect(await poll(setting, opened.id)).toMatchObject({ status: 'pending', scope: ['age_over_18'] })
    expect(await (await getPage({ ...opened, cookies })).text()).toContain('<img id="qr"')
  })

  const refusals: Readonly<Record<string, (opened: Begun) => Promise<Response>>> = {
    'a browser without the cookie': (opened) => postLink({ ...opened, cookies: '' }),
    'a browser with another secret': (opened) =>
      postLink({ ...opened, cookies: `__Host-wv_login_${opened.id}=${'A'.repeat(43)}` }),
    'a page of another origin': (opened) => postLink(opened, { Origin: 'https://attacker.example' }),
    'a page of another site': (opened) => postLink(opened, { 'Sec-Fetch-Site': 'cross-site' }),
    'a form of another origin': ({ id, token, cookies }) =>
      call(app, 'POST', `/s/${id}?token=${token}`, { headers: { Cookie: cookies, Origin: 'null' } }),
    'a changed token': (opened) =>
      postLink({
        ...opened,
        token: `${opened.token.slice(0, -2)}${opened.token.endsWith('AA') ? 'BA' : 'AA'}`,
      }),
    'the token of another login': async (opened) =>
      postLink({ ...opened, token: (await openPage(client)).token }),
    'a token that is too long': (opened) => postLink({ ...opened, token: opened.token + 'A'.repeat(6000) }),
    'a login that has expired': (opened) => {
      pass(600)
      return postLink(opened)
    },
  }

  it.each(Object.entries(refusals))('creates no session for %s', async (_, send) => {
    const opened = await openPage(client)
    const before = await countSessions()
    const response = await send(opened)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await countSessions()).toBe(before)
  })

  it('gives the session to no other browser that has the address', async () => {
    const opened = await openPage(client)
    const other = { ...opened, cookies: `__Host-wv_login_${opened.id}=${'A'.repeat(43)}` }
    const begun = withCookiesOf(opened.cookies, await postLink(opened))
    expect((await getPage(other)).status).toBe(404)
    const mark = begun.slice(begun.indexOf('~'))
    expect((await postLink({ ...other, cookies: other.cookies + mark })).status).toBe(404)
  })

  it('is still needed if the cookie has a forged mark, and no session is created', async () => {
    const opened = await openPage(client)
    const before = await countSessions()
    const forged = { ...opened, cookies: `${opened.cookies}~ct_1.${'A'.repeat(43)}` }
    expect(await (await getPage(forged)).text()).toContain('id="show-code"')
    const headers = { Cookie: forged.cookies, Authorization: `Bearer ${opened.token}` }
    expect((await call(app, 'GET', `/v1/verify/${opened.id}`, { headers })).status).toBe(404)
    expect(await countSessions()).toBe(before)
  })

  it('creates nothing after the relying party has erased the session', async () => {
    const begun = await begin(client)
    const path = `/v1/verify/${begun.id}`
    expect((await call(app, 'DELETE', path, { headers: setting.headers })).status).toBe(204)
    const cookies = begun.cookies.replace(/~.*/, '')
    expect((await postLink({ ...begun, cookies })).status).toBe(404)
    expect((await call(app, 'GET', path, { headers: setting.headers })).status).toBe(404)
  })
})

describe('a login that no wallet acted on', () => {
  /** Returns the lists, the log and the storage of the relying party about a login. */
  async function tracesOf(id: string) {
    const lists = ['/v1/verify', '/v1/events'].map((path) =>
      call(app, 'GET', path, { headers: setting.headers }),
    )
    const texts = await Promise.all((await Promise.all(lists)).map((response) => response.text()))
    const stored = await runInDurableObject(stubOf(id), async (_, { storage }) => [
      storage.kv.get('session'),
      await storage.getAlarm(),
    ])
    return [...texts.map((text) => text.includes(id)), ...stored]
  }

  it('leaves nothing at its expiry: no session, alarm, list entry, event or webhook', async () => {
    const begun = await begin(client)
    const linked = { ...begun, cookies: withCookiesOf(begun.cookies, await postLink(begun)) }
    expect((await tracesOf(begun.id)).slice(0, 2)).toEqual([false, false])
    pass(700)
    expect(await runDurableObjectAlarm(stubOf(begun.id))).toBe(true)
    expect(await tracesOf(begun.id)).toEqual([false, false, undefined, null])
    expect(posted).toEqual([])
    expect((await postLink(linked)).status).toBe(404)
    expect(await tracesOf(begun.id)).toEqual([false, false, undefined, null])
  })

  it('sends session_expired to its client, with and without a session', async () => {
    const [begun, opened] = [await begin(client), await openPage(client, { response_mode: 'form_post' })]
    pass(700)
    await runDurableObjectAlarm(stubOf(begun.id))
    for (const page of [await openEnd(begun), await openEnd(begun)]) {
      const { searchParams } = new URL(page.headers.get('Location') ?? '')
      expect(Object.fromEntries(searchParams)).toEqual({
        error: 'access_denied',
        error_description: 'session_expired',
        state: 's',
        iss: client.issuer,
      })
    }
    expect((await getPage(begun)).headers.get('Location')).toMatch(/\/finish\/v_/)
    expect((await getPage(opened)).headers.get('Location')).toMatch(/\/finish\/v_/)
    expect(await (await openEnd(opened)).text()).toContain('name="error" value="access_denied"')
    expect((await openEnd({ ...opened, cookies: '' })).status).toBe(404)
  })

  it('does not appear in the list and the event log until a wallet has fetched its request', async () => {
    const begun = await begin(client)
    const { uri } = await json(postLink(begun))
    await fetchRequest(new URL(String(uri)).searchParams.get('request_uri') ?? '')
    await vi.waitFor(async () => expect((await tracesOf(begun.id)).slice(0, 2)).toEqual([true, true]), WAIT)
    expect(posted).toEqual(['verification.created', 'verification.request_fetched'])
    pass(700)
    await runDurableObjectAlarm(stubOf(begun.id))
    expect((await poll(setting, begun.id)).status).toBe('expired')
    await vi.waitFor(() => expect(posted.at(-1)).toBe('verification.expired'), WAIT)
  })

  it('ends with an event if the relying party cancels it', async () => {
    const { id } = await begin(client)
    const path = `/v1/verify/${id}/cancel`
    expect((await call(app, 'POST', path, { headers: setting.headers })).status).toBe(200)
    await vi.waitFor(async () => expect((await tracesOf(id)).slice(0, 2)).toEqual([true, true]), WAIT)
  })
})

/** A service without the limiters of the platform, behind a proxy that names the address of its callers. */
const BARE = {
  ...env,
  CLIENT_IP_HEADER: 'x-client-ip',
  WALLET_RATE_LIMIT: undefined,
} as unknown as typeof env

/** Sends an authorization request from an address; from an unknown address if the text is empty. */
function authorizeFrom(address: string, { client_id, issuer }: TestClient): Promise<Response> {
  const path = `${pathOf(issuer)}/authorize?${new URLSearchParams({ client_id, ...REQUEST })}`
  return call(app, 'GET', path, { headers: address === '' ? {} : { 'x-client-ip': address }, env: BARE })
}

describe('a relying party may have', () => {
  it('1,000 authorization requests and 500 new sessions of logins in 10 s', async () => {
    const own = await setUp()
    const limited = await newClient(own)
    pass(0) // stops the clock
    const opened: Begun[] = []
    for (let i = 0; i < 501; i++) opened.push(await openPage(limited))
    for (let i = 501; i < 1_000; i++) expect((await authorize(limited)).status).toBe(303)
    const refused = await authorize(limited)
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('too many requests'),
    ])
    // The limit is that of the relying party, also for a caller whose own limit is not reached.
    expect((await authorizeFrom('198.51.100.9', limited)).status).toBe(429)
    expect((await authorizeFrom('198.51.100.9', client)).status).toBe(303)
    const statuses = await Promise.all(opened.map(async (one) => (await sendForm(one)).status))
    expect(statuses.filter((status) => status === 303)).toHaveLength(500)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    const late = opened.find((_, i) => statuses[i] === 429) as Begun
    expect((await json(postLink(late))).code).toBe('rate_limited')
    pass(10)
    expect((await postLink(late)).status).toBe(200)
    expect((await authorize(limited)).status).toBe(303) // refills the limit that other test files share
  })
})

it('logins are limited for each IP address, and callers without a known address share one limit', async () => {
  const own = await setUp()
  const limited = await newClient(own)
  const others = await newClient(await setUp())
  const opened = await openPage(limited)
  pass(100) // earlier tests have used the shared limit
  const headers = {
    Origin: 'https://verifier.example',
    Cookie: opened.cookies,
    'x-client-ip': '198.51.100.3',
  }
  const page = `/s/${opened.id}?token=${opened.token}`
  for (let i = 0; i < 60; i++)
    expect((await call(app, 'POST', page, { headers, env: BARE })).status).toBe(303)
  expect((await call(app, 'POST', page, { headers, env: BARE })).status).toBe(429)
  for (let i = 0; i < 60; i++) expect((await authorizeFrom('198.51.100.1', limited)).status).toBe(303)
  expect((await authorizeFrom('198.51.100.1', limited)).status).toBe(429)
  expect((await authorizeFrom('198.51.100.2', limited)).status).toBe(303)
  const statuses: number[] = []
  for (let i = 0; i < 1_001; i++)
    statuses.push((await authorizeFrom('', i % 2 === 0 ? limited : others)).status)
  expect(statuses.filter((status) => status === 303)).toHaveLength(1_000)
  expect((await authorizeFrom('198.51.100.2', limited)).status).toBe(303)
  pass(100)
  // The first POST of a page has a smaller limit.
  const pages = [await openPage(limited), await openPage(others)]
  const posts: number[] = []
  for (let i = 0; i < 501; i++) posts.push((await sendForm(pages[i % 2] as Begun)).status)
  expect(posts.filter((status) => status === 303)).toHaveLength(500)
  pass(100)
  // Other test files share both limits. Requests after the pause refill them.
  expect((await authorizeFrom('', limited)).status).toBe(303)
  expect((await sendForm(pages[0] as Begun)).status).toBe(303)
})
