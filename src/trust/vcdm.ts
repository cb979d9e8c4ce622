// Functions that read objects of the Verifiable Credentials Data Model 1.1: credentials, presentations and
// status lists. JSON-LD is not processed (OpenID4VP 1.0 B.1.3.1): a type is compared as text.

import { isJsonObject, isNumber, type Json, type JsonObject, member } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'

/** The base context of version 1.1 (§4.1). */
const CONTEXT = 'https://www.w3.org/2018/credentials/v1'

/**
 * Returns whether an object is of version 1.1. If `@context` is present, its first entry must be the base
 * context (§4.1). An object without `@context` is accepted, because wallets without JSON-LD leave it out.
 */
export function isVersion1(object: JsonObject): boolean {
  const context = member(object, '@context')
  return context === undefined || (Array.isArray(context) ? context[0] : context) === CONTEXT
}

/**
 * Returns the texts of a property that is one text or a list of texts, such as `type` (§4.3). Returns an
 * empty list for any other property.
 */
export function readWords(object: JsonObject, name: string): readonly string[] {
  const value = member(object, name)
  const words = Array.isArray(value) ? value : [value]
  return words.every((word: Json | undefined) => typeof word === 'string') ? words : []
}

/**
 * Returns the identifier in a property such as `issuer` (§4.5): the `id` of an object, or any other value
 * itself.
 */
export function readId(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? member(value, 'id') : value
}

/**
 * Returns the text of a JWT claim, or of the property with the same meaning (§6.3.1). If both exist, they
 * must be equal. `undefined` means that neither exists. The error is the name of the claim.
 */
export function agreedText(
  claim: string,
  jwt: Json | undefined,
  property: Json | undefined,
): Result<string | undefined, string> {
  const text = jwt === undefined ? property : jwt
  if (text === undefined) return ok(undefined)
  const isAgreed = property === undefined || property === text
  return typeof text === 'string' && text !== '' && isAgreed ? ok(text) : err(claim)
}

/**
 * Works like `agreedText`, but returns a time in Unix seconds. The comparison ignores fractions of a second.
 */
export function agreedTime(
  claim: string,
  jwt: Json | undefined,
  property: Json | undefined,
): Result<number | undefined, string> {
  const time = property === undefined ? undefined : readDateTime(property)
  if ((property !== undefined && time === undefined) || (jwt !== undefined && !isNumber(jwt)))
    return err(claim)
  if (jwt === undefined || time === undefined) return ok(jwt ?? time)
  return Math.floor(jwt) === Math.floor(time) ? ok(jwt) : err(claim)
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Returns the Unix seconds of an XML Schema dateTime with a time zone (§4.6). The time 24:00:00 and fractions
 * of a second are accepted. Returns `undefined` for any other text and for a day that does not exist.
 */
function readDateTime(value: Json): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, day] = DATE_TIME.exec(value) ?? []
  const milliseconds = Date.parse(value)
  if (day === undefined || Number.isNaN(milliseconds)) return undefined
  // The platform reads 30 February as 1 March.
  return new Date(day).toISOString().startsWith(day) ? milliseconds / 1000 : undefined
}
