// Every GET the service makes on its own (issuer metadata, DID documents, status and revocation lists): the URL rule of CONTRACT 7, no
// redirect, a time limit, a size limit. It has the shape that `trust/` asks for.

import { err, ok, type Result } from '../result.ts'
import { cancelBody, readAtMost } from './bounded-read.ts'
import type { FetchError, FetchedResource, FetchResource, ResourceRequest } from './fetch-resource.ts'
import { checkOutboundUrl, type UrlRule } from './outbound-url.ts'
import { withTimeLimit } from './time-limit.ts'

/** What the guard is made of. */
export type Guard = UrlRule & {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number
  /** A service bound to this one under the name of an origin that is nowhere on the network. */
  readonly bound?: { readonly origin: string; readonly fetch: Guard['fetch'] }
}

/** Makes the guarded GET. It never rejects. */
export function createFetchResource(guard: Guard): FetchResource {
  const get = createConditionalGet(guard)
  return async (request) => {
    const found = await get({ ...request, etag: null })
    if (!found.ok) return found
    if (found.value === 'not_modified') return err('unavailable') // nobody asked for that
    const { body, contentType } = found.value
    return ok({ body, contentType })
  }
}

/** GETs a resource with its validator, or hears that it still is what it was under `etag` (RFC 9110 §13.1.2). */
export type ConditionalGet = (
  request: ResourceRequest & { readonly etag: string | null },
) => Promise<Result<Found, FetchError>>

type Found = (FetchedResource & { readonly etag: string | null }) | 'not_modified'

/** Makes the guarded GET that asks for what is new. It never rejects. */
export function createConditionalGet(guard: Guard): ConditionalGet {
  const { bound } = guard
  return async (request) => {
    const isBound = bound !== undefined && request.url.startsWith(`${bound.origin}/`)
    const rule = { ...guard, allowHttp: request.allowHttp ?? false }
    const url = isBound ? ok(request.url) : checkOutboundUrl(request.url, rule)
    if (!url.ok) return err('forbidden')
    try {
      const fetch = isBound ? bound.fetch : guard.fetch
      return await withTimeLimit(guard.timeoutMs, (signal) => get(url.value, request, { fetch, signal }))
    } catch {
      return err('unavailable') // look-up, connection, time-out, reset, bad compression
    }
  }
}

async function get(
  url: string,
  { accept, limit, etag }: Parameters<ConditionalGet>[0],
  { fetch, signal }: Pick<Guard, 'fetch'> & { readonly signal: AbortSignal },
): Promise<Result<Found, FetchError>> {
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
