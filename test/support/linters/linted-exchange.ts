// Every exchange of a test with the service passes through here. The rules are checked for each Request
// Object, each request for the browser's API and each response of the wallet routes. A violation is an error
// of the test.

import { decodeJwt } from 'jose'
import { resolveDidWeb } from '../certificates/verifier-key.ts'
import { lintAnnexCRequest, nonceOf } from './annex-c-linter.ts'
import { type DigitalRequest, lintDigitalRequest } from './dc-api-linter.ts'
import { createRequestLinter } from './request-linter.ts'
import { isWalletPath, lintWalletResponse } from './wallet-response-linter.ts'

/** One call and its response. `url` is the address that the service itself uses. */
export type Exchange = {
  readonly url: string
  readonly method: string
  readonly body: unknown
  readonly answer: Response
  /** Function that fetches DID documents. */
  readonly fetch: (url: string) => Promise<Response>
}

/** Returns the response unchanged. */
export async function lintExchange(exchange: Exchange): Promise<Response> {
  const { url, method, answer } = exchange
  const { pathname } = new URL(url)
  const faults = isWalletPath(pathname)
    ? await walletFaults(exchange, pathname)
    : /\/dc-api\/request$/.test(pathname) && answer.status === 200
      ? await digitalFaults(await answer.clone().text(), exchange.fetch)
      : []
  if (faults.length === 0) return answer
  throw new Error(`${method} ${pathname}, ${answer.status}, breaks rules: ${faults.join('; ')}`)
}

async function walletFaults(exchange: Exchange, path: string): Promise<readonly string[]> {
  const { method, answer } = exchange
  const { status, headers } = answer
  const text = await answer.clone().text()
  const faults = lintWalletResponse({ method, path, status, headers, body: text })
  const isJws = status === 200 && text.split('.').length === 3 && !text.startsWith('{')
  // Requests that are encrypted to a wallet are linted by that wallet.
  return isJws ? [...faults, ...(await requestFaults(exchange, text))] : faults
}

const lintRequest = createRequestLinter()

/**
 * Checks a request without the scanned URI and the requested policy. Only wallets know these two, and compare
 * the request with them.
 */
async function requestFaults({ url, method, body, answer, fetch }: Exchange, requestObject: string) {
  const claims = decodeJwt<Record<string, unknown>>(requestObject)
  const outer = new URLSearchParams({ client_id: String(claims.client_id), request_uri: url })
  const protocol = protocolOf(claims)
  const posted = new URLSearchParams(method === 'POST' ? String(body ?? '') : '')
  const violations = await lintRequest({
    uri: `openid4vp://?${outer}`,
    requestObject,
    http: answer,
    walletNonce: protocol === 'openid4vp-draft18' ? undefined : (posted.get('wallet_nonce') ?? undefined),
    protocol,
    now: now(),
    asksTransactionData: 'transaction_data' in claims,
    ...(await didDocumentOf(claims, fetch)),
  })
  return violations.map(({ rule, message }) => `${rule}: ${message}`)
}

/**
 * Detects the version by members that only one version has. Requests of HAIP are requests of OpenID4VP 1.0.
 */
function protocolOf(claims: Readonly<Record<string, unknown>>): string {
  if ('client_id_scheme' in claims) return 'openid4vp-draft18'
  const { client_metadata } = claims as { client_metadata?: object }
  return 'vp_formats' in (client_metadata ?? {}) ? 'openid4vp-draft24' : 'openid4vp-1.0'
}

const nonces = new Set<string>()

async function digitalFaults(text: string, fetch: Exchange['fetch']): Promise<readonly string[]> {
  const { digital } = JSON.parse(text) as { digital: { requests: readonly DigitalRequest[] } }
  const { iso = [], openid = [] } = Object.groupBy(digital.requests, ({ protocol }) =>
    protocol === 'org-iso-mdoc' ? 'iso' : 'openid',
  )
  const found = iso.flatMap(lintAnnexCRequest)
  const fresh = new Set<string>()
  for (const request of openid) {
    const claims = claimsOf(request)
    const [origin] = (claims.expected_origins ?? []) as readonly string[]
    const more = await didDocumentOf(claims, fetch)
    found.push(...(await lintDigitalRequest(request, { origin: String(origin), now: now(), ...more })))
    fresh.add(String(claims.nonce))
  }
  if (fresh.size > 1) found.push('the requests of OpenID4VP in one call are one: one nonce')
  if (iso.length > 1) found.push('two requests of one protocol cannot be told apart')
  for (const { data } of iso) fresh.add(nonceOf(data.encryptionInfo))
  if ([...fresh].some((nonce) => nonces.has(nonce))) found.push('R1: nonce is fresh')
  for (const nonce of fresh) nonces.add(nonce)
  return found
}

function claimsOf({ data }: DigitalRequest): Readonly<Record<string, unknown>> {
  if (typeof data.request === 'string') return decodeJwt<Record<string, unknown>>(data.request)
  if (data.signatures === undefined) return data
  const [first] = data.signatures as readonly { readonly protected: string }[]
  const decode = (part: unknown) => JSON.parse(Buffer.from(String(part), 'base64url').toString()) as object
  return { ...decode(data.payload), ...decode(first?.protected) }
}

async function didDocumentOf({ client_id }: Readonly<Record<string, unknown>>, fetch: Exchange['fetch']) {
  const did = /^decentralized_identifier:(.*)$/.exec(String(client_id))?.[1]
  return did === undefined ? {} : { didDocument: await resolveDidWeb(did, fetch) }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
