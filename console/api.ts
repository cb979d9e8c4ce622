// Calls of the public API behind the console's cookie (src/routes/console).

/** Who is signed in. */
export type Session = {
  readonly owner: 'relying_party' | 'operator'
  readonly change_token: string
  readonly expires_at: string
  readonly relying_party: {
    readonly relying_party_id: string
    readonly name: string
    readonly livemode: boolean
  } | null
  readonly scopes: readonly string[]
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

/** The session ended, or another tab has signed in since. */
export type SessionEnd = 'session_ended' | 'signed_in_elsewhere'

let pageToken = ''
let onSessionEnd = (_: SessionEnd): void => undefined

/** Sets the token of this page, and what happens when its session has ended. */
export function useSession(session: Session | null, sessionEnded: (end: SessionEnd) => void): void {
  pageToken = session?.change_token ?? ''
  onSessionEnd = sessionEnded
}

/** Signs in with a key, the operator's token, or a code. */
export function signIn(body: { readonly token: string } | { readonly code: string }) {
  return send<Session>('POST', '/console/session', body)
}

export function readSession() {
  return send<Session>('GET', '/console/session')
}

export function signOut() {
  return sendOfPage<string>('DELETE', '/console/session')
}

/** Calls the API, for example `call('GET', '/v1/verify')`. A body that is not JSON is returned as text. */
export function call<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  return sendOfPage<T>(method, `/console/api${path}`, body)
}

/** Sends a call with the token of this page. */
async function sendOfPage<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  const token = pageToken
  const answer = await send<T>(method, path, body, { 'console-token': token })
  // A late response to a call of an earlier sign-in does not end this one.
  if (answer.ok || token !== pageToken) return answer
  if (answer.problem.status === 401) onSessionEnd('session_ended')
  // The cookie is that of another sign-in, which has another token.
  if (answer.problem.code === 'cross_site_request') onSessionEnd('signed_in_elsewhere')
  return answer
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
