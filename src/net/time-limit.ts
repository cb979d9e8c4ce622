// Time limits. The timer is stopped when the work ends. The timer of `AbortSignal.timeout` would continue,
// and a running timer keeps a Durable Object in memory.

/** Runs `work` with a signal that aborts after `milliseconds`. */
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

/** Returns the result of `work`, or `late` after `milliseconds`. The work itself continues. */
export async function withDeadline<T, L>(work: Promise<T>, milliseconds: number, late: L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
