// The credential format `jwt_vc_json`: W3C Verifiable Credentials as JWTs, without JSON-LD (OpenID4VP 1.0
// B.1.3.1).

import { decodeEach } from '../../codec/decode-each.ts'
import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { ADVERTISED_ALGORITHMS } from '../../crypto/algorithms.ts'
import type { CredentialFormat } from '../verification/format.ts'
import { FORMAT, verifyJwtVc } from './verify.ts'

/** W3C Verifiable Credential as a JWT (OpenID4VP 1.0 B.1.3.1). */
export const jwtVcJson: CredentialFormat<typeof FORMAT> = {
  id: FORMAT,
  requestedByName: true,
  // B.1.3.1.3: the accepted signature algorithms.
  metadata: { alg_values: ADVERTISED_ALGORITHMS },
  clauses: {
    structure: 'OpenID4VP 1.0 B.1.3.1.5, VCDM 1.1 §6.3.1',
    type: 'OpenID4VP 1.0 B.1.1, VCDM 1.1 §4.3',
    issuer_trust: 'RFC 5280 §6.1, SD-JWT VC §4, DID Core §5.3.2',
    issuer_signature: 'VCDM 1.1 §6.3.1, RFC 7515 §5.2',
    disclosures: 'not of this format',
    holder_binding: 'OpenID4VP 1.0 B.1.3.1.5, DID Core §5.3.1, RFC 7800 §3.2',
    nonce: 'OpenID4VP 1.0 §14.1',
    audience: 'OpenID4VP 1.0 §14.8',
    validity: 'VCDM 1.1 §6.3.1, RFC 7519 §4.1',
    certificate_revocation: 'RFC 5280 §6.3',
    status: 'Bitstring Status List §3.2',
  },
  metaTypes,
  typesPerMeta: 'several',
  buildMeta: (types) => ({ type_values: types.map((type) => [type]) }),
  // §7.1: a path starts at the credential, which is an object. So the first component is a name.
  isClaimsPath: ([first]) => typeof first === 'string',
  claimsParameters: {},
  verify: verifyJwtVc,
}

/** The type that every credential has: its short form and its JSON-LD expansion. */
export const BASE_TYPES: readonly Json[] = [
  'VerifiableCredential',
  'https://www.w3.org/2018/credentials#VerifiableCredential',
]

/**
 * Returns the type identifiers in `type_values`, a list of alternatives (B.1.1). A credential must have all
 * types of one alternative. Each alternative must have exactly one type besides `VerifiableCredential`.
 * Returns `undefined` if `meta` does not follow these rules.
 */
function metaTypes(meta: JsonObject): readonly string[] | undefined {
  const alternatives = member(meta, 'type_values')
  if (!Array.isArray(alternatives)) return undefined
  return decodeEach(alternatives, (alternative: Json) => {
    const ownTypes = Array.isArray(alternative)
      ? alternative.filter((type) => !BASE_TYPES.includes(type))
      : []
    return ownTypes.length === 1 && typeof ownTypes[0] === 'string' && ownTypes[0] !== ''
      ? ownTypes[0]
      : undefined
  })
}
