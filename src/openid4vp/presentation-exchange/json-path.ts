// Claims paths (OpenID4VP 1.0 §7) as JSONPath expressions (RFC 9535) for Presentation Exchange. Expressions
// are only written, never evaluated.

import type { ClaimsPath } from '../dcql/query.ts'

/**
 * Writes the expression from `root`. A name is written as `.name` if every JSONPath dialect accepts that.
 * Other names are written as `['name']`.
 *
 * @example
 * toJsonPath(['address', 'street_address']) // '$.address.street_address'
 */
export function toJsonPath(path: ClaimsPath, root = '$'): string {
  return path.reduce<string>((text, component) => {
    if (component === null) return `${text}[*]`
    if (typeof component === 'number') return `${text}[${component}]`
    if (/^[A-Za-z_]\w*$/.test(component)) return `${text}.${component}`
    return text + bracketed(component)
  }, root)
}

/** Writes the expression for a data element of an mdoc, with brackets (ISO/IEC TS 18013-7 Annex B). */
export function toElementPath(path: ClaimsPath): string {
  return path.reduce<string>((text, component) => text + bracketed(String(component)), '$')
}

function bracketed(name: string): string {
  return `['${name.replace(/[\\']/g, '\\$&')}']`
}
