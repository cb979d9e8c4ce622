// Client for a relying party's server. Uses web standards only: runs on Node, Workers, Deno and in browsers.
// Failures are values: check `ok`, then read `value` or `error`.

import { type Connection, type Credential, exchange, type Problem } from './exchange.ts'
import { err, ok, type Result } from './result.ts'
import type {
  CreatedOidcClient,
  CreatedVerification,
  DcApiRequests,
  DcApiResponse,
  DeliveryLog,
  EventPage,
  Insights,
  OidcClient,
  OidcClientChange,
  OidcClientList,
  OidcClientRequest,
  OidcSecret,
  OutcomeRequest,
  ProducedOutcome,
  RedeliveryPage,
  RedeliveryRange,
  Settings,
  SettingsChange,
  Status,
  Timeline,
  Verification,
  VerificationPage,
  VerificationRequest,
  WalletList,
  WebhookTest,
} from './wire.ts'

export type { Connection, Credential, Problem }

/** Calls of one relying party. */
export type Client = {
  /**
   * Creates a verification. Without an `idempotencyKey` the client generates one. A retry after a lost
   * response then returns the same verification.
   */
  readonly create: (
    request: VerificationRequest,
    options?: Abortable & { readonly idempotencyKey?: string },
  ) => Answer<CreatedVerification>
  /** Reads the current state of a verification. */
  readonly get: (id: string, options?: Abortable) => Answer<Verification>
  /**
   * Long-polls until a verification has ended, or for `timeoutMs` (default 10 minutes). Returns its state
   * then.
   */
  readonly wait: (id: string, options?: Abortable & { readonly timeoutMs?: number }) => Answer<Verification>
  /**
   * Lists your verifications, newest first. Pass its `next` as `after` of the next page, with the same
   * filters.
   */
  readonly list: (query?: ListQuery & Abortable) => Answer<VerificationPage>
  /** Returns what happened to a verification, oldest first. */
  readonly timeline: (id: string, options?: Abortable) => Answer<Timeline>
  /** Counts your verifications by hour or day, from `from` to `to`, which are times with an offset. */
  readonly insights: (
    query: { readonly from: string; readonly to: string; readonly step?: 'hour' | 'day' } & Abortable,
  ) => Answer<Insights>
  /** Lists the wallets that a creation may name in `wallet`. */
  readonly wallets: (options?: Abortable) => Answer<WalletList>
  /**
   * Cancels a verification. Fails with `verification_already_terminal` if the verification has another final
   * status.
   */
  readonly cancel: (id: string, options?: Abortable) => Answer<Verification>
  /** Erases a verification and all its data. */
  readonly erase: (id: string, options?: Abortable) => Answer<null>
  /**
   * Returns the receipt of an ended verification: a compact JWS to store. `verifyReceipt` verifies it. Fails
   * with `verification_pending` before the end.
   */
  readonly receipt: (id: string, options?: Abortable) => Answer<string>
  /**
   * Redeems the `return_code` that a browser brought to your `return_url`. For five minutes a code gets the
   * same response again.
   */
  readonly redeem: (id: string, returnCode: string, options?: Abortable) => Answer<Verification>
  /**
   * Returns the argument of `navigator.credentials.get` for a page of yours at `origin`. `wallet`: the id of
   * a wallet profile, or `any`.
   */
  readonly dcApiRequest: (
    id: string,
    options?: Abortable & { readonly origin?: string; readonly wallet?: string },
  ) => Answer<DcApiRequests>
  /** Sends the result that `navigator.credentials.get` returned to that page. */
  readonly dcApiResponse: (id: string, response: DcApiResponse, options?: Abortable) => Answer<Verification>
  /**
   * Returns one page of the events of the last 30 days, oldest first. Pass its `next` as `after` of the next
   * call. `after: 'latest'` returns no event, and the `next` of later events.
   */
  readonly events: (
    options?: Abortable & { readonly after?: string; readonly limit?: number },
  ) => Answer<EventPage>
  /** Returns the webhooks of a verification with every attempt. */
  readonly deliveries: (id: string, options?: Abortable) => Answer<DeliveryLog>
  /** Sends a webhook again. */
  readonly redeliver: (id: string, deliveryId: string, options?: Abortable) => Answer<DeliveryLog>
  /**
   * Sends the dead events of a time range again. While `has_more` is true, call it again with `next` as
   * `after` of the range.
   */
  readonly redeliverRange: (range: RedeliveryRange, options?: Abortable) => Answer<RedeliveryPage>
  /** Sends a test event to your webhook, and returns what your server responded. */
  readonly testWebhook: (options?: Abortable) => Answer<WebhookTest>
  /** Enables a webhook that a response with status 410 has disabled. */
  readonly enableWebhook: (options?: Abortable) => Answer<Settings>
  /** Reads your settings. */
  readonly settings: (options?: Abortable) => Answer<Settings>
  /** Changes the settings that it names. */
  readonly changeSettings: (change: SettingsChange, options?: Abortable) => Answer<Settings>
  /** Lists the OpenID Connect clients. */
  readonly oidcClients: (options?: Abortable) => Answer<OidcClientList>
  /** Registers an OpenID Connect client. Its secret is in this response only. */
  readonly createOidcClient: (request: OidcClientRequest, options?: Abortable) => Answer<CreatedOidcClient>
  /** Reads an OpenID Connect client. */
  readonly oidcClient: (clientId: string, options?: Abortable) => Answer<OidcClient>
  /** Changes the members that it names. */
  readonly changeOidcClient: (
    clientId: string,
    change: OidcClientChange,
    options?: Abortable,
  ) => Answer<CreatedOidcClient>
  /** Deletes an OpenID Connect client, which stops working within 60 s. */
  readonly deleteOidcClient: (clientId: string, options?: Abortable) => Answer<null>
  /** Creates a new secret. The old one works for 24 hours. */
  readonly rotateOidcSecret: (clientId: string, options?: Abortable) => Answer<OidcSecret>
  /** Produces an outcome with the test wallet. Test mode only. */
  readonly outcome: (id: string, request: OutcomeRequest, options?: Abortable) => Answer<ProducedOutcome>
}

