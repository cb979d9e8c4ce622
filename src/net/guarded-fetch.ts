// Guarded GET, for every GET that the service makes on its own (issuer metadata, DID documents, status and
// revocation lists). This GET applies the URL rule of api/outgoing, follows no redirect, and limits time and
// size. The modules in `trust/` receive the guarded GET as an argument.

import { err, ok, type Result } from '../result.ts'
import { cancelBody, readAtMost } from './bounded-read.ts'
import { checkOutboundUrl, type UrlRule } from './outbound-url.ts'
import { withDeadline, withTimeLimit } from './time-limit.ts'

/**
 * Fetches a URL from a setting, a trust anchor or verified signed data. The fetch follows no redirect, and
 * its promise never rejects.
 */
export type FetchResource = {
  (request: ResourceRequest): Promise<Result<FetchedResource, FetchError>>
  /**
   * Deadline of the caller, if the caller has one. `limited.base` is the same fetch without the deadline. The
   * results of both are in the same caches.
   */
  readonly limited?: FetchLimit
}

/**
 * Deadline of the caller. `base` is the fetch without the deadline. This fetch continues after the deadline,
 * so that its result is cached.
 */
export type FetchLimit = {
  readonly base: FetchResource
  /** Returns the result of `work`, or `late` at the deadline. */
  readonly inTime: <T>(work: Promise<T>, late: T) => Promise<T>
  /**
   * Called with the copies of the resources that the caller uses, including cached copies
   * (`createFetchCache`).
   */
  readonly keep?: (...copies: readonly FetchedCopy[]) => void
}

/** A resource as fetched. */
export type FetchedCopy = {
  readonly url: string
  /** First media type of the request's `Accept`. */
  readonly media_type: string
  readonly body: Uint8Array<ArrayBuffer>
  /** Unix seconds. */
  readonly fetched_at: number
}

export type ResourceRequest = {
  readonly url: string
  /** Media type for `Accept`. */
  readonly accept: string
  /** Limit of the body in bytes. */
  readonly limit: number
  /** Allows plain http, for public and signed resources. */
  readonly allowHttp?: boolean
}

type FetchedResource = { readonly body: Uint8Array<ArrayBuffer>; readonly contentType: string }

/**
 * `forbidden`: the URL rule rejects the URL. `unavailable`: a network error, a time-out, or a status other
 * than 200. `too_large`: the body exceeds the limit.
 */
export type FetchError = 'forbidden' | 'unavailable' | 'too_large'

type Guard = UrlRule & {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Time limit in milliseconds of the whole exchange, including the body. */
  readonly timeoutMs: number
  /**
   * Origin of a service that is reached by a service binding, and the `fetch` of that binding. The origin
   * does not exist on the network.
   */
  readonly bound?: { readonly origin: string; readonly fetch: Guard['fetch'] }
}

/** Makes the guarded GET. */
export function createFetchResource(guard: Guard): FetchResource {
  const get = createConditionalGet(guard)
  return async (request) => {
    const resource = await get({ ...request, etag: null })
    if (!resource.ok) return resource
    if (resource.value === 'not_modified') return err('unavailable') // without `etag` there is no 304
    const { body, contentType } = resource.value
    return ok({ body, contentType })
  }
}

/**
 * Returns the guarded GET with one deadline (Unix milliseconds) for all its calls together. The deadline
 * applies to look-ups in the caches of `createFetchCache`. A look-up that has not ended at the deadline fails
 * as if its server were down. `keep` is called with the copies of the resources that the caller uses.
 */
export function fetchUntil(
  fetchResource: FetchResource,
  deadline: number,
  keep?: FetchLimit['keep'],
): FetchResource {
  const inTime = <T>(work: Promise<T>, late: T) =>
    withDeadline(work, Math.max(0, deadline - Date.now()), late)
  const limited = { base: fetchResource, inTime, ...(keep && { keep }) }
  return Object.assign(fetchResource.bind(null), { limited })
}

type ConditionalRequest = ResourceRequest & { readonly etag: string | null }
type Representation = (FetchedResource & { readonly etag: string | null }) | 'not_modified'

/**
 * Makes the guarded GET with an optional `If-None-Match` (RFC 9110 §13.1.2). This GET returns `not_modified`
 * if the server confirms that `etag` is still current.
 */
export function createConditionalGet(guard: Guard) {
  const { bound } = guard
  return async (request: ConditionalRequest): Promise<Result<Representation, FetchError>> => {
    const isBound = bound !== undefined && request.url.startsWith(`${bound.origin}/`)
    const rule = { ...guard, allowHttp: request.allowHttp ?? false }
    const url = isBound ? ok(request.url) : checkOutboundUrl(request.url, rule)
    if (!url.ok) return err('forbidden')
    const { fetch } = isBound ? bound : guard
    try {
      return await withTimeLimit(guard.timeoutMs, (signal) => get(url.value, request, { fetch, signal }))
    } catch {
      return err('unavailable') // look-up, connection, time-out, reset, bad compression
    }
  }
}

async function get(
  url: string,
  { accept, limit, etag }: ConditionalRequest,
  { fetch, signal }: Pick<Guard, 'fetch'> & { readonly signal: AbortSignal },
): Promise<Result<Representation, FetchError>> {
  const headers = { accept, 'user-agent': 'wallet-verifier', ...(etag !== null && { 'if-none-match': etag }) }
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  if (response.status !== 200) {
    cancelBody(response.body)
    return response.status === 304 && etag !== null ? ok('not_modified') : err('unavailable')
  }
  const body = await readAtMost(response, limit)
  if (body === undefined) return err('too_large')
  const contentType = response.headers.get('content-type') ?? ''
  return ok({ body, contentType, etag: response.headers.get('etag') })
}
