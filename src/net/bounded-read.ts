// Reads untrusted bodies of requests and responses up to a limit of bytes.

/**
 * Returns the whole body. If the body is longer than `limit` bytes, the function returns `undefined` and
 * cancels the rest. The promise rejects if the stream fails (reset, time-out, bad compression). If `signal`
 * aborts, the rest is cancelled too, and the caller must ignore the result.
 */
export async function readAtMost(
  { body }: Pick<Body, 'body'>,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  signal?.addEventListener('abort', () => cancelBody(reader), { once: true })
  // The body is collected in one buffer, which doubles its size when full. A list of the received chunks
  // could need much more memory than `limit`, because a chunk may have a single byte.
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
 * Returns the first `kept` bytes of a body. Reading stops after `limit` bytes, and the rest is cancelled. If
 * the stream fails, the function returns the bytes that arrived before the failure.
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

/** Cancels a body that is not needed. The function does not wait, and an error of the body is ignored. */
export function cancelBody(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}

const FIRST_BUFFER = 4096

function grown(buffer: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(buffer)
  return larger
}
