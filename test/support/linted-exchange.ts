// What every exchange of a test with the service comes by. Whatever wallets and browsers are served on the way is held to its rules:
// each Request Object, each request for the browser's API, each answer of the wallet's routes. A broken rule is an error of the test.

import { decodeJwt } from 'jose'
import { type DigitalRequest, lintDigitalRequest } from './dc-api-linter.ts'
import { createRequestLinter } from './request-linter.ts'
import { isWalletPath, lintWalletAnswer } from './wallet-answer-linter.ts'

/** One call and what came of it. `url` is what the service calls the place. */
export type Exchange = {
  readonly url: string
  readonly method: string
  readonly body: unknown
  readonly answer: Response
}

/** Gives the answer back as it came. */
export async function lintExchange(exchange: Exchange): Promise<Response> {
  const { url, method, answer } = exchange
  const { pathname } = new URL(url)
  const faults = isWalletPath(pathname)
    ? await walletFaults(exchange, pathname)
    : /\/dc-api\/request$/.test(pathname) && answer.status === 200
      ? await digitalFaults(await answer.clone().text())
      : []
  if (faults.length === 0) return answer
  throw new Error(`${method} ${pathname}, ${answer.status}, breaks rules: ${faults.join('; ')}`)
}

async function walletFaults(
  { url, method, body, answer }: Exchange,
  path: string,
): Promise<readonly string[]> {
  const { status, headers } = answer
  const text = await answer.clone().text()
  const faults = lintWalletAnswer({ method, path, status, headers, body: text })
  const isJws = status === 200 && text.split('.').length === 3 && !text.startsWith('{')
  // What is encrypted to a wallet, that wallet lints.
  return isJws
    ? [...faults, ...(await requestFaults(url, text, { http: { status, headers }, body }))]
    : faults
}

const lintRequest = createRequestLinter()

type Served = {
  readonly http: { readonly status: number; readonly headers: Headers }
  readonly body: unknown
}

/** Without the URI that was scanned: wallets, which have it, compare it with what they are served. */
async function requestFaults(url: string, requestObject: string, { http, body }: Served) {
  const claims = decodeJwt<Record<string, unknown>>(requestObject)
  const outer = new URLSearchParams({ client_id: String(claims.client_id), request_uri: url })
  const protocol = protocolOf(claims)
  const posted = new URLSearchParams(body === undefined || body === null ? '' : String(body))
  const walletNonce = protocol === 'openid4vp-draft18' ? undefined : (posted.get('wallet_nonce') ?? undefined)
  const observed = { uri: `openid4vp://?${outer}`, requestObject, http, walletNonce, protocol, now: now() }
  return (await lintRequest(observed)).map(({ rule, message }) => `${rule}: ${message}`)
}

/** By what only one version has; HAIP's requests are OpenID4VP 1.0's. */
function protocolOf(claims: Readonly<Record<string, unknown>>): string {
  if ('client_id_scheme' in claims) return 'openid4vp-draft18'
  const { client_metadata } = claims as { client_metadata?: object }
  return 'vp_formats' in (client_metadata ?? {}) ? 'openid4vp-draft24' : 'openid4vp-1.0'
}

const nonces = new Set<string>()

async function digitalFaults(text: string): Promise<readonly string[]> {
  const { digital } = JSON.parse(text) as { digital: { requests: readonly DigitalRequest[] } }
  const claims = digital.requests.map(({ data }) =>
    typeof data.request === 'string' ? decodeJwt<Record<string, unknown>>(data.request) : data,
  )
  const origin = String(claims.flatMap(({ expected_origins }) => expected_origins ?? [])[0])
  const faults = digital.requests.map((request) => lintDigitalRequest(request, { origin, now: now() }))
  const [nonce, ...others] = new Set(claims.map((one) => String(one.nonce)))
  if (nonce === undefined || others.length > 0) return ['the requests of one call are one: one nonce']
  if (nonces.has(nonce)) return ['R1: nonce is fresh']
  nonces.add(nonce)
  return (await Promise.all(faults)).flat()
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
