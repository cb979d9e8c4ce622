// Table of signature algorithms (RFC 7518 §3, RFC 8037, RFC 9864). A header that names another algorithm is
// rejected. Each entry of the table fixes key type, curve and hash.

/** JOSE signature algorithms that this service verifies. */
export type SignatureAlgorithmName = 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'Ed25519'

/** WebCrypto parameters of one algorithm, and the only kind of JWK that the algorithm may be used with. */
export type SignatureAlgorithm = {
  readonly name: SignatureAlgorithmName
  readonly kty: 'EC' | 'OKP'
  readonly crv: 'P-256' | 'P-384' | 'P-521' | 'Ed25519'
  /** Bytes of a raw (JOSE, COSE) signature. */
  readonly signatureBytes: number
  readonly importParameters: { readonly name: string; readonly namedCurve?: string }
  readonly verifyParameters: { readonly name: string; readonly hash?: string }
}

const TABLE: Readonly<Record<SignatureAlgorithmName, SignatureAlgorithm>> = {
  ES256: ecdsa('ES256', 'P-256', 64, 'SHA-256'),
  ES384: ecdsa('ES384', 'P-384', 96, 'SHA-384'),
  ES512: ecdsa('ES512', 'P-521', 132, 'SHA-512'),
  EdDSA: ed25519('EdDSA'),
  Ed25519: ed25519('Ed25519'),
}

/** Names of all accepted algorithms. */
export const SIGNATURE_ALGORITHMS = Object.keys(TABLE) as readonly SignatureAlgorithmName[]

/**
 * Names of the algorithms that this service advertises, in order of preference. `EdDSA` is left out, because
 * this name does not say which curve is used (RFC 9864 §2.2). OpenID4VP 1.0 B.3.4 requires fully-specified
 * names.
 */
export const ADVERTISED_ALGORITHMS: readonly SignatureAlgorithmName[] = SIGNATURE_ALGORITHMS.filter(
  (name) => name !== 'EdDSA',
)

/**
 * Returns the table entry for the `alg` of a header. Returns `undefined` for any other value (`none`, HS*,
 * RS*, …).
 */
export function signatureAlgorithm(alg: unknown): SignatureAlgorithm | undefined {
  return typeof alg === 'string' && Object.hasOwn(TABLE, alg)
    ? TABLE[alg as SignatureAlgorithmName]
    : undefined
}

function ecdsa(
  name: SignatureAlgorithmName,
  crv: 'P-256' | 'P-384' | 'P-521',
  signatureBytes: number,
  hash: string,
): SignatureAlgorithm {
  const importParameters = { name: 'ECDSA', namedCurve: crv }
  return { name, kty: 'EC', crv, signatureBytes, importParameters, verifyParameters: { name: 'ECDSA', hash } }
}

function ed25519(name: SignatureAlgorithmName): SignatureAlgorithm {
  const parameters = { name: 'Ed25519' }
  return {
    name,
    kty: 'OKP',
    crv: 'Ed25519',
    signatureBytes: 64,
    importParameters: parameters,
    verifyParameters: parameters,
  }
}
