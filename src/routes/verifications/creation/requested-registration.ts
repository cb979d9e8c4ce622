// Over-asking (api/creation): a create request asks for more than the registration certificate of its relying
// party covers. A wallet shows this to the person, or refuses the request.

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
} from '../../../relying-party/verifier/verifier-registration.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { RequestError } from '../../edge/problems.ts'

type RegisteringSettings = Pick<Settings, 'verifier' | 'further_verifiers' | 'enforce_registration'>

/**
 * Returns warnings about requested claims that are not registered. With `enforce_registration`, these
 * warnings are errors that reject the request. `now` is Unix milliseconds.
 */
export function unregisteredClaims(
  body: CreateRequest,
  settings: RegisteringSettings,
  policy: Policy,
  now: number,
): Result<readonly CreationWarning[], RequestError> {
  const enforced = settings.enforce_registration === true
  const warnings = findUnregistered(body, settings, policy, now)
  if (enforced && warnings.length > 0) return err({ code: 'policy_unsatisfiable', errors: warnings })
  return ok(warnings)
}

/** Returns the registered credentials; none without a registration that can be used. */
export function registeredOf(
  { verifier }: Pick<Settings, 'verifier'>,
  now: number,
): readonly RegisteredCredential[] {
  if (!verifier?.registration) return []
  const { registration, certificate_chain_pem } = verifier
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
  const registrations = [...(verifier ? [verifier] : []), ...further_verifiers].flatMap(
    ({ registration, certificate_chain_pem }) =>
      registration === undefined ? [] : [{ registration, certificate_chain_pem }],
  )
  if (registrations.length === 0) return enforce_registration === true ? fault('registration_missing') : []
  const warnings = registrations.flatMap((one) => {
    const registered = registeredCredentials(one, now)
    if (!registered.ok) return fault(registered.error)
    return warningsAbout(uncoveredClaims(registered.value, policy.query, FORMATS), body, policy)
  })
  return [...new Map(warnings.map((one) => [JSON.stringify(one), one])).values()]
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
