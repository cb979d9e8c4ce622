// Authorization requests in the log (docs/operating.md): one that opens the page of a login has no line. A
// response with a good status that brings an error to a client has one, also with LOG_REQUESTS=problems.

import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { poll, type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  answer,
  app,
  type Begun,
  begin,
  newClient,
  openPage,
  pathOf,
  REQUEST,
  type TestClient,
} from './login-world.ts'

const QUIET: typeof env = { ...env, LOG_REQUESTS: 'problems' }
const ORIGIN = 'https://verifier.example'

let live: Setting
let client: TestClient
const lines: string[] = []

beforeAll(async () => {
  live = await setUp({ livemode: true })
  client = await newClient(live)
})
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

/** Sends a request with a cookie. Returns the response, and the routes and statuses of the new lines. */
async function logged(method: string, address: string, cookies = '', environment = QUIET) {
  const headers = { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin', Cookie: cookies }
  lines.length = 0
  const response = await call(app, method, address.replace(ORIGIN, ''), { headers, env: environment })
  const requests = lines.map((line) => JSON.parse(line)).map(({ route, status }) => `${status} ${route}`)
  return { response, requests }
}

function authorizeWith(parameters: object, environment = QUIET) {
  const query = new URLSearchParams({ client_id: client.client_id, ...REQUEST, ...parameters })
  return logged('GET', `${pathOf(client.issuer)}/authorize?${query}`, '', environment)
}

const declineOf = ({ id, token }: Begun) => `/s/${id}/decline?token=${token}`

it.each([
  ['all', env],
  ['problems', QUIET],
])(
  'a redirect to the page of a login has no line in the log with LOG_REQUESTS=%s',
  async (_, environment) => {
    const { response, requests } = await authorizeWith({}, environment)
    expect([response.status, requests]).toEqual([303, []])
  },
)

it.each([
  ['redirect', 'query', '303 /oidc/:rp/authorize'],
  ['form', 'form_post', '200 /oidc/:rp/authorize'],
])(
  'a %s with the error of an authorization request has a line in the log',
  async (_, response_mode, line) => {
    const { requests } = await authorizeWith({ scope: 'openid unknown', response_mode })
    expect(requests).toEqual([line])
  },
)

it('the page that sends access_denied to the client of a login without a session has a line in the log', async () => {
  const opened = await openPage(client)
  const { response, requests } = await logged('POST', declineOf(opened), opened.cookies)
  expect(response.headers.get('Refresh')).toContain('error=access_denied')
  expect(requests).toEqual(['200 /s/:id/decline'])
})

it('a redirect at the end of a login has a line in the log if it contains an error, and none if it contains a code', async () => {
  const begun = await begin(client)
  await logged('POST', declineOf(begun), begun.cookies)
  expect((await poll(live, begun.id)).status).toBe('declined')
  const end = `${pathOf(client.issuer)}/finish/${begun.id}`
  const failed = await logged('GET', end, begun.cookies)
  expect(failed.response.headers.get('Location')).toContain('error=access_denied')
  expect(failed.requests).toEqual(['303 /oidc/:rp/finish/:id'])

  const { id, cookies } = await answer(live, await begin(client))
  const good = await logged('GET', `${pathOf(client.issuer)}/finish/${id}`, cookies)
  expect(good.response.headers.get('Location')).toContain('code=')
  expect(good.requests).toEqual([])
})
