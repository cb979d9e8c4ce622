// Warnings about requested types that the query leaves out (api/creation). With `credential_match` `any`, a
// type is left out if no format of the type has all requested scopes. Without a warning, the relying party
// would expect that credentials of this type are accepted.

import type { CreateRequest } from '../../../api/requests.ts'
import type { CreationWarning } from '../../../api/responses/verifications.ts'
import { relatedScopes } from '../../../policy/built-in-types.ts'
import { scopePath, typeDefinitions } from '../../../policy/catalogue.ts'
import type { CredentialTypeDefinition, Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'

/** Returns one warning for each type of the request that no credential query requests. */
export function leftOutTypes(
  { credential_types = [], scope = [] }: CreateRequest,
  settings: Pick<Settings, 'credential_types'>,
  { descriptors }: Policy,
): readonly CreationWarning[] {
  const requested = new Set(descriptors.map(({ credential_type }) => credential_type))
  return credential_types.flatMap((name, index) => {
    if (requested.has(name)) return []
    const type = typeDefinitions(settings.credential_types).find((each) => each.name === name)
    const missing = type === undefined ? [] : scope.filter((each) => !hasScope(type, each))
    const reason =
      type === undefined || missing.length === 0
        ? 'these scopes are not in one format that may be presented'
        : `it has no ${missing.map((each) => describe(type, each)).join(', ')}`
    const message = `is not requested: ${reason}`
    return [{ code: 'credential_type_left_out', pointer: `/credential_types/${index}`, message }]
  })
}

function describe(type: CredentialTypeDefinition, scope: string): string {
  const related = relatedScopes(scope).filter((each) => hasScope(type, each))
  return related.length === 0 ? scope : `${scope} (but ${related.join(' and ')})`
}

function hasScope(type: CredentialTypeDefinition, scope: string): boolean {
  return Object.keys(type.formats).some((format) => scopePath(type, format, scope, false) !== undefined)
}
