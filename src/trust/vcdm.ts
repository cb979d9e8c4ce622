// Readings of objects of the Verifiable Credentials Data Model 1.1, which credentials, presentations and status lists share.
// JSON-LD is not processed (OpenID4VP 1.0 B.1.3.1): a type is the word that stands there.

import { isJsonObject, type Json, type JsonObject, member } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'

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

/** A property that is one word or several, such as `type` (§4.3). Empty where it is anything else. */
export function wordsOf(object: JsonObject, name: string): readonly string[] {
  const value = member(object, name)
  const words = Array.isArray(value) ? value : [value]
  return words.every((word: Json | undefined) => typeof word === 'string') ? words : []
}

/** §4.5: who is named by a property such as `issuer`: a word, or an object with that word as its `id`. */
export function idOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? member(value, 'id') : value
}

/**
 * What a claim of a JWT and the property that means the same say together (§6.3.1): the text of either, the same one where
 * both are there. The error is the claim's name.
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

/** As `agreedText`, for times, in Unix seconds. The JWT has no fractions of a second where the property may have some. */
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

/** Unix seconds of an XML Schema dateTime with its zone (§4.6); `undefined` for what is none, a day that no calendar has included. */
function readDateTime(value: Json): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, day] = DATE_TIME.exec(value) ?? []
  const milliseconds = Date.parse(value)
  if (day === undefined || Number.isNaN(milliseconds)) return undefined
  // The platform reads 30 February as 1 March.
  return new Date(day).toISOString().startsWith(day) ? milliseconds / 1000 : undefined
}

function isNumber(value: Json): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
