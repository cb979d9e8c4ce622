// Schemas that several responses share.

import * as z from 'zod/mini'

export const time = z.iso.datetime()
export const maybe = z.nullable
export const jsonObject = z.record(z.string(), z.unknown())

/** Returns the schema of an array. Its type is read-only, as the arrays that views return are. */
export function list<T extends z.ZodMiniType>(item: T) {
  return z.readonly(z.array(item))
}

/**
 * Gives a schema of a request the type that the service stores after validation: same shape, but read-only.
 */
export function typed<T>(schema: z.ZodMiniType): z.ZodMiniType<T, T> {
  return schema as z.ZodMiniType<T, T>
}
