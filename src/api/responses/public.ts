// Schemas of the responses to OAuth clients and to wallets. Also schemas of problem details, keys, metadata,
// health and the DID document (api/access, api/settings and api/errors).

import * as z from 'zod/mini'
import { jsonObject, list, maybe, time } from './parts.ts'

const texts = list(z.string())

/** Response of the token endpoint (RFC 6749 §5.1). */
export const token = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
})

/** OAuth error (RFC 6749 §5.2), for OAuth clients and wallets. */
export const oauthError = z.object({
  error: z.enum([
    'invalid_request',
    'invalid_client',
    'invalid_scope',
    'unsupported_grant_type',
    'temporarily_unavailable',
    'server_error',
    // Errors of the OpenID Connect provider.
    'invalid_grant',
    'invalid_token',
    'unsupported_response_type',
    'request_not_supported',
    'request_uri_not_supported',
    'registration_not_supported',
    'login_required',
    'unmet_authentication_requirements',
    'invalid_dpop_proof',
  ]),
  error_description: z.string(),
})

/** Response to a processed authorization response (OpenID4VP 1.0 §8.2). */
export const redirect = z.object({ redirect_uri: z.string() })

/** Problem details (RFC 9457). */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(), // no enumeration: values may be added within /v1
  request_id: z.string(),
  retryable: z.boolean(),
  errors: list(z.object({ pointer: z.string(), code: z.string(), message: z.string() })),
  erased_at: z.exactOptional(time),
})

/** JWK Set (RFC 7517). */
export const keySet = z.object({
  keys: list(
    z.object({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      alg: z.literal('ES256'),
      use: z.literal('sig'),
    }),
  ),
})

/** Metadata of the authorization server (RFC 8414). */
export const oauthMetadata = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: texts,
  response_types_supported: texts,
  grant_types_supported: texts,
  token_endpoint_auth_methods_supported: texts,
})

export const health = z.object({ status: z.literal('ok'), boot_id: maybe(z.string()) })
export const readiness = z.object({
  status: z.enum(['ready', 'not_ready']),
  warnings: list(
    z.object({
      code: z.string(), // no enumeration: values may be added within /v1
      expires_at: z.exactOptional(time),
      relying_parties: z.exactOptional(z.int()),
      trust_lists: z.exactOptional(z.int()),
      objects: z.exactOptional(texts),
    }),
  ),
})

/** DID document (DID Core §4): the members that the service writes. */
export const didDocument = z.object({
  '@context': texts,
  id: z.string(),
  verificationMethod: list(jsonObject),
  assertionMethod: texts,
  authentication: z.exactOptional(texts),
})

export type Health = z.infer<typeof health>
export type KeySet = z.infer<typeof keySet>
export type OAuthMetadata = z.infer<typeof oauthMetadata>
export type Problem = z.infer<typeof problemDetails>
export type Readiness = z.infer<typeof readiness>
export type Token = z.infer<typeof token>
