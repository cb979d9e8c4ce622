// The known credential types (api/types): built-in and added types, their conflicts, and look-ups in them.

import type { CredentialFormat, CredentialType } from '../formats/verification/format.ts'
import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import { registeredIdentifiers } from '../openid4vp/registration/coverage.ts'
import type { RegisteredCredential } from '../openid4vp/registration/registration-certificate.ts'
import { parseAgeScope } from './age.ts'
import { AGE_PATTERN, BUILT_IN_TYPES, DOMESTIC_PIDS, LATER_TYPES, OWN_NAMESPACE } from './built-in-types.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat, ScopePath } from './policy.ts'

/**
 * Returns the built-in types and the types that a relying party added. Leaves out an added type whose name
 * another type has already, so that settings cannot redefine `pid`. `typeConflicts` reports such a type when
 * the settings are changed.
 */
export function typeDefinitions(
  added: readonly CredentialTypeDefinition[],
): readonly CredentialTypeDefinition[] {
  const builtIn = builtInBeside(added)
  const names = new Set(builtIn.map(({ name }) => name))
  const free = added.filter((type) => !names.has(type.name) && names.add(type.name))
  return [...builtIn, ...free]
}

/**
 * Returns the built-in types. Leaves out a type of `LATER_TYPES` if an added type has the same name or the
 * same identifier. Leaves out a domestic type of the PID if an added type has its identifier.
 */
function builtInBeside(added: readonly CredentialTypeDefinition[]): readonly CredentialTypeDefinition[] {
  const isTaken = (type: CredentialTypeDefinition) =>
    added.some(
      ({ name, formats }) =>
        name === type.name ||
        Object.entries(formats).some(([format, { identifiers }]) =>
          identifiers.some((identifier) => findFormat(type, format)?.identifiers.includes(identifier)),
        ),
    )
  return BUILT_IN_TYPES.filter((type) => !LATER_TYPES.has(type.name) || !isTaken(type)).map((type) =>
    type.name === 'pid' ? withoutAddedPids(type, added) : type,
  )
}

/** The only format with domestic types of the PID. As an mdoc, the PID has the same type in every country. */
const PID_FORMAT = 'dc+sd-jwt'
const DOMESTIC: readonly string[] = DOMESTIC_PIDS.map(({ vct }) => vct)

/**
 * Returns the PID. If an added type has the identifier of a domestic type, removes this identifier from the
 * PID. The relying party may have added its type before the domestic type was built in.
 */
function withoutAddedPids(
  pid: CredentialTypeDefinition,
  added: readonly CredentialTypeDefinition[],
): CredentialTypeDefinition {
  const taken = added.flatMap(({ formats }) => formats[PID_FORMAT]?.identifiers ?? [])
  return withIdentifiers(pid, (identifier) => !DOMESTIC.includes(identifier) || !taken.includes(identifier))
}

/**
 * Returns the definitions, with only those identifiers of the PID that the verifier has registered. Wallets
 * compare each type of a query with the registration. If no identifier of the PID is registered, the
 * definitions are unchanged.
 */
export function withRegisteredPids(
  definitions: readonly CredentialTypeDefinition[],
  registered: readonly RegisteredCredential[],
  formats: Readonly<Record<string, Pick<CredentialFormat, 'metaTypes'>>>,
): readonly CredentialTypeDefinition[] {
  const names = registered.flatMap((one) =>
    one.format === PID_FORMAT ? registeredIdentifiers(one, formats) : [],
  )
  return definitions.map((type) =>
    type.name === 'pid' ? withIdentifiers(type, (identifier) => names.includes(identifier)) : type,
  )
}

function withIdentifiers(
  pid: CredentialTypeDefinition,
  isKept: (identifier: string) => boolean,
): CredentialTypeDefinition {
  const entry = pid.formats[PID_FORMAT]
  const kept = entry?.identifiers.filter(isKept) ?? []
  if (entry === undefined || kept.length === 0 || kept.length === entry.identifiers.length) return pid
  return { ...pid, formats: { ...pid.formats, [PID_FORMAT]: { ...entry, identifiers: kept } } }
}

/**
 * Returns each name and identifier of an added type that another type has already. `index` is the position of
 * the added type in the list. Verification maps an identifier to the first type that lists it. So no
 * credential could get the second type, and settings with such a conflict are rejected.
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

/**
 * Builds `Context.typeOf`. The built function returns the type of the first definition that lists the
 * identifier in the given format. The built function returns `undefined` if no definition lists the
 * identifier.
 */
