// A body that a stranger sends, read no further than it may be long.

import { concatBytes, decodeUtf8 } from '../codec/bytes.ts'

/** The text of a body; undefined where it is longer than `limit` bytes, or no UTF-8. */
export async function readText(request: Request, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  // Leaving the loop early cancels the rest.
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > limit) return undefined
    chunks.push(new Uint8Array(chunk))
  }
  return decodeUtf8(concatBytes(...chunks))
}
