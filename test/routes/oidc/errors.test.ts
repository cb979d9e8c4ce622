// CONTRACT 12: errors of logins that need settings of their own, where the client or the person gets them.

import { beforeAll, describe, expect, it } from 'vitest'
import { poll, type Setting, setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  ADULT_POLICY,
  answer,
  app,
  authorize,
  begin,
  CALLBACK,
  finish,
  newClient,
  pathOf,
  postForm,
  REQUEST,
  type TestClient,
} from './login-world.ts'

let setting: Setting
let live: Setting

beforeAll(async () => {
  setting = await setUp()
  live = await setUp({ livemode: true })
})

const OLDER_POLICY = { ...ADULT_POLICY, name: 'older', scope: ['age_over_21'] }

describe('a verified presentation', () => {
  const { name, request_options } = ADULT_POLICY
  const credential = {
    id: 'age_attestation',
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
    claims: [
      { id: 'number', path: ['document_number'] },
      { id: 'large', path: ['portrait'] },
      { id: 'age', path: ['age_over_18'] },
    ],
    claim_sets: [['number', 'large'], ['number', 'age'], ['age']],
  }
  let client: TestClient

  beforeAll(async () => {
    client = await newClient(setting, {
      policies: [{ name, request_options, dcql_query: { credentials: [credential] } }],
      subject: { type: 'pairwise', claims: ['document_number'] },
    })
  })

  /** Logs a person in. Returns what the client gets, and the status of the verification. */
  async function endOf(claims: object, parameters: object = {}) {
    const browser = await answer(setting, await begin(client, parameters), { age_over_18: true, ...claims })
    const parsed = Object.fromEntries(await finish(client, browser))
    const { status } = await poll(setting, browser.id)
    return { status, parsed }
  }

  const NUMBER = { document_number: 'X1' }

  it('logs a person in by the claims of the subject', async () => {
    const { status, parsed } = await endOf(NUMBER)
    expect([status, Object.keys(parsed)]).toEqual(['verified', ['code', 'state', 'iss']])
  })

  it.each<[string, object, object]>([
    ['subject_claim_missing', {}, {}],
    ['subject_claim_missing', { document_number: '' }, {}],
    ['subject_mismatch', NUMBER, { claims: JSON.stringify({ id_token: { sub: { value: 'another' } } }) }],
    ['claims_too_large', { ...NUMBER, portrait: 'x'.repeat(200_000) }, {}],
  ])('is no login, and the client gets %s', async (error_description, claims, parameters) => {
    const parsed = { error: 'access_denied', error_description, state: 's', iss: client.issuer }
    expect(await endOf(claims, parameters)).toEqual({ status: 'verified', parsed })
  })
})

describe('an authorization request is refused at the client', () => {
  const marked = [ADULT_POLICY, OLDER_POLICY].map((policy) => ({ ...policy, front_channel: true }))

  it.each<[string, object, object, string, string]>([
    [
      'that must be pushed',
      { require_pushed_authorization_requests: true },
      {},
      'invalid_request',
      'This client must push its authorization requests.',
    ],
    [
      'with two policies',
      { policies: marked },
      { scope: 'openid adult older' },
      'invalid_scope',
      'scope must name one policy at most.',
    ],
    [
      'with a policy and an unknown value',
      { policies: marked },
      { scope: 'openid adult unknown' },
      'invalid_scope',
      'scope must name one policy at most.',
    ],
    [
      'with several policies on the front channel',
      { policies: [ADULT_POLICY, OLDER_POLICY] },
      { scope: 'openid adult' },
      'invalid_request',
      'A client with several policies must push its request and authenticate, or mark each policy front_channel.',
    ],
  ])('%s', async (_, members, parameters, error, error_description) => {
    const client = await newClient(live, members)
    const response = await authorize(client, { ...REQUEST, ...parameters })
    const { origin, pathname, searchParams } = new URL(response.headers.get('Location') ?? '')
    expect(origin + pathname).toBe(CALLBACK)
    const expected = { error, error_description, state: 's', iss: client.issuer }
    expect(Object.fromEntries(searchParams)).toEqual(expected)
  })

  it('whose policy no issuer satisfies any more', async () => {
    const rp = await setUp({ livemode: true })
    const client = await newClient(rp)
    expect((await authorize(client)).headers.get('Location')).toContain('/s/v_')
    const body = { trust_anchors: [] }
    const changed = await call(app, 'PATCH', '/v1/relying_party', { headers: rp.headers, body })
    expect(changed.status).toBe(200)
    const { searchParams } = new URL((await authorize(client)).headers.get('Location') ?? '')
    expect(Object.fromEntries(searchParams)).toEqual({
      error: 'server_error',
      error_description: 'No credential can satisfy the policy now: check the settings.',
      state: 's',
      iss: client.issuer,
    })
  })
})

it('an early error in test mode is a page with a link, also by form_post', async () => {
  const client = await newClient(setting)
  const parameters = { ...REQUEST, response_mode: 'form_post', scope: 'openid unknown' }
  const response = await authorize(client, parameters)
  const page = await response.text()
  expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  expect(page).toContain(`href="${CALLBACK}?error=invalid_scope&amp;`)
  expect(page).not.toMatch(/<form|<script|<input/)
  expect(response.headers.get('Content-Security-Policy')).toContain("form-action 'none'")
})

describe('a pushed request', () => {
  it('has an address of 256 random bits, for 60 s', async () => {
    const response = await postForm(await newClient(setting), 'par', REQUEST)
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/),
      expires_in: 60,
    })
  })

  it('chooses no policy without authentication, unless each is marked', async () => {
    const statusWith = async (policies: readonly object[]) => {
      const client = await newClient(setting, { policies, token_endpoint_auth_method: 'none' })
      const form = new URLSearchParams({ ...REQUEST, client_id: client.client_id, scope: 'openid older' })
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await call(app, 'POST', `${pathOf(client.issuer)}/par`, { headers, body: `${form}` })
      const { error } = await json(response)
      return [response.status, error]
    }
    const policies = [ADULT_POLICY, OLDER_POLICY]
    expect(await statusWith(policies)).toEqual([400, 'invalid_request'])
    const marked = policies.map((policy) => ({ ...policy, front_channel: true }))
    expect(await statusWith(marked)).toEqual([201, undefined])
  })
})

describe('the token endpoint', () => {
  const FORM = `grant_type=authorization_code&code=c&redirect_uri=${encodeURIComponent(CALLBACK)}`
  let client: TestClient

  beforeAll(async () => {
    client = await newClient(setting)
  })

  it.each([
    ['no parameter', ''],
    ['no grant_type', FORM.replace(/grant_type=[^&]+&/, '')],
    ['no code', FORM.replace(/code=c&/, '')],
    ['no redirect_uri', FORM.replace(/&redirect_uri=.*/, '')],
    ['an empty code', FORM.replace(/code=c/, 'code=')],
    ['two grant_type', `${FORM}&grant_type=authorization_code`],
    ['two code', `${FORM}&code=c`],
    ['two code_verifier', `${FORM}&code_verifier=a&code_verifier=b`],
    ['two of an unknown parameter', `${FORM}&resource=a&resource=b`],
  ])('is invalid_request where there is %s', async (_, form) => {
    const response = await postForm(client, 'token', form)
    expect([response.status, (await json(response)).error]).toEqual([400, 'invalid_request'])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('is invalid_grant where each is there once', async () => {
    expect((await json(postForm(client, 'token', FORM))).error).toBe('invalid_grant')
  })
})
