// Forms that OAuth clients and wallets send, as schemas. The service reads them without a schema (
// api/protocols and api/settings).

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

/** OpenID Connect Core 1.0 §3.1.2.1 and RFC 7636. Unknown parameters are ignored. */
export const pushedRequestForm = z.object({
  response_type: z.literal('code'),
  client_id: z.exactOptional(z.string()),
  redirect_uri: z.string(),
  scope: z.string(),
  state: z.exactOptional(z.string()),
  nonce: z.exactOptional(z.string()),
  code_challenge: z.exactOptional(z.string()),
  code_challenge_method: z.exactOptional(z.literal('S256')),
  dpop_jkt: z.exactOptional(z.string()),
  response_mode: z.exactOptional(z.enum(['query', 'form_post'])),
  claims: z.exactOptional(z.string()),
})

/** OpenID Connect Core 1.0 §3.1.3.1. */
export const codeForm = z.object({
  grant_type: z.literal('authorization_code'),
  code: z.string(),
  redirect_uri: z.string(),
  code_verifier: z.exactOptional(z.string()),
  client_id: z.exactOptional(z.string()),
  client_secret: z.exactOptional(z.string()),
  client_assertion_type: z.exactOptional(z.string()),
  client_assertion: z.exactOptional(z.string()),
})
