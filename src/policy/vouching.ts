// Finds the credential queries for which no trust anchor can vouch (api/creation). A request that needs such
// a query fails in every wallet, so its creation is refused. A request that other queries can satisfy is
// accepted.

import type { CredentialFormat } from '../formats/verification/format.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { TrustAnchor } from '../trust/anchors/anchor.ts'
import { applicableAnchors } from '../trust/anchors/resolve-signer.ts'
import type { SignerProfile } from '../trust/anchors/signer.ts'
import { credentialType } from './catalogue.ts'
import type { CredentialTypeDefinition, Policy } from './policy.ts'

/**
 * Data that decides if an anchor can vouch for a query: trust anchors, known types, and the rules about
 * signers that the formats and the protocol have.
 */
export type Vouching = {
  readonly anchors: readonly TrustAnchor[]
  readonly definitions: readonly CredentialTypeDefinition[]
  readonly formats: Readonly<Record<string, Pick<CredentialFormat, 'issuersByCertificate'>>>
  readonly signerProfile: (format: string) => SignerProfile
}

/**
 * Returns the ids of the queries for which no anchor can vouch. Returns an empty list if the other queries
 * can satisfy the request.
 */
export function unvouchedQueries(
  { query, descriptors }: Pick<Policy, 'query' | 'descriptors'>,
  vouching: Vouching,
): readonly string[] {
  const unvouched = query.credentials.flatMap(({ id, format }) => {
    const types = descriptors.filter(({ query_id }) => query_id === id)
    return types.some(({ credential_type }) => canVouch(credential_type, format, vouching)) ? [] : [id]
  })
  return isSatisfiable(query, (id) => !unvouched.includes(id)) ? [] : unvouched
}

/** Returns true if an anchor may vouch for credentials of a type in a format. */
export function canVouch(
  name: string,
  format: string,
  { anchors, definitions, formats, signerProfile }: Vouching,
): boolean {
  const type = definitions.find((definition) => definition.name === name)
  if (type === undefined) return false
  const profile = signerProfile(format)
  const purpose = 'issuer'
  const applicable = applicableAnchors({ ...profile, anchors, credentialType: credentialType(type), purpose })
  const isByCertificate = formats[format]?.issuersByCertificate === true
  return applicable.some((anchor) => !isByCertificate || hasCertificate(anchor))
}

function hasCertificate(anchor: TrustAnchor): boolean {
  return 'x509_ca_pem' in anchor || 'x509_certificate_pem' in anchor
}

/**
 * Returns true if the queries for which `canAnswer` returns true satisfy the request (OpenID4VP 1.0 §6.4.2).
 * Each required set needs one complete option. Without sets, every query is needed.
 */
function isSatisfiable(
  { credentials, credential_sets }: DcqlQuery,
  canAnswer: (queryId: string) => boolean,
): boolean {
  if (credential_sets === undefined) return credentials.every(({ id }) => canAnswer(id))
  const required = credential_sets.filter((set) => set.required !== false)
  return required.every(({ options }) => options.some((option) => option.every(canAnswer)))
}
