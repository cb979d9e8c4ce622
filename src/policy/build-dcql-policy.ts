// Builds a policy from a caller's own DCQL query, or returns its errors. The HTTP status is 400 for an
// unknown name or an invalid member. The HTTP status is 422 for a query that no response can satisfy or that
// this service cannot check (api/creation). `docs/decisions/policy.md` has the details.

import { toPointer } from '../codec/json-pointer.ts'
import type { CredentialFormat } from '../formats/verification/format.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery, TrustedAuthority } from '../openid4vp/dcql/query.ts'
import { err, ok, type Result } from '../result.ts'
import { parseAgeScope } from './age.ts'
import { findType, scopeAt } from './catalogue.ts'
import type { CredentialTypeDefinition, Policy, PolicyDescriptor, ScopePath } from './policy.ts'

/** Known types, and the credential formats that this service verifies. */
type DcqlCatalogue = {
  readonly definitions: readonly CredentialTypeDefinition[]
  readonly formats: readonly DcqlFormat[]
  /** True if some anchors come from trust lists. Only then can `etsi_tl` be checked. */
  readonly hasTrustLists: boolean
}

type DcqlFormat = Pick<
  CredentialFormat,
  'id' | 'metaTypes' | 'buildMeta' | 'isClaimsPath' | 'claimsParameters' | 'clearClaims'
>

/**
 * Error codes of a query, each with the code of the problem that the caller receives (api/errors).
 * request-messages.ts has the messages.
 */
export const DCQL_ERRORS = {
  unknown_format: 'invalid_request',
  unknown_meta_member: 'invalid_request',
  invalid_meta: 'invalid_request',
  unknown_credential_type: 'unsupported_credential_type',
  unknown_authority_type: 'invalid_request',
  invalid_authority: 'invalid_request',
  intent_to_retain_for_mdoc_only: 'invalid_request',
  indistinguishable_claims: 'invalid_request',
  authority_not_checkable: 'policy_unsatisfiable',
  holder_binding_required: 'policy_unsatisfiable',
  path_selects_nothing: 'policy_unsatisfiable',
  claim_always_present: 'policy_unsatisfiable',
  query_in_no_credential_set: 'policy_unsatisfiable',
} as const
type DcqlErrorCode = keyof typeof DCQL_ERRORS

/** One error of a query. `pointer` (RFC 6901) is relative to the query. */
type DcqlError = { readonly code: DcqlErrorCode; readonly pointer: string }

/**
 * Builds the policy of a query that the DCQL schema has accepted. If there is an error with status 400,
 * returns only the errors with this status. Otherwise, all returned errors have status 422.
 */
export function buildDcqlPolicy(
  query: DcqlQuery,
  catalogue: DcqlCatalogue,
): Result<Policy, readonly DcqlError[]> {
  const parsed = query.credentials.map((credential) => parseQuery(credential, catalogue))
  const errors = [
    ...parsed.flatMap((result, i) => (result.ok ? [] : below(`/credentials/${i}`, result.error))),
    ...setErrors(query),
  ]
  const names = errors.filter(({ code }) => DCQL_ERRORS[code] !== 'policy_unsatisfiable')
  if (errors.length > 0) return err(names.length > 0 ? names : errors)
  return ok({
    scope: [],
    query,
    descriptors: parsed.flatMap((result) => (result.ok ? result.value : [])),
  })
}

function below(parent: string, errors: readonly DcqlError[]): readonly DcqlError[] {
  return errors.map(({ code, pointer }) => ({ code, pointer: `${parent}${pointer}` }))
}

/**
 * Returns the name of a claim in `checks`: `<query id>.<path>`, with `[n]` and `[*]` for elements of an
 * array.
 */
export function checkName(queryId: string, path: ClaimsPath): string {
  return path.reduce<string>((name, component) => {
    if (component === null) return `${name}[*]`
    return typeof component === 'number' ? `${name}[${component}]` : `${name}.${component}`
  }, queryId)
}

/**
 * Returns an error for each credential query that is in no credential set, if the DCQL query has credential
 * sets. No wallet presents a credential for such a credential query (§6.4.2).
 */
function setErrors({ credentials, credential_sets }: DcqlQuery): readonly DcqlError[] {
  if (credential_sets === undefined) return []
  const setIds = new Set(credential_sets.flatMap(({ options }) => options.flat()))
  return credentials.flatMap(({ id }, i) =>
    setIds.has(id) ? [] : [{ code: 'query_in_no_credential_set' as const, pointer: `/credentials/${i}` }],
  )
}

/** Parses one credential query. Returns one descriptor for each requested type. */
function parseQuery(
  query: CredentialQuery,
  { definitions, formats, hasTrustLists }: DcqlCatalogue,
): Result<readonly PolicyDescriptor[], readonly DcqlError[]> {
  const format = formats.find(({ id }) => id === query.format)
  if (format === undefined) return err([{ code: 'unknown_format', pointer: '/format' }])
  const types = parseTypes(query, format, definitions)
  const errors = [
    ...(types.ok ? [] : types.error),
    ...bindingErrors(query),
    ...(query.trusted_authorities ?? []).flatMap((authority, i) =>
      below(`/trusted_authorities/${i}`, authorityErrors(authority, hasTrustLists)),
    ),
    ...claimsErrors(query, format),
  ]
  if (!types.ok || errors.length > 0) return err(errors)
  return ok(types.value.map((type) => describe(query, type)))
}

