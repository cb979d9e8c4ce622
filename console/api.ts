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

/** A problem of the API (RFC 9457). */
export type Problem = {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly request_id: string | null
  readonly errors: readonly { readonly pointer: string; readonly message: string }[]
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem }

/** Milliseconds until a call counts as failed. */
const TIMEOUT_MS = 30_000

let changeToken = ''
let onSignedOut = () => undefined as void

/** Sets the token of changes, and what happens when the sign-in has ended. */
export function useSession(session: Session | null, signedOut: () => void): void {
  changeToken = session?.change_token ?? ''
  onSignedOut = signedOut
}

/** Signs in with a key, the operator's token, or a code. */
export function signIn(body: { readonly token: string } | { readonly code: string }) {
  return send<Session>('POST', '/console/session', body)
}

export function readSession() {
  return send<Session>('GET', '/console/session')
}

export function signOut() {
  return send<null>('DELETE', '/console/session')
}

/** Calls the API, for example `call('GET', '/v1/verify')`. */
export async function call<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  const answer = await send<T>(method, `/console/api${path}`, body)
  if (!answer.ok && answer.problem.status === 401) onSignedOut()
  return answer
}

/** Calls the API and returns the text of the response, such as a receipt. */
export function callText(method: string, path: string): Promise<Answer<string>> {
  return send<string>(method, `/console/api${path}`)
}

async function send<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  const headers: Record<string, string> = { accept: 'application/json, */*' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (method !== 'GET') headers['console-token'] = changeToken
  try {
    const response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    const value = isJson && text !== '' ? JSON.parse(text) : text
    if (response.ok) return { ok: true, value }
    const problem: Partial<Problem> = typeof value === 'object' ? value : {}
    return { ok: false, problem: { ...UNREADABLE, ...problem, status: response.status } }
  } catch {
    return { ok: false, problem: { ...UNREADABLE, status: 0, code: 'unreachable' } }
  }
}

const UNREADABLE: Problem = {
  status: 0,
  code: 'unreadable',
  title: '',
  detail: '',
  request_id: null,
  errors: [],
}
