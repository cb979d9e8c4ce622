// The credential format `dc+sd-jwt`: IETF SD-JWT VC (OpenID4VP 1.0 B.3).

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { ADVERTISED_ALGORITHMS } from '../../crypto/algorithms.ts'
import type { CredentialFormat } from '../verification/format.ts'
import { CLEAR_CLAIMS, FORMAT, verifySdJwtVc } from './verify.ts'

/** IETF SD-JWT VC (OpenID4VP 1.0 B.3). */
export const sdJwtVc: CredentialFormat<typeof FORMAT> = {
  id: FORMAT,
  // B.3.4: the accepted signature algorithms.
  metadata: { 'sd-jwt_alg_values': ADVERTISED_ALGORITHMS, 'kb-jwt_alg_values': ADVERTISED_ALGORITHMS },
  clauses: {
    structure: 'RFC 9901 §7.1 step 1',
    type: 'OpenID4VP 1.0 §6.1, SD-JWT VC §2.2.2',
    issuer_trust: 'RFC 5280 §6.1, HAIP 1.0 §6.1.1',
    issuer_signature: 'RFC 9901 §7.1 step 2',
    disclosures: 'RFC 9901 §7.1 step 3',
    holder_binding: 'RFC 9901 §7.3',
    nonce: 'OpenID4VP 1.0 §14.1',
    audience: 'OpenID4VP 1.0 §14.8',
    validity: 'SD-JWT VC §2.2.2',
    certificate_revocation: 'RFC 5280 §6.3',
    status: 'Token Status List §8.3',
  },
  metaTypes,
  typesPerMeta: 'several',
  buildMeta: (types) => ({ vct_values: types }),
  // §7.1: a path starts at the credential, which is an object. So the first component is a name.
  isClaimsPath: ([first]) => typeof first === 'string',
  claimsParameters: {},
  clearClaims: CLEAR_CLAIMS,
  // B.3.3.1: the KB-JWT confirms transaction data.
  confirmsTransactionData: true,
  verify: verifySdJwtVc,
}

/**
 * SD-JWT VC of wallets that use an OpenID4VP draft. The `typ` was `vc+sd-jwt` until November 2024. Verifiers
 * should accept the old and the new `typ` for a time (draft-ietf-oauth-sd-jwt-vc-06 §3.2.1).
 */
export const sdJwtVcOfDrafts: CredentialFormat<typeof FORMAT> = {
  ...sdJwtVc,
  verify: (presentation, expected, context) =>
    verifySdJwtVc(presentation, expected, context, [FORMAT, 'vc+sd-jwt']),
}

/**
 * Returns the type identifiers in `vct_values` (B.3.5). Returns `undefined` if `vct_values` is empty, is not
 * an array of texts, or contains an empty text.
 */
function metaTypes(meta: JsonObject): readonly string[] | undefined {
  const values = member(meta, 'vct_values')
  if (!Array.isArray(values) || values.length === 0) return undefined
  return values.every((value: Json) => typeof value === 'string' && value !== '') ? values : undefined
}
