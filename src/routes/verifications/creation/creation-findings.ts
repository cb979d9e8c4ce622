// Members of the response to a create request that come from its checks (api/creation): warnings, and the
// expected result of each wallet. A login has no such response.

import type { CreateRequest } from '../../../api/requests.ts'
import type { CreatedVerification, CreationWarning } from '../../../api/responses/verifications.ts'
import { relatedScopes } from '../../../policy/built-in-types.ts'
import { scopePath } from '../../../policy/catalogue.ts'
import type { CredentialTypeDefinition, Policy } from '../../../policy/policy.ts'
import { walletResults } from '../../../wallets/wallet-results.ts'
import type { AssetSource } from '../../edge/cloudflare.ts'
import { withTexts } from './creation-error.ts'
import type { Prepared } from './prepare-session.ts'
import { plainResponseWarning } from './request-options.ts'

/** Members of the response that come from the checks. */
export type CreationFindings = Pick<CreatedVerification, 'warnings' | 'wallets'>

/** Returns the warnings about a checked request, and the expected result of each wallet. */
export async function creationFindings(
  assets: AssetSource,
  body: CreateRequest,
  { creation, rules, original, unregistered }: Prepared,
): Promise<CreationFindings> {
  const { policy, request, wallet } = creation
  const leftOut = leftOutTypes(body, rules.definitions, policy)
  // A request for a chosen wallet has the response mode of this wallet.
  const plain = wallet ? [] : plainResponseWarning(request.protocol, request.request_options)
  const warnings = await withTexts(assets, [...leftOut, ...unregistered, ...plain])
  return { warnings, wallets: walletResults(original) }
}

/**
 * Returns one warning for each type of the request that no credential query requests. With `credential_match`
 * `any`, a type is left out if no format of the type has all requested scopes. Without a warning, the relying
 * party would expect that credentials of this type are accepted.
 */
export function leftOutTypes(
  { credential_types = [], scope = [] }: CreateRequest,
  definitions: readonly CredentialTypeDefinition[],
  { descriptors }: Policy,
): readonly CreationWarning[] {
  const requested = new Set(descriptors.map(({ credential_type }) => credential_type))
  return credential_types.flatMap((name, index) => {
    if (requested.has(name)) return []
    const type = definitions.find((each) => each.name === name)
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
