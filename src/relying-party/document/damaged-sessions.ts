// Shared Durable Objects with a damaged database file (api/running). Every call of such an object fails, so
// all sessions in the object are unavailable. The process remembers these objects, for the warnings of
// `/readyz`.

import { isInternal, isTemporary } from '../../metrics/platform-error.ts'

const damaged = new Set<string>()

/** Returns the result of a call to a shared object, and notes whether its storage can be read. */
export async function noteDamage<T>(objectId: string, call: Promise<T>): Promise<T> {
  try {
    const result = await call
    if (damaged.size > 0) damaged.delete(objectId)
    return result
  } catch (error) {
    if (error instanceof Error && isInternal(error) && !isTemporary(error)) damaged.add(objectId)
    throw error
  }
}

/** Returns the ids of the damaged objects. Each id is the name of the object's file. */
export function damagedSessions(): readonly string[] {
  return [...damaged]
}
