// The contents of the parts of a verifier, which callers do not see.

import type { DcqlSupport } from '../../../src/exchange/requested-policy.ts'
import type { CredentialFormat } from '../../../src/formats/verification/format.ts'
import type { dcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import type { Protocol } from '../../../src/openid4vp/protocols/protocol.ts'
import type { CheckCertificates } from '../../../src/trust/revocation/certificate-revocation.ts'
import type { DOCUMENTS } from './documents.ts'
import { inputError } from './faults.ts'
import type { CheckPart, FormatPart, Parts, ProtocolId, ProtocolPart, QueryPart } from './types.ts'

/** The content of a protocol part. */
export type OpenProtocolPart = ProtocolPart & {
  readonly protocol: Protocol
  readonly documents?: typeof DOCUMENTS
}

/** Returns the formats of a verifier, by their identifier. */
export function openFormats(formats: readonly FormatPart[]): Readonly<Record<string, CredentialFormat>> {
  // Every part of this type is a format of `parts.ts`.
  return Object.fromEntries(formats.map((format) => [format.id, format as unknown as CredentialFormat]))
}

/** The content of the part `dcql`. */
export type OpenQueryPart = QueryPart &
  DcqlSupport & {
    readonly schema: typeof dcqlQuery
    readonly messages: Readonly<Record<string, string>>
  }

/** The content of the part `revocationLists`. */
export type OpenCheckPart = CheckPart & { readonly checkCertificates: CheckCertificates }

/** Returns the support of revocation lists; `undefined` if the verifier does not have it. */
export function openRevocationLists({ checks = [] }: Parts): OpenCheckPart | undefined {
  // Every part of this type is a part of `parts.ts`.
  return checks[0] as OpenCheckPart | undefined
}

/** Returns the support of `dcql_query`; `undefined` if the verifier does not have it. */
export function openDcql({ queries = [] }: Parts): OpenQueryPart | undefined {
  // Every part of this type is a part of `parts.ts`.
  return queries[0] as OpenQueryPart | undefined
}

/** Returns the functions of `org-iso-mdoc`; `undefined` if the verifier does not have `annexC`. */
export function openDocuments({ protocols }: Parts): typeof DOCUMENTS | undefined {
  return openProtocol(protocols, 'iso-18013-7-c')?.documents
}

/** Returns a protocol of the verifier. Throws an `InputError` if the verifier does not have it. */
export function requireProtocol({ protocols }: Parts, id: ProtocolId): OpenProtocolPart {
  const found = openProtocol(protocols, id)
  if (found === undefined) throw inputError('/protocol', 'must be one of the protocols of this verifier')
  return found
}

function openProtocol(protocols: readonly ProtocolPart[], id: ProtocolId): OpenProtocolPart | undefined {
  // Every part of this type is a protocol of `parts.ts`.
  return protocols.find((protocol) => protocol.id === id) as OpenProtocolPart | undefined
}
