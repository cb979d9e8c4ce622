// A caller's own DCQL query -> a policy that can be satisfied, or every reason why there is none (CONTRACT 2: 400 for a name
// nobody knows, 422 for what no answer could satisfy or we could not check). `docs/decisions/dcql.md` says how it is read.

import { toPointer } from '../codec/json-pointer.ts'
import type { CredentialFormat } from '../formats/format.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery, TrustedAuthority } from '../openid4vp/dcql/query.ts'
import { err, ok, type Result } from '../result.ts'
import { parseAgeScope } from './age.ts'
import { findType } from './catalogue.ts'
import type { CredentialTypeDefinition, Policy, PolicyDescriptor, ScopePath } from './policy.ts'
import { scopeAt } from './scope-at.ts'

/** What may be asked for: the types and the credential formats that are verified. */
export type DcqlCatalogue = {
  readonly definitions: readonly CredentialTypeDefinition[]
  readonly formats: readonly DcqlFormat[]
  /** Whether some of the anchors come from lists: without any, no answer is vouched for by one. */
  readonly hasTrustLists: boolean
}

type DcqlFormat = Pick<
  CredentialFormat,
  'id' | 'metaTypes' | 'buildMeta' | 'isClaimsPath' | 'claimsParameters' | 'clearClaims'
>

/** Why there is no policy. `pointer` (RFC 6901) is relative to the query. */
export type DcqlError = { readonly cause: DcqlErrorCode; readonly pointer: string }

/** Each cause, and the problem it is (CONTRACT 9): 400, or 422 for `policy_unsatisfiable`. */
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
} as const satisfies Readonly<
  Record<string, 'invalid_request' | 'unsupported_credential_type' | 'policy_unsatisfiable'>
>
export type DcqlErrorCode = keyof typeof DCQL_ERRORS

/** Builds the policy of a query that is well-formed by its schema. All faults of a refused query have the same status: 400 while a name is unknown, else 422. */
export function buildDcqlPolicy(
  query: DcqlQuery,
  catalogue: DcqlCatalogue,
): Result<Policy, readonly DcqlError[]> {
  const read = query.credentials.map((credential) => readQuery(credential, catalogue))
  const faults = read.flatMap((result, i) =>
    result.ok
      ? []
      : result.error.map((fault) => ({ ...fault, pointer: `/credentials/${i}${fault.pointer}` })),
  )
  const all = [...faults, ...setFaults(query)]
  const names = all.filter(({ cause }) => DCQL_ERRORS[cause] !== 'policy_unsatisfiable')
  if (all.length > 0) return err(names.length > 0 ? names : all)
  return ok({
    scope: [],
    query,
    descriptors: read.flatMap((result) => (result.ok ? result.value : [])),
  })
}

/** The name of a claim in `checks`: `<query id>.<path>`, `[n]` and `[*]` for an element and all elements of an array. */
export function checkName(queryId: string, path: ClaimsPath): string {
  return path.reduce<string>((name, component) => {
    if (component === null) return `${name}[*]`
    return typeof component === 'number' ? `${name}[${component}]` : `${name}.${component}`
  }, queryId)
}

/** §6.4.2: where there are credential sets, what stands in none is never asked for. */
function setFaults({ credentials, credential_sets }: DcqlQuery): readonly DcqlError[] {
  if (credential_sets === undefined) return []
  const named = new Set(credential_sets.flatMap(({ options }) => options.flat()))
  return credentials.flatMap(({ id }, i) =>
    named.has(id) ? [] : [{ cause: 'query_in_no_credential_set' as const, pointer: `/credentials/${i}` }],
  )
}

/** One credential query: a descriptor for each type it asks for. */
function readQuery(
  query: CredentialQuery,
  { definitions, formats, hasTrustLists }: DcqlCatalogue,
): Result<readonly PolicyDescriptor[], readonly DcqlError[]> {
  const format = formats.find(({ id }) => id === query.format)
  if (format === undefined) return err([{ cause: 'unknown_format', pointer: '/format' }])
  const types = readTypes(query, format, definitions)
  const faults = [
    ...(types.ok ? [] : types.error),
    ...bindingFaults(query),
    ...(query.trusted_authorities ?? []).flatMap((authority, i) =>
      authorityFaults(authority, hasTrustLists).map((fault) => ({
        ...fault,
        pointer: `/trusted_authorities/${i}${fault.pointer}`,
      })),
    ),
    ...claimsFaults(query, format),
  ]
  if (!types.ok || faults.length > 0) return err(faults)
  return ok(types.value.map((type) => describe(query, type)))
}

