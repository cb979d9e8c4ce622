// Claims paths (OpenID4VP 1.0 §7) as the JSONPath expressions (RFC 9535) that Presentation Exchange asks with. They are only
// ever written here: no expression of a wallet's is evaluated.

import type { ClaimsPath } from '../dcql/query.ts'

/** The expression, from `root`; the shorthand only for names that are written alike in every JSONPath dialect. */
export function toJsonPath(path: ClaimsPath, root = '$'): string {
  return path.reduce<string>((text, component) => {
    if (component === null) return `${text}[*]`
    if (typeof component === 'number') return `${text}[${component}]`
    if (/^[A-Za-z_]\w*$/.test(component)) return `${text}.${component}`
    return text + bracketed(component)
  }, root)
}

/** The expression for a data element of an mdoc: ISO/IEC TS 18013-7 Annex B knows no shorthand. */
export function toElementPath(path: ClaimsPath): string {
  return path.reduce<string>((text, component) => text + bracketed(String(component)), '$')
}

function bracketed(name: string): string {
  return `['${name.replace(/[\\']/g, '\\$&')}']`
}
