// Claims path pointers (OpenID4VP 1.0 §7): the elements of a credential that a path selects. Only own
// properties of objects are selected, because a caller may send a name such as `constructor`.

import { isJsonObject, type Json, member } from '../../codec/json.ts'
import type { ClaimsPath, Selection } from './query.ts'

/**
 * Applies a path to a JSON-based credential (§7.1.1). Returns `undefined` if a component does not fit a
 * selected element, or if nothing is selected. In these cases the clause says "abort processing and return an
 * error".
 *
 * @example
 * selectClaims({ degrees: [{ type: 'BSc' }, { type: 'MSc' }] }, ['degrees', null, 'type']) // ['BSc', 'MSc']
 */
export function selectClaims(root: Json, path: ClaimsPath): Selection | undefined {
  let selected: Selection = [root]
  for (const component of path) {
    const next = selected.map((element) => selectOne(element, component))
    if (!next.every((elements) => elements !== undefined)) return undefined
    selected = next.flat()
  }
  return path.length > 0 && selected.length > 0 ? selected : undefined
}

/**
 * Applies a path to an mdoc's claims, given as namespace → data element → value (§7.2.1).
 *
 * @example
 * selectDataElement({ 'org.iso.18013.5.1': { sex: 2 } }, ['org.iso.18013.5.1', 'sex']) // [2]
 */
export function selectDataElement(namespaces: Json, path: ClaimsPath): Selection | undefined {
  const isElementPath = path.length === 2 && path.every((component) => typeof component === 'string')
  return isElementPath ? selectClaims(namespaces, path) : undefined
}

/** Applies one component to one element. `undefined`: the component does not fit the element. */
function selectOne(element: Json, component: ClaimsPath[number]): Selection | undefined {
  if (typeof component === 'string') {
    return isJsonObject(element) ? present(member(element, component)) : undefined
  }
  if (!isArray(element)) return undefined
  if (component === null) return element
  return Number.isSafeInteger(component) && component >= 0 ? present(element[component]) : undefined
}

function present(element: Json | undefined): Selection {
  return element === undefined ? [] : [element]
}

function isArray(element: Json): element is readonly Json[] {
  return Array.isArray(element)
}
