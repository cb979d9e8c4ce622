// Every GET the service makes on its own (issuer metadata, DID documents, status lists): the URL rule of CONTRACT 7, no
// redirect, a time limit, a size limit. It has the shape that `trust/` asks for.

import { err, ok, type Result } from '../result.ts'
import { letGo, readAtMost } from './bounded-read.ts'
import { judgeReceiverUrl, type UrlRule } from './receiver-url.ts'

/** What the guard is made of. */
export type Guard = UrlRule & {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number
}

/** `limit`: body bytes at most. */
export type GuardedRequest = { readonly url: string; readonly accept: string; readonly limit: number }

/** `contentType` is the header as sent, or empty. */
export type GuardedAnswer = { readonly body: Uint8Array<ArrayBuffer>; readonly contentType: string }

/** `forbidden`: the URL rule refuses. `unavailable`: no answer, a broken one, or a status other than 200. */
export type GuardedFault = 'forbidden' | 'unavailable' | 'too_large'

/** Makes the guarded GET. It never rejects. */
export function createFetchResource(guard: Guard) {
  return async (request: GuardedRequest): Promise<Result<GuardedAnswer, GuardedFault>> => {
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
  { accept, limit }: GuardedRequest,
  { fetch, timeoutMs }: Guard,
): Promise<Result<GuardedAnswer, GuardedFault>> {
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
