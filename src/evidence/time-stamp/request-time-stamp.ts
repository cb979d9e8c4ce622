// One request to the time-stamping authority (RFC 3161 §3.4). Its body has only a digest and a nonce. The
// answer of the authority is used only if it passes every check of time-stamp.ts.

import type { FetchError } from '../../net/guarded-fetch.ts'
import type { Post } from '../../net/post-form.ts'
import { err, type Result } from '../../result.ts'
import { TIME_STAMP } from '../limits.ts'
import { buildTimeStampQuery, QUERY_TYPE, REPLY_TYPE } from './query.ts'
import type { checkTimeStampReply, TimeStampError } from './time-stamp.ts'

/**
 * The authority: its address, its pinned certificates (PEM), and `Authorization`, if the authority needs one.
 */
export type TimeStampAuthority = {
  readonly url: string
  readonly authorities: string
  readonly authorization: string | undefined
}

/** A checked time stamp: the DER of its token, and its time in Unix seconds. */
export type TimeStamp = { readonly token: Uint8Array<ArrayBuffer>; readonly genTime: number }

/** `checkTimeStampReply`, or a call to it in another Worker. `undefined`: the reply could not be checked. */
type CheckReply = (
  ...given: Parameters<typeof checkTimeStampReply>
) => Promise<Result<TimeStamp, TimeStampError> | undefined>

/** `wrong_response`: an HTTP status other than 200, or a media type other than `REPLY_TYPE`. */
export type RequestError = TimeStampError | FetchError | 'wrong_response'

/**
 * Requests a time stamp for a SHA-256 digest. `random`: 8 random bytes. `clock` returns Unix milliseconds. A
 * bad answer of the authority gives an error result: the promise does not reject. The error is `unavailable`
 * if the reply could not be checked.
 */
export async function requestTimeStamp(
  digest: Uint8Array<ArrayBuffer>,
  { url, authorities, authorization }: TimeStampAuthority,
  {
    post,
    random,
    clock,
    check,
  }: {
    readonly post: Post
    readonly random: Uint8Array<ArrayBuffer>
    readonly clock: () => number
    readonly check: CheckReply
  },
): Promise<Result<TimeStamp, RequestError>> {
  const { bytes: body, nonce } = buildTimeStampQuery(digest, random)
  const request = { url, accept: REPLY_TYPE, contentType: QUERY_TYPE, authorization, body }
  const response = await post({ ...request, limit: TIME_STAMP.replyBytes })
  if (!response.ok) return response
  const { status, contentType, body: reply } = response.value
  const [type = ''] = contentType.split(';')
  if (status !== 200 || type.trim().toLowerCase() !== REPLY_TYPE) return err('wrong_response')
  const now = Math.floor(clock() / 1000)
  return (await check(reply, { digest, nonce }, { authorities, now })) ?? err('unavailable')
}
