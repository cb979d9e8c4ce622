// What a place in a credential is called and how it counts there: the way back from a claims path to a scope of the catalogue.

import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import { formatOf, scopePath } from './catalogue.ts'
import type { CredentialTypeDefinition, ScopePath } from './policy.ts'

/** The scope whose claim stands at `path` in a type's credentials of one format; `undefined` where none does. */
export function scopeAt(
  type: CredentialTypeDefinition,
  format: string,
  path: ClaimsPath,
): ScopePath | undefined {
  const named = Object.keys(formatOf(type, format)?.scopes ?? {})
  // Ages are in the catalogue as a pattern: two digits in the path are the only ones it can be about.
  const ages = (JSON.stringify(path).match(/\d\d/g) ?? []).map((digits) => `age_over_${digits}`)
  return [...named, ...ages]
    .flatMap((scope) => scopePath(type, format, scope, false) ?? [])
    .find((entry) => JSON.stringify(entry.path) === JSON.stringify(path))
}
