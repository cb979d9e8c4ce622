// Credentials for the `dcql` library (openwallet-foundation-labs), which is the matcher of several wallets.
// The library decides; nothing of a query is read here.

import '../../reflect-metadata.ts'
import * as x509 from '@peculiar/x509'
import { type DcqlCredential, DcqlQuery } from 'dcql'
import { refuse } from '../fake-wallet.ts'
import type { Holding } from '../holdings.ts'
import type { DcqlQuery as Query } from '../request-object.ts'

export type LibraryResult = ReturnType<typeof DcqlQuery.query>
export type LibraryMatch = NonNullable<
  LibraryResult['credential_matches'][string]['valid_credentials']
>[number]

/** How a wallet describes its credentials to the library. */
export type Description = {
  /** True if it states the authority key identifiers of the issuer's certificates. */
  readonly hasAuthorities: boolean
  /** Credentials of one namespace only: the namespace of their first element. */
  readonly isFirstNamespaceOnly?: boolean
}

/** Parses, validates and evaluates a query. Refuses what the library rejects. */
export function queryLibrary(
  query: Query,
  holdings: readonly Holding[],
  description: Description,
): LibraryResult {
  try {
    const parsed = DcqlQuery.parse(query as never)
    DcqlQuery.validate(parsed)
    return DcqlQuery.query(
      parsed,
      holdings.map((holding) => describe(holding, description)),
    )
  } catch (thrown) {
    return refuse(`dcql_query: ${(thrown as Error).message}`)
  }
}

function describe(holding: Holding, { hasAuthorities, isFirstNamespaceOnly }: Description): DcqlCredential {
  const values = authoritiesOf(holding)
  const { format, type, claims } = holding
  const namespaces = isFirstNamespaceOnly ? Object.fromEntries(Object.entries(claims).slice(0, 1)) : claims
  const described: object = {
    cryptographic_holder_binding: true,
    credential_format: format,
    ...(format === 'dc+sd-jwt' ? { vct: type, claims } : { doctype: type, namespaces }),
    ...(hasAuthorities && values.length > 0 && { authority: { type: 'aki', values } }),
  }
  return described as DcqlCredential
}

/** Authority key identifiers of the certificates in a credential, in base64url. */
export function authoritiesOf({ pki: { leaf, intermediate } }: Holding): readonly string[] {
  return [leaf, intermediate].flatMap(({ der }) => {
    const extension = new x509.X509Certificate(der).getExtension(x509.AuthorityKeyIdentifierExtension)
    return extension?.keyId === undefined ? [] : [Buffer.from(extension.keyId, 'hex').toString('base64url')]
  })
}
