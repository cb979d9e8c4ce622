// Compares a query with a registration certificate (ETSI TS 119 475 §5.2.4), as a wallet does. A request for
// a claim that the certificate does not contain is called over-asking. Wallets show over-asking to the
// person, or refuse the request.

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
 * A requested claim that the registration does not cover. `query`: index of the credential query. `claim`:
 * index of the claim in this query; null: all claims of the credential.
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
    const identifiers = registeredIdentifiers(credential, formats)
    // If a query accepts several types, the registration must cover the claim for each of these types.
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
    .filter((one) => one.format === format && registeredIdentifiers(one, formats).includes(identifier))
    .some(({ paths }) => paths === undefined || (path !== null && paths.some((one) => contains(one, path))))
}

/** Returns the type identifiers of a credential query, or of a registered credential. */
export function registeredIdentifiers(
  { format, meta }: Pick<CredentialQuery, 'format'> & Pick<RegisteredCredential, 'meta'>,
  formats: Formats,
): readonly string[] {
  if (!isJsonObject(meta)) return [meta]
  return (Object.hasOwn(formats, format) ? formats[format]?.metaTypes(meta) : undefined) ?? []
}

/**
 * Returns true if the registered path selects the requested claim, or an object or array that contains it.
 */
function contains(registered: RegisteredPath, requested: ClaimsPath): boolean {
  return (
    registered.length <= requested.length &&
    registered.every((step, i) => {
      const other = requested[i]
      return step === other || (step === null && typeof other === 'number')
    })
  )
}
