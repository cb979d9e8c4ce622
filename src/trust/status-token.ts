// What a Status List Token (draft-ietf-oauth-status-list) says, in either encoding: its claims and the rules they obey.
// Nothing here is verified yet.

import type { PublicJwk } from '../crypto/jwk.ts'
import { err, ok, type Result } from '../result.ts'
import type { SignerClaims } from './signer.ts'

/** The two encodings: JWT for SD-JWT VC (its draft §2.2.2.2 `status`), CWT for ISO mdoc. */
export type StatusListForm = 'jwt' | 'cwt'

/** The numbers everything about status lists stays within. */
export const STATUS_LIST_LIMITS = {
  /** Bytes of a token as fetched. A million entries of one byte fit, be they random. */
  tokenBytes: 2_097_152,
  /** Bytes of a list once inflated: 64 million entries of one bit. */
  inflatedBytes: 8_388_608,
  /** Compressed bytes the inflater is handed at a time: DEFLATE makes at most about 1032 bytes of one. */
  sliceBytes: 1024,
  /** Levels of nesting of header and claims. */
  depth: 8,
  /** CBOR items of a whole token. */
  items: 256,
  /** Characters of a list's address. */
  uriLength: 2048,
  /** Tokens remembered, and their bytes in all. */
  rememberedTokens: 64,
  rememberedBytes: 8_388_608,
  /** Seconds a token is used where it has no `ttl`, and with any `ttl`. */
  defaultSeconds: 300,
  minimumSeconds: 3,
  maximumSeconds: 86_400,
  /** Seconds a failure is remembered: long enough that posts do not become a flood of fetches. */
  failedSeconds: 3,
  /** Seconds after which a fetch under way is not waited for by newcomers: whoever began it may be gone. */
  underWaySeconds: 10,
  /** Issuers that a token without `iss` and without a chain is tried with. */
  issuersTried: 4,
} as const

/** Why the status of a credential cannot be told. None of these is a status. */
export type StatusListFault =
  /** `status` is there and holds no `status_list` of the right shape. */
  | 'unsupported_mechanism'
  | 'not_fetched'
  | 'address_forbidden'
  | 'too_large'
  | 'malformed_token'
  | 'wrong_token_type'
  | 'unsupported_algorithm'
  | 'unsupported_critical_header'
  /** A claim of the token is missing or of another type. */
  | 'invalid_claim'
  /** `sub` is not the address the credential names. */
  | 'another_list'
  | 'not_yet_valid'
  | 'expired'
  /** `lst` is not a zlib stream of at least one byte. */
  | 'malformed_list'
  | 'untrusted_signer'
  | 'invalid_signature'
  | 'index_out_of_range'

/** A status list as it is carried: `compressed` is a zlib stream. */
export type CompressedStatusList = {
  readonly bits: 1 | 2 | 4 | 8
  readonly compressed: Uint8Array<ArrayBuffer>
}

/** The claims of a token, of the right types. Times are Unix seconds, `ttl` is seconds. */
export type StatusListClaims = {
  readonly sub: string
  readonly iat: number
  readonly exp: number | undefined
  readonly nbf: number | undefined
  readonly ttl: number | undefined
  readonly list: CompressedStatusList
}

/** A token taken apart. */
export type DecodedStatusToken = {
  readonly claims: StatusListClaims
  readonly signer: SignerClaims
  /** Whether the signature was made with this key. */
  readonly verify: (key: PublicJwk) => Promise<boolean>
}

/** Claims as they were found, whatever they are. */
export type RawStatusClaims = Readonly<
  Record<'sub' | 'iat' | 'exp' | 'nbf' | 'ttl' | 'bits', unknown> & {
    compressed: Uint8Array<ArrayBuffer> | undefined
  }
>

/** §5.1, §5.2: `sub`, `iat` and `status_list` are required; `ttl` is positive; `bits` is 1, 2, 4 or 8. */
export function parseStatusClaims(raw: RawStatusClaims): Result<StatusListClaims, StatusListFault> {
  const { sub, iat, exp, nbf, ttl, bits, compressed } = raw
  if (typeof sub !== 'string' || !isNumber(iat) || compressed === undefined) return err('invalid_claim')
  if (!isOptionalNumber(exp) || !isOptionalNumber(nbf) || !isOptionalNumber(ttl)) return err('invalid_claim')
  if (ttl !== undefined && ttl <= 0) return err('invalid_claim')
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) return err('invalid_claim')
  return ok({ sub, iat, exp, nbf, ttl, list: { bits, compressed } })
}

/** Seconds by which a list's maker's clock may be ahead of ours. */
const CLOCK_SKEW = 60

/** §8.3: this list is the one asked for, it is there already, and it is still good. `now` is in Unix seconds. */
export function judgeStatusClaims(
  { sub, iat, nbf, exp }: StatusListClaims,
  expected: { readonly uri: string; readonly now: number },
): StatusListFault | undefined {
  if (sub !== expected.uri) return 'another_list'
  if (Math.max(iat, nbf ?? iat) > expected.now + CLOCK_SKEW) return 'not_yet_valid'
  // No skew here: an old list may say "valid" of what was revoked since.
  return exp !== undefined && exp <= expected.now ? 'expired' : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isOptionalNumber(value: unknown): value is number | undefined {
  return value === undefined || isNumber(value)
}
