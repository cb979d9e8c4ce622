// Schemas of bodies and queries about sessions, events, lists and the audit log (api/creation, api/outcome,
// api/protocols, api/webhooks, api/lists, api/audit). A strict schema rejects an unknown member, and the
// error names the member. openapi/ builds the published description from these schemas.

import * as z from 'zod/mini'
import { utf8 } from '../codec/bytes.ts'
import type { Json } from '../codec/json.ts'
import { list, oneOfTexts, queryNumber, text, utcTime, WEB_ORIGIN } from '../codec/schema.ts'
import { HASH_NAMES } from '../crypto/digest.ts'
import { queryErrors } from '../exchange/query-errors.ts'
import { TRANSACTION_DATA, TRUST_LIST } from '../limits.ts'
import { DC_API_PROTOCOLS } from '../openid4vp/dc-api.ts'
import { dcqlQuery } from '../openid4vp/dcql/query.ts'
import { PROTOCOL_IDS } from '../openid4vp/protocols/index.ts'
import { requestOptionsSchema } from '../openid4vp/request/request-options.ts'
import { PRESET_NAMES, PRESETS } from '../policy/presets.ts'
import { QR_SIZE } from '../qr/symbol.ts'
import { AUDIT_ACTIONS } from '../relying-party/audit/audit-log.ts'
import { claimsEncryptionJwk } from '../relying-party/document/encryption-jwk.ts'
import { WEBHOOK_STATES } from '../relying-party/index/index-entry.ts'
import { FORMAT_IDS } from '../relying-party/settings/added-types.ts'
import { ASSURANCE_LEVELS } from '../trust/anchors/anchor.ts'
import { ONE_QUERY } from './one-query.ts'
import { pageTexts } from './page-texts.ts'
import { SESSION_BINDINGS, STATUSES } from './values.ts'

/** Limit of the body of a create request, in bytes. */
export const CREATE_LIMIT = 16 * 1024

/** Longest life of a session in seconds. */
export const LONGEST_SESSION_SECONDS = 86_400

const METADATA_LIMIT = 8 * 1024
const METADATA_KEYS = 20

const name = text(100)

const walletId = text(40)

const metadata = z.record(text(40), z.string().check(z.maxLength(500))).check(
  z.refine((value) => Object.keys(value).length <= METADATA_KEYS, 'must have 20 keys or fewer'),
  z.meta({ maxProperties: METADATA_KEYS }),
  z.refine((value) => utf8(JSON.stringify(value)).length <= METADATA_LIMIT, 'must be 8 KiB or less as JSON'),
)

// The handler accepts only a URL that is in the settings. Settings have only URLs of the right form, so the
// form is not checked here.
const returnUrl = text(2048)

