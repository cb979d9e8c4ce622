// Names of claims in tokens: those of OpenID Connect where there is one, else those of the catalogue.

import type { ScopePath } from '../../policy/policy.ts'

/** Returns the name of a claim in the catalogue, or in `checks` where the catalogue does not have it. */
export function claimNameOf({ scope, display_name }: Pick<ScopePath, 'scope' | 'display_name'>): string {
  return display_name ?? scope
}