/** The types that `meta` asks for: all must be known, for the type of a credential is what anchors vouch for. */
function readTypes(
  { format: formatId, meta }: CredentialQuery,
  format: DcqlFormat,
  definitions: readonly CredentialTypeDefinition[],
): Result<readonly CredentialTypeDefinition[], readonly DcqlError[]> {
  const identifiers = format.metaTypes(meta)
  if (identifiers === undefined || identifiers.length === 0) {
    return err([{ cause: 'invalid_meta', pointer: '/meta' }])
  }
  const known = Object.keys(format.buildMeta(identifiers))
  const strangers = Object.keys(meta).filter((name) => !known.includes(name))
  if (strangers.length > 0) {
    return err(
      strangers.map((name) => ({
        cause: 'unknown_meta_member',
        pointer: toPointer(['meta', name.slice(0, 100)]),
      })),
    )
  }
  const types = identifiers.flatMap((identifier) => findType(definitions, formatId, identifier) ?? [])
  if (types.length < identifiers.length) return err([{ cause: 'unknown_credential_type', pointer: '/meta' }])
  return ok([...new Set(types)])
}

/** B.2: an mdoc has no form without it. What a protocol demands besides is the protocol's affair. */
function bindingFaults(query: CredentialQuery): readonly DcqlError[] {
  const isWaived = query.require_cryptographic_holder_binding === false
  if (!isWaived || query.format !== 'mso_mdoc') return []
  return [{ cause: 'holder_binding_required', pointer: '/require_cryptographic_holder_binding' }]
}

/** §6.1.1: the types it defines. Of those we cannot check, the answer could never be found to fit. */
function authorityFaults({ type, values }: TrustedAuthority, hasTrustLists: boolean): readonly DcqlError[] {
  if (type === 'openid_federation' || (type === 'etsi_tl' && !hasTrustLists))
    return [{ cause: 'authority_not_checkable', pointer: '/type' }]
  if (type !== 'aki' && type !== 'etsi_tl') return [{ cause: 'unknown_authority_type', pointer: '/type' }]
  const form = type === 'aki' ? /^[A-Za-z0-9_-]+$/ : /^https?:\/\/[\x21-\x7e]+$/
  return values.flatMap((value, i) =>
    form.test(value) ? [] : [{ cause: 'invalid_authority' as const, pointer: `/values/${i}` }],
  )
}

function claimsFaults({ id, claims = [] }: CredentialQuery, format: DcqlFormat): readonly DcqlError[] {
  const names = claims.map(({ path }) => checkName(id, path))
  return claims.flatMap(({ path, intent_to_retain }, i) => {
    const isTaken = names.slice(0, i).includes(checkName(id, path))
    const cause = pathFault(path, format) ?? (isTaken ? 'indistinguishable_claims' : undefined)
    const isForeign = intent_to_retain !== undefined && !('intent_to_retain' in format.claimsParameters)
    return [
      ...(cause === undefined ? [] : [{ cause, pointer: `/claims/${i}/path` }]),
      ...(isForeign
        ? [{ cause: 'intent_to_retain_for_mdoc_only' as const, pointer: `/claims/${i}/intent_to_retain` }]
        : []),
    ]
  })
}

function pathFault(path: ClaimsPath, { isClaimsPath, clearClaims }: DcqlFormat): DcqlErrorCode | undefined {
  if (!isClaimsPath(path)) return 'path_selects_nothing'
  return clearClaims?.has(String(path[0])) ? 'claim_always_present' : undefined
}

function describe(query: CredentialQuery, type: CredentialTypeDefinition): PolicyDescriptor {
  const { id, format, claims = [], claim_sets } = query
  const scopes = claims.map(({ path, values }): ScopePath => {
    const known = scopeAt(type, format, path)
    return {
      scope: checkName(id, path),
      shown: shownAs(type, format, path),
      path,
      boolean: known?.boolean === true || isAge(path),
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

/** Ages are boolean, whether or not the catalogue knows the claim: `"false"` must not count as something said. */
function isAge(path: ClaimsPath): boolean {
  return parseAgeScope(String(path.at(-1))) !== undefined
}

/** What people know the claim as: the scope that stands there, or around it, or the path itself. */
function shownAs(type: CredentialTypeDefinition, format: string, path: ClaimsPath): string {
  const whole = path.findLastIndex((component) => typeof component === 'string') + 1
  return scopeAt(type, format, path.slice(0, whole))?.scope ?? checkName('', path).slice(1)
}
