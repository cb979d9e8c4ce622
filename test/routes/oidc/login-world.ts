// Logins inside workerd, where tests can set the time: a client, a browser with its cookies, and a wallet.

import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { fetchRequest, goodResponse, post, type Setting } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'

export const app = createApp()
export const CALLBACK = 'https://client.example/callback'
export const VERIFIER = 'a'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export type TestClient = {
  readonly client_id: string
  readonly client_secret: string
  readonly issuer: string
}

/** Over 18, with a plain response. */
export const ADULT_POLICY = {
  name: 'adult',
  credential_types: ['age_attestation'],
  scope: ['age_over_18'],
  formats: ['dc+sd-jwt'],
  request_options: { response_mode: 'direct_post' },
}

/** Registers a client with one policy. */
export function newClient(setting: Setting, members: object = {}): Promise<TestClient> {
  const body = { name: 'Shop', redirect_uris: [CALLBACK], policies: [ADULT_POLICY], ...members }
  return json(call(app, 'POST', '/v1/oidc_clients', { headers: setting.headers, body }))
}

export type Begun = { readonly id: string; readonly token: string; readonly cookies: string }

export const REQUEST = {
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid',
  state: 's',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}

/** Opens an authorization request. */
export async function authorize(
  { client_id, issuer }: TestClient,
  parameters: Readonly<Record<string, string>> = REQUEST,
): Promise<Response> {
  const query = new URLSearchParams({ client_id, ...parameters })
  return call(app, 'GET', `${pathOf(issuer)}/authorize?${query}`)
}

/** Opens the page of a login. It has no session yet. */
export async function openPage(client: TestClient, parameters: object = {}): Promise<Begun> {
  const response = await authorize(client, { ...REQUEST, ...parameters })
  expect(response.status).toBe(303)
  const [, id = '', token = ''] =
    /\/s\/(v_[\w-]+)\?token=(.+)$/.exec(response.headers.get('Location') ?? '') ?? []
  return { id, token, cookies: withCookiesOf('', response) }
}

/** Sends the form of the page, which creates the session. */
export async function sendForm({ id, token, cookies }: Begun): Promise<Response> {
  const headers = { Origin: 'https://verifier.example', Cookie: cookies }
  return call(app, 'POST', `/s/${id}?token=${token}`, { headers })
}

/** Begins a login, and creates its session. */
export async function begin(client: TestClient, parameters: object = {}): Promise<Begun> {
  const opened = await openPage(client, parameters)
  const response = await sendForm(opened)
  expect(response.status).toBe(303)
  return { ...opened, cookies: withCookiesOf(opened.cookies, response) }
}

/**
 * Lets the wallet on the browser's device answer. Returns the browser after its return. `times`: how often
 * wallet and browser send the same.
 */
export async function answer(
  setting: Setting,
  { id, token, cookies }: Begun,
  claims?: object,
  { returns = true, times = 1 }: { readonly returns?: boolean; readonly times?: number } = {},
): Promise<Begun & { readonly returnUrl: string }> {
  const own = { Origin: 'https://verifier.example' }
  const headers = { ...own, Cookie: cookies, Authorization: `Bearer ${token}` }
  const response = await call(app, 'POST', `/v1/verify/${id}/link`, { headers })
  const both = withCookiesOf(cookies, response)
  const { uri } = (await response.json()) as { uri: string }
  const requestUri = new URL(uri).searchParams.get('request_uri') ?? ''
  const good = await goodResponse(setting, await fetchRequest(requestUri), claims)
  let returnUrl = ''
  for (let left = times; left > 0; left--) {
    const { redirect_uri } = (await (await post(id, good)).json()) as { redirect_uri: string }
    const response_code = new URLSearchParams(new URL(redirect_uri).hash.slice(1)).get('response_code')
    if (!returns) continue
    const returned = await call(app, 'POST', `/v1/verify/${id}/response_code`, {
      headers: { ...own, Cookie: both },
      body: { response_code },
    })
    expect(returned.status).toBe(200)
    returnUrl = String(((await returned.json()) as { readonly return_url: string | null }).return_url)
  }
  return { id, token, cookies: both, returnUrl }
}

/** Opens the end of a login. */
export async function openEnd(
  { issuer }: TestClient,
  { id, cookies }: Begun,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return call(app, 'GET', `${pathOf(issuer)}/finish/${id}`, { headers: { Cookie: cookies, ...more } })
}

/** Opens the end of a login, and returns the parameters that the client gets. */
export async function finish(client: TestClient, browser: Begun): Promise<URLSearchParams> {
  const response = await openEnd(client, browser)
  expect(response.status).toBe(303)
  return new URL(response.headers.get('Location') ?? '').searchParams
}

export type Tokens = {
  readonly access_token: string
  readonly expires_in: number
  readonly id_token: string
  readonly error?: string
}

/** Returns the form that redeems a code. */
export function redemptionOf(code: string) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  }
}

/** Redeems a code. */
export async function redeem(
  client: TestClient,
  code: string,
  secret = client.client_secret,
  bindings: typeof env = env,
) {
  const named = { ...client, client_secret: secret }
  const response = await postForm(named, 'token', redemptionOf(code), bindings)
  const { status, headers } = response
  return { status, headers, tokens: (await response.json()) as Tokens }
}

/** Posts a form with the client's secret. A text is sent as it is. */
export function postForm(
  { client_id, client_secret, issuer }: TestClient,
  endpoint: 'par' | 'token',
  form: Readonly<Record<string, string>> | string,
  bindings: typeof env = env,
): Promise<Response> {
  return call(app, 'POST', `${pathOf(issuer)}/${endpoint}`, {
    headers: {
      Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: typeof form === 'string' ? form : `${new URLSearchParams(form)}`,
    env: bindings,
  })
}

/** Status of UserInfo for an access token. */
export async function userInfoStatus(client: TestClient, token: string): Promise<number> {
  return (await readUserInfo(client, token)).status
}

/** UserInfo of an access token, in JSON. */
export async function userInfoOf(client: TestClient, token: string): Promise<object> {
  return json(readUserInfo(client, token))
}

function readUserInfo({ issuer }: TestClient, token: string): Promise<Response> {
  return call(app, 'GET', `${pathOf(issuer)}/userinfo`, { headers: { Authorization: `Bearer ${token}` } })
}

/** Pushes an authorization request. Returns its address. */
export async function push(client: TestClient, parameters: object = {}): Promise<string> {
  const response = await postForm(client, 'par', { ...REQUEST, ...parameters })
  expect(response.status).toBe(201)
  return ((await response.json()) as { request_uri: string }).request_uri
}

/** Returns the path of an address of the service. */
export function pathOf(address: string): string {
  return address.replace('https://verifier.example', '')
}

/** Returns the `Cookie` header of a browser after a response. */
export function withCookiesOf(cookies: string, { headers }: Pick<Response, 'headers'>): string {
  const pairs = [...cookies.split('; '), ...headers.getSetCookie().map((line) => line.split(';')[0] ?? '')]
  const jar = new Map(pairs.filter((pair) => pair !== '').map((pair) => [pair.split('=')[0], pair]))
  return [...jar.values()].join('; ')
}
