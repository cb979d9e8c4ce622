// Guarded POST, of bytes or of a form, with the URL rule of api/outgoing. The POST follows no redirect, and
// limits time and size.

import { err, ok, type Result } from '../result.ts'
import { readAtMost } from './bounded-read.ts'
import type { FetchError } from './guarded-fetch.ts'
import { checkOutboundUrl, type UrlRule } from './outbound-url.ts'
import { withTimeLimit } from './time-limit.ts'

type Target = {
  readonly url: string
  /** Value of `Authorization`; `undefined`: the header is not sent. */
  readonly authorization: string | undefined
  /** Limit of the response's body in bytes. */
  readonly limit: number
}

export type FormRequest = Target & { readonly fields: Readonly<Record<string, string>> }

/** `accept` and `contentType`: media types of the response and of `body`. */
type PostRequest = Target & {
  readonly accept: string
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

type FormResponse = { readonly status: number; readonly body: Uint8Array<ArrayBuffer> }

/** Posts a body, and returns a response of any status. The promise never rejects. */
export type Post = (
  request: PostRequest,
) => Promise<Result<FormResponse & { readonly contentType: string }, FetchError>>

/** Posts a form and returns a response of any status. The promise never rejects. */
export type PostForm = (request: FormRequest) => Promise<Result<FormResponse, FetchError>>

type Guard = UrlRule & {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Time limit in milliseconds of the whole exchange, including the body. */
  readonly timeoutMs: number
}

/** Makes the guarded POST. */
export function createPost(guard: Guard): Post {
  return async ({ url, accept, contentType, authorization, body, limit }) => {
    const checked = checkOutboundUrl(url, guard)
    if (!checked.ok) return err('forbidden')
    const headers = {
      accept,
      'content-type': contentType,
      'user-agent': 'wallet-verifier',
      ...(authorization !== undefined && { authorization }),
    }
    try {
      return await withTimeLimit(guard.timeoutMs, async (signal) => {
        const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const
        const response = await guard.fetch(checked.value, init)
        const read = await readAtMost(response, limit)
        const { status } = response
        const type = response.headers.get('content-type') ?? ''
        return read === undefined ? err('too_large') : ok({ status, contentType: type, body: read })
      })
    } catch {
      return err('unavailable') // look-up, connection, time-out, reset, bad compression
    }
  }
}

/** Makes the guarded POST of forms. */
export function createPostForm(guard: Guard): PostForm {
  const post = createPost(guard)
  return ({ fields, ...target }) =>
    post({
      ...target,
      accept: 'application/json',
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
    })
}
