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
  unknown_format: 'must be a credential format that this service verifies',
  unknown_meta_member: 'is not a member of the meta of this format: remove it',
  invalid_meta: 'must name credential types as this format requires',
  unknown_credential_type: 'must name a built-in credential type, or one of the settings',
  unknown_authority_type: 'must be aki or etsi_tl',
  invalid_authority: 'must be base64url for aki, an address for etsi_tl',
  intent_to_retain_for_mdoc_only: 'must be absent for formats other than mso_mdoc',
  indistinguishable_claims: 'must differ from other paths also in the names of checks',
  authority_not_checkable: 'cannot be checked: use aki, or etsi_tl with anchor_sets in the settings',
  holder_binding_required: 'must not be false for this format',
  path_selects_nothing: 'must select a claim in a credential of this format',
  claim_always_present: 'must not be requested: every credential of this format discloses it',
  query_in_no_credential_set: 'must be in one of the credential_sets: it would never be presented',
}

const MESSAGES = {
  invalid_request: 'is not valid here',
  unsupported_credential_type: 'must be a built-in credential type, or one of the settings',
  unsupported_scope: 'must be a scope of a credential type that is built in or in the settings',
  type_without_format: 'must exist in a format that may be presented: change formats or the protocol',
  scope_not_carried: 'must be a scope of one of the requested credential types',
  scopes_not_carried_together: 'must be scopes of a single credential type: request fewer scopes',
  ...DCQL_MESSAGES,
} as const
