// What a Status List Token (draft-ietf-oauth-status-list) says, in either encoding: its claims and the rules they obey.
// Nothing here is verified yet.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { UnfetchedError } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SignerClaims } from '../anchors/signer.ts'
import { CLOCK_SKEW } from '../clock-skew.ts'

/** The encodings: JWT for SD-JWT VC (its draft §2.2.2.2 `status`), CWT for ISO mdoc, a credential of its own for W3C credentials. */
export type StatusListForm = 'jwt' | 'cwt' | 'vc'

/** Why the status of a credential cannot be told. None of these is a status. */
export type StatusListError =
  /** `status` is there and holds no `status_list` of the right shape. */
  | 'unsupported_mechanism'
  | UnfetchedError
  | 'malformed_token'
  | 'wrong_token_type'
  | 'unsupported_algorithm'
  | 'unsupported_critical_header'
  /** A claim of the token is missing or of another type. */
  | 'invalid_claim'
  /** It is not the list that the credential names: by its address, or by what its entries are about. */
  | 'another_list'
  | 'not_yet_valid'
  | 'expired'
  /** The list is no stream of its kind, or inflates to less than its kind must. */
  | 'malformed_list'
  | 'untrusted_signer'
  /** A certificate of the signer was revoked, or whether it was cannot be told. */
  | 'revoked_signer'
  | 'unconfirmed_signer'
  | 'invalid_signature'
  | 'index_out_of_range'

/**
 * A status list as it is carried. A Token Status List is a zlib stream with its first entry in the lowest bits of the first
 * byte; a Bitstring Status List is a gzip stream with its first entry in the highest.
 */
export type CompressedStatusList = {
  readonly layout: 'token' | 'bitstring'
  readonly bits: 1 | 2 | 4 | 8
  readonly compressed: Uint8Array<ArrayBuffer>
}

/** The claims of a token, of the right types. Times are Unix seconds, `ttl` is seconds. */
export type StatusListClaims = {
  /** The list's own address; only a Bitstring Status List may leave it out. */
  readonly sub: string | undefined
  readonly iat: number | undefined
  readonly exp: number | undefined
  readonly nbf: number | undefined
  readonly ttl: number | undefined
  readonly list: CompressedStatusList
  /** What an entry that is set says of its credential (Bitstring Status List §2.2); a Token Status List has its own values. */
  readonly purposes?: readonly string[]
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
export function parseStatusClaims(raw: RawStatusClaims): Result<StatusListClaims, StatusListError> {
  const { sub, iat, exp, nbf, ttl, bits, compressed } = raw
  if (typeof sub !== 'string' || !isNumber(iat) || compressed === undefined) return err('invalid_claim')
  if (!isOptionalNumber(exp) || !isOptionalNumber(nbf) || !isOptionalNumber(ttl)) return err('invalid_claim')
  if (ttl !== undefined && ttl <= 0) return err('invalid_claim')
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) return err('invalid_claim')
  return ok({ sub, iat, exp, nbf, ttl, list: { layout: 'token', bits, compressed } })
}

/** §8.3: this list is the one asked for, it is there already, and it is still good. `now` is in Unix seconds. */
export function checkStatusClaims(
  { sub, iat, nbf, exp }: StatusListClaims,
  expected: { readonly uri: string; readonly now: number },
): StatusListError | undefined {
  if (sub !== undefined && sub !== expected.uri) return 'another_list'
  if (Math.max(iat ?? 0, nbf ?? 0) > expected.now + CLOCK_SKEW) return 'not_yet_valid'
  // No skew here: an old list may say "valid" of what was revoked since.
  return exp !== undefined && exp <= expected.now ? 'expired' : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isOptionalNumber(value: unknown): value is number | undefined {
  return value === undefined || isNumber(value)
}
