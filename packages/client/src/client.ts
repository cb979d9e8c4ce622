// Client for a relying party's server. Uses web standards only: runs on Node, Workers, Deno and in browsers.
// Failures are values: check `ok`, then read `value` or `error`.

import { type Connection, exchange, type Problem } from './exchange.ts'
import { err, ok, type Result } from './result.ts'
import type { CreatedVerification, EventPage, Verification, VerificationRequest } from './wire.ts'

export type { Problem }

/** Calls of one relying party. */
export type Client = {
  /**
   * Creates a verification. Without an `idempotencyKey` the client generates one. A retry after a lost
   * response then returns the same verification.
   */
  readonly create: (
    request: VerificationRequest,
    options?: Abortable & { readonly idempotencyKey?: string },
  ) => Promise<Result<CreatedVerification, Problem>>
  /** Reads the current state of a verification. */
  readonly get: (id: string, options?: Abortable) => Promise<Result<Verification, Problem>>
  /**
   * Long-polls until a verification has ended, or for `timeoutMs` (default 10 minutes). Returns its state
   * then.
   */
  readonly wait: (
    id: string,
    options?: Abortable & { readonly timeoutMs?: number },
  ) => Promise<Result<Verification, Problem>>
  /** Cancels a verification. Fails with `verification_already_terminal` if it has ended otherwise. */
  readonly cancel: (id: string, options?: Abortable) => Promise<Result<Verification, Problem>>
  /** Erases a verification and all its data. */
  readonly erase: (id: string, options?: Abortable) => Promise<Result<null, Problem>>
  /**
   * Returns the receipt of an ended verification: a compact JWS to store. `verifyReceipt` verifies it. Fails
   * with `verification_pending` before the end.
   */
  readonly receipt: (id: string, options?: Abortable) => Promise<Result<string, Problem>>
  /** Redeems the `return_code` that a browser brought to your `return_url`. */
  readonly redeem: (
    id: string,
    returnCode: string,
    options?: Abortable,
  ) => Promise<Result<Verification, Problem>>
  /**
   * Returns one page of the events of the last 30 days, oldest first. Pass its `next` as `after` of the next
   * call.
   */
  readonly events: (
    options?: Abortable & { readonly after?: string; readonly limit?: number },
  ) => Promise<Result<EventPage, Problem>>
}

type Abortable = { readonly signal?: AbortSignal }

const RECEIPT_TYPE = 'application/verification-receipt+jwt'
const WAIT_SECONDS = 25
const DEFAULT_WAIT_MS = 600_000

/** Creates a client. Sends nothing before the first call. */
export function createClient(connection: Connection): Client {
  const at = (id: string, rest = '') => `/v1/verify/${encodeURIComponent(id)}${rest}`
  // The response has the documented type. It is not validated a second time here.
  const call = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, options: CallOptions) =>
    exchange(connection, { method, path, ...options }) as Promise<Result<T, Problem>>
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

type CallOptions = Omit<Parameters<typeof exchange>[1], 'method' | 'path'>

type Poll = (query: string, signal: AbortSignal | undefined) => Promise<Result<Verification, Problem>>

async function waitForEnd(
  poll: Poll,
  { signal, timeoutMs = DEFAULT_WAIT_MS }: Abortable & { readonly timeoutMs?: number },
): Promise<Result<Verification, Problem>> {
  const deadline = Date.now() + timeoutMs
  let query = ''
  for (;;) {
    const polled = await poll(query, signal)
    if (!polled.ok) return err(polled.error)
    const secondsLeft = Math.min(Math.floor((deadline - Date.now()) / 1000), WAIT_SECONDS)
    if (polled.value.status !== 'pending' || secondsLeft < 1) return ok(polled.value)
    query = `?wait=${secondsLeft}&after_version=${polled.value.version}`
  }
}
