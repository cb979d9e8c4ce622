// Policy of a creation: by types and scopes, or by the caller's own `dcql_query` (CONTRACT 2).

import { FORMATS } from '../../formats/index.ts'
import { buildDcqlPolicy, DCQL_ERRORS, type DcqlErrorCode } from '../../policy/build-dcql-policy.ts'
import { buildPolicy, type PolicyError } from '../../policy/build-policy.ts'
import { typeDefinitions } from '../../policy/catalogue.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Settings } from '../../relying-party/settings/settings.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError, ProblemCode } from '../edge/problems.ts'
import type { CreateRequest } from './schemas.ts'

/** Why there is no policy: the problem, and each error with its pointer in the body. */
export type PolicyProblem = { readonly code: ProblemCode; readonly errors: readonly FieldError[] }

/**
 * Builds the policy of a request. `supportsFormat` returns if the session's protocol can request a format;
 * other formats are ignored where there is a choice.
 */
export function requestedPolicy(
  body: CreateRequest,
  settings: Settings,
  supportsFormat: (format: string) => boolean,
): Result<Policy, PolicyProblem> {
  const catalogue = {
    definitions: typeDefinitions(settings.credential_types),
    formats: Object.values(FORMATS),
    hasTrustLists: settings.anchor_sets.length > 0,
  }
  const { dcql_query: query } = body
  if (query !== undefined) {
    const built = buildDcqlPolicy(query, catalogue)
    if (built.ok) return built
    const errors = built.error.map(({ cause, pointer }) => toError(`/dcql_query${pointer}`, cause))
    const [first] = built.error
    return err({ code: first === undefined ? 'invalid_request' : DCQL_ERRORS[first.cause], errors })
  }
  const { credential_types = [], scope = [], credential_match, allow_derived } = body
  const named = body.formats ?? settings.formats
  const formats = named?.filter((id) => !Object.hasOwn(FORMATS, id) || supportsFormat(id)) ?? null
  if (formats?.length === 0) {
    return err({ code: 'policy_unsatisfiable', errors: [toError('/formats', 'type_without_format')] })
  }
  const asked = {
    credential_types,
    scope,
    credential_match,
    allow_derived,
    formats,
  }
  const built = buildPolicy(asked, {
    ...catalogue,
    formats: catalogue.formats.filter(({ id }) => supportsFormat(id)),
  })
  return built.ok ? ok(built.value) : err(policyProblem(built.error))
}

function policyProblem(faults: readonly PolicyError[]): PolicyProblem {
  const errors = faults.map((fault) =>
    toError(fault.pointer, fault.code === 'policy_unsatisfiable' ? fault.cause : fault.code),
  )
  return { code: faults[0]?.code ?? 'invalid_request', errors }
}

function toError(pointer: string, code: keyof typeof MESSAGES): FieldError {
  return { pointer, code, message: MESSAGES[code] }
}

const DCQL_MESSAGES: Readonly<Record<DcqlErrorCode, string>> = {
  unknown_format: 'is not a credential format that is verified here',
  unknown_meta_member: 'is not known in the meta of this format',
  invalid_meta: 'does not name credential types as this format does',
  unknown_credential_type: 'names a credential type that is neither built in nor added',
  unknown_authority_type: 'is not a kind of trusted authority',
  invalid_authority: 'must be base64url for aki, an address for etsi_tl',
  intent_to_retain_for_mdoc_only: 'is known for mso_mdoc only',
  indistinguishable_claims: 'is spelled in checks as another path is',
  authority_not_checkable: 'could not be checked in an answer: aki is, and etsi_tl with anchor_sets',
  holder_binding_required: 'must not be false for this format',
  path_selects_nothing: 'selects nothing in a credential of this format',
  claim_always_present: 'is disclosed always and cannot be asked for',
  query_in_no_credential_set: 'stands in none of the credential_sets and would never be answered',
}

const MESSAGES = {
  invalid_request: 'is not acceptable here',
  unsupported_credential_type: 'is not a known credential type',
  unsupported_scope: 'is not a known scope',
  type_without_format: 'exists in none of the formats that may be presented',
  scope_not_carried: 'is carried by none of the requested credential types',
  scopes_not_carried_together: 'are not carried together by a single credential',
  ...DCQL_MESSAGES,
} as const
