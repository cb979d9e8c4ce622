// Schemas of responses about verifications (api/creation, api/result, api/webhooks). The views in src/session
// return the types of these schemas. The service imports only the types, so the bundle contains no schema of
// a response.

import * as z from 'zod/mini'
import { HASH_NAMES } from '../../crypto/digest.ts'
import { DC_API_PROTOCOLS } from '../../openid4vp/dc-api.ts'
import { type DcqlQuery, dcqlQuery } from '../../openid4vp/dcql/query.ts'
import { PROTOCOL_IDS } from '../../openid4vp/protocols/index.ts'
import { CLIENT_ID_PREFIXES } from '../../openid4vp/request/client-identifier.ts'
import { REQUEST_URI_METHODS } from '../../openid4vp/request/generation.ts'
import { RESPONSE_MODES } from '../../openid4vp/response/response-mode.ts'
import { PRESET_NAMES } from '../../policy/presets.ts'
import { WEBHOOK_EVENT_TYPES } from '../../relying-party/document/settings.ts'
import { ASSURANCE_LEVELS } from '../../trust/anchors/anchor.ts'
import { CERTIFICATE_RULES } from '../../trust/refusal.ts'
import { mapPageTexts } from '../page-texts.ts'
import { SESSION_BINDINGS, STATUSES } from '../values.ts'
import { claimedIssuer } from './claimed-issuer.ts'
import { evidenceState, keptEvidence } from './evidence.ts'
import {
  eventId,
  jsonObject,
  list,
  listReference,
  maybe,
  relyingPartyId,
  time,
  typed,
  verificationId,
} from './parts.ts'

const texts = list(z.string())
const query = typed<DcqlQuery>(dcqlQuery)
const checks = z.record(z.string(), z.boolean())
const level = z.enum(ASSURANCE_LEVELS)
const status = z.enum(STATUSES)
const stage = z.enum(['created', 'request_fetched', 'awaiting_return', 'done'])
const channel = maybe(z.enum(['qr', 'link', 'dc_api', 'by_value']))
const format = z.string() // no enumeration: values may be added within /v1
const metadata = z.record(z.string(), z.string())

const revocation = maybe(z.enum(['valid', 'revoked', 'suspended', 'unavailable', 'not_present']))

/** Reason for the status of a session, or for a refused wallet response that did not end the session. */
export const reason = z.object({
  code: z.string(), // no enumeration: values may be added within /v1
  message: z.string(),
  retryable: z.boolean(),
  type: z.string(),
})

/** A credential of the outcome. */
export const credential = z.object({
  id: z.string(),
  credential_type: z.string(),
  format,
  issuer: maybe(z.string()),
  assurance_level: level,
  status: revocation,
  checks,
  transaction_data: list(z.object({ index: z.int(), hash: z.string(), hash_alg: z.enum(HASH_NAMES) })),
})

const walletLinks = z.record(z.string(), z.string())

/** The request as wallets receive it. */
export const walletRequest = z.object({
  protocol: z.enum(PROTOCOL_IDS),
  wallet: maybe(z.string()),
  uri: z.string(),
  client_id: z.string(),
  request_uri: maybe(z.string()),
  request_uri_method: maybe(z.enum(REQUEST_URI_METHODS)),
  response_uri: z.string(),
  dcql_query: query,
  transaction_data: maybe(texts),
  wallet_links: walletLinks,
  expires_at: time,
})

/** A warning about a create request. Values of `code` may be added within /v1. */
const creationWarning = z.object({ code: z.string(), pointer: z.string(), message: z.string() })

/** A member of the request that a wallet does not support. Values of `why` may be added within /v1. */
const walletFinding = z.object({ member: z.string(), why: z.string() })

/** Result for one wallet, which says if the wallet can answer. Values of `result` may be added within /v1. */
const walletResult = z.object({
  id: z.string(),
  result: z.enum(['works', 'lowered', 'unknown', 'cannot']),
  browser: z.exactOptional(z.enum(['any', 'if_chosen', 'no'])),
  left_out: z.exactOptional(list(walletFinding)),
  reasons: z.exactOptional(list(walletFinding)),
})

