// Every GET the service makes on its own (issuer metadata, DID documents, status lists): the URL rule of CONTRACT 7, no
// redirect, a time limit, a size limit. It has the shape that `trust/` asks for.

import { err, ok, type Result } from '../result.ts'
import type {
  FetchedResource,
  FetchResource,
  ResourceFault,
  ResourceRequest,
} from '../trust/fetch-resource.ts'
import { letGo, readAtMost } from './bounded-read.ts'
import { judgeReceiverUrl, type UrlRule } from './receiver-url.ts'

/** What the guard is made of. */
export type Guard = UrlRule & {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number
}

/** Makes the guarded GET. It never rejects. */
export function createFetchResource(guard: Guard): FetchResource {
  return async (request) => {
    const url = judgeReceiverUrl(request.url, guard)
    if (!url.ok) return err('forbidden')
    try {
      return await get(url.value, request, guard)
    } catch {
      return err('unavailable') // look-up, connection, time-out, reset, bad compression
    }
  }
}

async function get(
  url: string,
  { accept, limit }: ResourceRequest,
  { fetch, timeoutMs }: Guard,
): Promise<Result<FetchedResource, ResourceFault>> {
  const signal = AbortSignal.timeout(timeoutMs)
  const headers = { accept, 'user-agent': 'wallet-verifier' }
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  if (response.status !== 200) {
    letGo(response.body)
    return err('unavailable')
  }
  const body = await readAtMost(response, limit)
  if (body === undefined) return err('too_large')
  return ok({ body, contentType: response.headers.get('content-type') ?? '' })
}
