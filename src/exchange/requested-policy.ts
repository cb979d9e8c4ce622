// Builds the policy of a create request from types and scopes, or from its `dcql_query` (api/creation).

import type { CredentialFormat } from '../formats/verification/format.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import { type Protocol, queryLanguage } from '../openid4vp/protocols/protocol.ts'
import type { RegisteredCredential } from '../openid4vp/registration/registration-certificate.ts'
import type { ResponseMode } from '../openid4vp/response/response-mode.ts'
import type { buildDcqlPolicy, DCQL_ERRORS } from '../policy/build-dcql-policy.ts'
import { buildPolicy, POLICY_ERRORS } from '../policy/build-policy.ts'
import { withRegisteredPids } from '../policy/catalogue.ts'
import type { CredentialTypeDefinition, Policy } from '../policy/policy.ts'
import { err, type Result } from '../result.ts'

/** Members of a create request that state its policy. */
export type PolicyMembers = {
  readonly dcql_query?: DcqlQuery | undefined
  readonly credential_types?: readonly string[] | undefined
  readonly scope?: readonly string[] | undefined
  readonly credential_match: 'any' | 'all'
  readonly formats?: readonly string[] | undefined
  readonly allow_derived: boolean
  readonly intent_to_retain?: boolean
}

/**
 * Protocol and response mode of a request, and the formats, types and credentials that its policy may use.
 */
export type PolicyContext = {
  readonly protocol: Protocol
  readonly responseMode: ResponseMode | null
  /** Credential formats that are verified, by their identifier. */
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Credential types that a request may name (`typeDefinitions`). */
  readonly definitions: readonly CredentialTypeDefinition[]
  /** True if some anchors come from trust lists. */
  readonly hasTrustLists: boolean
  /** Registered credentials of the verifier. */
  readonly registered: readonly RegisteredCredential[]
  /**
   * Support of `dcql_query`; `undefined` if the caller of `requestedPolicy` does not support it. A request
   * with `dcql_query` then gets the errors of a request without types.
   */
  readonly dcql: DcqlSupport | undefined
}

/** The function that builds the policy of a caller's own query, and the problem for each error code. */
export type DcqlSupport = {
  readonly buildPolicy: typeof buildDcqlPolicy
  readonly errors: typeof DCQL_ERRORS
}

/**
 * The problem of a request, and its errors. `message` is either a text, or an error code for which the API
 * has a text.
 */
export type RequestedPolicyError<Problem extends string> = {
  readonly code: Problem
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
}

type PolicyProblem = (typeof POLICY_ERRORS)[keyof typeof POLICY_ERRORS]
type PolicyResult = Result<Policy, RequestedPolicyError<PolicyProblem>>

/**
 * Builds the policy of a request. Returns an error if the protocol cannot express the policy with this
 * response mode. If only the encryption is missing, the error names the response mode that is needed.
 */
export function requestedPolicy(members: PolicyMembers, context: PolicyContext): PolicyResult {
  const policy = expressiblePolicy(members, context)
  if (policy.ok || !expressiblePolicy(members, { ...context, responseMode: ENCRYPTED }).ok) return policy
  return err(NEEDS_ENCRYPTION)
}

const ENCRYPTED = 'direct_post.jwt'

/**
 * Error of a request for `mso_mdoc` with a draft protocol. The drafts need an encrypted response for
 * `mso_mdoc`.
 */
const NEEDS_ENCRYPTION = unsatisfiable(
  '/request_options/response_mode',
  'not_in_response_mode',
  `must be \`${ENCRYPTED}\`: with this protocol, \`mso_mdoc\` is requested with an encrypted response only`,
)

/** Builds the policy of a request. Returns an error if the protocol cannot express the policy. */
function expressiblePolicy(members: PolicyMembers, context: PolicyContext): PolicyResult {
  const policy = buildRequested(members, context)
  if (!policy.ok || canExpress(policy.value, context)) return policy
  const message = 'cannot express the requested query: choose `openid4vp-1.0`'
  return err(unsatisfiable('/protocol', 'not_in_protocol', message))
}

/**
 * Returns true if the protocol can express the query. A caller's own query may need features that the
 * protocol does not have.
 */
function canExpress(policy: Policy, { protocol, responseMode }: PolicyContext): boolean {
  const { query } = policy
  return (
    query.credentials.every(({ format }) => protocol.supportsFormat(format, responseMode)) &&
    protocol.canExpress(query, queryLanguage(protocol, policy))
  )
}

/**
 * Builds the policy of a request. Formats that the protocol does not support are left out, except in the
 * caller's own query.
 */
function buildRequested(members: PolicyMembers, context: PolicyContext): PolicyResult {
  const { protocol, responseMode, formats: registry, definitions, hasTrustLists, registered } = context
  const all = Object.values(registry)
  const { dcql_query: query } = members
  const { dcql } = context
  if (query !== undefined && dcql !== undefined) {
    const built = dcql.buildPolicy(query, { definitions, formats: all, hasTrustLists })
    return built.ok ? built : err(requestError(built.error, dcql.errors, '/dcql_query'))
  }
  const {
    credential_types = [],
    scope = [],
    credential_match,
    allow_derived,
    intent_to_retain = false,
  } = members
  const supports = (id: string) => protocol.supportsFormat(id, responseMode)
  const formats = members.formats?.filter((id) => !Object.hasOwn(registry, id) || supports(id)) ?? null
  if (formats?.length === 0) {
    return err(requestError([{ code: 'type_without_format', pointer: '/formats' }], POLICY_ERRORS))
  }
  const offered = {
    definitions: withRegisteredPids(definitions, registered, registry),
    formats: all.filter(({ id }) => supports(id)),
  }
  const choices = { credential_match, allow_derived, intent_to_retain, formats }
  const built = buildPolicy({ credential_types, scope, ...choices }, offered)
  return built.ok ? built : err(requestError(built.error, POLICY_ERRORS))
}

function unsatisfiable(pointer: string, code: string, message: string): RequestedPolicyError<PolicyProblem> {
  return { code: 'policy_unsatisfiable', errors: [{ pointer, code, message }] }
}

/**
 * Returns one error that lists all errors of a part of a request. `parent` is the JSON Pointer of the part.
 * `rows` has the problem for each error code, and the first error determines the problem. The message of each
 * error is its code.
 */
export function requestError<Code extends string, Problem extends string>(
  errors: readonly { readonly code: Code; readonly pointer: string }[],
  rows: Readonly<Record<Code, Problem>>,
  parent = '',
): RequestedPolicyError<Problem | 'invalid_request'> {
  const [first] = errors
  return {
    code: first === undefined ? 'invalid_request' : rows[first.code],
    errors: errors.map(({ code, pointer }) => ({ pointer: `${parent}${pointer}`, code, message: code })),
  }
}