export const locale = z
  .string()
  .check(z.maxLength(35), z.regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag'))

// Each type of transaction has a schema of its own. That schema checks all other members later.
const transactionData = z.catchall(
  z.object({
    type: text(TRANSACTION_DATA.typeCharacters),
    credential_ids: z.exactOptional(list(name, TRANSACTION_DATA.credentialIds)),
    transaction_data_hashes_alg: z.exactOptional(list(z.enum(HASH_NAMES), HASH_NAMES.length)),
  }),
  z.custom<Json>(),
)

const createMembers = z.strictObject({
  credential_types: z.optional(list(name, 10)),
  scope: z.optional(list(name, 50)),
  dcql_query: z.optional(dcqlQuery),
  preset: z.exactOptional(z.enum(PRESET_NAMES)),
  required_assurance_level: z._default(z.enum(ASSURANCE_LEVELS), 'low'),
  metadata: z._default(metadata, {}),
  credential_match: z._default(z.enum(['any', 'all']), 'any'),
  // The handler rejects unknown formats. It leaves out formats that the protocol does not support.
  formats: z.optional(list(name.check(z.meta(oneOfTexts(FORMAT_IDS))), 10)),
  protocol: z._default(z.enum(PROTOCOL_IDS), 'openid4vp-1.0'),
  request_options: z._default(requestOptionsSchema, {}),
  wallet: z.exactOptional(
    z.union([walletId, list(walletId, 10)], 'must be the id of a wallet, or a list of ids'),
  ),
  required_session_binding: z._default(z.enum(SESSION_BINDINGS), 'none'),
  expires_in: z._default(z.int().check(z.minimum(60), z.maximum(LONGEST_SESSION_SECONDS)), 600),
  return_url: z.optional(returnUrl),
  failure_return_url: z.exactOptional(returnUrl),
  return_automatically: z.exactOptional(z.boolean()),
  locale: z.optional(locale),
  ...pageTexts,
  allow_derived: z._default(z.boolean(), false),
  intended_use: z.exactOptional(text(100)),
  intent_to_retain: z.exactOptional(z.boolean()),
  evidence: z.exactOptional(z.boolean()),
  require_same_holder_key: z._default(z.boolean(), false),
  anchor_sets: z.exactOptional(list(text(64), TRUST_LIST.subscribed)),
  transaction_data: z.optional(list(transactionData, TRANSACTION_DATA.objects)),
  claims_encryption_jwk: z.optional(claimsEncryptionJwk),
  qr_code: z.exactOptional(z.boolean()),
  retry_of: z.optional(z.string().check(z.maxLength(60))),
})

/**
 * Members of a create request that state what the person must prove. A policy of an OpenID Connect client
 * also has these members.
 */
export const policyMembers = z.pick(createMembers, {
  credential_types: true,
  scope: true,
  dcql_query: true,
  preset: true,
  required_assurance_level: true,
  credential_match: true,
  formats: true,
  protocol: true,
  request_options: true,
  required_session_binding: true,
  purpose: true,
  allow_derived: true,
  intended_use: true,
  intent_to_retain: true,
  evidence: true,
  require_same_holder_key: true,
  anchor_sets: true,
})

/** Body of `POST /v1/verify`. The body has either types and scopes, or a query, or a preset. */
export const createRequest = createMembers.check((context) => {
  const { evidence, intent_to_retain } = context.value
  const isDenied = evidence === true && intent_to_retain === false
  const denied = { name: 'intent_to_retain', message: 'must not be false beside evidence' }
  for (const { name, message } of [...(isDenied ? [denied] : []), ...queryErrors(context.value)]) {
    context.issues.push({ code: 'custom', path: [name], message, input: context.value })
  }
}, z.meta(ONE_QUERY))
export type CreateRequest = z.infer<typeof createRequest>

/** Returns the body with the members of its preset added. */
export function withPreset(body: CreateRequest): CreateRequest {
  return { ...body, ...(body.preset && PRESETS[body.preset]) }
}

/**
 * Returns the value of the `size` parameter, or the standard size if the parameter is absent. Returns
 * `undefined` if the parameter is repeated, is not plain digits, or is out of range.
 */
export function parseQrSize(given: readonly string[] | undefined): number | undefined {
  const [text] = given ?? []
  if (text === undefined) return QR_SIZE.standard
  const size = given?.length === 1 && /^[1-9][0-9]{2,3}$/.test(text) ? Number(text) : Number.NaN
  return size >= QR_SIZE.minimum && size <= QR_SIZE.maximum ? size : undefined
}

/** Form of the cursors of the event log and of the audit log. */
const CURSOR = /^[A-Za-z0-9_-]{32}$/
/**
 * Form of `after`: a cursor, an empty text or `latest`. An empty text starts at the oldest event. `latest`
 * starts after the newest event.
 */
const CURSOR_OR_PLACE = /^(latest|[A-Za-z0-9_-]{32})?$/

/** Largest number that has fifteen digits. */
const LARGEST_NUMBER = 999_999_999_999_999

/** Query parameter `limit`: largest number of entries on a page, 1 to 100. The default is 50. */
export const pageLimit = z._default(queryNumber(1, 100, 'must be 1 to 100'), 50)

/** Message for an `after` that is not a cursor. */
export const NOT_A_CURSOR = 'must be the `next` of an earlier response'

const NOT_A_PLACE = `${NOT_A_CURSOR}, or \`latest\``

/** Query of `GET /v1/events`. */
export const eventsQuery = z.strictObject({
  after: z._default(z.string(NOT_A_PLACE).check(z.regex(CURSOR_OR_PLACE, NOT_A_PLACE)), ''),
  limit: pageLimit,
})

/** Body of `POST /v1/webhook/redeliver`. */
export const redeliveryRange = z.strictObject({
  from: utcTime,
  to: utcTime,
  after: z.optional(z.string().check(z.regex(CURSOR, NOT_A_CURSOR))),
})

/** Query of `GET /v1/admin/relying_parties`. */
export const directoryQuery = z.strictObject({
  limit: pageLimit,
  after: z._default(queryNumber(0, LARGEST_NUMBER, 'must be the next_cursor of an earlier response'), 0),
})

const waitSeconds = z.optional(queryNumber(1, 25, 'must be 1 to 25'))

/** Query of `GET /v1/verify/{id}/evidence`. */
export const evidenceQuery = z.strictObject({ wait: waitSeconds })

/** Query of `GET /v1/verify/{id}`, which may have other parameters too. */
export const waitQuery = z
  .object({
    wait: waitSeconds,
    after_version: z.optional(queryNumber(0, LARGEST_NUMBER, 'must be the version of an earlier response')),
  })
  .check(
    z.refine(({ wait, after_version }) => wait !== undefined || after_version === undefined, {
      path: ['after_version'],
      message: 'requires wait',
    }),
  )

const code = text(200)

/** Body of `POST …/response_code`: the code in the URL with which this browser returned from the wallet. */
export const browserReturnRequest = z.strictObject({ response_code: code })

/** Body of `POST …/return`: the return code that the relying party redeems. */
export const redemption = z.strictObject({ return_code: code })

/** Wallet that one request is made for: the id of a wallet profile, or `any`. */
const requestedWallet = z.exactOptional(walletId)

/** Body of `POST …/link`. The request may also have no body. */
export const linkOptions = z.strictObject({ wallet: requestedWallet })

/** Query of `GET …/qr`, which has other parameters too. */
export const qrQuery = z.object({ wallet: requestedWallet })

/** Body of `POST …/dc-api/request`. */
export const dcApiRequestOptions = z.strictObject({
  // The handler accepts only the origins in the settings. So the pattern is the same as in the settings.
  origin: z.exactOptional(text(300).check(z.meta({ pattern: WEB_ORIGIN }))),
  wallet: requestedWallet,
})

/** Body of `POST …/dc-api`: the response that the browser passed to the page. */
export const dcApiResponse = z.strictObject({
  protocol: z.enum(DC_API_PROTOCOLS),
  data: z.record(z.string(), z.unknown()),
})

/** A query parameter with this prefix filters by one key of the metadata. */
export const METADATA_PREFIX = 'metadata.'
const METADATA_FILTERS = 3

const status = z.enum(STATUSES)
const auditAction = z.enum(AUDIT_ACTIONS)
const time = z.iso.datetime({ offset: true, error: 'must be a time with an offset, as 2027-01-31T12:00:00Z' })

/** Query of `GET /v1/verify`. A name that starts with `metadata.` is a filter for one key of the metadata. */
export const listQuery = z
  .catchall(
    z.object({
      status: z.exactOptional(z.union([status, z.array(status)])),
      created_after: z.exactOptional(time),
      created_before: z.exactOptional(time),
      credential_type: z.exactOptional(text(300)),
      webhook_state: z.exactOptional(z.enum(WEBHOOK_STATES)),
      reason: z.exactOptional(text(100)),
      has_attempts: z.exactOptional(z.enum(['true', 'false'])),
      search: z.exactOptional(text(500)),
      limit: pageLimit,
      after: z.exactOptional(z.string().check(z.regex(/^[A-Za-z0-9_-]{54}$/, NOT_A_CURSOR))),
    }),
    z.string('must be given once').check(z.maxLength(500)),
  )
  .check((context) => {
    const names = Object.keys(context.value).filter((name) => !KNOWN.has(name))
    const unknown = names.filter((name) => !/^metadata\..{1,40}$/su.test(name))
    if (unknown.length > 0) {
      context.issues.push({ code: 'unrecognized_keys', keys: unknown, input: context.value })
    }
    if (names.length - unknown.length > METADATA_FILTERS) {
      const message = `must be at most ${METADATA_FILTERS} of \`metadata.{key}\``
      context.issues.push({
        code: 'custom',
        path: [names[METADATA_FILTERS] ?? ''],
        message,
        input: context.value,
      })
    }
  })
export type ListQuery = z.infer<typeof listQuery>

/** Query of `GET /v1/audit`. */
export const auditQuery = z.strictObject({
  action: z.exactOptional(z.union([auditAction, z.array(auditAction)])),
  actor: z.exactOptional(text(300)),
  created_after: z.exactOptional(time),
  created_before: z.exactOptional(time),
  limit: pageLimit,
  after: z.exactOptional(z.string(NOT_A_CURSOR).check(z.regex(CURSOR, NOT_A_CURSOR))),
})
export type AuditListQuery = z.infer<typeof auditQuery>

/** Query of `GET /v1/insights`. */
export const insightsQuery = z.strictObject({
  from: time,
  to: time,
  step: z._default(z.enum(['hour', 'day']), 'day'),
})

const KNOWN = new Set([
  ...['status', 'created_after', 'created_before', 'credential_type', 'webhook_state'],
  ...['reason', 'has_attempts', 'search', 'limit', 'after'],
])
