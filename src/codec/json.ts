// JSON as a security boundary (RFC 8259): a member named twice means two things to two readers, so it is refused,
// and depth and length have a limit before anything is built.

import { err, ok, type Result } from '../result.ts'

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. Look members up with `member`, never with `in`: names come from outside. */
export type JsonObject = { readonly [name: string]: Json }

/** Limits of one parse: characters of text, and levels of nesting. */
export type JsonLimits = { readonly length: number; readonly depth: number }

/** Why a text is not accepted as JSON. */
export type JsonFault = 'too_long' | 'too_deep' | 'not_json' | 'duplicate_member'

/** Parses JSON text, refusing duplicate member names at any level. */
export function parseJson(text: string, limits: JsonLimits): Result<Json, JsonFault> {
  if (text.length > limits.length) return err('too_long')
  const fault = scan(text, limits.depth)
  if (fault !== undefined) return err(fault)
  try {
    return ok(JSON.parse(text) as Json)
  } catch {
    return err('not_json')
  }
}

/** Parses JSON text that must be an object. */
export function parseJsonObject(text: string, limits: JsonLimits): Result<JsonObject, JsonFault> {
  const parsed = parseJson(text, limits)
  if (!parsed.ok) return parsed
  return isJsonObject(parsed.value) ? ok(parsed.value) : err('not_json')
}

/** Tells an object from the other JSON values. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member of an object; `undefined` where there is none (never one inherited from a prototype). */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

type Frame = { readonly names: Set<string> | undefined; expectsName: boolean }

/** One pass over the tokens, before JSON.parse: depth and duplicate names. Other faults are left to JSON.parse. */
function scan(text: string, maximumDepth: number): JsonFault | undefined {
  const frames: Frame[] = []
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const token = match[0]
    const frame = frames.at(-1)
    if (token === '{' || token === '[') {
      if (frames.length === maximumDepth) return 'too_deep'
      frames.push({ names: token === '{' ? new Set() : undefined, expectsName: token === '{' })
    } else if (token === '}' || token === ']') frames.pop()
    else if (token === ',') {
      if (frame !== undefined) frame.expectsName = frame.names !== undefined
    } else if (frame?.names !== undefined && frame.expectsName) {
      const name = decodeName(token)
      if (name === undefined) return 'not_json'
      if (frame.names.has(name)) return 'duplicate_member'
      frame.names.add(name)
      frame.expectsName = false
    }
  }
  return undefined
}

function decodeName(token: string): string | undefined {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token) as string
  } catch {
    return undefined
  }
}
