// Readings of VCDM 1.1 objects that credential and presentation share. JSON-LD is not processed (OpenID4VP 1.0 B.1.3.1): a
// type is the word that stands there.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'

/** The base context of version 1.1 (§4.1). */
const CONTEXT = 'https://www.w3.org/2018/credentials/v1'

/**
 * Tells objects of version 1.1. §4.1 puts its context first; without a context nothing says another version, and plain JSON
 * wallets leave it out.
 */
export function isVersion1(object: JsonObject): boolean {
  const context = member(object, '@context')
  return context === undefined || (Array.isArray(context) ? context[0] : context) === CONTEXT
}

/** §4.3: `type` is one word or several. Empty where it is anything else. */
export function typesOf(object: JsonObject): readonly string[] {
  const type = member(object, 'type')
  const types = Array.isArray(type) ? type : [type]
  return types.every((word: Json | undefined) => typeof word === 'string') ? types : []
}

/** Whether an object is of this type. */
export function hasType(object: JsonObject, type: string): boolean {
  return typesOf(object).includes(type)
}

/** §4.5: who is named by a property such as `issuer`: a word, or an object with that word as its `id`. */
export function idOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? member(value, 'id') : value
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Unix seconds of an XML Schema dateTime with its zone (§4.6); `undefined` for what is none, a day that no calendar has included. */
export function readDateTime(value: Json | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, day] = DATE_TIME.exec(value) ?? []
  const milliseconds = Date.parse(value)
  if (day === undefined || Number.isNaN(milliseconds)) return undefined
  // The platform reads 30 February as 1 March.
  return new Date(day).toISOString().startsWith(day) ? milliseconds / 1000 : undefined
}
