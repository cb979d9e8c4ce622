// One attempt to deliver an event (api/webhooks), or to upload the evidence of a session to an object store.
// The attempt is one request, follows no redirect and ends after 15 seconds. Only the status of the response
// decides if an event is delivered. The response's body is read up to a limit, and its start is stored for
// the log.

import { readStart } from '../net/bounded-read.ts'
import { withTimeLimit } from '../net/time-limit.ts'
import { parseRetryAfter } from './schedule.ts'

/**
 * Input of one attempt. Immediately before the attempt, the caller must check that the URL is allowed. This
 * check is needed even if the URL was checked when the webhook was configured.
 */
export type Post = {
  readonly url: string
  /** Default: POST. */
  readonly method?: string
  /** The serialised event, which is the same for every attempt, or evidence. Null: no body. */
  readonly body: string | Uint8Array<ArrayBuffer> | null
  /** The headers of this attempt, such as the signature headers of an event. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Returns the current time in Unix milliseconds. */
  readonly clock: () => number
  readonly timeoutMs?: number
}

/** Result of one attempt. */
export type AttemptOutcome = {
  /** HTTP status of the response. `null` means that no response arrived. */
  readonly status: number | null
  readonly error: AttemptError | null
  /** Wait that the receiver requested, in milliseconds. `null` means that the receiver requested none. */
  readonly retryAfter: number | null
  readonly durationMs: number
  /** Start of the response's body, as text. Absent without a response. */
  readonly excerpt?: string
}

/**
 * `redirect`: the receiver returned a 3xx status, which is never followed. `forbidden_url`: the endpoint's
 * URL is no longer allowed, so nothing was sent. `unknown`: the attempt was started, and its result is not
 * known.
 */
export type AttemptError = 'timeout' | 'connection' | 'redirect' | 'forbidden_url' | 'unknown'

/** Time limit of one attempt, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000

/** Returns whether the receiver accepted the event with a 2xx status. */
export function hasSucceeded({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/**
 * Returns whether the status is 410 Gone, which means that the receiver wants no more events. The endpoint is
 * then disabled until somebody enables it.
 */
export function disablesEndpoint({ status }: Pick<AttemptOutcome, 'status'>): boolean {
  return status === 410
}

/** Makes one attempt. The promise never rejects: every failure is returned as an outcome. */
export function deliver(post: Post): Promise<AttemptOutcome> {
  const { timeoutMs = ATTEMPT_TIMEOUT_MS } = post
  return withTimeLimit(timeoutMs, (signal) => attempt(post, signal))
}

async function attempt(post: Post, signal: AbortSignal): Promise<AttemptOutcome> {
  const { clock } = post
  const started = clock()
  /** Returns the milliseconds since the start; 0 if the clock was set back. */
  const duration = () => Math.max(0, clock() - started)
  try {
    const { response, excerpt } = await send(post, signal)
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'), clock())
    return { ...toOutcome(response), retryAfter, durationMs: duration(), excerpt }
  } catch {
    // Platforms use different errors for a refused connection, a failed look-up and a broken response. The
    // log uses `connection` for all three.
    const error = signal.aborted ? 'timeout' : 'connection'
    return { status: null, error, retryAfter: null, durationMs: duration() }
  }
}

async function send({ url, method = 'POST', body, headers, fetch }: Post, signal: AbortSignal) {
  const response = await fetch(url, {
    method,
    headers: { ...HEADERS, ...headers },
    body,
    redirect: 'manual',
    signal,
  })
  return { response, excerpt: await readExcerpt(response) }
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'wallet-verifier' }

const BODY_LIMIT = 4096

/** Bytes of the body that the log shows. */
const EXCERPT_BYTES = 1024

/**
 * Reads the response's body up to a limit, so that a receiver can send a short body completely. Returns the
 * start of the body as text. An error of the body is ignored, because the status is already known.
 */
async function readExcerpt(response: Response): Promise<string> {
  const start = await readStart(response, EXCERPT_BYTES, BODY_LIMIT)
  return new TextDecoder().decode(start)
}

function toOutcome({ status }: Response): Pick<AttemptOutcome, 'status' | 'error'> {
  return { status, error: status >= 300 && status < 400 ? 'redirect' : null }
}
