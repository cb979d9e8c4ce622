// What objects answered, in the isolate's memory, so that a request costs no hop to them. Nothing is served older than 60 s, which
// is what makes a change take effect: an object that cannot be reached, with nothing fresh at hand, is "unavailable".

import { waitUntil } from 'cloudflare:workers'
import { err, type Result } from '../result.ts'

/** Milliseconds for which a copy may be served, counted from before it was asked for. */
export const COPY_LIFETIME = 60_000

/** Milliseconds after which an object that has not answered counts as unreachable. */
const FETCH_TIMEOUT = 5_000

/** The copies of one kind of object. */
export type ObjectCache<Value, Fault> = {
  /**
   * What `ask` answers for this name, at most 60 s old; `undefined` where it names nobody to be asked. `now` is Unix
   * milliseconds. `unavailable` is worth another try.
   */
  readonly get: (
    name: string,
    now: number,
    ask: () => Promise<Result<Value, Fault>> | undefined,
  ) => Promise<Result<Value, Fault | 'unavailable'> | undefined>
  /** Drops this isolate's copy, after a change made through it. Other isolates follow within 60 s. */
  readonly forget: (name: string) => void
}

/** Makes a cache of at most `capacity` copies; the least recently used goes first. */
export function createObjectCache<Value, Fault>(capacity: number): ObjectCache<Value, Fault> {
  type Found = Result<Value, Fault | 'unavailable'>
  type Pending = { readonly startedAt: number; readonly found: Promise<Found> }
  const kept = new Map<string, { readonly startedAt: number; readonly answer: Found }>()
  const pending = new Map<string, Pending>()

  /** Makes an entry the most recently used one (a Map keeps the order of insertion). */
  const touch = (name: string, copy: { readonly startedAt: number; readonly answer: Found }) => {
    kept.delete(name)
    kept.set(name, copy)
    const oldest = kept.keys().next().value
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
  }
  const keep = (name: string, started: Pending, found: Found) => {
    if (pending.get(name) !== started) return // forgotten meanwhile: it may be older than the change
    pending.delete(name)
    if (!found.ok && found.error === 'unavailable') return
    touch(name, { startedAt: started.startedAt, answer: found })
  }
  return {
    get: async (name, now, ask) => {
      const copy = kept.get(name)
      if (copy !== undefined && isWithin(now - copy.startedAt, COPY_LIFETIME)) {
        touch(name, copy)
        return copy.answer
      }
      const shared = pending.get(name)
      if (shared !== undefined && isWithin(now - shared.startedAt, FETCH_TIMEOUT)) return inTime(shared.found)
      const asked = ask()
      if (asked === undefined) return undefined
      const started: Pending = { startedAt: now, found: settled(asked) }
      pending.set(name, started)
      // The fetch outlives the request that began it: others wait for it, and a cancelled request's promises never settle.
      waitUntil(started.found.then((found) => keep(name, started, found)))
      return inTime(started.found)
    },
    forget: (name) => {
      kept.delete(name)
      pending.delete(name)
    },
  }
}

async function settled<Value, Fault>(
  answer: Promise<Result<Value, Fault>>,
): Promise<Result<Value, Fault | 'unavailable'>> {
  try {
    return await inTime(answer)
  } catch {
    return err('unavailable') // the object could not be reached, or could not read its document: either way, closed
  }
}

/** A clock that ran backwards must not keep a copy alive either. */
function isWithin(age: number, limit: number): boolean {
  return Math.abs(age) < limit
}

/** Waits in the caller's own request: another request's promise may never settle. */
async function inTime<Value, Fault>(
  answer: Promise<Result<Value, Fault>>,
): Promise<Result<Value, Fault | 'unavailable'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Result<Value, 'unavailable'>>((resolve) => {
    timer = setTimeout(() => resolve(err('unavailable')), FETCH_TIMEOUT)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
