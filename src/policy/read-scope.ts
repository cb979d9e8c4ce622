// What a verified credential says of one requested scope: whether it is proven (CONTRACT 4), and the value that may travel on.

import type { Json, JsonObject } from '../codec/json.ts'
import { selectClaims } from '../openid4vp/dcql/claims-path.ts'
import { hasOneOf } from '../openid4vp/dcql/match.ts'
import type { Selection } from '../openid4vp/dcql/query.ts'
import { provesAge } from './age.ts'
import type { ScopePath } from './policy.ts'

/** A scope's verdict. Where it was derived, the value is the derived boolean: the source does not travel. */
export type Reading = { readonly proven: boolean; readonly value: Json }

/** Reads a scope in processed claims; `now` in Unix seconds. */
export function readScope(
  claims: JsonObject,
  { path, boolean, values, derived }: ScopePath,
  now: number,
): Reading {
  const selected = selectClaims(claims, path)
  // Only an absent claim leaves room for derivation: one that is there is final, whatever it says.
  if (selected === undefined) return derived === undefined ? NOT_PROVEN : derive(claims, derived, now)
  const proven = values === undefined ? isProven(selected, boolean) : hasOneOf(selected, values)
  return { proven, value: path.includes(null) ? selected : (selected[0] ?? null) }
}

const NOT_PROVEN: Reading = { proven: false, value: null }

function isProven(selected: Selection, boolean: boolean): boolean {
  return boolean ? selected.every((value) => value === true) : saysSomething(selected)
}

function derive(claims: JsonObject, source: NonNullable<ScopePath['derived']>, now: number): Reading {
  const [birthdate, ...others] = selectClaims(claims, source.path) ?? []
  if (birthdate === undefined || others.length > 0) return NOT_PROVEN
  const proven = provesAge(birthdate, source.age, now)
  return { proven, value: proven }
}

/**
 * A claim that is not declared boolean is proven by its presence. But null, an empty value, one of nothing but empty values
 * (objects whose members the holder withheld, say), and a `false` whose type was not declared, prove nothing.
 */
function saysSomething(selected: readonly Json[]): boolean {
  return !selected.includes(false) && selected.some((value) => !isEmpty(value))
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
