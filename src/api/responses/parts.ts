// Schemas that several responses share.

import * as z from 'zod/mini'
import { DELIVERY_ID, EVENT_ID, KEY_ID, RELYING_PARTY_ID, VERIFICATION_ID } from '../identifiers.ts'

export const time = z.iso.datetime()
export const verificationId = z.string().check(z.regex(VERIFICATION_ID))
export const relyingPartyId = z.string().check(z.regex(RELYING_PARTY_ID))
export const eventId = z.string().check(z.regex(EVENT_ID))
export const deliveryId = z.string().check(z.regex(DELIVERY_ID))
export const keyId = z.string().check(z.regex(KEY_ID))
export const maybe = z.nullable
export const jsonObject = z.record(z.string(), z.unknown())

/** Returns the schema of an array. The array is read-only, like the arrays that views return. */
export function list<T extends z.ZodMiniType>(item: T) {
  return z.readonly(z.array(item))
}

/**
 * Returns `schema` itself, but with the TypeScript type `T`. `T` is the type of the stored value, which has
 * the same shape and is read-only.
 */
export function typed<T>(schema: z.ZodMiniType): z.ZodMiniType<T, T> {
  return schema as z.ZodMiniType<T, T>
}

/** One version of a trust list. `territory`: present for a national list in a list of lists. */
export const listReference = z.object({
  name: z.string(),
  territory: z.exactOptional(z.string()),
  sequence: maybe(z.int()),
  trust_as_of: z.string(),
})
