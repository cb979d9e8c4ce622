// api/logins: the first POST of a login's page that creates no session, and where its error goes.

import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import type { RequestError } from '../../../src/routes/oidc/responses.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { at } from '../../workerd/clock.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  ADULT_POLICY,
  app,
  authorize,
  type Begun,
  CALLBACK,
  newClient,
  openPage,
  type TestClient,
} from './login-world.ts'

afterEach(() => {
  vi.useRealTimers()
})

const countSessions = async () => (await listDurableObjectIds(env.VERIFICATION_SESSION)).length

/** Opens the page, or sends its form. */
function send(method: 'GET' | 'POST', { id, token, cookies }: Begun, bindings = env): Promise<Response> {
  const headers = { Origin: 'https://verifier.example', Cookie: cookies }
  return call(app, method, `/s/${id}?token=${token}`, { headers, env: bindings })
}

/** Sends a call of the page's scripts. */
function ask({ id, token, cookies }: Begun, path: string, bindings = env): Promise<Response> {
  const own = { Origin: 'https://verifier.example', Cookie: cookies, Authorization: `Bearer ${token}` }
  return call(app, 'POST', `/v1/verify/${id}${path}`, { headers: own, env: bindings, body: {} })
}

async function change(setting: Setting, path: string, method: 'DELETE' | 'PATCH', body?: object) {
  const response = await call(app, method, path, { headers: setting.headers, ...(body && { body }) })
  expect(response.ok).toBe(true)
}

/** Returns the address by which the client gets an error. */
function errorAddress({ issuer }: TestClient, name: RequestError): string {
  const { error, description } = errors.request[name]
  return `${CALLBACK}?${new URLSearchParams({ error, error_description: description, state: 's', iss: issuer })}`
}

/** A policy whose request is passed by value, and does not fit into a QR code. */
const LONG_POLICY = {
  name: 'long',
  dcql_query: {
    credentials: [
      {
        id: 'age_attestation',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
        claims: Array.from({ length: 50 }, (_, i) => ({ path: [`a_claim_with_a_long_name_${i}`] })),
      },
    ],
  },
  request_options: { client_id_prefix: 'redirect_uri', response_mode: 'direct_post' },
}

type Change = (setting: Setting, client: TestClient) => Promise<void>

const patch =
  (body: object): Change =>
  (setting, { client_id }) =>
    change(setting, `/v1/oidc_clients/${client_id}`, 'PATCH', body)

const REFUSED: Partial<Record<RequestError, Change>> = {
  scope_unknown: patch({ policies: [{ ...ADULT_POLICY, name: 'other' }], default_policy: 'other' }),
  par_required: patch({ require_pushed_authorization_requests: true }),
  policy_unsatisfiable: (setting) => change(setting, '/v1/relying_party', 'PATCH', { trust_anchors: [] }),
}

describe('a login that the client’s present settings refuse', () => {
  it.each(Object.entries(REFUSED))('creates no session, and its client gets %s', async (name, refuse) => {
    const live = await setUp({ livemode: true })
    const client = await newClient(live)
    const opened = await openPage(client, { scope: 'openid adult' })
    await refuse(live, client)
    const before = await countSessions()
    for (const path of ['/link', '/dc-api/request'])
      expect((await json(ask(opened, path))).code).toBe('verification_not_found')
    const page = await send('GET', opened)
    const address = errorAddress(client, name as RequestError)
    expect([page.status, page.headers.get('Location')]).toEqual([303, address])
    // A browser blocks a redirect from our form to another site.
    const form = await send('POST', opened)
    expect([form.status, form.headers.get('Location')]).toEqual([400, null])
    expect(await form.text()).toContain(`href="${address.replaceAll('&', '&amp;')}"`)
    expect(await countSessions()).toBe(before)
  })

  it('creates no session, and gets 404 if its client was deleted or its redirect_uri was removed', async () => {
    const live = await setUp({ livemode: true })
    const changes: readonly Change[] = [
      (setting, { client_id }) => change(setting, `/v1/oidc_clients/${client_id}`, 'DELETE'),
      patch({ redirect_uris: [`${CALLBACK}/other`] }),
    ]
    for (const refuse of changes) {
      const client = await newClient(live)
      const opened = await openPage(client)
      await refuse(live, client)
      const before = await countSessions()
      expect((await ask(opened, '/link')).status).toBe(404)
      expect((await send('POST', opened)).status).toBe(404)
      expect((await send('GET', opened)).status).toBe(404)
      expect(await countSessions()).toBe(before)
    }
  })
})

it('a policy whose request by value is too long for a QR code gives the client an error before the login page opens', async () => {
  const live = await setUp({ livemode: true, by_value: true })
  const client = await newClient(live, { policies: [LONG_POLICY], cross_device: true })
  const location = (await authorize(client)).headers.get('Location')
  expect(location).toBe(errorAddress(client, 'policy_unsatisfiable'))
  const bound = { ...LONG_POLICY, required_session_binding: 'page' } // has no QR code
  const opened = await openPage(await newClient(live, { policies: [bound] }))
  expect((await send('POST', opened)).status).toBe(303)
})

describe('the first POST of a login', () => {
  /** Bindings in which a call of a session's object fails. */
  function failing(create: () => Promise<never>): typeof env {
    const idFromString = (id: string) => env.VERIFICATION_SESSION.idFromString(id)
    return { ...env, VERIFICATION_SESSION: { idFromString, get: () => ({ create }) } as never }
  }

  it('gives a page that asks for a reload if the object of the session is unreachable', async () => {
    const opened = await openPage(await newClient(await setUp()))
    const unreachable = failing(() =>
      Promise.reject(Object.assign(new Error('Network connection lost.'), { retryable: true })),
    )
    const page = await send('POST', opened, unreachable)
    expect([page.status, page.headers.get('Content-Type')]).toEqual([503, 'text/html; charset=UTF-8'])
    expect((await json(ask(opened, '/link', unreachable))).code).toBe('temporarily_unavailable')
    expect((await send('POST', opened)).status).toBe(303)
  })

  it('gets 404 after the login has expired, and no object is called', async () => {
    const now = Date.now()
    at(now)
    const opened = await openPage(await newClient(await setUp()))
    const create = vi.fn(() => Promise.reject(new Error('asked')))
    at(now + 600_000)
    expect((await send('POST', opened, failing(create))).status).toBe(404)
    expect((await ask(opened, '/link', failing(create))).status).toBe(404)
    expect(create).not.toHaveBeenCalled()
    at(now + 599_999)
    expect((await send('POST', opened)).status).toBe(303)
  })
})
