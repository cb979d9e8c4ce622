// Reading a body nobody has reason to trust, of a request or an answer: so many bytes and no more.

/**
 * The whole body, or `undefined` where it is longer than `limit` bytes; what is left of it is then let go. Rejects as the
 * stream does (reset, time-out, bad compression).
 */
export async function readAtMost(
  { body }: Pick<Body, 'body'>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  // One buffer that doubles: a list of chunks would let a sender of single bytes take many times the limit.
  let buffer = new Uint8Array(Math.min(limit, FIRST_BUFFER))
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return buffer.slice(0, length)
    const chunk = value as Uint8Array // fetch bodies are byte streams (Fetch Standard §2.2.4)
    const needed = length + chunk.length
    if (needed > limit) break
    if (needed > buffer.length) buffer = grown(buffer, Math.min(limit, Math.max(needed, 2 * buffer.length)))
    buffer.set(chunk, length)
    length = needed
  }
  cancelBody(reader)
  return undefined
}

/** Ends a body that is not wanted. Nobody waits for it, and how it ends changes nothing. */
export function cancelBody(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}

const FIRST_BUFFER = 4096

function grown(buffer: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(buffer)
  return larger
}
