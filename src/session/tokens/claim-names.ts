// Names of claims in tokens: the OpenID Connect name if the claim has one, or else the name in the catalogue
// of credential types.

import type { ScopePath } from '../../policy/policy.ts'

/**
 * Names of claims that the service itself sets. No credential sets them, and the `claims` parameter cannot
 * leave them out.
 */
export const TOKEN_CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr', 'amr', 'azp'],
  ...['policy', 'livemode', 'session_binding', 'verification_id'],
]

/** Elements of ISO mdocs, each with the OpenID Connect claim of the same meaning (mostly Core 1.0 §5.1). */
const STANDARD_NAMES: Readonly<Record<string, string>> = {
  birth_date: 'birthdate',
  nationality: 'nationalities',
  resident_address: 'address.formatted',
  resident_street: 'address.street_address',
  resident_city: 'address.locality',
  resident_state: 'address.region',
  resident_postal_code: 'address.postal_code',
  resident_country: 'address.country',
}

/** Returns the OpenID Connect name of a claim; the given name if there is none. */
export function standardName(name: string): string {
  return (Object.hasOwn(STANDARD_NAMES, name) && STANDARD_NAMES[name]) || name
}

/**
 * Returns the catalogue's name of a claim. If the catalogue lacks the claim, returns the scope, which is the
 * name in `checks`.
 */
export function claimName({ scope, display_name }: Pick<ScopePath, 'scope' | 'display_name'>): string {
  return display_name ?? scope
}
