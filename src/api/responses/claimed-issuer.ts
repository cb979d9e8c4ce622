// Schema of the issuer that a refused credential names (api/result).

import * as z from 'zod/mini'
import { maybe } from './parts.ts'

/**
 * The issuer that a refused credential names, and the certificate of its signer. `verified` is always
 * `false`, because a refused credential does not prove its issuer.
 */
export const claimedIssuer = z.object({
  verified: z.boolean(),
  iss: maybe(z.string()),
  subject: maybe(z.string()),
  issuer: maybe(z.string()),
  authority_key_identifier: maybe(z.string()),
  certificate_sha256: maybe(z.string()),
  certificate_pem: maybe(z.string()),
})
