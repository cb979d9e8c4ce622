// Policy of a creation: by types and scopes, or by the caller's own `dcql_query` (api/creation).

import type { CreateRequest } from '../../../api/requests.ts'
import { FORMATS } from '../../../formats/index.ts'
import { queryLanguage } from '../../../openid4vp/protocols/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import { buildDcqlPolicy, DCQL_ERRORS } from '../../../policy/build-dcql-policy.ts'
import { buildPolicy, POLICY_ERRORS } from '../../../policy/build-policy.ts'
import { typeDefinitions } from '../../../policy/catalogue.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { err, type Result } from '../../../result.ts'
import { type RequestError, unsatisfiable } from '../../edge/problems.ts'
import { requestError } from './creation-error.ts'
import type { Options } from './request-options.ts'

/**
 * Builds the policy of a request. Returns an error if the protocol cannot express the policy with these
 * options.
 */
export function requestedPolicy(
  body: CreateRequest,
  settings: Settings,
  { protocol, options }: { readonly protocol: Protocol; readonly options: Options },
): Result<Policy, RequestError> {
  const inMode = (mode: Options['response_mode']) =>
    expressiblePolicy(body, settings, protocol, (format) => protocol.supportsFormat(format, mode))
  const policy = inMode(options.response_mode)
  return policy.ok || !inMode(ENCRYPTED).ok ? policy : err(NEEDS_ENCRYPTION)
}

const ENCRYPTED = 'direct_post.jwt'

/**
 * Error of a request for `mso_mdoc` with a draft protocol, which needs an encrypted response for this format.
 */
const NEEDS_ENCRYPTION = unsatisfiable({
  pointer: '/request_options/response_mode',
  code: 'not_in_response_mode',
  message: `must be \`${ENCRYPTED}\`: with this protocol, \`mso_mdoc\` is requested with an encrypted response only`,
})

/** Builds the policy of a request. Returns an error if the protocol cannot express the policy. */
function expressiblePolicy(
  body: CreateRequest,
  settings: Settings,
  protocol: Protocol,
  supportsFormat: (format: string) => boolean,
): Result<Policy, RequestError> {
  const policy = buildRequested(body, settings, supportsFormat)
  if (!policy.ok || canExpress(protocol, policy.value, supportsFormat)) return policy
  const message = 'cannot express the requested query: choose `openid4vp-1.0`'
  return err(unsatisfiable({ pointer: '/protocol', code: 'not_in_protocol', message }))
}

/**
 * Returns true if the protocol can express the query. A query that the relying party wrote itself may need
 * more than the protocol has.
 */
function canExpress(
  protocol: Protocol,
  policy: Policy,
  supportsFormat: (format: string) => boolean,
): boolean {
  const { query } = policy
  return (
    query.credentials.every(({ format }) => supportsFormat(format)) &&
    protocol.canExpress(query, queryLanguage(protocol, policy))
  )
}

/**
 * Builds the policy of a request. `supportsFormat` returns true if the session's protocol can request a
 * format. Other formats are left out, except in the caller's own query.
 */
function buildRequested(
  body: CreateRequest,
  settings: Settings,
  supportsFormat: (format: string) => boolean,
): Result<Policy, RequestError> {
  const catalogue = {
    definitions: typeDefinitions(settings.credential_types),
    formats: Object.values(FORMATS),
    hasTrustLists: settings.anchor_sets.length > 0,
  }
  const { dcql_query: query } = body
  if (query !== undefined) {
    const built = buildDcqlPolicy(query, catalogue)
    return built.ok ? built : err(requestError(built.error, DCQL_ERRORS, '/dcql_query'))
  }
  const {
    credential_types = [],
    scope = [],
    credential_match,
    allow_derived,
    intent_to_retain = false,
  } = body
  const named = body.formats ?? settings.formats
  const formats = named?.filter((id) => !Object.hasOwn(FORMATS, id) || supportsFormat(id)) ?? null
  if (formats?.length === 0) {
    return err(requestError([{ code: 'type_without_format', pointer: '/formats' }], POLICY_ERRORS))
  }
  const offered = { ...catalogue, formats: catalogue.formats.filter(({ id }) => supportsFormat(id)) }
  const choices = { credential_match, allow_derived, intent_to_retain, formats }
  const built = buildPolicy({ credential_types, scope, ...choices }, offered)
  return built.ok ? built : err(requestError(built.error, POLICY_ERRORS))
}
