// Resources of the API that a page shows.

import { useEffect, useState } from 'preact/hooks'
import { type Answer, call, type Problem } from './api.ts'

type Read<T> = {
  readonly path: string | null
  readonly answer: Answer<T> | null
  /** Why the last read failed. `answer` is then an earlier answer. */
  readonly problem: Problem | null
}

/** Loads a resource of the API. It is loaded again when `path` changes, and every `everyMs`. */
export function useResource<T>(path: string | null, everyMs?: number) {
  const [state, setState] = useState<Read<T>>({ path, answer: null, problem: null })
  const [count, setCount] = useState(0)
  // `count` changes to read again.
  useEffect(() => {
    if (path === null) return undefined
    const read = async () => {
      const answer = await call<T>('GET', path)
      return () => setState((last) => next(last, path, answer))
    }
    return repeat(read, () => everyMs)
  }, [path, everyMs, count])
  const current = state.path === path ? state : { answer: null, problem: null }
  return { ...current, reload: () => setCount((last) => last + 1) }
}

/**
 * Runs `read` now, and `pause()` milliseconds after each end, while the page is visible. Returns a function
 * that stops the reads. After a stop, the function that `read` resolves to is not called.
 */
export function repeat(read: () => Promise<() => void>, pause: () => number | undefined): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = async () => {
    const apply = await read()
    if (isStopped) return
    apply()
    plan()
  }
  const plan = () => {
    const milliseconds = pause()
    if (milliseconds === undefined) return
    timer = setTimeout(() => (document.hidden ? plan() : void run()), milliseconds)
  }
  void run()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** If a later read fails for a temporary reason, the earlier answer stays. */
function next<T>(last: Read<T>, path: string, answer: Answer<T>): Read<T> {
  if (!answer.ok && isPassing(answer.problem) && last.path === path && last.answer?.ok) {
    return { ...last, problem: answer.problem }
  }
  return { path, answer, problem: null }
}

export function isPassing({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500
}
