// Parses JSON from outside (RFC 8259). Rejects duplicate members, because two parsers could read different
// values. Checks depth and length before the value is built.

import { err, ok, type Result } from '../result.ts'
import { decodeUtf8 } from './bytes.ts'

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. Read a member with `member`. The operator `in` also finds inherited members. */
export type JsonObject = { readonly [name: string]: Json }

/** Limits of one parse: characters of text, and levels of nesting. */
export type JsonLimits = { readonly length: number; readonly depth: number }

/** Reasons to reject a text as JSON. */
export type JsonError = 'too_long' | 'too_deep' | 'not_json' | 'duplicate_member'

/** Returns true if the text exceeds a limit; false if the text is not JSON or has a duplicate member. */
export function isTooMuchJson(error: JsonError): boolean {
  return error === 'too_long' || error === 'too_deep'
}

/** JSON as text, or as bytes that must be UTF-8. `undefined` is rejected, because `undefined` is not JSON. */
type JsonSource = string | Uint8Array | undefined

/** Parses JSON. Rejects duplicate member names at any level. */
export function parseJson(source: JsonSource, limits: JsonLimits): Result<Json, JsonError> {
  const text = typeof source === 'string' ? source : source && decodeUtf8(source)
  if (text === undefined) return err('not_json')
  if (text.length > limits.length) return err('too_long')
  const error = scan(text, limits.depth)
  if (error !== undefined) return err(error)
  try {
    return ok(JSON.parse(text) as Json)
  } catch {
    return err('not_json')
  }
}

/** Parses JSON that must be an object. */
export function parseJsonObject(source: JsonSource, limits: JsonLimits): Result<JsonObject, JsonError> {
  const parsed = parseJson(source, limits)
  if (!parsed.ok) return parsed
  return isJsonObject(parsed.value) ? ok(parsed.value) : err('not_json')
}

/** Returns true if a value is an object. Returns false for an array and for null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true if a value is a finite number. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Returns an own member of an object, never an inherited member. Returns `undefined` if there is none. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns the values without duplicates. Values are equal if their JSON texts are equal. */
export function uniqueJson<T extends Json>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

const BACKSLASH = 0x5c

/**
 * Scans the text once before JSON.parse, and checks depth and duplicate names. Returns the error, or
 * `undefined` if there is none. JSON.parse finds the other errors.
 */
function scan(text: string, maximumDepth: number): JsonError | undefined {
  // One entry for each open object or array: the member names that were read so far, or undefined for an
  // array.
  const open: (Set<string> | undefined)[] = []
  let expectsName = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') {
      const end = endOfString(text, i)
      if (end === undefined) return 'not_json'
      const error = expectsName ? addName(open.at(-1), text.slice(i, end + 1)) : undefined
      if (error !== undefined) return error
      expectsName = false
      i = end
    } else if (character === '{' || character === '[') {
      if (open.length === maximumDepth) return 'too_deep'
      expectsName = character === '{'
      open.push(expectsName ? new Set() : undefined)
    } else if (character === '}' || character === ']') open.pop()
    else if (character === ',') expectsName = open.at(-1) !== undefined
  }
  return undefined
}

/**
 * Returns the index of the quote that closes the string at `start`: the first quote after an even number of
 * backslashes. Returns `undefined` if there is none.
 */
function endOfString(text: string, start: number): number | undefined {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return undefined
}

function addName(names: Set<string> | undefined, token: string): JsonError | undefined {
  const name = decodeName(token)
  if (name === undefined) return 'not_json'
  if (names?.has(name)) return 'duplicate_member'
  names?.add(name)
  return undefined
}

function decodeName(token: string): string | undefined {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token) as string
  } catch {
    return undefined // an escape that JSON does not have
  }
}
