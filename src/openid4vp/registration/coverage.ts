// Comparison of a query with a registration certificate (ETSI TS 119 475 §5.2.4), as wallets make this
// comparison. A claim outside the certificate is over-asking. Wallets show it, or refuse the request.

import { isJsonObject } from '../../codec/json.ts'
import type { CredentialFormat } from '../../formats/verification/format.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../dcql/query.ts'
import type { RegisteredCredential, RegisteredPath } from './registration-certificate.ts'

type Formats = Readonly<Record<string, Pick<CredentialFormat, 'metaTypes'>>>

/** A claim of one credential type in one format. `path`: `null` for all claims of the credential. */
type RequestableClaim = {
  readonly format: string
  readonly identifier: string
  readonly path: ClaimsPath | null
}

/**
 * Indexes of a requested claim that the registration does not cover. `claim` null: all claims of the query.
 */
export type UncoveredClaim = { readonly query: number; readonly claim: number | null }

/** Returns the uncovered claims in the order of the query. */
export function uncoveredClaims(
  registered: readonly RegisteredCredential[],
  { credentials }: DcqlQuery,
  formats: Formats,
): readonly UncoveredClaim[] {
  return credentials.flatMap((credential, query): readonly UncoveredClaim[] => {
    const { format, claims } = credential
    const identifiers = identifiersOf(credential, formats)
    // A query for several types must be covered for each of them.
    const isUncovered = (path: ClaimsPath | null) =>
      identifiers.length === 0 ||
      !identifiers.every((identifier) => isCovered(registered, { format, identifier, path }, formats))
    if (claims === undefined) return isUncovered(null) ? [{ query, claim: null }] : []
    return claims.flatMap(({ path }, claim) => (isUncovered(path) ? [{ query, claim }] : []))
  })
}

/** Returns true if a registered credential has the format, the type and the claim. */
export function isCovered(
  registered: readonly RegisteredCredential[],
  { format, identifier, path }: RequestableClaim,
  formats: Formats,
): boolean {
  return registered
    .filter((one) => one.format === format && identifiersOf(one, formats).includes(identifier))
    .some(({ paths }) => paths === undefined || (path !== null && paths.some((one) => contains(one, path))))
}

function identifiersOf(
  { format, meta }: Pick<CredentialQuery, 'format'> & Pick<RegisteredCredential, 'meta'>,
  formats: Formats,
): readonly string[] {
  if (!isJsonObject(meta)) return [meta]
  return (Object.hasOwn(formats, format) ? formats[format]?.metaTypes(meta) : undefined) ?? []
}

/** True if the registered path selects the requested claim, or an object or array around it. */
function contains(registered: RegisteredPath, requested: ClaimsPath): boolean {
  return (
    registered.length <= requested.length &&
    registered.every((step, i) => {
      const other = requested[i]
      return step === other || (step === null && typeof other === 'number')
    })
  )
}
