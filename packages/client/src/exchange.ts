// One call to the service, with retries. Never throws. Only the status decides about a retry, never a body,
// because a proxy may have sent the response.

import { err, ok, type Result } from './result.ts'

/** Address of the service, and the credentials for it. */
export type Connection = {
  /** Origin of the service, `https://verifier.example`. */
  readonly baseUrl: string
  /** An API key, or a function that returns the current access token, as `accessTokens` does. */
  readonly token: string | (() => Credential | Promise<Credential>)
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch
  /** Time limit of one attempt in milliseconds, beside the time of a long poll. Default: 30,000. */
  readonly timeoutMs?: number
}

/** An API key or access token, or the reason why there is none. */
export type Credential = string | Result<string, Problem>

/** Why a call failed. */
export type Problem = {
  /**
   * A code of the service, or a code of this client. `unreachable`: no whole response arrived.
   * `unexpected_answer`: the response is not the service's, such as one of a proxy. `token_unavailable`: your
   * `token` function threw.
   */
  readonly code: string
  /** HTTP status; null without a response. */
  readonly status: number | null
  readonly title: string
  /** The error and its remedy; null if the service sent no problem details (RFC 9457). */
  readonly detail: string | null
  /** Address of a page about the code. */
  readonly type: string | null
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  readonly request_id: string | null
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
}

/** One call. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Sent as JSON. `URLSearchParams` are sent as a form, for the token endpoint. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The successful response: a JSON object (default), no body, or a text of this media type. */
  readonly expects?: 'object' | 'nothing' | `application/${string}`
  /** False if a second call would have a second effect. Such a call is repeated after 429 only. */
  readonly isRepeatable?: boolean
  /** Time that the service may wait before it responds, in milliseconds. */
  readonly waitMs?: number
  readonly signal?: AbortSignal | undefined
}

const ATTEMPTS = 4
const TIMEOUT_MS = 30_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/** Statuses of a service or proxy that cannot respond now. */
const RETRIED: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * Makes a call, with up to four attempts. Waits as `Retry-After` requires, at most 30 s. Returns the JSON
 * object of the response, its text, or null.
 */
export async function exchange(connection: Connection, call: Call): Promise<Result<unknown, Problem>> {
  for (let count = 1; ; count++) {
    const token = await credentialOf(connection)
    if (!token.ok) return token
    const { result, retryAfterMs } = await attempt(connection, call, token.value)
    if (result.ok || count === ATTEMPTS || !isRetried(call, result.error)) return result
    await pause(retryAfterMs ?? FIRST_PAUSE_MS * 2 ** count, call.signal)
  }
}

function isRetried({ isRepeatable = true, signal }: Call, { status }: Problem): boolean {
  if (signal?.aborted) return false
  if (status === null) return isRepeatable
  return isRepeatable ? RETRIED.has(status) : status === 429
}

async function credentialOf({ token }: Connection): Promise<Result<string, Problem>> {
  try {
    const credential = typeof token === 'function' ? await token() : token
    return typeof credential === 'string' ? ok(credential) : credential
  } catch (error) {
    return err({ ...NO_RESPONSE, code: 'token_unavailable', title: messageOf(error) })
  }
}

type Attempt = { readonly result: Result<unknown, Problem>; readonly retryAfterMs: number | null }

async function attempt(connection: Connection, call: Call, token: string): Promise<Attempt> {
  const { baseUrl, fetch: send = fetch, timeoutMs = TIMEOUT_MS } = connection
  const { method, path, body, expects = 'object', waitMs = 0, signal } = call
  const accept = expects.includes('/') ? expects : 'application/json'
  const isForm = body instanceof URLSearchParams
  try {
    const deadline = AbortSignal.timeout(timeoutMs + waitMs)
    const response = await send(new URL(path, baseUrl), {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: `${accept}, application/problem+json`,
        ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
      // The service never redirects, and the token must reach no other origin. Workers do not support 'error'
      // here.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    const text = await response.text()
    const result = response.ok ? readValue(response, text, expects) : err(problemOf(response, text, isForm))
    return { result, retryAfterMs: retryAfter(response) }
  } catch (error) {
    return { result: err({ ...NO_RESPONSE, title: messageOf(error) }), retryAfterMs: null }
  }
}

const NO_RESPONSE = {
  code: 'unreachable',
  status: null,
  detail: null,
  type: null,
  retryable: true,
  request_id: null,
  errors: [],
}

/** Reads a success. A body of any other kind than the expected kind does not come from the service. */
function readValue(response: Response, text: string, expects: Call['expects']): Result<unknown, Problem> {
  if (expects === 'nothing') return text === '' ? ok(null) : err(unexpected(response))
  if (expects === 'object') {
    const json = parseObject(text)
    return json === undefined ? err(unexpected(response)) : ok(json)
  }
  const [mediaType] = (response.headers.get('Content-Type') ?? '').split(';')
  return mediaType?.trim().toLowerCase() === expects ? ok(text) : err(unexpected(response))
}

/**
 * Reads problem details, or the error of the token endpoint (RFC 6749 §5.2), the only endpoint that accepts a
 * form.
 */
function problemOf(response: Response, text: string, isForm: boolean): Problem {
  const { code, title, detail, type, retryable, request_id, errors, error, error_description } =
    parseObject(text) ?? {}
  const fallback = unexpected(response)
  if (isForm && typeof error === 'string')
    return { ...fallback, code: error, title: textOr(error_description, error) }
  if (typeof code !== 'string') return fallback
  return {
    code,
    status: response.status,
    title: textOr(title, fallback.title),
    detail: textOr(detail, null),
    type: textOr(type, null),
    retryable: typeof retryable === 'boolean' ? retryable : fallback.retryable,
    request_id: textOr(request_id, null),
    errors: Array.isArray(errors) ? errors : [],
  }
}

function unexpected({ status }: Response): Problem {
  const title = `HTTP ${status} with a body that is not of the service: check the address and proxies before it`
  return { ...NO_RESPONSE, code: 'unexpected_answer', status, title, retryable: RETRIED.has(status) }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject ? (json as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}

/** Reads `Retry-After` in seconds. Other forms count as absent. */
function retryAfter({ headers }: Response): number | null {
  const seconds = headers.get('Retry-After') ?? ''
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1000, LONGEST_PAUSE_MS) : null
}

/** `fetch` reports most failures as "fetch failed", with the reason as the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Resolves early when the caller aborts. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
