// What is answered about sessions, as schemas (CONTRACT 2 to 7). The service builds its answers from types of its own and never
// parses them: these are for readers, and test/openapi holds them against those types and against real answers.

import * as z from 'zod/mini'
import { HASH_NAMES } from '../src/crypto/digest.ts'
import { DC_API_PROTOCOLS } from '../src/openid4vp/dc-api.ts'
import { dcqlQuery } from '../src/openid4vp/dcql/schema.ts'
import { PROTOCOL_IDS } from '../src/openid4vp/protocols/index.ts'
import { CLIENT_ID_PREFIXES } from '../src/openid4vp/request/client-identifier.ts'
import { REQUEST_URI_METHODS, RESPONSE_MODES } from '../src/openid4vp/request/generation.ts'
import { EVENT_TYPES } from '../src/relying-party/settings/settings.ts'
import { SESSION_BINDINGS } from '../src/session/return/session-binding.ts'
import { STATUSES } from '../src/session/state.ts'
import { ASSURANCE_LEVELS } from '../src/trust/anchors/anchor.ts'

export const time = z.iso.datetime()
const maybe = z.nullable
const texts = z.array(z.string())
const jsonObject = z.record(z.string(), z.unknown())
const checks = z.record(z.string(), z.boolean())
const level = z.enum(ASSURANCE_LEVELS)
const status = z.enum(STATUSES)
const stage = z.enum(['created', 'request_fetched', 'awaiting_return', 'done'])
const channel = maybe(z.enum(['qr', 'link', 'dc_api', 'by_value']))
const format = z.string() // no enumeration: within /v1 there may be more of them
const metadata = z.record(z.string(), z.string())

const revocation = maybe(z.enum(['valid', 'revoked', 'suspended', 'unavailable', 'not_present']))

/** Why a session ended, or an answer was not heard. */
export const reason = z.object({
  code: z.string(), // no enumeration: within /v1 there may be more of them
  message: z.string(),
  retryable: z.boolean(),
  type: z.string(),
})

/** A credential that the outcome rests on. */
export const credential = z.object({
  id: z.string(),
  credential_type: z.string(),
  format,
  issuer: maybe(z.string()),
  assurance_level: level,
  status: revocation,
  checks,
  transaction_data: z.array(z.object({ index: z.int(), hash: z.string(), hash_alg: z.enum(HASH_NAMES) })),
})

const walletLinks = z.record(z.string(), z.string())

/** What wallets really get. */
export const walletRequest = z.object({
  protocol: z.enum(PROTOCOL_IDS),
  uri: z.string(),
  client_id: z.string(),
  request_uri: maybe(z.string()),
  request_uri_method: maybe(z.enum(REQUEST_URI_METHODS)),
  response_uri: z.string(),
  dcql_query: dcqlQuery,
  transaction_data: maybe(texts),
  wallet_links: walletLinks,
  expires_at: time,
})

/** Answer of `POST /v1/verify`. */
export const createdVerification = z.object({
  verification_id: z.string(),
  status,
  session_url: z.string(),
  qr_code: maybe(z.string()),
  deep_link: z.string(),
  expires_at: time,
  client_token: z.string(),
  wallet_request: maybe(walletRequest),
  livemode: z.boolean(),
  version: z.int(),
})

/** What a `client_token` shows of a session. */
export const verificationState = z.object({
  verification_id: z.string(),
  version: z.int(),
  status,
  stage,
  expires_at: time,
})

const listReference = z.object({ name: z.string(), sequence: maybe(z.int()), trust_as_of: z.string() })

const derivation = z.object({
  step: z.enum([
    'anchor',
    'certificate_status',
    'certificate_status_unavailable',
    'holder_binding',
    'no_holder_binding',
    'status',
    'status_unavailable',
    'credential_says',
    'lowest',
  ]),
  id: z.exactOptional(z.string()),
  anchor: z.exactOptional(z.string()),
  list: z.exactOptional(listReference),
  status: z.exactOptional(revocation),
  as_of: z.exactOptional(maybe(z.string())),
  level,
})

/** What a poll and an event both say. */
const outcome = {
  verification_id: z.string(),
  status,
  checks: maybe(checks),
  assurance_level: maybe(level),
  credential_type: maybe(z.string()),
  verified_at: maybe(time),
  reason: maybe(reason),
  metadata,
  protocol: z.enum(PROTOCOL_IDS),
  channel,
  format: maybe(format),
  issuer: maybe(z.string()),
  session_binding: maybe(z.enum(SESSION_BINDINGS)),
  credentials: z.array(credential),
  livemode: z.boolean(),
  encrypted_claims: maybe(z.string()),
}

