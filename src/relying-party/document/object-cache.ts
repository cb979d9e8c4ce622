// Cache of values that Durable Objects returned, so that a request needs no call to an object. A copy is used
// for at most 60 s, so every isolate uses a changed value after that time. Without a fresh copy, the result
// is `unavailable` if the object cannot be reached.

import { waitUntil } from 'cloudflare:workers'
import { createCache } from '../../net/cache.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { err, type Result } from '../../result.ts'

/** Milliseconds for which a copy is returned, counted from the start of its read. */
export const COPY_LIFETIME = 60_000

/** Milliseconds after which an object that has not responded is treated as unreachable. */
const READ_TIMEOUT = 5_000

const UNAVAILABLE = err('unavailable')

/** Result of a read. `undefined`: no object has this name. After `unavailable`, another try may succeed. */
type Copy<Value, Failure> = Result<Value, Failure | 'unavailable'> | undefined

/** Creates a cache for one kind of object, with at most `capacity` copies. */
export function createObjectCache<Value, Failure>(capacity: number) {
  const cache = createCache<Copy<Value, Failure>>({
    names: capacity,
    waitMs: READ_TIMEOUT,
    late: UNAVAILABLE,
    mayStore: (copy) => copy !== UNAVAILABLE,
    inBackground: waitUntil,
  })
  return {
    /** Returns the fresh copy of an object, else the result of `read`. `now` is Unix milliseconds. */
    get: (name: string, now: number, read: () => Promise<Result<Value, Failure>> | undefined) =>
      cache.get(name, { now, isFresh: (_, age) => age < COPY_LIFETIME, read: () => readInTime(read) }),
    /**
     * Drops the copy in this isolate after a change. Other isolates use their copies for at most 60 s more.
     */
    forget: cache.forget,
  }
}

async function readInTime<Value, Failure>(
  read: () => Promise<Result<Value, Failure>> | undefined,
): Promise<Copy<Value, Failure>> {
  try {
    const reading = read()
    return reading && (await withDeadline(reading, READ_TIMEOUT, UNAVAILABLE))
  } catch {
    return UNAVAILABLE // the object is unreachable or cannot read its document
  }
}
