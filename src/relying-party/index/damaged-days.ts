// Days of the index with a damaged file, or with rows that cannot be decoded (api/lists). Each day has its
// own object. Calls that read damaged data fail, so responses leave out the day. Each isolate remembers the
// objects of these days, for the warnings of `/readyz`.

import { logLine } from '../../metrics/log-line.ts'
import { isInternal, isTemporary } from '../../metrics/platform-error.ts'
import { err, ok, type Result } from '../../result.ts'
import type { DayStub } from './index-days.ts'

/** Limit of the ids of damaged days in memory. */
const LIMIT = 100
/**
 * Time after which a day is no longer marked as damaged, unless a call finds the damage again. The damaged
 * row may have been removed, or the day may have become too old for the list.
 */
const MARKED_MS = 86_400_000
/** Marked days, by the id of the object. `access`: the access that found the damage; `read` if both did. */
const damaged = new Map<string, { readonly access: Access; readonly until: number }>()

/** `write`: a call for one entry. Such a call may succeed although other rows of the day cannot be read. */
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
    if (access === 'read' || damaged.get(id)?.access === 'write') damaged.delete(id)
    return ok(value)
  } catch (error) {
    if (!isOfStorage(error)) throw error
    const failedAccess = damaged.get(id)?.access === 'read' ? 'read' : access
    damaged.delete(id) // a Map keeps the order of insertion
    damaged.set(id, { access: failedAccess, until: Date.now() + MARKED_MS })
    for (const oldest of damaged.keys()) if (damaged.size > LIMIT) damaged.delete(oldest)
    logLine('error', 'list_day_damaged', { object: id })
    return err('damaged')
  }
}

/** Returns the ids of the objects that are marked as damaged. Each id is the name of the object's file. */
export function damagedDays(): readonly string[] {
  const now = Date.now()
  for (const [id, { until }] of damaged) if (until <= now) damaged.delete(id)
  return [...damaged.keys()]
}

/** Returns true for an error of the platform's storage, and for the TypeError that a damaged value causes. */
function isOfStorage(error: unknown): boolean {
  if (error instanceof TypeError) return true
  return error instanceof Error && isInternal(error) && !isTemporary(error)
}
