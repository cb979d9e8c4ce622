// The setting `evidence` of a relying party (api/evidence): the public keys to which evidence is sealed, the
// verifications and outcomes of which evidence is kept, its time stamp, and the object store to which it is
// sent. The secret key of the store is sealed and never shown.

import * as z from 'zod/mini'
import { decodeBase64url } from '../../codec/base64url.ts'
import { text, unique } from '../../codec/schema.ts'
import { parsePublicJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Sealing, seal } from '../../crypto/seal.ts'
import { OUTBOUND_URL } from '../../net/outbound-url.ts'

/** Outcomes of which evidence may be kept. The other outcomes have no presentation. */
export const EVIDENCE_OUTCOMES = ['verified', 'rejected'] as const

/**
 * `requested`: verifications whose create request asks for evidence. `all`: also verifications whose create
 * request does not mention evidence.
 */
export const EVIDENCE_FOR = ['requested', 'all'] as const

/**
 * `best_effort`: the request for a time stamp is repeated for up to a day. `required`: in addition, the
 * relying party gets an event if there is no time stamp after that day.
 */
export const TIME_STAMPS = ['none', 'best_effort', 'required'] as const

const MAXIMUM_KEYS = 3
/** Longest retention, in days, that settings may state for data outside this service: a hundred years. */
export const RETAIN_DAYS = 36_500
/** Bytes of the RSA modulus: 2048 to 4096 bits. */
const MODULUS = { least: 256, most: 512 } as const
/** Longest public exponent in bytes. RSA keys almost always have 65537. */
const EXPONENT_BYTES = 4

const PRIVATE = z.exactOptional(
  z.never('must be absent: send only the public part, and replace this key, which is no longer secret'),
)

/** Members of EC and RSA keys. `use` and `key_ops` are checked and dropped; `d` (private) must be absent. */
const shared = {
  kid: text(200),
  use: z.exactOptional(z.literal('enc')),
  key_ops: z.exactOptional(z.array(z.enum(['wrapKey', 'encrypt', 'deriveKey', 'deriveBits']))),
  d: PRIVATE,
}

const ecKey = z
  .strictObject({
    ...shared,
    kty: z.literal('EC'),
    crv: z.enum(['P-256', 'P-384']),
    x: z.string(),
    y: z.string(),
    alg: z.exactOptional(z.literal('ECDH-ES+A256KW')),
  })
  .check(
    z.refine(
      (jwk) => parsePublicJwk(jwk) !== undefined,
      'must be a point on its curve, its coordinates base64url of 32 bytes (P-256) or 48 bytes (P-384)',
    ),
  )

const rsaKey = z.strictObject({
  ...shared,
  kty: z.literal('RSA'),
  n: z.string().check(z.refine(isModulus, 'must be a modulus of 2048 to 4096 bits, in base64url')),
  e: z.string().check(z.refine(isExponent, 'must be an odd exponent of 3 or more, in base64url')),
  alg: z.exactOptional(z.literal('RSA-OAEP-256')),
  ...{ p: PRIVATE, q: PRIVATE, dp: PRIVATE, dq: PRIVATE, qi: PRIVATE, oth: PRIVATE },
})

const recipientKey = z.pipe(
  z.discriminatedUnion('kty', [ecKey, rsaKey]),
  z.transform((jwk): EvidenceKey => {
    const { kid } = jwk
    if (jwk.kty === 'RSA') return { kty: 'RSA', kid, n: jwk.n, e: jwk.e }
    return { kty: 'EC', crv: jwk.crv, kid, x: jwk.x, y: jwk.y }
  }),
)

/** A public key for evidence: P-256 or P-384 (`ECDH-ES+A256KW`), or RSA (`RSA-OAEP-256`). */
export type EvidenceKey = { readonly kid: string } & (
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'P-384'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
)

/**
 * Schema of a text that is used in the address of a stored object, or in signing a request to the store.
 */
const part = (pattern: RegExp, rule: string) => z.string().check(z.regex(pattern, rule))

