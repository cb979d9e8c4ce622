// Claims of the sandbox issuer about the fictitious person of the test wallet: every requested claim has a
// value.

import person from '../../assets/sandbox/person.json' with { type: 'json' }
import { isJsonObject, type Json, type JsonObject } from '../../src/codec/json.ts'
import type { RequestedClaim } from './query.ts'

/** Builds the claims of a credential for the requested paths and values. */
export function claimsFor(requested: readonly RequestedClaim[]): JsonObject {
  return requested.reduce<JsonObject>((claims, { path, values }) => {
    const placed = place(claims, path, values[0] ?? defaultValue(path))
    return isJsonObject(placed) ? placed : claims
  }, {})
}

/** Returns a copy with a value at a path. */
function place(into: Json | undefined, path: RequestedClaim['path'], value: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'string') {
    const object = isJsonObject(into) ? into : {}
    const inner = Object.hasOwn(object, step) ? object[step] : undefined
    return { ...object, [step]: place(inner, rest, value) }
  }
  const list: readonly Json[] = Array.isArray(into) ? into : []
  const index = Math.min(step ?? 0, ELEMENTS)
  return Array.from({ length: Math.max(list.length, index + 1) }, (_, i) =>
    i === index ? place(list[i], rest, value) : (list[i] ?? value),
  )
}

/** Limit of elements in a list, because a path may request the millionth element. */
const ELEMENTS = 100

/** Unknown claims are `true`, which is valid as a value and as the answer to a yes-or-no question. */
function defaultValue(path: RequestedClaim['path']): Json {
  const name = path.findLast((step) => typeof step === 'string') ?? ''
  const value = (Object.hasOwn(PERSON, name) ? PERSON[name] : undefined) ?? true
  // A step after the name is an index of the list with this name.
  return Array.isArray(value) && path.at(-1) !== name ? (value[0] ?? true) : value
}

/** Values by the claim names of PID, driving licence and photo ID. */
const PERSON: JsonObject = person