/**
 * Returns the types that `meta` requests. Every type must be known, because trust anchors vouch for types.
 */
function parseTypes(
  { format: formatId, meta }: CredentialQuery,
  format: DcqlFormat,
  definitions: readonly CredentialTypeDefinition[],
): Result<readonly CredentialTypeDefinition[], readonly DcqlError[]> {
  const identifiers = format.metaTypes(meta)
  if (identifiers === undefined || identifiers.length === 0) {
    return err([{ code: 'invalid_meta', pointer: '/meta' }])
  }
  const members = Object.keys(format.buildMeta(identifiers))
  const unknown = Object.keys(meta).filter((name) => !members.includes(name))
  if (unknown.length > 0) {
    return err(
      unknown.map((name) => ({
        code: 'unknown_meta_member',
        pointer: toPointer(['meta', name.slice(0, 100)]),
      })),
    )
  }
  const types = identifiers.flatMap((identifier) => findType(definitions, formatId, identifier) ?? [])
  if (types.length < identifiers.length) return err([{ code: 'unknown_credential_type', pointer: '/meta' }])
  return ok([...new Set(types)])
}

/**
 * Returns an error if the query waives holder binding for an mdoc. An mdoc always has holder binding (B.2).
 * The protocol may have further rules on holder binding.
 */
function bindingErrors(query: CredentialQuery): readonly DcqlError[] {
  const isWaived = query.require_cryptographic_holder_binding === false
  if (!isWaived || query.format !== 'mso_mdoc') return []
  return [{ code: 'holder_binding_required', pointer: '/require_cryptographic_holder_binding' }]
}

/**
 * Returns the errors of one trusted authority (§6.1.1). An authority type that this service cannot check is
 * an error, because no response could satisfy it.
 */
function authorityErrors({ type, values }: TrustedAuthority, hasTrustLists: boolean): readonly DcqlError[] {
  if (type === 'openid_federation' || (type === 'etsi_tl' && !hasTrustLists))
    return [{ code: 'authority_not_checkable', pointer: '/type' }]
  if (type !== 'aki' && type !== 'etsi_tl') return [{ code: 'unknown_authority_type', pointer: '/type' }]
  const form = type === 'aki' ? /^[A-Za-z0-9_-]+$/ : /^https?:\/\/[\x21-\x7e]+$/
  return values.flatMap((value, i) =>
    form.test(value) ? [] : [{ code: 'invalid_authority' as const, pointer: `/values/${i}` }],
  )
}

function claimsErrors({ id, claims = [] }: CredentialQuery, format: DcqlFormat): readonly DcqlError[] {
  const names = claims.map(({ path }) => checkName(id, path))
  return claims.flatMap(({ path, intent_to_retain }, i) => {
    const isTaken = names.slice(0, i).includes(checkName(id, path))
    const code = pathError(path, format) ?? (isTaken ? 'indistinguishable_claims' : undefined)
    const isForeign = intent_to_retain !== undefined && !('intent_to_retain' in format.claimsParameters)
    return [
      ...(code === undefined ? [] : [{ code, pointer: `/claims/${i}/path` }]),
      ...(isForeign
        ? [{ code: 'intent_to_retain_for_mdoc_only' as const, pointer: `/claims/${i}/intent_to_retain` }]
        : []),
    ]
  })
}

function pathError(path: ClaimsPath, { isClaimsPath, clearClaims }: DcqlFormat): DcqlErrorCode | undefined {
  if (!isClaimsPath(path)) return 'path_selects_nothing'
  return clearClaims?.has(String(path[0])) ? 'claim_always_present' : undefined
}

function describe(query: CredentialQuery, type: CredentialTypeDefinition): PolicyDescriptor {
  const { id, format, claims = [], claim_sets } = query
  const scopes = claims.map(({ path, values }): ScopePath => {
    const typeScope = scopeAt(type, format, path)
    return {
      scope: checkName(id, path),
      display_name: displayName(type, format, path),
      path,
      boolean: typeScope?.boolean === true || isAge(path),
      ...(values === undefined ? {} : { values }),
    }
  })
  const descriptor = { query_id: id, credential_type: type.name, scopes }
  if (claim_sets === undefined) return descriptor
  const nameOf = new Map(claims.map((claim) => [claim.id, checkName(id, claim.path)]))
  return {
    ...descriptor,
    claim_sets: claim_sets.map((set) => set.flatMap((claim) => nameOf.get(claim) ?? [])),
  }
}

/**
 * Returns true if the last name in the path is `age_over_NN`. Such a claim is boolean even if the catalogue
 * lacks the claim. The text `"false"` must not prove an age.
 */
function isAge(path: ClaimsPath): boolean {
  return parseAgeScope(String(path.at(-1))) !== undefined
}

/**
 * Returns the name that people see for a claim: the scope that has the same path. Array elements at the end
 * of the path are ignored, so an element gets the scope of its array. Returns the path as text if there is no
 * such scope.
 */
function displayName(type: CredentialTypeDefinition, format: string, path: ClaimsPath): string {
  const whole = path.findLastIndex((component) => typeof component === 'string') + 1
  return scopeAt(type, format, path.slice(0, whole))?.scope ?? checkName('', path).slice(1)
}