/** Filters of a list, and its page. Times have an offset, as in `2027-01-31T12:00:00Z`. */
export type ListQuery = {
  readonly status?: readonly Status[]
  /** Inclusive. */
  readonly created_after?: string
  /** Exclusive. */
  readonly created_before?: string
  readonly credential_type?: string
  /** State of the outcome's webhook, once no attempt follows. */
  readonly webhook_state?: 'delivered' | 'dead'
  /** Code of the reason of the end, or of a refused response. */
  readonly reason?: string
  /** True: only verifications with a refused response. False: only those without one. */
  readonly has_attempts?: boolean
  /** Part of the id, or of any value of the metadata. Capitals make no difference. */
  readonly search?: string
  /** Three members at most. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly limit?: number
  readonly after?: string
}

/** The value of a call, or why it failed. */
type Answer<T> = Promise<Result<T, Problem>>

type Abortable = { readonly signal?: AbortSignal }

const RECEIPT_TYPE = 'application/verification-receipt+jwt'
const WAIT_SECONDS = 25
const DEFAULT_WAIT_MS = 600_000

/** Creates a client. Sends nothing before the first call. */
export function createClient(connection: Connection): Client {
  const at = (id: string, rest = '') => `/v1/verify/${encodeURIComponent(id)}${rest}`
  const oidcAt = (id: string, rest = '') => `/v1/oidc_clients/${encodeURIComponent(id)}${rest}`
  // The response has the documented type. It is not validated a second time here.
  const call = <T>(method: Call['method'], path: string, options: Omit<Call, 'method' | 'path'>) =>
    exchange(connection, { method, path, ...options }) as Answer<T>
  return {
    create: (request, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      call('POST', '/v1/verify', { body: request, headers: { 'Idempotency-Key': idempotencyKey }, signal }),
    get: (id, { signal } = {}) => call('GET', at(id), { signal }),
    wait: (id, options = {}) => waitForEnd((poll) => call('GET', at(id, poll.query), poll), options),
    list: ({ status = [], metadata = {}, signal, ...rest } = {}) => {
      const named = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])
      const query = new URLSearchParams([...status.map((one) => ['status', one]), ...named, ...pairsOf(rest)])
      return call('GET', `/v1/verify?${query}`, { signal })
    },
    timeline: (id, { signal } = {}) => call('GET', at(id, '/timeline'), { signal }),
    insights: ({ signal, ...rest }) =>
      call('GET', `/v1/insights?${new URLSearchParams(pairsOf(rest))}`, { signal }),
    wallets: ({ signal } = {}) => call('GET', '/v1/wallets', { signal }),
    cancel: (id, { signal } = {}) => call('POST', at(id, '/cancel'), { signal }),
    erase: (id, { signal } = {}) => call('DELETE', at(id), { expects: 'nothing', signal }),
    receipt: (id, { signal } = {}) => call('GET', at(id, '/receipt'), { expects: RECEIPT_TYPE, signal }),
    redeem: (id, returnCode, { signal } = {}) =>
      call('POST', at(id, '/return'), { body: { return_code: returnCode }, signal }),
    dcApiRequest: (id, { signal, ...body } = {}) => call('POST', at(id, '/dc-api/request'), { body, signal }),
    dcApiResponse: (id, body, { signal } = {}) => call('POST', at(id, '/dc-api'), { body, signal }),
    events: ({ after, limit = 50, signal } = {}) => {
      const query = new URLSearchParams({ ...(after && { after }), limit: String(limit) })
      return call('GET', `/v1/events?${query}`, { signal })
    },
    deliveries: (id, { signal } = {}) => call('GET', at(id, '/deliveries'), { signal }),
    redeliver: (id, deliveryId, { signal } = {}) => {
      const path = at(id, `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`)
      return call('POST', path, { isRepeatable: false, signal })
    },
    redeliverRange: (body, { signal } = {}) => call('POST', '/v1/webhook/redeliver', { body, signal }),
    testWebhook: ({ signal } = {}) => call('POST', '/v1/webhook/test', { isRepeatable: false, signal }),
    enableWebhook: ({ signal } = {}) => call('POST', '/v1/webhook/enable', { signal }),
    settings: ({ signal } = {}) => call('GET', '/v1/relying_party', { signal }),
    changeSettings: (body, { signal } = {}) => call('PATCH', '/v1/relying_party', { body, signal }),
    oidcClients: ({ signal } = {}) => call('GET', '/v1/oidc_clients', { signal }),
    createOidcClient: (body, { signal } = {}) =>
      call('POST', '/v1/oidc_clients', { body, isRepeatable: false, signal }),
    oidcClient: (id, { signal } = {}) => call('GET', oidcAt(id), { signal }),
    changeOidcClient: (id, body, { signal } = {}) => call('PATCH', oidcAt(id), { body, signal }),
    deleteOidcClient: (id, { signal } = {}) => call('DELETE', oidcAt(id), { expects: 'nothing', signal }),
    rotateOidcSecret: (id, { signal } = {}) =>
      call('POST', oidcAt(id, '/rotate_secret'), { isRepeatable: false, signal }),
    outcome: (id, body, { signal } = {}) => {
      const path = `/v1/test/verify/${encodeURIComponent(id)}/outcome`
      return call('POST', path, { body, isRepeatable: false, signal })
    },
  }
}

type Call = Parameters<typeof exchange>[1]

/** Returns the members that are given, as texts. */
function pairsOf(members: object): string[][] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
}

type Poll = { readonly query: string; readonly waitMs: number; readonly signal: AbortSignal | undefined }

async function waitForEnd(
  send: (poll: Poll) => Answer<Verification>,
  { signal, timeoutMs = DEFAULT_WAIT_MS }: Abortable & { readonly timeoutMs?: number },
): Answer<Verification> {
  const deadline = Date.now() + timeoutMs
  let poll = { query: '', waitMs: 0, signal }
  for (;;) {
    const polled = await send(poll)
    if (!polled.ok) return err(polled.error)
    const secondsLeft = Math.min(Math.floor((deadline - Date.now()) / 1000), WAIT_SECONDS)
    if (polled.value.status !== 'pending' || secondsLeft < 1) return ok(polled.value)
    const query = `?wait=${secondsLeft}&after_version=${polled.value.version}`
    poll = { query, waitMs: secondsLeft * 1000, signal }
  }
}
