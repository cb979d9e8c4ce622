// The create request as the session stores it.

import type { CreateRequest } from '../../../api/requests.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import type { StoredRequest } from '../../../session/document/stored-request.ts'

/** Returns the stored request. `made`: members that the checks made from the body and the settings. */
export function storedRequest(
  body: CreateRequest,
  settings: Settings,
  made: Pick<StoredRequest, 'transaction_data' | 'request_options'>,
): StoredRequest {
  const { return_url, locale, retry_of, claims_encryption_jwk, dcql_query, ...rest } = omit(body, NOT_STORED)
  const query =
    dcql_query === undefined
      ? { credential_match: body.credential_match, formats: body.formats ?? settings.formats }
      : { credential_match: null, formats: null, dcql_query }
  return {
    ...rest,
    credential_types: body.credential_types ?? null,
    scope: body.scope ?? null,
    ...query,
    ...made,
    return_url: return_url ?? null,
    locale: locale ?? null,
    retry_of: retry_of ?? null,
    claims_encryption_jwk: claims_encryption_jwk ?? settings.claims_encryption_jwk,
  }
}

/** Members of a create request that are stored in another form, or not at all. */
const NOT_STORED = ['request_options', 'transaction_data', 'qr_code', 'wallet'] as const

function omit<T extends object, K extends keyof T>(value: T, names: readonly K[]): Omit<T, K> {
  const rest = { ...value }
  for (const name of names) delete rest[name]
  return rest
}
