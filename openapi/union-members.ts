// Names for the members of a union. Generators name inline members after their place, and some of these
// names collide.

import type { Schema } from './components.ts'

type Schemas = Readonly<Record<string, Schema>>

/**
 * Moves the members of a union into schemas of their own. `names` has the name of each by the value of its
 * member `kind`.
 */
export function withNamedUnion(
  schemas: Schemas,
  union: string,
  names: Readonly<Record<string, string>>,
): Schemas {
  const { anyOf, ...rest } = schemas[union] ?? {}
  const named = (anyOf as readonly Schema[]).map((member) => {
    const { kind } = member.properties as Readonly<Record<'kind', { readonly const: string }>>
    const name = names[kind.const]
    if (name === undefined) throw new Error(`no name for ${kind.const}`)
    return { kind: kind.const, name, member, $ref: `#/components/schemas/${name}` }
  })
  const mapping = Object.fromEntries(named.map(({ kind, $ref }) => [kind, $ref]))
  const discriminator = { propertyName: 'kind', mapping }
  return {
    ...schemas,
    [union]: { ...rest, anyOf: named.map(({ $ref }) => ({ $ref })), discriminator },
    ...Object.fromEntries(named.map(({ name, member }) => [name, member])),
  }
}
