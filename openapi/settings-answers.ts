// What is answered about relying parties and to OAuth clients, as schemas (CONTRACT 8, 9). See answers.ts.

import * as z from 'zod/mini'
import { addedTransactionDataTypes } from '../src/relying-party/settings/added-transaction-data-types.ts'
import { addedTypes, FORMAT_IDS } from '../src/relying-party/settings/added-types.ts'
import { EVENT_TYPES, SCOPES, STATUS_UNAVAILABLE } from '../src/relying-party/settings/settings.ts'
import { anchorShape } from '../src/trust/anchors/parse-anchor.ts'
import { CERTIFICATE_REVOCATION } from '../src/trust/revocation/certificate-revocation.ts'
import { time } from './answers.ts'

const maybe = z.nullable
const texts = z.array(z.string())
const jsonObject = z.record(z.string(), z.unknown())

/** An API key, without the key itself. */
export const apiKey = z.object({
  key_id: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  created_at: time,
  expires_at: maybe(time),
})

export const apiKeyList = z.object({ api_keys: z.array(apiKey) })

/** A key just made: the only time it is shown. */
export const createdApiKey = z.extend(apiKey, { api_key: z.string() })

const mode = { relying_party_id: z.string(), name: z.string(), livemode: z.boolean(), created_at: time }

/** Settings, without secrets. */
export const relyingParty = z.object({
  ...mode,
  webhook: maybe(z.object({ url: z.string(), events: z.array(z.enum(EVENT_TYPES)), disabled: z.boolean() })),
  trust_anchors: z.array(anchorShape),
  anchor_sets: texts,
  credential_types: addedTypes,
  transaction_data_types: addedTransactionDataTypes,
  formats: maybe(z.array(z.enum(FORMAT_IDS))),
  request_options: jsonObject,
  by_value: z.boolean(),
  status_unavailable: z.enum(STATUS_UNAVAILABLE),
  certificate_revocation: z.enum(CERTIFICATE_REVOCATION),
  return_urls: texts,
  origins: texts,
  branding: maybe(z.object({ color: maybe(z.string()), logo: maybe(z.string()) })),
  retention_seconds: z.int(),
  claims_encryption_jwk: maybe(jsonObject),
  verifier: maybe(
    z.object({
      certificate_chain_pem: z.string(),
      attestation_jwt: maybe(z.string()),
      registration: maybe(jsonObject),
    }),
  ),
  api_keys: z.array(apiKey),
})

/** A relying party just made, with the secrets that are shown once. */
export const createdRelyingParty = z.extend(relyingParty, {
  api_key: z.string(),
  webhook_secret: z.string(),
})

export const relyingPartyPage = z.object({
  relying_parties: z.array(z.object({ ...mode, verifier_certificate_expires_at: maybe(time) })),
  next_cursor: maybe(z.string()),
})

/** A list of trusted issuers: as it was sent, and how it stands. */
export const trustList = z.object({
  name: z.string(),
  livemode: z.boolean(),
  kind: z.string(),
  url: z.exactOptional(z.string()),
  signers: z.exactOptional(z.array(jsonObject)),
  services: z.array(jsonObject),
  list_type: z.exactOptional(maybe(z.string())),
  refresh_seconds: z.exactOptional(z.int()),
  stale_after_seconds: z.exactOptional(z.int()),
  pem: z.exactOptional(z.string()),
  created_at: time,
  sequence: maybe(z.int()),
  issued_at: maybe(time),
  next_update: maybe(time),
  trust_as_of: maybe(time),
  usable_until: maybe(time),
  anchors: z.int(),
  left_out: z.int(),
  last_attempt: maybe(z.object({ at: time, fault: maybe(z.string()) })),
})

export const trustLists = z.object({
  trust_lists: z.array(z.object({ name: z.string(), livemode: z.boolean() })),
})

export const rotatedSecret = z.object({ webhook_secret: z.string(), previous_secret_expires_at: time })

export const webhookTest = z.object({
  event_id: z.string(),
  succeeded: z.boolean(),
  status: maybe(z.int()),
  error: maybe(z.string()),
  duration_ms: z.int(),
})

/** RFC 6749 §4.4.2 and §2.3.1. A parameter that is not known is ignored. */
export const tokenForm = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.exactOptional(z.string()),
  client_secret: z.exactOptional(z.string()),
  scope: z.exactOptional(z.string()),
})

/** RFC 6749 §5.1. */
export const token = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
})

/** RFC 6749 §5.2, for OAuth clients and for wallets. */
export const oauthError = z.object({
  error: z.enum([
    'invalid_request',
    'invalid_client',
    'invalid_scope',
    'unsupported_grant_type',
    'temporarily_unavailable',
    'server_error',
  ]),
  error_description: z.string(),
})

/** OpenID4VP 1.0 §5.10. */
export const requestForm = z.object({
  wallet_nonce: z.exactOptional(z.string()),
  wallet_metadata: z.exactOptional(z.string()),
})

/** OpenID4VP 1.0 §8.2, §8.3, §8.5. */
export const answerForm = z.object({
  response: z.exactOptional(z.string()),
  vp_token: z.exactOptional(z.string()),
  presentation_submission: z.exactOptional(z.string()),
  state: z.exactOptional(z.string()),
  error: z.exactOptional(z.string()),
  error_description: z.exactOptional(z.string()),
})

/** OpenID4VP 1.0 §8.2. */
export const redirect = z.object({ redirect_uri: z.string() })

/** RFC 9457. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(), // no enumeration: within /v1 there may be more of them
  request_id: z.string(),
  retryable: z.boolean(),
  errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })),
})

/** RFC 7517. */
export const keySet = z.object({
  keys: z.array(
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

/** RFC 8414. */
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
  warnings: z.array(
    z.object({
      code: z.string(), // as above
      expires_at: z.exactOptional(time),
      relying_parties: z.exactOptional(z.int()),
      trust_list: z.exactOptional(z.string()),
    }),
  ),
})

/** DID Core §4, as far as it is written here. */
export const didDocument = z.object({
  '@context': texts,
  id: z.string(),
  verificationMethod: z.array(jsonObject),
  assertionMethod: texts,
  authentication: z.exactOptional(texts),
})
