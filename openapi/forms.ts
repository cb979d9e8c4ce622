// Forms that OAuth clients and wallets send, as schemas. The service reads them without a schema (CONTRACT
// 5 and 8).

import * as z from 'zod/mini'
import { WALLET_NONCE } from '../src/openid4vp/request/request-object.ts'

/** RFC 6749 §4.4.2 and §2.3.1. Unknown parameters are ignored. */
export const tokenForm = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.exactOptional(z.string()),
  client_secret: z.exactOptional(z.string()),
  scope: z.exactOptional(z.string()),
})

/** OpenID4VP 1.0 §5.10. */
export const requestObjectForm = z.object({
  wallet_nonce: z.exactOptional(z.string().check(z.regex(WALLET_NONCE))),
  wallet_metadata: z.exactOptional(z.string()),
})

/** OpenID4VP 1.0 §8.2, §8.3, §8.5. */
export const responseForm = z.object({
  response: z.exactOptional(z.string()),
  vp_token: z.exactOptional(z.string()),
  presentation_submission: z.exactOptional(z.string()),
  state: z.exactOptional(z.string()),
  error: z.exactOptional(z.string()),
  error_description: z.exactOptional(z.string()),
})
