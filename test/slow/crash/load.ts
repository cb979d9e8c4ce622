// Load: brings sessions to their ends. Callers retry with the same key or the same bytes when the server is
// away, until they get a response.

import { setTimeout as sleep } from 'node:timers/promises'
import { lintExchange } from '../../support/linters/linted-exchange.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { formPost, type LeanWallet, readRequestObject } from '../../support/wallets/lean-wallet.ts'
import { type Archive, asksForEvidence, settleEvidence } from './archive.ts'
import type { ListedSession } from './findings.ts'
import { type FinishedLogin, type LoginClient, logIn } from './logins.ts'
import { expectStatus, present, type Visit, WAYS, type Way } from './ways.ts'

/** End of a session. `expired`: no request follows its creation. */
export type End = 'verified' | 'rejected' | 'declined' | 'canceled' | 'expired'

/** A finished session as its callers know it. */
export type FinishedSession = {
  readonly number: number
  readonly verificationId: string
  readonly end: End
  /** Absent if no credential was presented. */
  readonly way?: Way | 'login'
  readonly login?: FinishedLogin
  /** Evidence as its archive knows it. Absent for a session without evidence. */
  readonly evidence?: 'kept' | 'erased'
}

/** `tries`: number of requests until this response. */
export type Answer = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly tries: number
}

/** Retries until there is a response other than 429 or 503. */
export type Ask = (path: string, init?: RequestInit) => Promise<Answer>

/**
 * Longest time that a person looks at the request before the wallet responds. The number of the session
 * determines the time.
 */
const HESITATION_MS = 1_500

/** Time limit of a request, longer than any wait of the service itself. */
const GIVEN_UP_AFTER_MS = 20_000
const NOT_NOW = [429, 503]

/**
 * Returns a caller. `up` resolves when the service runs. `brokenOff` returns how often a connection broke
 * before its response was complete.
 */
export function persistentCaller(origin: string, up: () => Promise<void>) {
  let brokenOff = 0
  const ask: Ask = async (path, init = {}) => {
    for (let tries = 1; ; tries++) {
      await up()
      const answer = await askOnce(origin + path, init)
      if (answer === undefined) brokenOff++
      else {
        await lint(path, init, answer)
        if (!NOT_NOW.includes(answer.status)) return { ...answer, tries }
      }
      await sleep(20)
    }
  }
  return { ask, brokenOff: () => brokenOff }
}

type WholeResponse = Omit<Answer, 'tries'>

async function askOnce(url: string, init: RequestInit): Promise<WholeResponse | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(GIVEN_UP_AFTER_MS) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  } catch {
    return undefined // an incomplete response counts as none
  }
}

/** Checks responses to wallets between two crashes against the usual rules. */
async function lint(path: string, { method = 'GET', body }: RequestInit, { text, ...whole }: WholeResponse) {
  const fetchNothing = () => Promise.reject(new Error('no DID is in use here'))
  const answer = new Response(text === '' ? null : text, whole) // 204 has no body
  try {
    await lintExchange({ url: BASE_URL + path, method, body, answer, fetch: fetchNothing })
  } catch (error) {
    throw new Error(`the body is ${JSON.stringify(text.slice(0, 300))}`, { cause: error })
  }
}

/** Returns the ends of `outcomes` sessions, six of ten verified, with silent ones spread among them. */
export function planOf(outcomes: number, silent: number): readonly End[] {
  const mix: readonly End[] = [
    ...['verified', 'verified', 'rejected', 'verified', 'declined'],
    ...['verified', 'canceled', 'verified', 'declined', 'verified'],
  ] as const
  const ends = Array.from({ length: outcomes }, (_, i) => mix[i % mix.length] as End)
  const every = Math.max(1, Math.floor(outcomes / (silent || 1)))
  for (let i = 0; i < silent; i++) ends.splice(i * (every + 1), 0, 'expired')
  return ends
}

type Callers = {
  readonly ask: Ask
  readonly wallet: LeanWallet
  readonly apiKey: string
  /** Absent: nobody logs in. */
  readonly client?: LoginClient | undefined
  /** Absent: no session has evidence. The policy of the client asks for evidence if it is present. */
  readonly archive?: Archive | undefined
}

/** One of so many sessions with a presentation is a login. */
const LOGIN_SHARE = 4

/**
 * Creates a session and brings it to its end. Resolves when the end was acknowledged. Throws at any other
 * response.
 */
export async function drive(
  number: number,
  end: End,
  { ask, wallet, apiKey, client, archive }: Callers,
): Promise<FinishedSession> {
  const withEvidence = async (session: FinishedSession, isKept: boolean): Promise<FinishedSession> =>
    archive && isKept ? { ...session, evidence: await settleEvidence(ask, archive, session) } : session
  const pause = () => sleep((HESITATION_MS * (number % 16)) / 16)
  if (client && (end === 'verified' || end === 'rejected') && number % LOGIN_SHARE === 0) {
    const login = await logIn({ ask, wallet, client, age: end === 'verified' ? 'adult' : 'minor', pause })
    return withEvidence({ number, verificationId: login.verificationId, end, way: 'login', login }, true)
  }
  const isKept = archive !== undefined && asksForEvidence(number, end)
  const created = await ask('/v1/verify', creation(number, end, { apiKey, isKept }))
  const session = JSON.parse(expectStatus(201, created))
  const { verification_id: verificationId } = session
  const path = `/v1/verify/${verificationId}`
  if (end === 'canceled') expectStatus(200, await ask(`${path}/cancel`, authorized(apiKey, 'POST')))
  if (end === 'declined') await decline({ ask, wallet, apiKey, session }, pause)
  if (end !== 'verified' && end !== 'rejected') return { number, verificationId, end }
  const way = WAYS[number % WAYS.length] as Way
  await present(way, end === 'verified' ? 'adult' : 'minor', { ask, wallet, apiKey, session }, pause)
  return withEvidence({ number, verificationId, end, way }, isKept)
}

async function decline({ ask, session }: Visit, pause: () => Promise<unknown>): Promise<void> {
  const jws = expectStatus(200, await ask(new URL(session.wallet_request.request_uri).pathname))
  const { state } = readRequestObject(jws)
  await pause()
  const refusal = new URLSearchParams({ error: 'access_denied', state }).toString()
  expectStatus(200, await ask(`/v1/verify/${session.verification_id}/callback`, formPost(refusal)))
}

function creation(
  number: number,
  end: End,
  { apiKey, isKept }: { readonly apiKey: string; readonly isKept: boolean },
): RequestInit {
  const { method, headers } = authorized(apiKey, 'POST')
  const request = {
    ...OVER_18,
    ...(isKept && { evidence: true }),
    metadata: { number: String(number) },
    expires_in: end === 'expired' ? 60 : 900,
  }
  const more = { 'content-type': 'application/json', 'idempotency-key': `session-${number}` }
  return { method, headers: { ...headers, ...more }, body: JSON.stringify(request) }
}

/** Reads all entries of the list. */
export async function readList(ask: Ask, apiKey: string): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = []
  for (let query = '', hasMore = true; hasMore; ) {
    const page = JSON.parse((await ask(`/v1/verify?limit=100${query}`, authorized(apiKey))).text)
    listed.push(...page.verifications)
    query = `&after=${page.next}`
    hasMore = page.has_more
  }
  return listed
}

export function authorized(apiKey: string, method = 'GET') {
  return { method, headers: { authorization: `Bearer ${apiKey}` } }
}
