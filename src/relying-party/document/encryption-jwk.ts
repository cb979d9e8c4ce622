// Public key for the encryption of claims, as relying parties send it: a point on P-256, without a private
// part.

import * as z from 'zod/mini'
import { text } from '../../codec/schema.ts'
import { parsePublicJwk } from '../../crypto/jwk.ts'

/** 32 bytes in base64url. */
const coordinate = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{43}$/, { error: 'must be 32 bytes in base64url', abort: true }))

/**
 * A public P-256 JWK for ECDH-ES (RFC 7518 §6.2.1). `use`, `alg` and `key_ops` are checked and dropped.
 */
export const claimsEncryptionJwk = z.pipe(
  z
    .strictObject({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: coordinate,
      y: coordinate,
      kid: z.exactOptional(text(200)),
      use: z.exactOptional(z.literal('enc')),
      alg: z.exactOptional(z.literal('ECDH-ES')),
      key_ops: z.exactOptional(z.array(z.never('must be empty: a public key for ECDH-ES has no operations'))),
      d: z.exactOptional(
        z.never('must be absent: send only the public part, and replace this key, which is no longer secret'),
      ),
    })
    .check(
      z.refine(
        (jwk) => parsePublicJwk(jwk) !== undefined,
        'must be a point on P-256, its coordinates base64url of 32 bytes',
      ),
    ),
  z.transform(({ use, alg, key_ops, d, ...key }) => key),
)

/** A public P-256 key for the encryption of claims. */
export type ClaimsEncryptionJwk = Readonly<z.infer<typeof claimsEncryptionJwk>>
