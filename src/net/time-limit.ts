// A time limit that ends with the work it limits. AbortSignal.timeout runs on when the answer is long there, and a timer that
// runs keeps a Durable Object in memory.

/** Does `work` with a signal that aborts after so many milliseconds. */
export async function withTimeLimit<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), milliseconds)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
