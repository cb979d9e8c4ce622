// Claims of a status list (draft-ietf-oauth-status-list) in any encoding, and the rules for these claims.
// Signatures are not verified here.

import { isNumber } from '../../codec/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import type { UnfetchedError } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SignerClaims } from '../anchors/signer.ts'
import { CLOCK_SKEW, type Clock } from '../clock-skew.ts'

/**
 * A kind of status list, with its media types and its decoder. `jwt` is for SD-JWT VC (claim `status`, SD-JWT
 * VC §2.2.2.2), `cwt` for ISO mdoc. `vc` is a credential, for W3C credentials. `identifiers` is a CWT of
 * identifiers, for ISO mdoc. A `StatusReference` contains this object, and not only its name. So a program
 * that uses packages/verify bundles only the decoders for its own credential formats.
 */
export type StatusListForm = {
  readonly name: 'jwt' | 'cwt' | 'vc' | 'identifiers'
  readonly accept: string
  readonly decode: (body: Uint8Array<ArrayBuffer>) => Result<DecodedStatusToken, StatusListError>
}

/** Reasons why the status of a credential is unknown. */
export type StatusListError =
  /** The status of the credential has no readable reference of a supported mechanism. */
  | 'unsupported_mechanism'
  | UnfetchedError
  | 'malformed_token'
  | 'wrong_token_type'
  | 'unsupported_algorithm'
  | 'unsupported_critical_header'
  /** A claim of the token is missing or has the wrong type or value. */
  | 'invalid_claim'
  /** The fetched list is not the list that the credential names. The address or the purpose differs. */
  | 'another_list'
  | 'not_yet_valid'
  | 'expired'
  /** The compressed bytes are invalid, or inflate to less than the minimum. */
  | 'malformed_list'
  | 'untrusted_signer'
  /**
   * `revoked_signer`: a certificate of the signer is revoked. `unconfirmed_signer`: the revocation of the
   * signer's certificates is unknown.
   */
  | 'revoked_signer'
  | 'unconfirmed_signer'
  | 'invalid_signature'
  | 'index_out_of_range'
  /** The identifier is text although the list has byte strings, or the reverse. */
  | 'another_identifier_type'

/**
 * A compressed status list. A Token Status List is a zlib stream, with the first entry in the lowest bits of
 * a byte. A Bitstring Status List is a gzip stream, with the first entry in the highest bits.
 */
export type CompressedStatusList = {
  readonly layout: 'token' | 'bitstring'
  readonly bits: 1 | 2 | 4 | 8
  readonly compressed: Uint8Array<ArrayBuffer>
}

/**
 * The revoked identifiers of an identifier list: byte strings as `bytes:` and hexadecimal digits, texts as
 * `text:` and the text.
 */
export type RevokedIdentifiers = {
  readonly layout: 'identifiers'
  readonly bytes: ReadonlySet<string>
  readonly text: ReadonlySet<string>
}

/** The parsed claims of a token. Times are Unix seconds, `ttl` is seconds. */
export type StatusListClaims = {
  /** Address of the list. The address is required in a Token Status List, and optional in other lists. */
  readonly sub: string | undefined
  readonly iat: number | undefined
  readonly exp: number | undefined
  readonly nbf: number | undefined
  readonly ttl: number | undefined
  readonly list: CompressedStatusList | RevokedIdentifiers
  /**
   * Purposes of a Bitstring Status List, which give the value 1 its meaning (§2.2). Absent in other lists.
   */
  readonly purposes?: readonly string[]
}

/** A decoded token. */
export type DecodedStatusToken = {
  readonly claims: StatusListClaims
  readonly signer: SignerClaims
  /** Verifies the signature with this key. */
  readonly verify: (key: PublicJwk) => Promise<boolean>
}

/** Unparsed claims. */
type RawStatusClaims = Readonly<
  Record<'sub' | 'iat' | 'exp' | 'nbf' | 'ttl' | 'bits', unknown> & {
    compressed: Uint8Array<ArrayBuffer> | undefined
  }
>

/**
 * Parses the claims (§5.1, §5.2). `sub`, `iat` and `status_list` are required. `ttl` must be positive. `bits`
 * must be 1, 2, 4 or 8.
 */
export function parseStatusClaims(raw: RawStatusClaims): Result<StatusListClaims, StatusListError> {
  const { sub, iat, exp, nbf, ttl, bits, compressed } = raw
  if (typeof sub !== 'string' || !isNumber(iat) || compressed === undefined) return err('invalid_claim')
  if (!isOptionalNumber(exp) || !isOptionalNumber(nbf) || !isOptionalNumber(ttl)) return err('invalid_claim')
  if (ttl !== undefined && ttl <= 0) return err('invalid_claim')
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) return err('invalid_claim')
  return ok({ sub, iat, exp, nbf, ttl, list: { layout: 'token', bits, compressed } })
}

/**
 * Checks the address, `iat`, `nbf` and `exp` (§8.3). Returns `undefined` if all are right. `now` is in Unix
 * seconds.
 */
export function checkStatusClaims(
  { sub, iat, nbf, exp }: StatusListClaims,
  { uri, now, clockSkew = CLOCK_SKEW }: Clock & { readonly uri: string },
): StatusListError | undefined {
  if (sub !== undefined && sub !== uri) return 'another_list'
  if (Math.max(iat ?? 0, nbf ?? 0) > now + clockSkew) return 'not_yet_valid'
  // No clock skew is allowed for `exp`: an old list may still show a revoked credential as valid.
  return exp !== undefined && exp <= now ? 'expired' : undefined
}

function isOptionalNumber(value: unknown): value is number | undefined {
  return value === undefined || isNumber(value)
}
