// Checks a create request for over-asking (api/creation): the request asks for more than the registration
// certificate of its relying party covers. A wallet shows this to the person, or refuses the request.

import type { CreateRequest } from '../../../api/requests.ts'
import type { CreationWarning } from '../../../api/responses/verifications.ts'
import { FORMATS } from '../../../formats/index.ts'
import { type UncoveredClaim, uncoveredClaims } from '../../../openid4vp/registration/coverage.ts'
import type { RegisteredCredential } from '../../../openid4vp/registration/registration-certificate.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import {
  type REGISTRATION_FAULTS,
  registeredCredentials,
  registrationFor,
} from '../../../relying-party/verifier/verifier-registration.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type RequestError, unsatisfiable } from '../../edge/problems.ts'

type RegisteringSettings = Pick<Settings, 'verifier' | 'further_verifiers' | 'enforce_registration'>

/**
 * Returns warnings about requested claims that are not registered for the intended use. An intended use that
 * `verifier` does not have is an error. With `enforce_registration`, these warnings are errors that reject
 * the request. `registered`: result of `loadRegistered` for this use. `now` is Unix milliseconds.
 */
export function unregisteredClaims(
  body: CreateRequest,
  settings: RegisteringSettings,
  {
    policy,
    registered,
    now,
  }: {
    readonly policy: Policy
    readonly registered: readonly RegisteredCredential[] | undefined
    readonly now: number
  },
): Result<readonly CreationWarning[], RequestError> {
  if (body.intended_use !== undefined && registered === undefined) {
    const message = 'intended_use_unknown'
    return err(unsatisfiable({ pointer: '/intended_use', code: 'unknown_intended_use', message }))
  }
  const enforced = settings.enforce_registration === true
  const warnings = findUnregistered(body, settings, policy, now)
  if (enforced && warnings.length > 0) return err({ code: 'policy_unsatisfiable', errors: warnings })
  return ok(warnings)
}

/**
 * Returns the credentials registered for a use; none if the registration cannot be used. Returns `undefined`
 * without a registration for this use.
 */
export function loadRegistered(
  { verifier }: Pick<Settings, 'verifier'>,
  use: string | undefined,
  now: number,
): readonly RegisteredCredential[] | undefined {
  const registration = verifier && registrationFor(verifier, use)
  if (!registration) return undefined
  const { certificate_chain_pem } = verifier
  const registered = registeredCredentials({ registration, certificate_chain_pem }, now)
  return registered.ok ? registered.value : []
}

function findUnregistered(
  body: CreateRequest,
  { verifier, further_verifiers = [], enforce_registration }: RegisteringSettings,
  policy: Policy,
  now: number,
): readonly CreationWarning[] {
  const whole = body.dcql_query === undefined ? '/scope' : '/dcql_query'
  const fault = (code: keyof typeof REGISTRATION_FAULTS) => [{ pointer: whole, code, message: code }]
  const uncoveredBy = (registered: readonly RegisteredCredential[]) =>
    warningsAbout(uncoveredClaims(registered, policy.query, FORMATS), body, policy)
  const identities = verifier ? [verifier, ...further_verifiers] : further_verifiers
  const warningsFor = (use: string | undefined): readonly (readonly CreationWarning[])[] =>
    identities.flatMap(({ certificate_chain_pem, ...one }) => {
      const registration = registrationFor(one, use)
      if (registration === undefined) return []
      const registered = registeredCredentials({ registration, certificate_chain_pem }, now)
      return [registered.ok ? uncoveredBy(registered.value) : fault(registered.error)]
    })
  const uses = (body.intended_use === undefined && verifier?.uses) || []
  const byIdentity = warningsFor(body.intended_use)
  if (byIdentity.length === 0 && enforce_registration !== true) return []
  if (byIdentity.length === 0 && uses.length === 0) return fault('registration_missing')
  const warnings = byIdentity.length === 0 ? uncoveredBy([]) : byIdentity.flat()
  const covering =
    warnings.length > 0 && uses.find((one) => warningsFor(one.intended_use).flat().length === 0)
  const hint = covering ? `; \`intended_use\` "${covering.intended_use}" covers the request` : ''
  const withHint = warnings.map((one) =>
    one.code === 'not_registered' ? { ...one, message: one.message + hint } : one,
  )
  return [...new Map(withHint.map((one) => [JSON.stringify(one), one])).values()]
}

/**
 * Returns the warnings about what is not registered: with a `dcql_query` one for each claim, without it one
 * for each scope. The warning about a scope names the credentials whose claim is not registered.
 */
function warningsAbout(
  uncovered: readonly UncoveredClaim[],
  { dcql_query, scope = [] }: CreateRequest,
  { query, descriptors }: Policy,
): readonly CreationWarning[] {
  const credentialsOf = new Map<string, Set<string>>()
  for (const { query: i, claim } of uncovered) {
    const { id = '', format, claims } = query.credentials[i] ?? {}
    const path = JSON.stringify(claim === null ? null : claims?.[claim]?.path)
    const { credential_type, scopes = [] } = descriptors.find(({ query_id }) => query_id === id) ?? {}
    const requestedScope = scopes.find((one) => JSON.stringify(one.path) === path)
    const inQuery = `/dcql_query/credentials/${i}${claim === null ? '' : `/claims/${claim}`}`
    const inScope =
      requestedScope === undefined ? '/allow_derived' : `/scope/${scope.indexOf(requestedScope.scope)}`
    const pointer = dcql_query === undefined ? inScope : inQuery
    const credentials = credentialsOf.get(pointer) ?? new Set()
    credentialsOf.set(pointer, credentials.add(`${credential_type} (${format})`))
  }
  return [...credentialsOf].map(([pointer, credentials]) => ({
    pointer,
    code: 'not_registered',
    message: `is not in your registration certificate for ${[...credentials].join(', ')}: request less, name other \`formats\`, or have it registered`,
  }))
}
