// One call to the service: tried again where that is safe, and never thrown. Every call of this client may be repeated: reads
// change nothing, creations carry an idempotency key, and the other verbs answer a repetition alike.

import { err, ok, type Result } from '../../../src/result.ts'
import type { Problem } from './wire.ts'

/** How calls are made. */
export type Connection = {
  /** Origin of the service, `https://verifier.example`. */
  readonly baseUrl: string
  /** An API key, or a function that gives the access token of the moment. */
  readonly token: string | (() => string | Promise<string>)
  /** Instead of the platform's. */
  readonly fetch?: typeof fetch
}

/** One call. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Media type of an answer that is text. Without it answers are JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}

const TRIES = 4
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/** Makes a call, up to four times: `Retry-After` is honoured up to 30 s. The value is the JSON of the answer, null for none; of `accept`, its text. */
export async function exchange(connection: Connection, call: Call): Promise<Result<unknown, Problem>> {
  for (let tried = 1; ; tried++) {
    const answer = await attempt(connection, call)
    if (answer.ok || !answer.error.retryable || tried === TRIES || call.signal?.aborted) {
      return answer.ok ? answer : err(problemOf(answer.error))
    }
    await pause(answer.error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** tried, call.signal)
  }
}

type Failure = Problem & { readonly retryAfterMs: number | null }

async function attempt(connection: Connection, call: Call): Promise<Result<unknown, Failure>> {
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
      // The service never redirects, and the token goes nowhere else. Workers know no 'error' here: a redirect is no success.
      redirect: 'manual',
      signal: call.signal ?? null,
    })
    const text = await response.text()
    if (response.ok && call.accept !== undefined) return ok(text)
    const json = text === '' ? null : (JSON.parse(text) as unknown)
    return response.ok ? ok(json) : err(failureOf(response, json))
  } catch (error) {
    return err(unreachable(error instanceof Error ? error.message : String(error)))
  }
}

/** Reads problem details; what a proxy in between wrote instead of them has a status, and nothing else to go by. */
function failureOf(response: Response, json: unknown): Failure {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const said = typeof json === 'object' && json !== null ? (json as Partial<Problem>) : {}
  return {
    code: said.code ?? 'unexpected_answer',
    status: response.status,
    title: said.title ?? `HTTP ${response.status}`,
    retryable: said.retryable ?? response.status >= 500,
    request_id: said.request_id ?? null,
    errors: said.errors ?? [],
    retryAfterMs: Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : null,
  }
}

function unreachable(title: string): Failure {
  return {
    code: 'unreachable',
    status: null,
    title,
    retryable: true,
    request_id: null,
    errors: [],
    retryAfterMs: null,
  }
}

function problemOf({ retryAfterMs: _, ...problem }: Failure): Problem {
  return problem
}

/** Resolves early when the caller gives up. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