export function typeOf(
  definitions: readonly CredentialTypeDefinition[],
): (format: string, identifier: string) => CredentialType | undefined {
  return (format, identifier) => {
    const type = findType(definitions, format, identifier)
    return type && credentialType(type)
  }
}

/** Returns the name of the type, and whether the type is built in. Trust anchors are matched with both. */
export function credentialType(type: CredentialTypeDefinition): CredentialType {
  // `includes` finds only the built-in object itself. The PID may be a copy with fewer identifiers
  // (`withIdentifiers`), so its name is compared. No added type can be named `pid` (`typeDefinitions`).
  return { name: type.name, builtIn: BUILT_IN_TYPES.includes(type) || type.name === 'pid' }
}

/** Returns the first type that lists the identifier in the format; `undefined` if there is none. */
export function findType(
  definitions: readonly CredentialTypeDefinition[],
  format: string,
  identifier: string,
): CredentialTypeDefinition | undefined {
  return definitions.find((type) => findFormat(type, format)?.identifiers.includes(identifier))
}

/** Returns the identifiers and scopes of a type in one format; `undefined` if the type lacks the format. */
export function findFormat(type: CredentialTypeDefinition, format: string): CredentialTypeFormat | undefined {
  return Object.hasOwn(type.formats, format) ? type.formats[format] : undefined
}

/**
 * Returns a scope with the path of its claim, for one type in one format. Returns `undefined` if the type
 * lacks the scope in the format. With `allowDerived`, an age scope also has the path of the birthdate.
 */
export function scopePath(
  type: CredentialTypeDefinition,
  format: string,
  scope: string,
  allowDerived: boolean,
): ScopePath | undefined {
  const scopes = findFormat(type, format)?.scopes
  if (scopes === undefined || scope === AGE_PATTERN) return undefined
  const age = parseAgeScope(scope)
  const entryByName = ownEntry(scopes, scope) ?? ownEntry(scopes, SAME_SCOPE.get(scope) ?? scope)
  const entry = entryByName ?? (age && withDigits(ownEntry(scopes, AGE_PATTERN), age.digits))
  if (entry === undefined) return undefined
  const scopePath = { scope, path: entry.path, boolean: age !== undefined || entry.boolean === true }
  const birthdate = ownEntry(scopes, 'birthdate')
  if (!allowDerived || age === undefined || birthdate === undefined) return scopePath
  return { ...scopePath, derived: { path: birthdate.path, age: age.years } }
}

/**
 * Returns the scope whose claim has the given path, for one type in one format. Returns `undefined` if there
 * is none. This function is the inverse of `scopePath`.
 */
export function scopeAt(
  type: CredentialTypeDefinition,
  format: string,
  path: ClaimsPath,
): ScopePath | undefined {
  const names = Object.keys(findFormat(type, format)?.scopes ?? {})
  // The catalogue has one pattern for all ages. So each pair of digits in the path is tried as an age.
  const ages = (JSON.stringify(path).match(/\d\d/g) ?? []).map((digits) => `age_over_${digits}`)
  return [...names, ...ages]
    .flatMap((scope) => scopePath(type, format, scope, false) ?? [])
    .find((entry) => JSON.stringify(entry.path) === JSON.stringify(path))
}

/**
 * Returns the scope with the type identifier in place of `{type}` at the start of its path. Returns the scope
 * unchanged if its path does not start with `{type}`.
 */
export function pathIn(identifier: string | undefined, scope: ScopePath): ScopePath {
  if (identifier === undefined || scope.path[0] !== OWN_NAMESPACE) return scope
  return { ...scope, path: [identifier, ...scope.path.slice(1)] }
}

/** The birthdate has one scope with two names, because SD-JWT VC and ISO name its claim differently. */
const SAME_SCOPE: ReadonlyMap<string, string> = new Map([
  ['birth_date', 'birthdate'],
  ['birthdate', 'birth_date'],
])

type ScopeEntry = CredentialTypeFormat['scopes'][string]

function ownEntry(scopes: CredentialTypeFormat['scopes'], name: string): ScopeEntry | undefined {
  return Object.hasOwn(scopes, name) ? scopes[name] : undefined
}

/**
 * Replaces `NN` in the path by the digits of an age. Returns `undefined` for a path without `NN`, because
 * such a path would select the same claim for every age.
 */
function withDigits(pattern: ScopeEntry | undefined, digits: string): ScopeEntry | undefined {
  if (!pattern?.path.some((step) => typeof step === 'string' && step.includes('NN'))) return undefined
  const path = pattern.path.map((step) => (typeof step === 'string' ? step.replace('NN', digits) : step))
  return { ...pattern, path }
}
