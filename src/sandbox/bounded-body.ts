// A body that a stranger sends, read no further than it may be long.

import { decodeUtf8 } from '../codec/bytes.ts'

/** The text of a body; undefined where it is longer than `limit` bytes, or no UTF-8. */
export async function readText(request: Request, limit: number): Promise<string | undefined> {
  // One buffer: a list of pieces sent byte by byte would be longer than one call takes.
  const buffer = new Uint8Array(limit)
  let length = 0
  // Leaving the loop early cancels the rest.
  for await (const chunk of request.body ?? []) {
    const bytes = new Uint8Array(chunk)
    if (length + bytes.length > limit) return undefined
    buffer.set(bytes, length)
    length += bytes.length
  }
  return decodeUtf8(buffer.subarray(0, length))
}
