// Reads of untrusted bodies of requests and responses, up to a number of bytes.

/**
 * Returns the whole body, or `undefined` and cancels the rest if it is longer than `limit` bytes. Rejects as
 * the stream does (reset, time-out, bad compression). An aborted `signal` cancels the rest too; the result of
 * that read has no meaning.
 */
export async function readAtMost(
  { body }: Pick<Body, 'body'>,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  signal?.addEventListener('abort', () => cancelBody(reader), { once: true })
  // One buffer that doubles. With a list of chunks, a sender of single bytes could take many times the limit.
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

/**
 * Returns the first `kept` bytes of a body of which at most `limit` bytes are read, and cancels the rest. A
 * stream that fails returns what had arrived.
 */
export async function readStart(
  { body }: Pick<Body, 'body'>,
  kept: number,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const start = new Uint8Array(kept)
  let length = 0
  const reader = body?.getReader()
  while (reader !== undefined && length < limit) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return start.slice(0, length)
    const chunk = value as Uint8Array
    if (length < kept) start.set(chunk.subarray(0, kept - length), length)
    length += chunk.length
  }
  cancelBody(reader ?? null)
  return start.slice(0, length)
}

/** Cancels an unneeded body without waiting. The result has no effect. */
export function cancelBody(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}

const FIRST_BUFFER = 4096

function grown(buffer: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(buffer)
  return larger
}
