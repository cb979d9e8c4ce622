// Names of the errors of each route: those that its caller, body, query and path imply, and its own.
// The errors themselves are in errors.ts.

import type { Access, RouteName } from '../src/routes/edge/access.ts'
import type { ProblemCode } from '../src/routes/edge/problems.ts'
import type { Operation } from './operation.ts'

/** Returns the names of every error of a route. */
export function errorNamesOf(name: RouteName, operation: Operation, access: Access): readonly string[] {
  const { problems = [], walletErrors = [], tokenErrors = [], oidcErrors = [], proofErrors = [] } = operation
  return [
    ...new Set([...impliedProblems(name, operation, access), ...problems]),
    ...walletErrors.map((kind) => `wallet.${kind}`),
    ...tokenErrors.map((kind) => `token.${kind}`),
    ...oidcErrors.map((kind) => `oidc.${kind}`),
    ...proofErrors.map((kind) => `userinfo.${kind}`),
  ]
}

/** Returns the problems of authentication, of a body, of a query and of an id in the path. */
function impliedProblems(
  name: RouteName,
  { body, query }: Operation,
  { caller }: Access,
): readonly ProblemCode[] {
  if (OWN_ERRORS.includes(caller)) return []
  const isOperator = caller === 'operator' || caller === 'metrics_reader'
  return [
    ...(body === undefined && query === undefined ? [] : (['invalid_request'] as const)),
    ...(body === undefined ? [] : BODY),
    ...(caller === 'browser' ? [] : TOKEN),
    ...(caller === 'browser' || isOperator ? [] : (['expired_token'] as const)),
    ...(name.includes(':id') ? (['verification_not_found'] as const) : []),
    ...(isOperator ? (['not_found'] as const) : []),
    'internal_error',
    'temporarily_unavailable',
  ]
}

/** Callers with errors of their own. */
const OWN_ERRORS: readonly Access['caller'][] = [
  ...(['anyone', 'wallet', 'person', 'client', 'oidc_client', 'oidc_token', 'login', 'console'] as const),
]

const BODY = ['invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_media_type'] as const
const TOKEN = ['missing_token', 'invalid_token', 'insufficient_scope'] as const
