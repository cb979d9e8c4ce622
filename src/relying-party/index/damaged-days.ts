// Days of the index with a damaged file, or with rows that cannot be decoded (api/lists). Every call of such
// an object fails, so responses leave out its day. Each isolate remembers these objects, for the warnings of
// `/readyz`.

import { logLine } from '../../metrics/log-line.ts'
import { err, ok, type Result } from '../../result.ts'
import type { indexStub } from './index-days.ts'

type DayStub = ReturnType<typeof indexStub>

/** Limit of ids in memory. */
const LIMIT = 100
/** Calls that found damage, by the id of the object. */
const damaged = new Map<string, Access>()

/** `write`: a call for one entry. It may succeed although other rows of the day cannot be read. */
type Access = 'read' | 'write'

/** Calls the object of one day. Returns `damaged` if its storage cannot be read. Rejects for other errors. */
export async function callDay<T>(
  stub: DayStub,
  access: Access,
  call: () => Promise<T>,
): Promise<Result<T, 'damaged'>> {
  const id = String(stub.id)
  try {
    const value = await call()
    if (access === 'read' || damaged.get(id) === 'write') damaged.delete(id)
    return ok(value)
  } catch (error) {
    if (!isOfStorage(error)) throw error
    const known = damaged.get(id)
    damaged.delete(id) // a Map keeps the order of insertion
    damaged.set(id, known === 'read' ? known : access)
    for (const oldest of damaged.keys()) if (damaged.size > LIMIT) damaged.delete(oldest)
    logLine('error', 'list_day_damaged', { object: id })
    return err('damaged')
  }
}

/** Returns true if a call of a day's object found its storage damaged, and no later call has succeeded. */
export function isDamaged(stub: DayStub): boolean {
  return damaged.has(String(stub.id))
}

/** Returns the ids of all objects that were found damaged. Each id is the name of the object's file. */
export function damagedDays(): readonly string[] {
  return [...damaged.keys()]
}

/**
 * Returns true for an error of the platform's storage, and for a value of an unexpected type. The platform
 * sets properties on errors that are temporary.
 */
function isOfStorage(error: unknown): boolean {
  if (error instanceof TypeError) return true
  if (!(error instanceof Error) || !error.message.startsWith('internal error; reference = ')) return false
  return ['retryable', 'overloaded', 'durableObjectReset'].every((mark) => Reflect.get(error, mark) !== true)
}
