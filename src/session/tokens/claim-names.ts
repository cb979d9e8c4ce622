// Names of claims in tokens: the name of OpenID Connect if the claim has one, else the catalogue's name.

import type { ScopePath } from '../../policy/policy.ts'

/** Claims of every token. No credential sets them, and `claims` cannot leave them out. */
export const TOKEN_CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr', 'amr', 'azp'],
  ...['policy', 'livemode', 'session_binding', 'verification_id'],
]

/** Elements of ISO mdocs, and the claims of OpenID Connect Core 1.0 §5.1 that have their meaning. */
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

/** Returns the name of a value in OpenID Connect, or else its own name. */
export function standardNameOf(name: string): string {
  return (Object.hasOwn(STANDARD_NAMES, name) && STANDARD_NAMES[name]) || name
}

/** Returns the name of a claim in the catalogue, or in `checks` if the catalogue lacks the claim. */
export function claimNameOf({ scope, display_name }: Pick<ScopePath, 'scope' | 'display_name'>): string {
  return display_name ?? scope
}