const push = z.strictObject({
  kind: z.literal('s3'),
  endpoint: text(300).check(z.meta({ pattern: OUTBOUND_URL })),
  region: part(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits and hyphens'),
  bucket: part(
    /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
    'must be 3 to 63 characters of a-z, 0-9 and -, and begin and end with a letter or digit',
  ),
  prefix: z._default(
    part(
      /^([A-Za-z0-9_-]{1,64}(\/[A-Za-z0-9_-]{1,64}){0,4})?$/,
      'must be at most 5 names of letters, digits, _ and -, separated by /',
    ),
    '',
  ),
  access_key_id: part(/^[A-Za-z0-9_.@+-]{1,128}$/, 'must be 1 to 128 letters, digits and _.@+-'),
  secret_access_key: z.exactOptional(part(/^[!-~]{1,256}$/, 'must be 1 to 256 printable ASCII characters')),
  retain_days: z._default(z.nullable(z.int().check(z.minimum(1), z.maximum(RETAIN_DAYS))), null),
})

/** The setting `evidence` in a request body, with its defaults. */
export const evidenceSettings = z.strictObject({
  jwks: z.strictObject({
    keys: z
      .array(recipientKey)
      .check(z.minLength(1), z.maxLength(MAXIMUM_KEYS), z.refine(haveTheirOwnKids, 'must not repeat a kid')),
  }),
  for: z._default(z.enum(EVIDENCE_FOR), 'requested'),
  outcomes: z._default(unique(z.enum(EVIDENCE_OUTCOMES), EVIDENCE_OUTCOMES.length).check(z.minLength(1)), [
    'verified',
  ]),
  time_stamp: z._default(z.enum(TIME_STAMPS), 'none'),
  push: z._default(z.nullable(push), null),
})

/** The setting `evidence`. `Store`: the type of its object store. */
type WithStore<Store> = {
  readonly jwks: { readonly keys: readonly EvidenceKey[] }
  readonly for: (typeof EVIDENCE_FOR)[number]
  readonly outcomes: readonly (typeof EVIDENCE_OUTCOMES)[number][]
  /** Absent: `none`. */
  readonly time_stamp?: (typeof TIME_STAMPS)[number]
  /** The object store to which evidence is sent. Absent or null: none. */
  readonly push?: Store | null
}

type PushInput = Readonly<z.infer<typeof push>>
type PushView = Omit<PushInput, 'secret_access_key'>

/** An object store, with its secret key. */
export type EvidencePush = PushView & { readonly secret_access_key: string }

/** The setting `evidence` with the secret key of its object store. */
export type EvidenceSettings = WithStore<EvidencePush>
/** The setting `evidence` in a response. */
export type EvidenceSettingsView = WithStore<PushView>
/**
 * The setting `evidence` in a request body. Without a secret, the stored secret of the same store is kept.
 */
export type EvidenceSettingsInput = WithStore<PushInput>

type StoredPush = PushView & { readonly sealed_secret_access_key: string }
/** The setting `evidence` as it is stored. */
export type StoredEvidenceSettings = WithStore<StoredPush>
type SealedInput = WithStore<PushView & { readonly sealed_secret_access_key?: string }>

/** Returns true if both stores have the same address and access key id, so that one secret key fits both. */
export function isSameStore(
  one: Pick<PushView, 'endpoint' | 'access_key_id'>,
  other: Pick<PushView, 'endpoint' | 'access_key_id'>,
): boolean {
  return one.endpoint === other.endpoint && one.access_key_id === other.access_key_id
}

/** Seals the secret key, if the body contains one. */
export async function sealEvidenceSettings(
  sent: EvidenceSettingsInput,
  sealing: () => Promise<Sealing>,
): Promise<SealedInput> {
  if (!sent.push) return { ...sent, push: null }
  const { secret_access_key, ...shown } = sent.push
  if (secret_access_key === undefined) return { ...sent, push: shown }
  const sealed = await seal(await sealing(), secret_access_key, randomBytes(12))
  return { ...sent, push: { ...shown, sealed_secret_access_key: sealed } }
}

/**
 * Returns the setting to store. If the body has no secret key, the stored secret key is kept. If the body
 * then names another store, the stored setting is returned unchanged.
 */
export function replaceEvidence(
  current: StoredEvidenceSettings | null,
  next: SealedInput | null,
): StoredEvidenceSettings | null {
  if (!next?.push) return next && { ...next, push: null }
  const { sealed_secret_access_key: sealed, ...shown } = next.push
  if (sealed !== undefined) return { ...next, push: { ...shown, sealed_secret_access_key: sealed } }
  if (!current?.push || !isSameStore(current.push, shown)) return current
  const { sealed_secret_access_key } = current.push
  return { ...next, push: { ...shown, sealed_secret_access_key } }
}

/** Returns the setting without the secret key, with its defaults. */
export function viewOfEvidence({ push, ...setting }: StoredEvidenceSettings): EvidenceSettingsView {
  if (!push) return { time_stamp: 'none', ...setting, push: null }
  const { sealed_secret_access_key, ...shown } = push
  return { time_stamp: 'none', ...setting, push: shown }
}

function haveTheirOwnKids(keys: readonly EvidenceKey[]): boolean {
  return new Set(keys.map(({ kid }) => kid)).size === keys.length
}

function isModulus(text: string): boolean {
  const bytes = decodeBase64url(text)
  if (bytes === undefined || bytes.length < MODULUS.least || bytes.length > MODULUS.most) return false
  return (bytes[0] ?? 0) >= 0x80 && (bytes.at(-1) ?? 0) % 2 === 1 // RFC 7518 §6.3.1.1: no leading zeros
}

function isExponent(text: string): boolean {
  const bytes = decodeBase64url(text)
  if (bytes === undefined || bytes.length === 0 || bytes.length > EXPONENT_BYTES || bytes[0] === 0)
    return false
  const value = bytes.reduce((number, byte) => number * 256 + byte, 0)
  return value >= 3 && value % 2 === 1
}
