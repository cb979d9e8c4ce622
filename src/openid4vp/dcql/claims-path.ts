// Claims path pointers (OpenID4VP 1.0 §7): the elements of a credential that a path selects. Only own members
// count, because callers choose the names.

import { isJsonObject, type Json, member } from '../../codec/json.ts'
import type { ClaimsPath, Selection } from './query.ts'

/**
 * Applies a path to a JSON-based credential (§7.1.1). Returns `undefined` where the clause says "abort
 * processing and return an error": a component does not fit a selected element, or nothing is selected.
 */
export function selectClaims(root: Json, path: ClaimsPath): Selection | undefined {
  let selected: Selection = [root]
  for (const component of path) {
    const step = stepOf(component)
    if (step === undefined || !selected.every(step.fits)) return undefined
    selected = selected.flatMap(step.select)
  }
  return path.length > 0 && selected.length > 0 ? selected : undefined
}

/** Applies a path to an mdoc's claims, given as namespace → data element → value (§7.2.1). */
export function selectDataElement(namespaces: Json, path: ClaimsPath): Selection | undefined {
  const isElementPath = path.length === 2 && path.every((component) => typeof component === 'string')
  return isElementPath ? selectClaims(namespaces, path) : undefined
}

/** One component: the elements it fits, and its selection in one of them. */
type Step = {
  readonly fits: (element: Json) => boolean
  readonly select: (element: Json) => Selection
}

function stepOf(component: ClaimsPath[number]): Step | undefined {
  if (component === null) return { fits: isArray, select: (element) => (isArray(element) ? element : []) }
  if (typeof component === 'string') {
    return {
      fits: isJsonObject,
      select: (element) => (isJsonObject(element) ? present(member(element, component)) : []),
    }
  }
  if (!Number.isSafeInteger(component) || component < 0) return undefined
  return {
    fits: isArray,
    select: (element) => (isArray(element) ? present(element[component]) : []),
  }
}

function present(element: Json | undefined): Selection {
  return element === undefined ? [] : [element]
}

function isArray(element: Json): element is readonly Json[] {
  return Array.isArray(element)
}
