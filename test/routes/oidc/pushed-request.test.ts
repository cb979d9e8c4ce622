// Pushed authorization requests (RFC 9126): what is stored of them, and how long they work.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  answer,
  app,
  type Begun,
  finish,
  newClient,
  openPage,
  pathOf,
  push,
  redeem,
  sendForm,
  type TestClient,
  withCookiesOf,
} from './login-world.ts'

let setting: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp()
  client = await newClient(setting)
})
afterEach(() => {
  vi.useRealTimers()
})

/** Moves the clock of the service. */
function pass(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

/** Visits a pushed request. Returns the page that it leads to; null if the request is over. */
async function visit(
  request_uri: string,
  cookies = '',
  { client_id, issuer } = client,
): Promise<Begun | null> {
  const address = `${pathOf(issuer)}/authorize?${new URLSearchParams({ client_id, request_uri })}`
  const response = await call(app, 'GET', address, { headers: { Cookie: cookies } })
  const location = response.headers.get('Location') ?? ''
  const [, id = '', token = ''] = /\/s\/(v_[\w-]+)\?token=(.+)$/.exec(location) ?? []
  if (id === '')
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('invalid_request_uri'),
    ])
  return id === '' ? null : { id, token, cookies: withCookiesOf(cookies, response) }
}

async function mustVisit(request_uri: string, cookies = ''): Promise<Begun> {
  const begun = await visit(request_uri, cookies)
  if (begun === null) throw new Error('the pushed request is over')
  return begun
}

/** Creates the session of a visit. Returns the browser with its cookies. */
async function begin(opened: Begun): Promise<Begun> {
  const response = await sendForm(opened)
  expect(response.status).toBe(303)
  return { ...opened, cookies: withCookiesOf(opened.cookies, response) }
}

it('a pushed request leaves no value of its claims parameter in storage', async () => {
  const claims = JSON.stringify({ id_token: { family_name: { value: 'Mustermann' } } })
  const request_uri = await push(client, { claims })
  await mustVisit(request_uri)
  const [, relyingPartyId = ''] = /\/oidc\/(rp_[\w-]+)/.exec(client.issuer) ?? []
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) throw new Error('the issuer has no relying party')
  const stored = await runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(storage.sql.exec("SELECT * FROM oidc_once WHERE name LIKE '%par/%'").toArray()),
  )
  expect(stored).toContain(client.client_id)
  expect(stored).not.toMatch(/Mustermann|family_name|https:/)
})

it('a pushed request opens the same login again in its browser, before and after the page posts its form', async () => {
  const request_uri = await push(client)
  const first = await mustVisit(request_uri)
  const second = await mustVisit(request_uri, first.cookies)
  expect([second.id, second.cookies]).toEqual([first.id, first.cookies])
  pass(300)
  const begun = await begin(await mustVisit(request_uri, first.cookies))
  const again = await mustVisit(request_uri, begun.cookies)
  expect([again.id, again.cookies]).toEqual([first.id, begun.cookies])
  const browser = await answer(setting, again)
  expect((await redeem(client, (await finish(client, browser)).get('code') ?? '')).status).toBe(200)
})

it('a pushed request has only one login even if two tabs of a browser open it at once', async () => {
  const request_uri = await push(client)
  const opened = await mustVisit(request_uri)
  const tabs = await Promise.all([1, 2].map(() => mustVisit(request_uri, opened.cookies)))
  const begun = await Promise.all(tabs.map(begin))
  expect(new Set(begun.map(({ id, cookies }) => `${id} ${cookies}`)).size).toBe(1)
})

it('a pushed request is over once its login has succeeded, was canceled or deleted, or has expired', async () => {
  const ends: Readonly<Record<string, (begun: Begun) => Promise<unknown>>> = {
    success: (begun) => answer(setting, begun),
    canceled: ({ id }) => call(app, 'POST', `/v1/verify/${id}/cancel`, { headers: setting.headers }),
    deleted: ({ id }) => call(app, 'DELETE', `/v1/verify/${id}`, { headers: setting.headers }),
    expired: async () => pass(600),
  }
  for (const [name, end] of Object.entries(ends)) {
    const request_uri = await push(client)
    const begun = await begin(await mustVisit(request_uri))
    expect(await visit(request_uri, begun.cookies)).not.toBeNull()
    await end(begun)
    expect([name, await visit(request_uri, begun.cookies)]).toEqual([name, null])
  }
  const request_uri = await push(client)
  const { cookies } = await mustVisit(request_uri)
  pass(661)
  expect(await visit(request_uri, cookies)).toBeNull()
})

it('a pushed request works for its own client only, and in a browser without its cookie for 60 s only', async () => {
  const request_uri = await push(client)
  const other = await newClient(setting)
  expect(await visit(request_uri, '', other)).toBeNull()
  pass(59)
  expect(await visit(request_uri)).not.toBeNull()
  const unvisited = await push(client)
  pass(2)
  expect(await visit(request_uri)).toBeNull()
  pass(58)
  expect(await visit(unvisited)).toBeNull()
})

it('a pushed request gives its login to the first of two browsers', async () => {
  const request_uri = await push(client)
  const [mine, theirs] = [await mustVisit(request_uri), await mustVisit(request_uri)]
  expect([mine.id, mine.cookies === theirs.cookies]).toEqual([theirs.id, false])
  const begun = await begin(mine)
  expect((await sendForm(theirs)).status).toBe(404)
  const browser = await answer(setting, begun)
  expect((await finish(client, browser)).has('code')).toBe(true)
})

it('a pushed request works even if it is too long for the address of the login page', async () => {
  const claims = JSON.stringify({ id_token: { ['x'.repeat(6000)]: null, age_over_18: null } })
  const request_uri = await push(client, { claims })
  const opened = await mustVisit(request_uri)
  expect(opened.token.length).toBeLessThan(1_000)
  const browser = await answer(setting, await begin(opened))
  expect((await finish(client, browser)).has('code')).toBe(true)
})

it('parameters without an effect do not make the token in the address of the login page longer', async () => {
  const idle = { prompt: 'login '.repeat(300), max_age: '9'.repeat(2_000), login_hint: 'x'.repeat(2_000) }
  const [short, long] = [await openPage(client), await openPage(client, idle)]
  expect(long.token.length).toBe(short.token.length)
})
