// Schemas of the OpenID Connect responses: the settings of clients, and the responses of the provider.

import * as z from 'zod/mini'
import {
  APPLICATION_TYPES,
  AUTH_METHODS,
  type ClientJwk,
  CONTENT_ALGORITHMS,
  KEY_ALGORITHMS,
  SIGNING_ALGORITHMS,
  type SubjectRule,
} from '../../relying-party/oidc/client.ts'
import { jsonObject, list, maybe, time, typed } from './parts.ts'

const texts = list(z.string())
const keyAlgorithm = maybe(z.enum(KEY_ALGORITHMS))
const contentAlgorithm = maybe(z.enum(CONTENT_ALGORITHMS))

export const clientWarning = z.object({ pointer: z.string(), code: z.string(), message: z.string() })

/** A client, without its secrets. Each policy is shown with the session binding that the service applies. */
export const oidcClient = z.object({
  client_id: z.string(),
  issuer: z.string(),
  created_at: time,
  name: z.string(),
  application_type: z.enum(APPLICATION_TYPES),
  redirect_uris: texts,
  token_endpoint_auth_method: z.enum(AUTH_METHODS),
  token_endpoint_as_audience: z.boolean(),
  require_pushed_authorization_requests: z.boolean(),
  require_pkce: z.boolean(),
  dpop_bound_access_tokens: z.boolean(),
  cross_device: z.boolean(),
  policies: list(jsonObject),
  default_policy: z.string(),
  subject: typed<SubjectRule>(
    z.object({ type: z.enum(['transient', 'pairwise']), claims: z.exactOptional(z.array(z.string())) }),
  ),
  id_token_signed_response_alg: z.enum(SIGNING_ALGORITHMS),
  userinfo_signed_response_alg: maybe(z.enum(SIGNING_ALGORITHMS)),
  id_token_encrypted_response_alg: keyAlgorithm,
  id_token_encrypted_response_enc: contentAlgorithm,
  userinfo_encrypted_response_alg: keyAlgorithm,
  userinfo_encrypted_response_enc: contentAlgorithm,
  jwks: maybe(z.object({ keys: typed<readonly ClientJwk[]>(z.array(jsonObject)) })),
})

export const oidcClientList = z.object({ oidc_clients: list(oidcClient) })

/** A new or changed client. Only the response to the request that creates the client contains the secret. */
export const createdOidcClient = z.extend(oidcClient, {
  client_secret: z.exactOptional(z.string()),
  warnings: list(clientWarning),
})

export const oidcSecret = z.object({ client_id: z.string(), client_secret: z.string() })

/** Provider metadata (OpenID Connect Discovery 1.0 §3). Further members: lists and booleans. */
export const oidcMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  pushed_authorization_request_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  jwks_uri: z.string(),
})

/** JWK Set of the provider (RFC 7517). */
export const oidcKeySet = z.object({ keys: list(jsonObject) })

/** Response of the token endpoint (OpenID Connect Core 1.0 §3.1.3.3, RFC 9449 §5). */
export const oidcTokens = z.object({
  access_token: z.string(),
  token_type: z.enum(['Bearer', 'DPoP']),
  expires_in: z.int(),
  id_token: z.string(),
  scope: z.string(),
})

/** Response to a pushed authorization request (RFC 9126 §2.2). */
export const pushedRequest = z.object({ request_uri: z.string(), expires_in: z.int() })

/** UserInfo response. Further members are the claims of the login. */
export const userInfo = z.looseObject({
  sub: z.string(),
  policy: z.string(),
  livemode: z.boolean(),
  session_binding: z.string(),
  verification_id: z.string(),
})

export type ClientWarning = z.infer<typeof clientWarning>
export type OidcClientView = z.infer<typeof oidcClient>
export type OidcClientList = z.infer<typeof oidcClientList>
export type CreatedOidcClient = z.infer<typeof createdOidcClient>
export type OidcSecret = z.infer<typeof oidcSecret>
