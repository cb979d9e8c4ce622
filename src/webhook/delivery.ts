// One attempt to deliver an event (CONTRACT 7): one POST, no redirect, 15 seconds. What the receiver says besides its
// status is read within bounds and forgotten.

import { readAtMost } from '../net/bounded-read.ts'
import { withTimeLimit } from '../net/time-limit.ts'
import { parseRetryAfter } from './schedule.ts'

/** What one attempt needs. The URL has been judged by the caller, at this moment and not only when it was set. */
export type Post = {
  readonly url: string
  /** The event's bytes, the same for every attempt. */
  readonly body: string
  /** The signature headers of this attempt. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The current time, Unix milliseconds. */
  readonly clock: () => number
  readonly timeoutMs?: number
}

/** What came of one attempt. */
export type AttemptOutcome = {
  /** `null`: no answer came. */
  readonly status: number | null
  readonly error: AttemptError | null
  /** Milliseconds the receiver asked us to wait. */
  readonly retryAfter: number | null
  readonly durationMs: number
}

/**
 * `redirect`: a 3xx, never followed. `forbidden_url`: the endpoint's URL is no longer allowed, nothing was sent.
 * `unknown`: the attempt was begun, and what came of it was never learnt.
 */
export type AttemptError = 'timeout' | 'connection' | 'redirect' | 'forbidden_url' | 'unknown'

/** A receiver has this long to answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000

/** Success is any 2xx. */
export function hasSucceeded({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/** 410 Gone: the receiver wants no more events; its endpoint is disabled until it is enabled by hand. */
export function disablesEndpoint({ status }: Pick<AttemptOutcome, 'status'>): boolean {
  return status === 410
}

/** Sends one attempt. Never rejects: whatever the receiver does is an outcome. */
export function deliver(post: Post): Promise<AttemptOutcome> {
  const { timeoutMs = ATTEMPT_TIMEOUT_MS } = post
  return withTimeLimit(timeoutMs, (signal) => attempt(post, signal))
}

async function attempt(post: Post, signal: AbortSignal): Promise<AttemptOutcome> {
  const { clock } = post
  const started = clock()
  try {
    const response = await send(post, signal)
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'), clock())
    return { ...judge(response), retryAfter, durationMs: clock() - started }
  } catch {
    // The platforms name a refused connection, a failed look-up and a broken answer differently; the log does not.
    const error = signal.aborted ? 'timeout' : 'connection'
    return { status: null, error, retryAfter: null, durationMs: clock() - started }
  }
}

async function send({ url, body, headers, fetch }: Post, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body,
    redirect: 'manual',
    signal,
  })
  await drainBody(response)
  return response
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'wallet-verifier' }

const ANSWER_LIMIT = 4096

/** Lets a polite receiver finish its sentence. The status has come in time by then; how the body ends changes nothing. */
async function drainBody(response: Response): Promise<void> {
  await readAtMost(response, ANSWER_LIMIT).catch(() => undefined)
}

function judge({ status }: Response): Pick<AttemptOutcome, 'status' | 'error'> {
  return { status, error: status >= 300 && status < 400 ? 'redirect' : null }
}