/** Answer of `GET /v1/verify/{id}`. */
export const verification = z.object({
  ...outcome,
  version: z.int(),
  stage,
  created_at: time,
  expires_at: time,
  session_url: maybe(z.string()),
  credential_types: maybe(texts),
  scope: maybe(texts),
  dcql_query: maybe(dcqlQuery),
  required_assurance_level: level,
  credential_match: maybe(z.enum(['any', 'all'])),
  formats: maybe(texts),
  request_options: z.object({
    client_id_prefix: z.enum(CLIENT_ID_PREFIXES),
    response_mode: z.enum(RESPONSE_MODES),
    request_uri_method: maybe(z.enum(REQUEST_URI_METHODS)),
  }),
  required_session_binding: z.enum(SESSION_BINDINGS),
  expires_in: z.int(),
  return_url: maybe(z.string()),
  locale: maybe(z.string()),
  purpose: maybe(z.string()),
  allow_derived: z.boolean(),
  retry_of: maybe(z.string()),
  claims_encryption_jwk: maybe(jsonObject),
  transaction_data: maybe(z.array(jsonObject)),
  attempts: z.array(z.object({ at: time, channel, reason })),
  attempt_count: z.int(),
  trace: z.array(z.object({ id: z.string(), clause: z.string(), result: z.enum(['pass', 'fail', 'skip']) })),
  assurance_derivation: z.array(derivation),
  trust_lists: z.array(listReference),
})

/** The webhook of a terminal status. */
export const verificationEvent = z.object({
  event_id: z.string(),
  event_type: z.enum(EVENT_TYPES),
  sequence: z.int(),
  created_at: time,
  ...outcome,
})

/** The webhook that a relying party sends itself. */
export const testEvent = z.object({
  event_id: z.string(),
  event_type: z.literal('webhook.test'),
  created_at: time,
  relying_party_id: z.string(),
  livemode: z.boolean(),
})

/** Answer of `GET /v1/events`. Of an event whose session could not be asked, `metadata` is null. */
export const eventPage = z.object({
  events: z.array(z.extend(verificationEvent, { metadata: maybe(metadata) })),
  next: z.string(),
  has_more: z.boolean(),
})

/** Answer of `GET …/openid4vp`. */
export const openid4vpView = z.object({
  verification_id: z.string(),
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
      input_descriptors: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          group: z.exactOptional(texts),
          constraints: z.object({ fields: z.array(z.object({ path: texts })) }),
        }),
      ),
      submission_requirements: z.exactOptional(
        z.array(z.object({ rule: z.literal('pick'), count: z.int(), from: z.string() })),
      ),
    }),
  }),
  wallet_request: walletRequest,
})

/** Answer of `GET …/deliveries`. */
export const deliveryLog = z.object({
  verification_id: z.string(),
  deliveries: z.array(
    z.object({
      delivery_id: z.string(),
      event_id: z.string(),
      event_type: z.enum(EVENT_TYPES),
      sequence: z.int(),
      state: z.enum(['owed', 'delivered', 'dead']),
      next_attempt_at: maybe(time),
      attempts: z.array(
        z.object({
          attempt: z.int(),
          at: time,
          manual: z.boolean(),
          status: maybe(z.int()),
          error: maybe(z.enum(['timeout', 'connection', 'redirect', 'forbidden_url', 'unknown'])),
        }),
      ),
    }),
  ),
})

/** Answer of `POST …/link`. */
export const link = z.object({ uri: z.string(), wallet_links: walletLinks, expires_at: time })

/** Answer of `POST …/response_code`, and of `POST …/dc-api` to our own page. */
export const cameBack = z.object({ return_url: maybe(z.string()) })

/** Answer of `POST /v1/test/verify/{id}/outcome`. `wallet`: what it was told; null where it had no part in it. */
export const producedOutcome = z.object({
  wallet: maybe(z.object({ status: z.int(), body: z.string(), redirect_uri: maybe(z.string()) })),
  verification,
})

/** Answer of `POST …/dc-api/request`. */
export const dcApiRequests = z.object({
  digital: z.object({
    requests: z.array(z.object({ protocol: z.enum(DC_API_PROTOCOLS), data: jsonObject })),
  }),
  expires_at: time,
})