/** Response of `POST /v1/verify`. */
export const createdVerification = z.object({
  verification_id: verificationId,
  status,
  session_url: z.string(),
  qr_code: maybe(z.string()),
  deep_link: z.string(),
  expires_at: time,
  client_token: z.string(),
  wallet_request: maybe(walletRequest),
  livemode: z.boolean(),
  version: z.int(),
  locale: maybe(z.string()),
  warnings: list(creationWarning),
  wallets: list(walletResult),
})

/** State of a session, as the holder of a `client_token` reads it. */
export const verificationState = z.object({
  object: z.literal('verification_state'),
  verification_id: verificationId,
  version: z.int(),
  status,
  stage,
  expires_at: time,
  wallet_activity: maybe(
    z.object({
      number: z.int(),
      at: time,
      kind: z.string(), // no enumeration: values may be added within /v1
      family: maybe(z.string()),
    }),
  ),
  family: maybe(z.string()),
})

const derivation = z.object({
  step: z.enum([
    'anchor',
    'certificate_status',
    'certificate_status_unavailable',
    'holder_binding',
    'no_holder_binding',
    'no_session_binding',
    'status',
    'status_unavailable',
    'credential_says',
    'lowest',
  ]),
  id: z.exactOptional(z.string()),
  anchor: z.exactOptional(z.string()),
  list: z.exactOptional(listReference),
  service: z.exactOptional(z.object({ type: z.string(), status: z.string() })),
  status: z.exactOptional(revocation),
  as_of: z.exactOptional(maybe(z.string())),
  level,
})

/** Members that `GET /v1/verify/{id}` and events share. */
const outcome = {
  verification_id: verificationId,
  status,
  checks: maybe(checks),
  assurance_level: maybe(level),
  same_holder_key: maybe(z.boolean()),
  credential_type: maybe(z.string()),
  verified_at: maybe(time),
  reason: maybe(reason),
  metadata,
  protocol: z.enum(PROTOCOL_IDS),
  channel,
  format: maybe(format),
  issuer: maybe(z.string()),
  session_binding: maybe(z.enum(SESSION_BINDINGS)),
  credentials: list(credential),
  livemode: z.boolean(),
  encrypted_claims: maybe(z.string()),
}

/** Response of `GET /v1/verify/{id}`. */
export const verification = z.object({
  object: z.literal('verification'),
  ...outcome,
  version: z.int(),
  stage,
  created_at: time,
  expires_at: time,
  session_url: maybe(z.string()),
  credential_types: maybe(texts),
  scope: maybe(texts),
  dcql_query: maybe(query),
  preset: maybe(z.enum(PRESET_NAMES)),
  required_assurance_level: level,
  credential_match: maybe(z.enum(['any', 'all'])),
  formats: maybe(texts),
  request_options: z.object({
    client_id_prefix: maybe(z.enum(CLIENT_ID_PREFIXES)),
    response_mode: maybe(z.enum(RESPONSE_MODES)),
    request_uri_method: maybe(z.enum(REQUEST_URI_METHODS)),
  }),
  wallet: maybe(z.string()),
  required_session_binding: z.enum(SESSION_BINDINGS),
  expires_in: z.int(),
  return_url: maybe(z.string()),
  failure_return_url: maybe(z.string()),
  return_automatically: z.boolean(),
  locale: maybe(z.string()),
  ...mapPageTexts(() => maybe(z.string())),
  allow_derived: z.boolean(),
  intended_use: maybe(z.string()),
  intent_to_retain: z.boolean(),
  require_same_holder_key: z.boolean(),
  anchor_sets: maybe(texts),
  retry_of: maybe(z.string()),
  claims_encryption_jwk: maybe(jsonObject),
  transaction_data: maybe(list(jsonObject)),
  attempts: list(
    z.object({
      ...{ at: time, channel, reason, detail: maybe(z.enum(CERTIFICATE_RULES)) },
      document_errors: maybe(z.record(z.string(), z.int())),
      claimed_issuer: maybe(claimedIssuer),
    }),
  ),
  attempt_count: z.int(),
  trace: list(z.object({ id: z.string(), clause: z.string(), result: z.enum(['pass', 'fail', 'skip']) })),
  assurance_derivation: list(derivation),
  offered_client_ids: maybe(texts),
  trust_lists: list(listReference),
  evidence: maybe(keptEvidence),
})

