// One call to the service, with retries. Never throws. Every call may be repeated: reads change nothing, and
// creations carry an idempotency key. The service gives the same response to a repeated call of the others.

import { err, ok, type Result } from './result.ts'

/** Address of the service, and the credentials for it. */
export type Connection = {
  /** Origin of the service, `https://verifier.example`. */
  readonly baseUrl: string
  /** An API key, or a function that returns the current access token. */
  readonly token: string | (() => string | Promise<string>)
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch
}

/** Why a call failed: a problem of the service (RFC 9457), or `unreachable` without a response. */
export type Problem = {
  readonly code: string
  /** HTTP status; null without a response. */
  readonly status: number | null
  readonly title: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  readonly request_id: string | null
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
}

/** One call. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Media type of a text response. Default: JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}

const ATTEMPTS = 4
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/**
 * Makes a call, with up to four attempts. Waits as `Retry-After` requires, at most 30 s. Returns the JSON of
 * the response, null for an empty one, or its text with `accept`.
 */
export async function exchange(connection: Connection, call: Call): Promise<Result<unknown, Problem>> {
  for (let count = 1; ; count++) {
    const result = await attempt(connection, call)
    if (result.ok) return result
    const { retryAfterMs, ...problem } = result.error
    if (!problem.retryable || count === ATTEMPTS || call.signal?.aborted) return err(problem)
    await pause(retryAfterMs ?? FIRST_PAUSE_MS * 2 ** count, call.signal)
  }
}

type RetryableProblem = Problem & { readonly retryAfterMs: number | null }

async function attempt(connection: Connection, call: Call): Promise<Result<unknown, RetryableProblem>> {
  const { baseUrl, token } = connection
  const send = connection.fetch ?? fetch
  try {
    const bearer = typeof token === 'string' ? token : await token()
    const response = await send(new URL(call.path, baseUrl), {
      method: call.method,
      headers: {
        Authorization: `Bearer ${bearer}`,
        Accept: `${call.accept ?? 'application/json'}, application/problem+json`,
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      // The service never redirects, and the token must reach no other origin. Workers do not support 'error'
      // here.
      redirect: 'manual',
      signal: call.signal ?? null,
    })
    const text = await response.text()
    if (response.ok && call.accept !== undefined) return ok(text)
    const json = text === '' ? null : (JSON.parse(text) as unknown)
    return response.ok ? ok(json) : err(problemOf(response, json))
  } catch (error) {
    return err(unreachable(error instanceof Error ? error.message : String(error)))
  }
}

/** Reads problem details. The response of a proxy has none: then the status alone describes the problem. */
function problemOf(response: Response, json: unknown): RetryableProblem {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const details = typeof json === 'object' && json !== null ? (json as Partial<Problem>) : {}
  return {
    code: details.code ?? 'unexpected_answer',
    status: response.status,
    title: details.title ?? `HTTP ${response.status}`,
    retryable: details.retryable ?? response.status >= 500,
    request_id: details.request_id ?? null,
    errors: details.errors ?? [],
    retryAfterMs: Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : null,
  }
}

function unreachable(title: string): RetryableProblem {
  const problem = { code: 'unreachable', status: null, title, retryable: true, request_id: null, errors: [] }
  return { ...problem, retryAfterMs: null }
}

/** Resolves early when the caller aborts. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
