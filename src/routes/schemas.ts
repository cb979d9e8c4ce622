// The shapes of what relying parties send about sessions (CONTRACT 2): strict, so an unknown member is refused by name.

import * as z from 'zod'
import { utf8 } from '../codec/bytes.ts'
import { CLIENT_ID_PREFIXES } from '../openid4vp/client-identifier.ts'
import { REQUEST_URI_METHODS, RESPONSE_MODES } from '../openid4vp/generation.ts'
import { PROTOCOL_IDS } from '../openid4vp/protocols/index.ts'
import { QR_SIZE } from '../qr/symbol.ts'
import { claimsEncryptionJwk } from '../relying-party/encryption-jwk.ts'
import { SESSION_BINDINGS } from '../session/binding.ts'
import { ASSURANCE_LEVELS } from '../trust/anchor.ts'

/** Bytes of a creation's body at most. */
export const CREATE_LIMIT = 16 * 1024

/** The longest life of a session. */
export const LONGEST_SESSION_SECONDS = 86_400

const METADATA_LIMIT = 8 * 1024

const name = z.string().min(1).max(100)

const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((value) => Object.keys(value).length <= 20, 'must have 20 keys or fewer')
  .refine((value) => utf8(JSON.stringify(value)).length <= METADATA_LIMIT, 'must be 8 KiB or less as JSON')

/** Body of `POST /v1/verify`. */
export const createRequest = z.strictObject({
  credential_types: z.array(name).min(1).max(10),
  scope: z.array(name).min(1).max(50),
  required_assurance_level: z.enum(ASSURANCE_LEVELS).default('low'),
  metadata: metadata.default({}),
  credential_match: z.enum(['any', 'all']).default('any'),
  formats: z.array(name).min(1).max(10).optional(),
  protocol: z.enum(PROTOCOL_IDS).default('openid4vp-1.0'),
  request_options: z
    .strictObject({
      client_id_prefix: z.enum(CLIENT_ID_PREFIXES).optional(),
      response_mode: z.enum(RESPONSE_MODES).optional(),
      request_uri_method: z.enum(REQUEST_URI_METHODS).optional(),
    })
    .default({}),
  required_session_binding: z.enum(SESSION_BINDINGS).default('none'),
  expires_in: z.int().min(60).max(LONGEST_SESSION_SECONDS).default(600),
  // Judged where it was registered; here it must be one of those, letter by letter.
  return_url: z.string().min(1).max(2048).optional(),
  locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag')
    .optional(),
  allow_derived: z.boolean().default(false),
  claims_encryption_jwk: claimsEncryptionJwk.optional(),
  retry_of: z.string().max(60).optional(),
})
export type CreateRequest = z.infer<typeof createRequest>

/** The `size` parameter, given at most once: plain digits within the range; `undefined` for anything else. */
export function parseQrSize(given: readonly string[] | undefined): number | undefined {
  const [text] = given ?? []
  if (text === undefined) return QR_SIZE.standard
  const size = given?.length === 1 && /^[1-9][0-9]{2,3}$/.test(text) ? Number(text) : Number.NaN
  return size >= QR_SIZE.minimum && size <= QR_SIZE.maximum ? size : undefined
}
