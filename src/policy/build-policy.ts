// Builds a policy from the types and scopes that a relying party requests, or returns its errors. The HTTP
// status is 400 for an unknown name, and 422 for known names that no credential can satisfy (api/creation).
// `docs/decisions/policy.md` defines `any` and `all`.

import { err, ok, type Result } from '../result.ts'
import { findFormat, pathIn, scopePath } from './catalogue.ts'
import type { CredentialTypeDefinition, Policy } from './policy.ts'
import { type Alternative, buildQuery, type QueryFormat } from './query.ts'

/** Policy members of `POST /v1/verify`, with their defaults filled in. A repeated name is used once. */
export type PolicyRequest = {
  readonly credential_types: readonly string[]
  readonly scope: readonly string[]
  readonly credential_match: 'any' | 'all'
  /**
   * Formats in order of preference. Null: all formats that this service verifies. Then formats with
   * `requestedByName` are used only if each other format has fewer of the requested scopes.
   */
  readonly formats: readonly string[] | null
  readonly allow_derived: boolean
  /**
   * True if the relying party intends to store the claims. The query states this only in formats that have
   * `intent_to_retain`. Default: false.
   */
  readonly intent_to_retain?: boolean
}

/**
 * Known types (`typeDefinitions`), and the credential formats that this service verifies, in order of
 * preference.
 */
type PolicyCatalogue = {
  readonly definitions: readonly CredentialTypeDefinition[]
  readonly formats: readonly QueryFormat[]
}

/**
 * Error codes of a request, each with the code of the problem that the caller receives (api/errors).
 * request-messages.ts has the messages.
 */
export const POLICY_ERRORS = {
  invalid_request: 'invalid_request',
  unsupported_credential_type: 'unsupported_credential_type',
  unsupported_scope: 'unsupported_scope',
  type_without_format: 'policy_unsatisfiable',
  type_without_scope: 'policy_unsatisfiable',
  scope_not_carried: 'policy_unsatisfiable',
  scopes_not_carried_together: 'policy_unsatisfiable',
} as const
type PolicyErrorCode = keyof typeof POLICY_ERRORS

/** One error of a request. `pointer` (RFC 6901) names the member of the request. */
type PolicyError = { readonly code: PolicyErrorCode; readonly pointer: string }

/**
 * Builds the policy. All returned errors have the same status: 400 if a name is unknown or a list is empty,
 * else 422.
 */
export function buildPolicy(
  request: PolicyRequest,
  catalogue: PolicyCatalogue,
): Result<Policy, readonly PolicyError[]> {
  const unknown = unknownNames(request, catalogue)
  if (unknown.length > 0) return err(unknown)
  const scope = [...new Set(request.scope)]
  const types = [...new Set(request.credential_types)].map((name) =>
    requestedType(name, { ...request, scope }, catalogue),
  )
  const errors = uncarriedNames(request, types)
  if (errors.length > 0) return err(errors)
  const groups = request.credential_match === 'any' ? anyGroup(types, scope) : allGroups(types)
  if (groups.some((group) => group.length === 0)) {
    return err([{ code: 'scopes_not_carried_together', pointer: '/scope' }])
  }
  return ok({
    scope,
    ...buildQuery(groups, request.intent_to_retain),
  })
}

/**
 * A requested type and its alternatives. Each alternative has one format, and the requested scopes that the
 * type has in that format.
 */
type RequestedType = { readonly name: string; readonly alternatives: readonly Alternative[] }

/**
 * Returns an error for each unknown name and for each empty list. With an empty list there would be nothing
 * to check, and every response would pass.
 */
function unknownNames(
  request: PolicyRequest,
  { definitions, formats }: PolicyCatalogue,
): readonly PolicyError[] {
  const isScope = (scope: string) =>
    definitions.some((type) =>
      Object.keys(type.formats).some((format) => scopePath(type, format, scope, false) !== undefined),
    )
  const isType = (name: string) => definitions.some((type) => type.name === name)
  const isFormat = (id: string) => formats.some((format) => format.id === id)
  const { credential_types, scope } = request
  const lists: readonly (readonly [string, readonly string[], PolicyErrorCode, typeof isType])[] = [
    ['/credential_types', credential_types, 'unsupported_credential_type', isType],
    ['/scope', scope, 'unsupported_scope', isScope],
    ...(request.formats === null
      ? []
      : [['/formats', request.formats, 'invalid_request', isFormat] as const]),
  ]
  return [
    ...lists.flatMap(([pointer, names]) =>
      names.length === 0 ? [{ code: 'invalid_request' as const, pointer }] : [],
    ),
    ...lists.flatMap(([pointer, names, code, isKnown]) =>
      names.flatMap((name, index) => (isKnown(name) ? [] : [{ code, pointer: `${pointer}/${index}` }])),
    ),
  ]
}

