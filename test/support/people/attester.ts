// A party that attests verifiers' keys (OpenID4VP 1.0 §12). `jose` makes its JWTs.

import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { AttestationIssuer } from '../certificates/verifier-key.ts'

export type Attester = AttestationIssuer & {
  /**
   * Creates an attestation of a public key or key pair. The given claims and header members replace good
   * ones.
   */
  readonly attest: (key: object, claims?: object, header?: object) => Promise<string>
}

export async function makeAttester(): Promise<Attester> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const iss = 'https://attester.example'
  return {
    iss,
    publicJwk: await exportJWK(publicKey),
    attest: (key, claims = {}, header = {}) => {
      const { kty, crv, x, y } = key as JWK
      const exp = Math.floor(Date.now() / 1000) + 86_400
      const good = { iss, sub: 'verifier.example', exp, cnf: { jwk: { kty, crv, x, y } } }
      return new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'verifier-attestation+jwt', ...header })
        .sign(privateKey)
    },
  }
}
