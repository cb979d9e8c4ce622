// The service as a relying party's server calls it. Web standards only: Node, Workers, Deno and browsers run it as it is.
// Failures are values: look at `ok`, then at `value` or `error`.

import { err, ok, type Result } from '../../../src/result.ts'
import { type Connection, exchange } from './exchange.ts'
import type { CreatedVerification, EventPage, Problem, Verification, VerificationRequest } from './wire.ts'

/** The calls of one relying party. */
export type Client = {
  /**
   * Creates a verification. Without an `idempotencyKey` of yours one is drawn, so that a retry after a lost answer finds the
   * verification instead of making a second one.
   */
  readonly create: (
    request: VerificationRequest,
    options?: { readonly idempotencyKey?: string; readonly signal?: AbortSignal },
  ) => Promise<Result<CreatedVerification, Problem>>
  /** Reads a verification as it is now. */
  readonly get: (id: string, options?: Abortable) => Promise<Result<Verification, Problem>>
  /**
   * Waits until a verification is over, `timeoutMs` (default 10 minutes) at most; then it is returned as it is. Long polls,
   * so it hears of the end at once.
   */
  readonly wait: (
    id: string,
    options?: Abortable & { readonly timeoutMs?: number },
  ) => Promise<Result<Verification, Problem>>
  /** Cancels; a verification that ended otherwise is `verification_already_terminal`. */
  readonly cancel: (id: string, options?: Abortable) => Promise<Result<Verification, Problem>>
  /** Erases a verification and all it knows. */
  readonly erase: (id: string, options?: Abortable) => Promise<Result<null, Problem>>
  /**
   * The receipt of a verification that is over: a compact JWS, to be kept. `verifyReceipt` reads it. While it is not over,
   * `verification_pending`.
   */
  readonly receipt: (id: string, options?: Abortable) => Promise<Result<string, Problem>>
  /** Redeems the `return_code` that a browser brought to your `return_url` (CONTRACT 5). */
  readonly redeem: (
    id: string,
    returnCode: string,
    options?: Abortable,
  ) => Promise<Result<Verification, Problem>>
  /** One page of the events of the last 30 days, oldest first. Keep `next` for the call after. */
  readonly events: (
    options?: Abortable & { readonly after?: string; readonly limit?: number },
  ) => Promise<Result<EventPage, Problem>>
}

type Abortable = { readonly signal?: AbortSignal }

const RECEIPT_TYPE = 'application/verification-receipt+jwt'
const WAIT_SECONDS = 25
const DEFAULT_WAIT_MS = 600_000

/** Makes a client. Nothing is called before its first method is. */
export function createClient(connection: Connection): Client {
  const at = (id: string, rest = '') => `/v1/verify/${encodeURIComponent(id)}${rest}`
  // What the service answers with is the type its contract says; it is not validated a second time here.
  const call = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, given: Given) =>
    exchange(connection, { method, path, ...given }) as Promise<Result<T, Problem>>
  return {
    create: (request, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      call('POST', '/v1/verify', { body: request, headers: { 'Idempotency-Key': idempotencyKey }, signal }),
    get: (id, { signal } = {}) => call('GET', at(id), { signal }),
    wait: (id, options = {}) =>
      waitForEnd((query, signal) => call('GET', at(id, query), { signal }), options),
    cancel: (id, { signal } = {}) => call('POST', at(id, '/cancel'), { signal }),
    erase: (id, { signal } = {}) => call('DELETE', at(id), { signal }),
    receipt: (id, { signal } = {}) => call('GET', at(id, '/receipt'), { accept: RECEIPT_TYPE, signal }),
    redeem: (id, returnCode, { signal } = {}) =>
      call('POST', at(id, '/return'), { body: { return_code: returnCode }, signal }),
    events: ({ after = '', limit = 50, signal } = {}) =>
      call('GET', `/v1/events?${new URLSearchParams({ after, limit: String(limit) })}`, { signal }),
  }
}

type Given = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}

type Look = (query: string, signal: AbortSignal | undefined) => Promise<Result<Verification, Problem>>

async function waitForEnd(
  look: Look,
  { signal, timeoutMs = DEFAULT_WAIT_MS }: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<Result<Verification, Problem>> {
  const deadline = Date.now() + timeoutMs
  let query = ''
  for (;;) {
    const found = await look(query, signal)
    if (!found.ok) return err(found.error)
    const left = Math.min(Math.floor((deadline - Date.now()) / 1000), WAIT_SECONDS)
    if (found.value.status !== 'pending' || left < 1) return ok(found.value)
    query = `?wait=${left}&after_version=${found.value.version}`
  }
}
