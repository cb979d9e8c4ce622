// The credential format `mso_mdoc`: ISO/IEC 18013-5 mobile documents (OpenID4VP 1.0 B.2).

import { type JsonObject, member } from '../../codec/json.ts'
import { COSE_SIGNATURE_ALGORITHMS } from '../../crypto/cose.ts'
import type { CredentialFormat } from '../verification/format.ts'
import { FORMAT, verifyMdoc } from './verify.ts'

/** ISO mdoc (OpenID4VP 1.0 B.2). Claims are namespace → data element → value. */
export const mdoc: CredentialFormat<typeof FORMAT> = {
  id: FORMAT,
  issuersByCertificate: true,
  // B.2.2: COSE algorithm identifiers, which are numbers. Device MACs are accepted but not offered, because
  // some wallets refuse a request with an identifier that they do not support.
  metadata: {
    issuerauth_alg_values: COSE_SIGNATURE_ALGORITHMS,
    deviceauth_alg_values: COSE_SIGNATURE_ALGORITHMS,
  },
  clauses: {
    structure: 'OpenID4VP 1.0 B.2, ISO/IEC 18013-5 §8.3.2.1.2.2',
    type: 'OpenID4VP 1.0 B.2.3, ISO/IEC 18013-5 §9.3.1',
    issuer_trust: 'ISO/IEC 18013-5 §9.3.3, Annex B.1.4',
    issuer_signature: 'ISO/IEC 18013-5 §9.1.2.4',
    disclosures: 'ISO/IEC 18013-5 §9.1.2.5',
    holder_binding: 'ISO/IEC 18013-5 §9.1.3',
    nonce: 'OpenID4VP 1.0 §14.1, B.2.6',
    audience: 'OpenID4VP 1.0 §14.8, B.2.6',
    validity: 'ISO/IEC 18013-5 §9.1.2.4, §9.3.1',
    certificate_revocation: 'ISO/IEC 18013-5 Annex B.1.4, RFC 5280 §6.3',
    status: 'Token Status List §8.3, ISO/IEC 18013-5 second edition §12.3.6',
  },
  metaTypes,
  typesPerMeta: 'one',
  buildMeta,
  // §7.2: a path is exactly a namespace and a data element.
  isClaimsPath: (path) => path.length === 2 && path.every((component) => typeof component === 'string'),
  // B.2.4: the member is always sent, because its absence has no defined meaning.
  claimsParameters: { intent_to_retain: false },
  verify: verifyMdoc,
}

/** Returns the one document type in `doctype_value` (B.2.3); `undefined` if it is empty or not a text. */
function metaTypes(meta: JsonObject): readonly string[] | undefined {
  const value = member(meta, 'doctype_value')
  return typeof value === 'string' && value !== '' ? [value] : undefined
}

/**
 * Builds `meta` for one document type, and throws for any other number of types. A caller with several types
 * builds one query for each type.
 */
function buildMeta([docType, ...others]: readonly string[]): JsonObject {
  if (docType === undefined || others.length > 0) throw new Error('an mdoc query requests one document type')
  return { doctype_value: docType }
}
