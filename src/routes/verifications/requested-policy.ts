// Policy of a creation: by types and scopes, or by the caller's own `dcql_query` (api/creation).

import type { CreateRequest } from '../../api/requests.ts'
import { FORMATS } from '../../formats/index.ts'
import { buildDcqlPolicy, DCQL_ERRORS } from '../../policy/build-dcql-policy.ts'
import { buildPolicy, POLICY_ERRORS } from '../../policy/build-policy.ts'
import { typeDefinitions } from '../../policy/catalogue.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import { err, type Result } from '../../result.ts'
import { type AssetSource, messageOf } from '../edge/cloudflare.ts'
import type { ProblemCode, RequestError } from '../edge/problems.ts'

/**
 * Builds the policy of a request. `supportsFormat` returns if the session's protocol can request a format;
 * other formats are ignored where there is a choice.
 */
export function requestedPolicy(
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

/** Reports errors at their places in the body. `rows`: the problem of each. The messages are codes. */
export function requestError<Code extends string>(
  errors: readonly { readonly code: Code; readonly pointer: string }[],
  rows: Readonly<Record<Code, ProblemCode>>,
  parent = '',
): RequestError {
  const [first] = errors
  return {
    code: first === undefined ? 'invalid_request' : rows[first.code],
    errors: errors.map(({ code, pointer }) => ({ pointer: `${parent}${pointer}`, code, message: code })),
  }
}

/** Returns the error with texts in place of the messages that are codes. */
export async function withTexts(assets: AssetSource, error: RequestError): Promise<RequestError> {
  const described = error.errors.map(async ({ message, ...one }) => ({
    ...one,
    message: message === one.code ? await messageOf(assets, message) : message,
  }))
  return { code: error.code, errors: await Promise.all(described) }
}