/** An event of a verification, as the webhook and the event log send it. */
export const verificationEvent = z.object({
  event_id: eventId,
  event_type: z.enum(WEBHOOK_EVENT_TYPES),
  sequence: z.int(),
  created_at: time,
  ...outcome,
  attempt_count: z.int(),
  evidence: z.exactOptional(maybe(evidenceState)),
  metadata: maybe(metadata), // null in the event log only
})

/** The event that `POST /v1/webhook/test` sends to the webhook. */
export const testEvent = z.object({
  event_id: eventId,
  event_type: z.literal('webhook.test'),
  created_at: time,
  relying_party_id: relyingPartyId,
  livemode: z.boolean(),
})

/** Response of `GET /v1/events`. */
export const eventPage = z.object({
  events: list(verificationEvent),
  next: z.string(),
  has_more: z.boolean(),
})

/** Response of `POST /v1/webhook/redeliver`. */
export const redeliveryPage = z.object({ redelivered: z.int(), next: z.string(), has_more: z.boolean() })

/** Response of `GET …/openid4vp`. */
export const openid4vpView = z.object({
  verification_id: verificationId,
  status,
  expires_at: time,
  deep_link: z.string(),
  qr_code_url: z.string(),
  authorization_request: z.object({
    response_type: z.literal('vp_token'),
    response_mode: z.literal('direct_post'),
    client_id: z.string(),
    redirect_uri: z.string(),
    nonce: z.string(),
    presentation_definition: z.object({
      id: z.string(),
      input_descriptors: list(
        z.object({
          id: z.string(),
          name: z.string(),
          group: z.exactOptional(texts),
          constraints: z.object({ fields: list(z.object({ path: texts })) }),
        }),
      ),
      submission_requirements: z.exactOptional(
        list(z.object({ rule: z.literal('pick'), count: z.int(), from: z.string() })),
      ),
    }),
  }),
  wallet_request: walletRequest,
})

/** Response of `POST …/link`. */
export const link = z.object({ uri: z.string(), wallet_links: walletLinks, expires_at: time })

/** Response of `POST …/response_code`, and of `POST …/dc-api` to the hosted page. */
export const browserReturnResult = z.object({
  object: z.literal('browser_return'),
  return_url: maybe(z.string()),
})

/** Response of `POST /v1/test/verify/{id}/outcome`. `wallet` is null if no wallet took part. */
export const producedOutcome = z.object({
  wallet: maybe(z.object({ status: z.int(), body: z.string(), redirect_uri: maybe(z.string()) })),
  verification,
})

/** Response of `POST …/dc-api/request`. */
export const dcApiRequests = z.object({
  digital: z.object({
    requests: list(z.object({ protocol: z.enum(DC_API_PROTOCOLS), data: jsonObject })),
  }),
  expires_at: time,
})

export type BrowserReturnResult = z.infer<typeof browserReturnResult>
export type CreationWarning = z.infer<typeof creationWarning>
export type CreatedVerification = z.infer<typeof createdVerification>
export type EventPage = z.infer<typeof eventPage>
export type RedeliveryPage = z.infer<typeof redeliveryPage>
export type Openid4vpView = z.infer<typeof openid4vpView>
export type TestEvent = z.infer<typeof testEvent>
export type Verification = z.infer<typeof verification>
export type VerificationEvent = z.infer<typeof verificationEvent>
export type VerificationState = z.infer<typeof verificationState>
export type WalletRequest = z.infer<typeof walletRequest>
