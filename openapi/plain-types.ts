// Forms of schemas that every generator reads (decisions/documentation.md). The values that match stay the
// same.

import type { Schema } from './description.ts'

/** Returns a part of the description in which no member has a list as one of its types, or null alone. */
export function withPlainTypes<T>(part: T): T {
  // Null as one of some alternatives stays.
  if (Array.isArray(part))
    return part.map((each) => (each?.type === 'null' ? each : withPlainTypes(each))) as T
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).map(([name, value]) => [name, withPlainTypes(value)])
  return plainType(Object.fromEntries(members)) as T
}

function plainType({ anyOf, uniqueItems, ...rest }: Schema): Schema {
  // openapi-generator makes a type `null` of the only type `null`.
  if (rest.type === 'null') return { ...rest, type: ['string', 'null'], not: { type: 'string' } }
  // openapi-generator makes a set of a list of different entries. The type of the member stays a list.
  if (uniqueItems !== undefined)
    return Object.fromEntries([...Object.entries(rest), ['if', { type: 'array' }], ['then', { uniqueItems }]])
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf }
  const list = anyOf.find(({ type }) => type === 'array')
  const [other, ...more] = anyOf.filter((schema) => schema !== list)
  // openapi-generator writes Java that does not compile for a list beside another type. Generators leave such
  // a member without a type if they do not read `if`.
  if (list === undefined || other === undefined || more.length > 0) return { ...rest, anyOf }
  const byType = Object.entries({ if: { type: 'array' }, else: other })
  return Object.fromEntries([...Object.entries(rest), ...byType, ['then', list]])
}
