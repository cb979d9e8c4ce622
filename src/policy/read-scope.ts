// Reads one requested scope in a verified credential. The result states if the scope is proven (api/result),
// and has the value to return.

import type { Json, JsonObject } from '../codec/json.ts'
import { selectClaims } from '../openid4vp/dcql/claims-path.ts'
import { hasOneOf } from '../openid4vp/dcql/match.ts'
import type { Selection } from '../openid4vp/dcql/query.ts'
import { provesAge } from './age.ts'
import type { ScopePath } from './policy.ts'

/** Result of a scope. For a derived scope the value is a boolean, and the birthdate is not returned. */
type ScopeResult = { readonly proven: boolean; readonly value: Json }

/** Reads a scope in the processed claims. `now` is in Unix seconds. */
export function readScope(
  claims: JsonObject,
  { path, boolean, values, derived }: ScopePath,
  now: number,
): ScopeResult {
  const selected = selectClaims(claims, path)
  // Derives a scope only if its claim is absent. A present claim decides, even if its value is false.
  if (selected === undefined) return derived === undefined ? NOT_PROVEN : derive(claims, derived, now)
  const proven = values === undefined ? isProven(selected, boolean) : hasOneOf(selected, values)
  return { proven, value: path.includes(null) ? selected : (selected[0] ?? null) }
}

const NOT_PROVEN: ScopeResult = { proven: false, value: null }

function isProven(selected: Selection, boolean: boolean): boolean {
  return boolean ? selected.every((value) => value === true) : isMeaningful(selected)
}

function derive(claims: JsonObject, source: NonNullable<ScopePath['derived']>, now: number): ScopeResult {
  const [birthdate, ...others] = selectClaims(claims, source.path) ?? []
  if (birthdate === undefined || others.length > 0) return NOT_PROVEN
  const proven = provesAge(birthdate, source.age, now)
  return { proven, value: proven }
}

/**
 * Returns true if the values prove a scope that is not declared boolean. `false`, null and an empty value do
 * not prove it. A value that contains only empty values does not prove it either, such as an object whose
 * members were withheld.
 */
function isMeaningful(selected: readonly Json[]): boolean {
  return !selected.includes(false) && selected.some((value) => !isEmpty(value))
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
