// Look-ups in the credential types that are known by name (api/types).

import type { CredentialType } from '../formats/verification/format.ts'
import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import { parseAgeScope } from './age.ts'
import { AGE_PATTERN, BUILT_IN_TYPES, LATER_TYPES, OWN_NAMESPACE } from './built-in-types.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat, ScopePath } from './policy.ts'

/**
 * Returns the built-in types and those that a relying party added. Leaves out an added type with a name that
 * is taken, so that no settings can redefine `pid`. `typeConflicts` reports it when the settings are changed.
 */
export function typeDefinitions(
  added: readonly CredentialTypeDefinition[],
): readonly CredentialTypeDefinition[] {
  const builtIn = builtInBeside(added)
  const names = new Set(builtIn.map(({ name }) => name))
  const free = added.filter((type) => !names.has(type.name) && names.add(type.name))
  return [...builtIn, ...free]
}

/** The built-in types, except later types whose name or identifier an added type has. */
function builtInBeside(added: readonly CredentialTypeDefinition[]): readonly CredentialTypeDefinition[] {
  const isTaken = (type: CredentialTypeDefinition) =>
    added.some(
      ({ name, formats }) =>
        name === type.name ||
        Object.entries(formats).some(([format, { identifiers }]) =>
          identifiers.some((identifier) => formatOf(type, format)?.identifiers.includes(identifier)),
        ),
    )
  return BUILT_IN_TYPES.filter((type) => !LATER_TYPES.has(type.name) || !isTaken(type))
}

/**
 * Returns the names and identifiers of added types that another type has already. Settings must not have
 * them. `index` is the place of the added type. Verification maps an identifier to the first type that lists
 * it, so a second type with that identifier could never be satisfied.
 */
export function typeConflicts(added: readonly CredentialTypeDefinition[]) {
  return added.flatMap((type, index) => {
    const earlier = [...builtInBeside(added), ...added.slice(0, index)]
    const name = earlier.some((other) => other.name === type.name)
      ? [{ kind: 'name' as const, index, name: type.name }]
      : []
    const identifiers = Object.entries(type.formats).flatMap(([format, { identifiers }]) =>
      identifiers
        .filter((identifier) => findType(earlier, format, identifier) !== undefined)
        .map((identifier) => ({ kind: 'identifier' as const, index, format, identifier })),
    )
    return [...name, ...identifiers]
  })
}

/** Builds `Context.typeOf`: the first definition that lists a verified identifier in that format. */
export function typeOf(
  definitions: readonly CredentialTypeDefinition[],
): (format: string, identifier: string) => CredentialType | undefined {
  return (format, identifier) => {
    const type = findType(definitions, format, identifier)
    return type && credentialType(type)
  }
}

/** Returns the type as trust anchors name it. */
export function credentialType(type: CredentialTypeDefinition): CredentialType {
  return { name: type.name, builtIn: BUILT_IN_TYPES.includes(type) }
}

/** Returns the first type with this identifier in this format. */
export function findType(
  definitions: readonly CredentialTypeDefinition[],
  format: string,
  identifier: string,
): CredentialTypeDefinition | undefined {
  return definitions.find((type) => formatOf(type, format)?.identifiers.includes(identifier))
}

/** Returns the type's data in one format; `undefined` if the type does not exist in it. */
export function formatOf(type: CredentialTypeDefinition, format: string): CredentialTypeFormat | undefined {
  return Object.hasOwn(type.formats, format) ? type.formats[format] : undefined
}

/**
 * Returns the path of a scope's claim in a type's credentials of one format; `undefined` if the type lacks
 * it.
 */
export function scopePath(
  type: CredentialTypeDefinition,
  format: string,
  scope: string,
  allowDerived: boolean,
): ScopePath | undefined {
  const scopes = formatOf(type, format)?.scopes
  if (scopes === undefined || scope === AGE_PATTERN) return undefined
  const age = parseAgeScope(scope)
  const entry = ownEntry(scopes, scope) ?? (age && withDigits(ownEntry(scopes, AGE_PATTERN), age.digits))
  if (entry === undefined) return undefined
  const found = { scope, path: entry.path, boolean: age !== undefined || entry.boolean === true }
  const birthdate = ownEntry(scopes, 'birthdate')
  if (!allowDerived || age === undefined || birthdate === undefined) return found
  return { ...found, derived: { path: birthdate.path, age: age.years } }
}

/**
 * Returns the scope whose claim is at `path` in a type's credentials of one format: the inverse of
 * `scopePath`.
 */
export function scopeAt(
  type: CredentialTypeDefinition,
  format: string,
  path: ClaimsPath,
): ScopePath | undefined {
  const named = Object.keys(formatOf(type, format)?.scopes ?? {})
  // Ages are a pattern in the catalogue, so the two digits in the path are the candidates.
  const ages = (JSON.stringify(path).match(/\d\d/g) ?? []).map((digits) => `age_over_${digits}`)
  return [...named, ...ages]
    .flatMap((scope) => scopePath(type, format, scope, false) ?? [])
    .find((entry) => JSON.stringify(entry.path) === JSON.stringify(path))
}

/** Returns a scope's path in credentials of one of the type's identifiers. */
export function pathIn(identifier: string | undefined, scope: ScopePath): ScopePath {
  if (identifier === undefined || scope.path[0] !== OWN_NAMESPACE) return scope
  return { ...scope, path: [identifier, ...scope.path.slice(1)] }
}

type ScopeEntry = CredentialTypeFormat['scopes'][string]

function ownEntry(scopes: CredentialTypeFormat['scopes'], name: string): ScopeEntry | undefined {
  return Object.hasOwn(scopes, name) ? scopes[name] : undefined
}

/**
 * Puts the digits into the path. A path without `NN` would select one claim for every age, so it has no
 * scope.
 */
function withDigits(pattern: ScopeEntry | undefined, digits: string): ScopeEntry | undefined {
  if (!pattern?.path.some((step) => typeof step === 'string' && step.includes('NN'))) return undefined
  const path = pattern.path.map((step) => (typeof step === 'string' ? step.replace('NN', digits) : step))
  return { ...pattern, path }
}
