// Logins by OpenID Connect under load: a browser with its cookies, and a client that redeems its code. Each
// step can be repeated after a crash.

import { BASE_URL } from '../../support/service/service.ts'
import { type Age, formPost, type LeanWallet, readRequestObject } from '../../support/wallets/lean-wallet.ts'
import type { Answer, Ask } from './load.ts'
import { expectStatus } from './ways.ts'

export type LoginClient = { readonly clientId: string; readonly secret: string; readonly path: string }

/** A finished login as its browser and its client know it. */
export type FinishedLogin = {
  readonly verificationId: string
  /**
   * `redeemed`: the client got tokens. `consumed`: the code was used, and the response was lost. `denied`:
   * the client got an error. `late`: the client got an error, because the browser came too late for a code.
   */
  readonly end: 'redeemed' | 'consumed' | 'denied' | 'late'
  /** Responses of the token endpoint to a second use of the code, and of UserInfo before and after it. */
  readonly again: readonly number[]
  /** The session that the ID token is about. */
  readonly subject: string | null
}

const CALLBACK = 'https://client.example/callback'
/** A success is held, and gives a code, for three minutes, by a clock that a run moves by up to 40 s. */
const SURELY_HELD_MS = 120_000
const VERIFIER = 'a'.repeat(43)
/** BASE64URL(SHA256(VERIFIER)), as RFC 7636 §4.2 has it. */
const CHALLENGE = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA'

