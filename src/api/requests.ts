// Schemas of bodies and queries about sessions (api/creation, api/outcome, api/protocols, api/webhooks). A
// strict schema rejects an unknown member, and the error names the member. openapi/ builds the published
// description from these schemas.

import * as z from 'zod/mini'
import { utf8 } from '../codec/bytes.ts'
import type { Json } from '../codec/json.ts'
import { list, queryNumber, text } from '../codec/schema.ts'
import { HASH_NAMES } from '../crypto/digest.ts'
import { TRANSACTION_DATA } from '../limits.ts'
import { DC_API_PROTOCOLS } from '../openid4vp/dc-api.ts'
import { dcqlQuery } from '../openid4vp/dcql/query.ts'
import { PROTOCOL_IDS } from '../openid4vp/protocols/index.ts'
import { requestOptionsSchema } from '../openid4vp/request/request-options.ts'
import { PRESET_NAMES, PRESETS } from '../policy/presets.ts'
import { QR_SIZE } from '../qr/symbol.ts'
import { claimsEncryptionJwk } from '../relying-party/document/encryption-jwk.ts'
import { WEBHOOK_STATES } from '../relying-party/index/index-entry.ts'
import { ASSURANCE_LEVELS } from '../trust/anchors/anchor.ts'
import { pageTexts } from './page-texts.ts'
import { SESSION_BINDINGS, STATUSES } from './values.ts'

/** Limit of a creation's body, in bytes. */
export const CREATE_LIMIT = 16 * 1024

/** Longest life of a session in seconds. */
export const LONGEST_SESSION_SECONDS = 86_400

const METADATA_LIMIT = 8 * 1024

const name = text(100)

const walletId = text(40)

const metadata = z.record(text(40), z.string().check(z.maxLength(500))).check(
  z.refine((value) => Object.keys(value).length <= 20, 'must have 20 keys or fewer'),
  z.refine((value) => utf8(JSON.stringify(value)).length <= METADATA_LIMIT, 'must be 8 KiB or less as JSON'),
)

// A creation may send only a registered URL. The form of the URL was checked at its registration.
const returnUrl = text(2048)

export const locale = z
  .string()
  .check(z.maxLength(35), z.regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag'))

// The schema of the transaction type checks all other members.
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
  formats: z.optional(list(name, 10)),
  protocol: z._default(z.enum(PROTOCOL_IDS), 'openid4vp-1.0'),
  request_options: z._default(requestOptionsSchema, {}),
  wallet: z.exactOptional(
    z.union([walletId, list(walletId, 10)], 'must be the id of a wallet, or a list of ids'),
  ),
  required_session_binding: z._default(z.enum(SESSION_BINDINGS), 'none'),
  expires_in: z._default(z.int().check(z.minimum(60), z.maximum(LONGEST_SESSION_SECONDS)), 600),
  return_url: z.optional(returnUrl),
  return_automatically: z.exactOptional(z.boolean()),
  locale: z.optional(locale),
  ...pageTexts,
  allow_derived: z._default(z.boolean(), false),
  intent_to_retain: z.exactOptional(z.boolean()),
  require_same_holder_key: z._default(z.boolean(), false),
  transaction_data: z.optional(list(transactionData, TRANSACTION_DATA.objects)),
  claims_encryption_jwk: z.optional(claimsEncryptionJwk),
  qr_code: z.exactOptional(z.boolean()),
  retry_of: z.optional(z.string().check(z.maxLength(60))),
})

/**
 * Members of a creation that state what the person must prove. A policy of an OpenID Connect client also has
 * these members.
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
  intent_to_retain: true,
  require_same_holder_key: true,
})

/** Body of `POST /v1/verify`. It has either types and scopes, or a query, or a preset. */
export const createRequest = createMembers.check((context) => {
  for (const { name, message } of memberErrors(context.value)) {
    context.issues.push({ code: 'custom', path: [name], message, input: context.value })
  }
})
export type CreateRequest = z.infer<typeof createRequest>

/** Returns the body with the members of its preset added. */
export function withPreset(body: CreateRequest): CreateRequest {
  return { ...body, ...(body.preset && PRESETS[body.preset]) }
}

function memberErrors(body: z.infer<typeof createMembers>) {
  const { dcql_query, credential_types, scope, formats, credential_match, allow_derived } = body
  const { intent_to_retain, preset } = body
  const required = 'This member is required.'
  if (dcql_query === undefined && preset === undefined) {
    return [
      ...(credential_types === undefined ? [{ name: 'credential_types', message: required }] : []),
      ...(scope === undefined ? [{ name: 'scope', message: required }] : []),
    ]
  }
  const beside = {
    credential_types: credential_types !== undefined,
    scope: scope !== undefined,
    formats: formats !== undefined,
    credential_match: credential_match !== 'any',
    allow_derived,
    intent_to_retain: intent_to_retain !== undefined,
    dcql_query: preset !== undefined && dcql_query !== undefined,
  }
  const whole = preset === undefined ? 'dcql_query' : 'preset'
  return Object.entries(beside)
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => ({ name, message: `must not be combined with ${whole}` }))
}