function requestedType(
  name: string,
  request: PolicyRequest,
  { definitions, formats }: PolicyCatalogue,
): RequestedType {
  const type = definitions.find((definition) => definition.name === name)
  if (type === undefined) return { name, alternatives: [] }
  const preferred =
    request.formats?.flatMap((id) => formats.find((format) => format.id === id) ?? []) ?? formats
  const alternatives = [...new Set(preferred)].flatMap((format) =>
    identifiersPerQuery(type, format).map((identifiers) => ({
      type: name,
      format,
      identifiers,
      scopes: request.scope
        .flatMap((scope) => scopePath(type, format.id, scope, request.allow_derived) ?? [])
        .map((found) => pathIn(identifiers[0], found)),
    })),
  )
  return { name, alternatives: request.formats === null ? byDefault(alternatives) : alternatives }
}

/** Leaves out formats with `requestedByName`, unless each other format has fewer of the requested scopes. */
function byDefault(alternatives: readonly Alternative[]): readonly Alternative[] {
  const usual = alternatives.filter(({ format }) => !format.requestedByName)
  const most = Math.max(...alternatives.map(({ scopes }) => scopes.length))
  return usual.some(({ scopes }) => scopes.length === most) ? usual : alternatives
}

/**
 * Returns one list of identifiers for each credential query. If one `meta` of the format can request only one
 * type, each identifier has a query of its own. Otherwise one query has all identifiers.
 */
function identifiersPerQuery(
  type: CredentialTypeDefinition,
  format: QueryFormat,
): readonly (readonly string[])[] {
  const { identifiers } = findFormat(type, format.id) ?? { identifiers: [] }
  if (format.typesPerMeta === 'one') return identifiers.map((identifier) => [identifier])
  return identifiers.length === 0 ? [] : [identifiers]
}

function uncarriedNames(request: PolicyRequest, types: readonly RequestedType[]): readonly PolicyError[] {
  const carried = new Set(types.flatMap(listScopes))
  const presentable = types.filter(({ alternatives }) => alternatives.length > 0)
  const isEnough = request.credential_match === 'any' && presentable.length > 0
  const isWithoutScope = (name: string) =>
    !isEnough && presentable.some((type) => type.name === name && listScopes(type).length === 0)
  return [
    ...request.credential_types.flatMap((name, index) =>
      isEnough || presentable.some((type) => type.name === name)
        ? []
        : [{ code: 'type_without_format' as const, pointer: `/credential_types/${index}` }],
    ),
    ...request.credential_types.flatMap((name, index) =>
      isWithoutScope(name)
        ? [{ code: 'type_without_scope' as const, pointer: `/credential_types/${index}` }]
        : [],
    ),
    ...request.scope.flatMap((scope, index) =>
      carried.has(scope) ? [] : [{ code: 'scope_not_carried' as const, pointer: `/scope/${index}` }],
    ),
  ]
}

/**
 * Builds the group for `any`. One credential is enough, so the group has only alternatives with every scope.
 */
function anyGroup(types: readonly RequestedType[], scope: readonly string[]): readonly Alternative[][] {
  return [types.flatMap((type) => type.alternatives.filter(({ scopes }) => scopes.length === scope.length))]
}

/**
 * Builds one group for each type, for `all`. A type may have only some of the requested scopes. Its group has
 * only the alternatives that have all of these scopes.
 */
function allGroups(types: readonly RequestedType[]): readonly Alternative[][] {
  return types.map((type) => {
    const all = listScopes(type).length
    return type.alternatives.filter(({ scopes }) => scopes.length === all)
  })
}

function listScopes({ alternatives }: RequestedType): readonly string[] {
  return [...new Set(alternatives.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)))]
}