/** Registers the client of a run. `more`: further members of its policy. */
export async function registerLoginClient(
  ask: Ask,
  apiKey: string,
  members: object = {},
  more: object = {},
): Promise<LoginClient> {
  const policy = { name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'], ...more }
  const body = JSON.stringify({ name: 'Shop', redirect_uris: [CALLBACK], policies: [policy], ...members })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const created = expectStatus(201, await ask('/v1/oidc_clients', { method: 'POST', headers, body }))
  const { client_id, client_secret, issuer } = JSON.parse(created) as Readonly<Record<string, string>>
  return { clientId: client_id ?? '', secret: client_secret ?? '', path: new URL(issuer ?? '').pathname }
}

export type Login = {
  readonly ask: Ask
  readonly wallet: LeanWallet
  readonly client: LoginClient
  readonly age: Age
  /** The time that a person takes. */
  readonly pause: () => Promise<unknown>
}

/** Logs a person in, and uses the tokens. Resolves when the client got tokens, or an error. */
export async function logIn(login: Login): Promise<FinishedLogin> {
  const { verificationId, code, redeemed, end } = await untilTokens(login)
  if (redeemed === null) return { verificationId, end, again: [], subject: null }
  return { verificationId, end, ...(await afterTokens(login, code, redeemed)) }
}

type Tokens = Pick<FinishedLogin, 'verificationId' | 'end'> & {
  readonly code: string
  /** Response of the token endpoint; null without tokens. */
  readonly redeemed: Answer | null
}

/** Logs a person in. A person who returns after the success was discarded logs in again. */
export async function untilTokens(login: Login): Promise<Tokens> {
  const { ask, client, age } = login
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  const begun = await ask(`${client.path}/authorize?${query}`, { redirect: 'manual' })
  const [, id = '', token = ''] = /\/s\/(v_[\w-]+)\?token=(.+)$/.exec(locationOf(begun)) ?? []
  const back = await comeBack(login, { below: `/v1/verify/${id}`, token, cookie: withCookiesOf('', begun) })
  if (back === undefined) return untilTokens(login)
  const { cookie, sentAt } = back
  const finish = async () => {
    const headers = { cookie }
    return ask(`${client.path}/finish/${id}`, { headers, redirect: 'manual' })
  }
  const without = { verificationId: id, code: '', redeemed: null }
  for (;;) {
    const end = await finish()
    if (end.status === 404) return { ...without, end: 'consumed' as const }
    const answer = new URL(locationOf(end)).searchParams
    const code = answer.get('code')
    const isOver = answer.get('error_description') === 'session_expired'
    const isLate = isOver && Date.now() - sentAt > SURELY_HELD_MS
    if (code === null) return { ...without, end: isLate ? 'late' : 'denied' }
    if (age === 'minor') throw new Error(`a code for a rejected session: ${id}`)
    const redeemed = await redeem(login, code)
    if (redeemed.status === 200) return { verificationId: id, code, redeemed, end: 'redeemed' as const }
    expectStatus(400, redeemed) // too late, or used by a call whose response was lost
  }
}

/**
 * The wallet on the browser's device answers, and the browser returns. Returns the browser's cookies, and
 * when the wallet began to send (Unix milliseconds). Returns `undefined` if the success may be discarded
 * already, because kills and a slow machine delayed the return.
 */
async function comeBack(
  { ask, wallet, age, pause }: Login,
  { below, token, cookie }: { readonly below: string; readonly token: string; readonly cookie: string },
): Promise<{ readonly cookie: string; readonly sentAt: number } | undefined> {
  const page = { authorization: `Bearer ${token}`, origin: BASE_URL }
  const link = await ask(`${below}/link`, { method: 'POST', headers: { ...page, cookie } })
  const cookies = withCookiesOf(cookie, link)
  const uri = new URL((JSON.parse(expectStatus(200, link)) as { uri: string }).uri)
  const requestUri = new URL(uri.searchParams.get('request_uri') ?? '')
  const jws = expectStatus(200, await ask(requestUri.pathname))
  const answer = wallet.answer(readRequestObject(jws), age)
  await pause()
  const sentAt = Date.now()
  const sent = expectStatus(200, await ask(`${below}/callback`, formPost(answer)))
  const back = { cookie: cookies, sentAt }
  if (age === 'minor') return back // the session has ended
  const { redirect_uri } = JSON.parse(sent) as { redirect_uri: string }
  const response_code = new URL(redirect_uri).hash.replace('#response_code=', '')
  const headers = { origin: BASE_URL, cookie: cookies, 'content-type': 'application/json' }
  const body = JSON.stringify({ response_code })
  const returned = await ask(`${below}/response_code`, { method: 'POST', headers, body })
  if (returned.status === 400 && Date.now() - sentAt > SURELY_HELD_MS) return undefined
  expectStatus(200, returned)
  return back
}

function redeem({ ask, client }: Login, code: string): Promise<Answer> {
  const { body, headers } = formPost(
    `${new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    })}`,
  )
  const basic = Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')
  return ask(`${client.path}/token`, {
    method: 'POST',
    headers: { ...(headers as Record<string, string>), authorization: `Basic ${basic}` },
    body: body ?? null,
  })
}

/** Uses the tokens, and then the code again. */
async function afterTokens(login: Login, code: string, redeemed: Answer) {
  const { access_token, id_token } = JSON.parse(redeemed.text) as Readonly<Record<string, string>>
  const userInfo = async () => {
    const headers = { authorization: `Bearer ${access_token}` }
    return (await login.ask(`${login.client.path}/userinfo`, { headers })).status
  }
  const again = [await userInfo(), (await redeem(login, code)).status, await userInfo()]
  const payload = Buffer.from(id_token?.split('.')[1] ?? '', 'base64url').toString()
  const { verification_id } = JSON.parse(payload) as { verification_id: string }
  return { again, subject: verification_id }
}

function locationOf({ status, headers, text }: Answer): string {
  const location = headers.get('Location')
  if (status !== 303 || location === null) throw new Error(`HTTP ${status} ${text}`)
  return location
}

/** Returns the cookies of a browser after a response. */
function withCookiesOf(cookies: string, { headers }: Answer): string {
  const pairs = [...cookies.split('; '), ...headers.getSetCookie().map((line) => line.split(';')[0] ?? '')]
  const jar = new Map(pairs.filter((pair) => pair !== '').map((pair) => [pair.split('=')[0], pair]))
  return [...jar.values()].join('; ')
}
