// Calls of the public API behind the console's cookie (src/routes/console).

import { askOtherTabs, pageToken, setPageToken, storedToken } from './sign-in/page-token.ts'

/** Who is signed in. */
export type Session = {
  readonly owner: 'relying_party' | 'operator'
  /** Address of the service, which may have another host name than this page. */
  readonly base_url: string
  readonly expires_at: string
  readonly relying_party: {
    readonly relying_party_id: string
    readonly name: string
    readonly livemode: boolean
  } | null
  readonly scopes: readonly string[]
  /** The person who signed in by their organisation; null: a key or the operator's token. */
  readonly person: { readonly subject: string; readonly name: string | null } | null
}

/** Returns the mode of the relying party: `live` or `test`. */
export function modeOf({ relying_party }: Session): string {
  return relying_party?.livemode === true ? 'live' : 'test'
}

/** A problem of the API (RFC 9457). `status` is 0 without a response. */
export type Problem = {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request_id: string | null
  readonly errors: readonly { readonly pointer: string; readonly message: string }[]
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem }

/** Milliseconds until a call counts as failed. */
const TIMEOUT_MS = 30_000

/** The session ended, another tab has signed in since, or a change needs a fresh sign-in. */
export type SessionEnd = 'session_ended' | 'signed_in_elsewhere' | 'fresh_sign_in_required'

let onSessionEnd = (_: SessionEnd): void => undefined

/** Sets the token of this page, and the function that is called when a person must sign in again. */
export function useSession(token: string, sessionEnded: (end: SessionEnd) => void): void {
  setPageToken(token)
  onSessionEnd = sessionEnded
}

/** A session, and the token of its page. */
export type Opened = { readonly session: Session; readonly token: string }

/** Data with which a person signs in. */
export type SignInBody =
  | { readonly token: string }
  | { readonly code: string }
  | { readonly person: { readonly relying_party_id: string } }

/** Signs in with a key, the operator's token, a code, or the response of a person's provider. */
export async function signIn(body: SignInBody): Promise<Answer<Opened>> {
  const answer = await send<Session & { change_token: string }>('POST', '/console/session', body)
  if (!answer.ok) return answer
  return { ok: true, value: { session: answer.value, token: answer.value.change_token } }
}

/**
 * Continues the sign-in of this browser, with the token of this tab or of another tab. Null: the person must
 * sign in.
 */
export async function resume(): Promise<Answer<Opened | null>> {
  const own = await readSession(storedToken())
  if (own.ok || own.problem.code !== 'cross_site_request') return isOver(own) ? SIGN_IN : own
  const other = await askOtherTabs(async (token) => {
    const answer = await readSession(token)
    return isOver(answer) ? undefined : answer
  })
  return other ?? SIGN_IN
}

const SIGN_IN = { ok: true, value: null } as const

async function readSession(token: string): Promise<Answer<Opened>> {
  const answer = await send<Session>('GET', '/console/session', undefined, headersOf(token))
  return answer.ok ? { ok: true, value: { session: answer.value, token } } : answer
}

/** Returns `true` without a sign-in, and for the token of another sign-in. Other problems are shown. */
function isOver(answer: Answer<Opened>): boolean {
  return !answer.ok && (answer.problem.status === 401 || answer.problem.code === 'cross_site_request')
}

/** Signs out. A person gets the address at which they can sign out of their provider. */
export function signOut() {
  return sendOfPage<'' | { readonly end_session_url: string }>('DELETE', '/console/session')
}

/** Starts the sign-in of a person. */
export function startPerson(relying_party_id: string, fresh: boolean) {
  const body = { relying_party_id, fresh }
  return send<{ readonly authorization_url: string }>('POST', '/console/people', body)
}

/** Says that a person did something. */
export function renewSession() {
  return sendOfPage<string>('POST', '/console/session/activity')
}

/** Reads if the sign-in of this page goes on. */
export function checkSession() {
  return sendOfPage<Session>('GET', '/console/session')
}

/** Calls the API, for example `call('GET', '/v1/verify')`. A body that is not JSON is returned as text. */
export function call<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  return sendOfPage<T>(method, `/console/api${path}`, body)
}

/** Sends a call with the token of this page. */
async function sendOfPage<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  const token = pageToken()
  const answer = await send<T>(method, path, body, headersOf(token))
  // A late response to a call of an earlier sign-in does not end the present sign-in.
  if (answer.ok || token !== pageToken()) return answer
  if (answer.problem.status === 401) onSessionEnd('session_ended')
  // The cookie belongs to another sign-in, which has another token.
  if (answer.problem.code === 'cross_site_request') onSessionEnd('signed_in_elsewhere')
  if (answer.problem.code === 'fresh_sign_in_required') onSessionEnd('fresh_sign_in_required')
  return answer
}

function headersOf(token: string) {
  return { 'console-token': token }
}

/** Reads a public resource of the service, which needs no token. */
export function readPublic<T>(path: string): Promise<Answer<T>> {
  return send<T>('GET', path)
}

async function send<T>(method: string, path: string, body?: object, further = {}): Promise<Answer<T>> {
  const headers: Record<string, string> = { accept: 'application/json, */*', ...further }
  if (body !== undefined) headers['content-type'] = 'application/json'
  try {
    const response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
    const value = isJson ? JSON.parse(text) : text
    if (response.ok) return { ok: true, value }
    const problem: Partial<Problem> = isJson ? value : {}
    return { ok: false, problem: { ...NO_RESPONSE, code: 'failed', ...problem, status: response.status } }
  } catch {
    return { ok: false, problem: NO_RESPONSE }
  }
}

const NO_RESPONSE: Problem = { status: 0, code: 'unreachable', detail: '', request_id: null, errors: [] }
