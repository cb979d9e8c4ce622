// api/access, callers other than relying parties: the operator, a person's browser, wallets, anyone. See
// access.test.ts.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ACCESS, type Access, type RouteName } from '../../../src/routes/edge/access.ts'
import {
  credential,
  expired,
  KINDS,
  newKey,
  newList,
  newOidcClient,
  newParty,
  newSession,
  opens,
  type Party,
  seen,
  send,
  statusAndCode,
  tokenOn,
} from './access-world.ts'
import { ADMIN, METRICS } from './edge-app.ts'

const ROUTES = Object.entries(ACCESS) as [RouteName, Access][]
const METRICS_TOKEN = METRICS.Authorization.slice('Bearer '.length)
const OPERATOR_TOKEN = ADMIN.Authorization.slice('Bearer '.length)

let test: Party
let other: Party

beforeEach(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
  ;[test, other] = await Promise.all([newParty(), newParty()])
})
afterEach(() => {
  vi.restoreAllMocks()
})

const OPERATORS = ROUTES.filter(([, access]) => access.caller === 'operator').map(([name]) => name)

describe.each(OPERATORS)('%s', (name) => {
  it('accepts the operator and no other caller', async () => {
    const party = await newParty()
    const { id, clientToken } = await newSession(party, name)
    const client = await newOidcClient(party, name)
    const parameters = {
      rp: party.id,
      key: (await newKey(party)).key_id,
      list: await newList(name),
      id,
      client,
    }
    const strangers = [party.key, await tokenOn(party, party.keyId), `${OPERATOR_TOKEN}x`, METRICS_TOKEN]
    for (const token of strangers) {
      expect(await statusAndCode(await send(name, { parameters, token }))).toBe('401 invalid_token')
    }
    expect(await statusAndCode(await send(name, { parameters }))).toBe('401 missing_token')
    expect(await statusAndCode(await send(name, { parameters, token: clientToken }))).toBe(
      '403 insufficient_scope',
    )
    expect(await statusAndCode(await send(name, { parameters, token: OPERATOR_TOKEN }))).toBe(opens(name))
  })
})

describe('GET /metrics', () => {
  const status = async (token?: string) => statusAndCode(await send('GET /metrics', { token }))

  it('accepts the metrics token and the operator’s token, and no other caller', async () => {
    expect(await status(METRICS_TOKEN)).toBe(opens('GET /metrics'))
    expect(await status(OPERATOR_TOKEN)).toBe(opens('GET /metrics'))
    for (const token of [test.key, await tokenOn(test, test.keyId), `${METRICS_TOKEN}x`]) {
      expect(await status(token)).toBe('401 invalid_token')
    }
    expect(await status()).toBe('401 missing_token')
    const { clientToken } = await newSession(test, 'GET /metrics')
    expect(await status(clientToken)).toBe('403 insufficient_scope')
  })
})

const OPEN = ROUTES.filter(([, { caller }]) => caller === 'anyone' || caller === 'wallet')

describe.each(OPEN)('%s', (name) => {
  it('needs no credential, and ignores any credential', async () => {
    const parameters = { code: 'invalid_json', name: 'session-page.js' }
    const expected = await seen(await send(name, { parameters }))
    expect(expected.status).not.toBe(401)
    for (const kind of KINDS) {
      for (const token of [await credential(test, kind), await expired(test, kind), OPERATOR_TOKEN]) {
        expect(await seen(await send(name, { parameters, token }))).toEqual(expected)
      }
    }
  })
})

describe('GET /s/:id', () => {
  it('accepts only the client_token in its address, and a refusal reveals nothing', async () => {
    const { id, clientToken } = await newSession(test, 'GET /s/:id')
    const stranger = await newSession(test, 'GET /s/:id')
    const open = (query: string, token?: string) => send('GET /s/:id', { parameters: { id }, query, token })
    expect((await open(`?token=${clientToken}`)).status).toBe(200)
    const answers = await Promise.all(
      [
        open(''),
        open('', clientToken),
        open('', test.key),
        open(`?token=${test.key}`),
        open(`?token=${stranger.clientToken}`),
        open(`?token=${OPERATOR_TOKEN}`),
        send('GET /s/:id', { parameters: { id: 'v_x' }, query: `?token=${clientToken}` }),
      ].map(async (response) => seen(await response)),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.status).toBe(404)
  })
})

describe('POST /v1/verify/:id/link', () => {
  it('accepts only the session’s client_token, from a page of the service', async () => {
    const name = 'POST /v1/verify/:id/link'
    const parameters = await newSession(test, name)
    const stranger = await newSession(test, name)
    const { clientToken: token } = parameters
    const foreign = { Origin: 'https://elsewhere.example' }
    const cases: [Parameters<typeof send>[1], string][] = [
      [{ token }, '200'],
      [{ token, headers: foreign }, '403 cross_site_request'],
      [{ token: stranger.clientToken }, '403 insufficient_scope'],
      [{ token: test.key }, '403 insufficient_scope'],
      [{ token: other.key }, '403 insufficient_scope'],
      [{ token: await expired(test, 'access token') }, '401 expired_token'],
      [{}, '401 missing_token'],
    ]
    for (const [sending, expected] of cases) {
      expect(await statusAndCode(await send(name, { parameters, ...sending }))).toBe(expected)
    }
  })
})

describe('POST /v1/verify/:id/response_code', () => {
  it('rejects a wrong code with or without a credential, and a call from a page of another origin', async () => {
    const name = 'POST /v1/verify/:id/response_code'
    const parameters = await newSession(test, name)
    for (const token of [undefined, test.key, parameters.clientToken]) {
      expect(await statusAndCode(await send(name, { parameters, token }))).toBe('400 invalid_code')
    }
    const headers = { Origin: 'https://elsewhere.example' }
    expect(await statusAndCode(await send(name, { parameters, headers }))).toBe('403 cross_site_request')
  })
})

it('the list of tested callers has every kind of caller in the table of access rules', () => {
  const walked = [
    'anyone',
    'wallet',
    'person',
    'page',
    'browser',
    'session',
    'relying_party',
    'client',
    'oidc_client', // with `oidc_token` and `login`: test/conformance/oidc
    'oidc_token',
    'login',
    'console', // test/routes/console
    'operator',
    'metrics_reader',
  ]
  const single = ROUTES.filter(([, { caller }]) => ['person', 'page', 'browser', 'client'].includes(caller))
  expect(new Set(ROUTES.map(([, { caller }]) => caller))).toEqual(new Set(walked))
  expect(single.map(([name]) => name).sort()).toEqual([
    'GET /s/:id',
    'POST /oauth/token', // test/routes/settings/token-endpoint.test.ts
    'POST /s/:id', // test/routes/oidc/login-start.test.ts
    'POST /s/:id/decline', // test/routes/browser/decline.test.ts
    'POST /v1/verify/:id/link',
    'POST /v1/verify/:id/response_code',
  ])
})
