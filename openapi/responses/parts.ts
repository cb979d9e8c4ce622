// Schemas that several responses share.

import * as z from 'zod/mini'

export const time = z.iso.datetime()
export const maybe = z.nullable
export const jsonObject = z.record(z.string(), z.unknown())

/** Returns the schema of an array. Its type is read-only, as the arrays that views return are. */
export function list<T extends z.ZodMiniType>(item: T) {
  return z.readonly(z.array(item))
}
