// The Key Binding JWT (RFC 9901 §4.3 and §7.3 step 5): proof that the presenter holds the key the issuer named, made for
// this request and for no other disclosures. Whether one is needed is our policy's to say, never the answer's.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { digest, type HashName } from '../../crypto/digest.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { decodeJws, type JwsError, verifyJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ConfirmedTransactionData, HolderRefusal, RequestBinding } from '../format.ts'
import { isCurrent } from '../proof-currency.ts'
import { matchTransactionData } from './transaction-data.ts'

/** A KB-JWT of this credential's holder over this presentation. Nonce and audience are still to be compared. */
export type VerifiedKeyBinding = {
  readonly nonce: Json | undefined
  readonly aud: Json | undefined
  readonly confirmed: readonly ConfirmedTransactionData[]
}

export type PresentationRefusal =
  | HolderRefusal
  | {
      readonly reason:
        | 'limit_exceeded'
        | 'unsupported_algorithm'
        | 'unsupported_critical_header'
        | 'wrong_token_type'
    }

/**
 * Verifies everything about a KB-JWT but its nonce and audience. `signedPayload` is the payload the issuer signed, its
 * signature verified; `sdJwt` all that stood before the KB-JWT, last tilde included.
 */
export async function verifyKeyBinding(
  kbJwt: string,
  bound: { readonly signedPayload: JsonObject; readonly sdJwt: string; readonly hash: HashName },
  expected: { readonly now: number } & Pick<RequestBinding, 'requestedAt' | 'transactionData'>,
): Promise<Result<VerifiedKeyBinding, PresentationRefusal>> {
  const key = holderKey(bound.signedPayload)
  if (key === undefined) return err({ reason: 'holder_key_missing' })
  const jws = decodeJws(kbJwt, SD_JWT.keyBindingJwt)
  if (!jws.ok) return err({ reason: JWS_FAULTS[jws.error] })
  if (member(jws.value.header, 'typ') !== 'kb+jwt') return err({ reason: 'wrong_token_type' })
  if (!(await verifyJws(jws.value, key))) return err({ reason: 'invalid_holder_signature' })
  const claims = jws.value.payload
  const sdHash = encodeBase64url(await digest(bound.hash, utf8(bound.sdJwt)))
  if (member(claims, 'sd_hash') !== sdHash) return err({ reason: 'sd_hash_mismatch' })
  const current = Object.hasOwn(claims, 'iat') ? isCurrent(claims, expected) : undefined // §4.3: `iat` is required
  if (current === undefined) return err({ reason: 'malformed_holder_binding' })
  if (!current) return err({ reason: 'holder_binding_not_current' })
  const confirmed = await matchTransactionData(claims, expected.transactionData ?? [])
  if (!confirmed.ok) return confirmed
  return ok({ nonce: member(claims, 'nonce'), aud: member(claims, 'aud'), confirmed: confirmed.value })
}

/** Compares the nonce: it is what makes an answer answer this request (OpenID4VP 1.0 §14.1). */
export function matchNonce(
  binding: VerifiedKeyBinding,
  expected: RequestBinding,
): Result<null, HolderRefusal> {
  return binding.nonce === expected.nonce ? ok(null) : err({ reason: 'nonce_mismatch' })
}

/** Compares the audience: one string, our full identifier (OpenID4VP 1.0 §14.8); a list is refused (RFC 9901 §4.3). */
export function matchAudience(
  binding: VerifiedKeyBinding,
  expected: RequestBinding,
): Result<null, HolderRefusal> {
  return binding.aud === expected.audience ? ok(null) : err({ reason: 'audience_mismatch' })
}

const JWS_FAULTS: Readonly<Record<JwsError, PresentationRefusal['reason']>> = {
  malformed: 'malformed_holder_binding',
  too_large: 'limit_exceeded',
  unsupported_algorithm: 'unsupported_algorithm',
  unsupported_critical_header: 'unsupported_critical_header',
}

/** `cnf.jwk` as the issuer signed it (RFC 7800 §3.2). Other confirmation methods name no key we could use. */
function holderKey(signedPayload: JsonObject): PublicJwk | undefined {
  const confirmation = member(signedPayload, 'cnf')
  return isJsonObject(confirmation) ? parsePublicJwk(member(confirmation, 'jwk')) : undefined
}