/**
 * Returns the value of the `size` parameter, or the standard size without the parameter. Returns `undefined`
 * if the parameter is repeated, is not plain digits, or is out of range.
 */
export function parseQrSize(given: readonly string[] | undefined): number | undefined {
  const [text] = given ?? []
  if (text === undefined) return QR_SIZE.standard
  const size = given?.length === 1 && /^[1-9][0-9]{2,3}$/.test(text) ? Number(text) : Number.NaN
  return size >= QR_SIZE.minimum && size <= QR_SIZE.maximum ? size : undefined
}

/** Form of every cursor of the event log. */
const CURSOR = /^[A-Za-z0-9_-]{32}$/
/**
 * Form of `after`: a cursor, an empty text or `latest`. An empty text begins with the oldest event. `latest`
 * begins with later events only.
 */
const CURSOR_OR_PLACE = /^(latest|[A-Za-z0-9_-]{32})?$/

/** Largest number that has fifteen digits. */
const LARGEST_NUMBER = 999_999_999_999_999

/** Number of entries of a page. */
export const pageLimit = z._default(queryNumber(1, 100, 'must be 1 to 100'), 50)

/** Message for an `after` that is not a cursor. */
export const NOT_A_CURSOR = 'must be the `next` of an earlier response'

const NOT_A_PLACE = `${NOT_A_CURSOR}, or \`latest\``

/** Query of `GET /v1/events`. */
export const eventsQuery = z.strictObject({
  after: z._default(z.string(NOT_A_PLACE).check(z.regex(CURSOR_OR_PLACE, NOT_A_PLACE)), ''),
  limit: pageLimit,
})

const eventTime = z.iso.datetime({ error: 'must be a time in UTC, as 2027-01-31T12:00:00Z' })

/** Body of `POST /v1/webhook/redeliver`. */
export const redeliveryRange = z.strictObject({
  from: eventTime,
  to: eventTime,
  after: z.optional(z.string().check(z.regex(CURSOR, NOT_A_CURSOR))),
})

/** Query of `GET /v1/admin/relying_parties`. */
export const directoryQuery = z.strictObject({
  limit: pageLimit,
  after: z._default(queryNumber(0, LARGEST_NUMBER, 'must be the next_cursor of an earlier response'), 0),
})

/** Query of `GET /v1/verify/{id}`, which may have other parameters too. */
export const waitQuery = z
  .object({
    wait: z.optional(queryNumber(1, 25, 'must be 1 to 25')),
    after_version: z.optional(queryNumber(0, LARGEST_NUMBER, 'must be the version of an earlier response')),
  })
  .check(
    z.refine(({ wait, after_version }) => wait !== undefined || after_version === undefined, {
      path: ['after_version'],
      message: 'requires wait',
    }),
  )

const code = text(200)

/** Body of `POST …/response_code`: the code that this browser received when the wallet returned to it. */
export const browserReturnRequest = z.strictObject({ response_code: code })

/** Body of `POST …/return`: the return code that the relying party redeems. */
export const redemption = z.strictObject({ return_code: code })

/** Wallet of one request: the id of a profile, or `any`. */
const requestedWallet = z.exactOptional(walletId)

/** Body of `POST …/link`. The request may also have no body. */
export const linkOptions = z.strictObject({ wallet: requestedWallet })

/** Query of `GET …/qr`, which has other parameters too. */
export const qrQuery = z.object({ wallet: requestedWallet })

/** Body of `POST …/dc-api/request`. */
export const dcApiRequestOptions = z.strictObject({
  origin: z.exactOptional(text(300)),
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

/** Query of `GET /v1/insights`. */
export const insightsQuery = z.strictObject({
  from: time,
  to: time,
  step: z._default(z.enum(['hour', 'day']), 'day'),
})

const KNOWN = new Set([
  ...['status', 'created_after', 'created_before', 'credential_type', 'webhook_state'],
  ...['limit', 'after'],
])

/** Limit of a body, in bytes. */
export const SIGN_IN_BYTES = 4096

/** Body of `POST /console/session`: a token or a code. */
export const signInRequest = z
  .strictObject({ token: z.exactOptional(text(SIGN_IN_BYTES)), code: z.exactOptional(text(SIGN_IN_BYTES)) })
  .check(
    z.refine(({ token, code }) => (token === undefined) !== (code === undefined), {
      path: ['token'],
      error: 'must be sent, or else `code`, and not both',
    }),
  )

/** Body of `POST /console/codes`. */
export const codeRequest = z.strictObject({ api_key: text(300) })
