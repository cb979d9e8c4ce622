// A relying party's request -> a policy that can be satisfied, or every reason why there is none (CONTRACT 2: 400 for a name
// nobody knows, 422 for known names that no credential can answer). `docs/decisions/any-and-all.md` says what `any` and `all` mean.

import { err, ok, type Result } from '../result.ts'
import { formatOf, pathIn, scopePath } from './catalogue.ts'
import type { CredentialTypeDefinition, Policy, ScopePath } from './policy.ts'
import { type Alternative, buildQuery, type QueryFormat } from './query.ts'

/** The policy members of `POST /v1/verify`, defaults filled in. A name given twice counts once. */
export type PolicyRequest = {
  readonly credential_types: readonly string[]
  readonly scope: readonly string[]
  readonly credential_match: 'any' | 'all'
  /** Order of preference; null: all that we verify and the types have. */
  readonly formats: readonly string[] | null
  readonly allow_derived: boolean
}

/** What may be asked for: the types (`typeDefinitions`) and the credential formats that are verified, in order of preference. */
export type PolicyCatalogue = {
  readonly definitions: readonly CredentialTypeDefinition[]
  readonly formats: readonly QueryFormat[]
}

/** Why there is no policy. `pointer` (RFC 6901) names the member at fault; the codes are those of CONTRACT 9. */
export type PolicyError =
  /** 400 */
  | {
      readonly code: 'unsupported_credential_type' | 'unsupported_scope' | 'invalid_request'
      readonly pointer: string
    }
  /** 422 */
  | {
      readonly code: 'policy_unsatisfiable'
      readonly pointer: string
      readonly cause: UnsatisfiableCause
    }

export type UnsatisfiableCause =
  /** The type exists in none of the formats asked for. */
  | 'type_without_format'
  /** No requested type carries the scope in the formats asked for. */
  | 'scope_not_carried'
  /** Each scope is carried, but no credential carries together those that one credential would have to. */
  | 'scopes_not_carried_together'

/** Builds the policy. All faults of a refused request have the same status: 400 while a name is unknown, else 422. */
export function buildPolicy(
  request: PolicyRequest,
  catalogue: PolicyCatalogue,
): Result<Policy, readonly PolicyError[]> {
  const unknown = unknownNames(request, catalogue)
  if (unknown.length > 0) return err(unknown)
  const asked = { ...request, scope: [...new Set(request.scope)] }
  const types = [...new Set(request.credential_types)].map((name) => askType(name, asked, catalogue))
  const faults = unsatisfiable(request, types)
  if (faults.length > 0) return err(faults)
  const groups = request.credential_match === 'any' ? askAny(types, asked) : askAll(types)
  if (groups.some((group) => group.length === 0)) {
    return err([{ code: 'policy_unsatisfiable', pointer: '/scope', cause: 'scopes_not_carried_together' }])
  }
  return ok({
    scope: asked.scope,
    ...buildQuery(groups),
  })
}

/** A requested type in each of the formats that can be asked for, with the requested scopes it carries there. */
type AskedType = { readonly name: string; readonly alternatives: readonly Alternative[] }

/** An empty list is no policy: with nothing to check, everything would pass. */
function unknownNames(
  request: PolicyRequest,
  { definitions, formats }: PolicyCatalogue,
): readonly PolicyError[] {
  const everywhere = (scope: string) =>
    definitions.some((type) =>
      Object.keys(type.formats).some((format) => scopePath(type, format, scope, false) !== undefined),
    )
  const lists: readonly (readonly [string, readonly string[] | null])[] = [
    ['/credential_types', request.credential_types],
    ['/scope', request.scope],
    ['/formats', request.formats],
  ]
  return [
    ...lists.flatMap(([pointer, list]) =>
      list?.length === 0 ? [{ code: 'invalid_request' as const, pointer }] : [],
    ),
    ...faultsAt('/credential_types', request.credential_types, 'unsupported_credential_type', (name) =>
      definitions.some((type) => type.name === name),
    ),
    ...faultsAt('/scope', request.scope, 'unsupported_scope', everywhere),
    ...faultsAt('/formats', request.formats ?? [], 'invalid_request', (id) =>
      formats.some((format) => format.id === id),
    ),
  ]
}

function faultsAt(
  pointer: string,
  names: readonly string[],
  code: 'unsupported_credential_type' | 'unsupported_scope' | 'invalid_request',
  known: (name: string) => boolean,
): readonly PolicyError[] {
  return names.flatMap((name, index) => (known(name) ? [] : [{ code, pointer: `${pointer}/${index}` }]))
}

function askType(name: string, request: PolicyRequest, { definitions, formats }: PolicyCatalogue): AskedType {
  const type = definitions.find((definition) => definition.name === name)
  if (type === undefined) return { name, alternatives: [] }
  const preferred =
    request.formats?.flatMap((id) => formats.find((format) => format.id === id) ?? []) ?? formats
  const alternatives = [...new Set(preferred)].flatMap((format) => {
    const { identifiers } = formatOf(type, format.id) ?? { identifiers: [] }
    return perQuery(format, identifiers).map((asked) => ({
      type: name,
      format,
      identifiers: asked,
      scopes: request.scope
        .flatMap((scope) => scopePath(type, format.id, scope, request.allow_derived) ?? [])
        .map((found) => pathIn(asked[0], found)),
    }))
  })
  return { name, alternatives }
}

/** The identifiers of a type as credential queries ask for them: together, or one by one. */
function perQuery(format: QueryFormat, identifiers: readonly string[]): readonly (readonly string[])[] {
  if (format.typesPerMeta === 'one') return identifiers.map((identifier) => [identifier])
  return identifiers.length === 0 ? [] : [identifiers]
}

function unsatisfiable(request: PolicyRequest, types: readonly AskedType[]): readonly PolicyError[] {
  const carried = new Set(types.flatMap(scopesOf))
  const code = 'policy_unsatisfiable' as const
  const presentable = types.filter(({ alternatives }) => alternatives.length > 0)
  const enough = request.credential_match === 'any' && presentable.length > 0
  return [
    ...request.credential_types.flatMap((name, index) =>
      enough || presentable.some((type) => type.name === name)
        ? []
        : [{ code, pointer: `/credential_types/${index}`, cause: 'type_without_format' as const }],
    ),
    ...request.scope.flatMap((scope, index) =>
      carried.has(scope) ? [] : [{ code, pointer: `/scope/${index}`, cause: 'scope_not_carried' as const }],
    ),
  ]
}

/** One credential is enough, so it must carry every scope: one group of all that do. */
function askAny(types: readonly AskedType[], { scope }: PolicyRequest): readonly (readonly Alternative[])[] {
  return [types.flatMap((type) => type.alternatives.filter(({ scopes }) => scopes.length === scope.length))]
}

/** Every type is presented, in a format in which it carries all that it carries in any: one group a type. */
function askAll(types: readonly AskedType[]): readonly (readonly Alternative[])[] {
  return types.map((type) => {
    const all = scopesOf(type).length
    return type.alternatives.filter(({ scopes }) => scopes.length === all)
  })
}

function scopesOf({ alternatives }: AskedType): readonly string[] {
  const scopes: readonly ScopePath[] = alternatives.flatMap((alternative) => alternative.scopes)
  return [...new Set(scopes.map(({ scope }) => scope))]
}
