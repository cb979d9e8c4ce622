// Reading an answer nobody has reason to trust: so many bytes and no more.

import { concatBytes } from '../codec/bytes.ts'

/** The bytes read, and whether they are all there were. */
export type BoundedBody = { readonly bytes: Uint8Array<ArrayBuffer>; readonly complete: boolean }

/** Reads at most `limit` bytes and lets go of the rest. Rejects as the stream does (reset, time-out, bad compression). */
export async function readAtMost(response: Response, limit: number): Promise<BoundedBody> {
  if (response.body === null) return { bytes: new Uint8Array(), complete: true }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  for (let length = 0; length <= limit; ) {
    const { done, value } = await reader.read()
    if (done) return { bytes: concatBytes(...chunks), complete: true }
    const chunk = value as Uint8Array // fetch bodies are byte streams (Fetch Standard §2.2.4)
    chunks.push(chunk.subarray(0, limit - length))
    length += chunk.length
  }
  letGo(reader)
  return { bytes: concatBytes(...chunks), complete: false }
}

/** Ends a body that is not wanted. Nobody waits for it, and how it ends changes nothing. */
export function letGo(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}
