// One attempt to deliver an event (api/webhooks): one POST, no redirect, 15 seconds. Only the status of the
// response counts. Its body is read within bounds, and its start is kept for the log.

import { readStart } from '../net/bounded-read.ts'
import { withTimeLimit } from '../net/time-limit.ts'
import { parseRetryAfter } from './schedule.ts'

/** Input of one attempt. The caller has checked the URL at this moment, not only when it was configured. */
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

/** Result of one attempt. */
export type AttemptOutcome = {
  /** `null`: no response. */
  readonly status: number | null
  readonly error: AttemptError | null
  /** Milliseconds the receiver asked us to wait. */
  readonly retryAfter: number | null
  readonly durationMs: number
  /** Start of the response's body, as text. Absent without a response. */
  readonly excerpt?: string
}

/**
 * `redirect`: a 3xx, never followed. `forbidden_url`: the endpoint's URL is no longer allowed, nothing was
 * sent. `unknown`: the attempt was started, and its result was lost.
 */
export type AttemptError = 'timeout' | 'connection' | 'redirect' | 'forbidden_url' | 'unknown'

/** Time limit for the response of a receiver. */
export const ATTEMPT_TIMEOUT_MS = 15_000

/** Success is any 2xx. */
export function hasSucceeded({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/** 410 Gone: the receiver wants no more events. Its endpoint is disabled until someone enables it. */
export function disablesEndpoint({ status }: Pick<AttemptOutcome, 'status'>): boolean {
  return status === 410
}

/** Sends one attempt. Never rejects: every failure is an outcome. */
export function deliver(post: Post): Promise<AttemptOutcome> {
  const { timeoutMs = ATTEMPT_TIMEOUT_MS } = post
  return withTimeLimit(timeoutMs, (signal) => attempt(post, signal))
}

async function attempt(post: Post, signal: AbortSignal): Promise<AttemptOutcome> {
  const { clock } = post
  const started = clock()
  try {
    const { response, excerpt } = await send(post, signal)
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'), clock())
    return { ...toOutcome(response), retryAfter, durationMs: clock() - started, excerpt }
  } catch {
    // The platforms name a refused connection, a failed look-up and a broken response differently. The log
    // has one name for all.
    const error = signal.aborted ? 'timeout' : 'connection'
    return { status: null, error, retryAfter: null, durationMs: clock() - started }
  }
}

async function send({ url, body, headers, fetch }: Post, signal: AbortSignal) {
  const response = await fetch(url, {
    method: 'POST',
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
 * Reads the response, so that the receiver is not interrupted, and returns its start as text. The status has
 * arrived in time, so an error of the body changes nothing.
 */
async function readExcerpt(response: Response): Promise<string> {
  const start = await readStart(response, EXCERPT_BYTES, BODY_LIMIT)
  return new TextDecoder().decode(start)
}

function toOutcome({ status }: Response): Pick<AttemptOutcome, 'status' | 'error'> {
  return { status, error: status >= 300 && status < 400 ? 'redirect' : null }
}
