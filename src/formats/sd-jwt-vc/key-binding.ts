// Verifies the Key Binding JWT (RFC 9901 §4.3 and §7.3 step 5). The JWT proves that the presenter holds the
// key that the issuer named. The JWT must be made for this request and for the disclosures of this
// presentation. The request decides if the JWT is required.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { type JsonObject, member } from '../../codec/json.ts'
import { digest, type HashName } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { decodeJws, verifyJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type {
  ConfirmedTransactionData,
  Context,
  PresentationRefusal,
  RequestBinding,
} from '../verification/format.ts'
import { isCurrent, parseHolderKey } from '../verification/holder-proof.ts'
import { jwsRefusal } from '../verification/issuer-jwt.ts'
import { matchTransactionData } from './transaction-data.ts'

/** A KB-JWT that is verified except for its nonce and audience. */
type VerifiedKeyBinding = {
  readonly claims: JsonObject
  readonly key: PublicJwk
  readonly confirmed: readonly ConfirmedTransactionData[]
}

/**
 * Verifies a KB-JWT except for its nonce and audience. `signedPayload` is the verified payload of the issuer.
 * `sdJwt` is the text before the KB-JWT, including the last tilde.
 */
export async function verifyKeyBinding(
  kbJwt: string,
  bound: { readonly signedPayload: JsonObject; readonly sdJwt: string; readonly hash: HashName },
  expected: Pick<Context, 'now' | 'clockSkew' | 'acceptsHolderKeyId'> &
    Pick<RequestBinding, 'requestedAt' | 'transactionData'>,
): Promise<Result<VerifiedKeyBinding, PresentationRefusal>> {
  const key = parseHolderKey(bound.signedPayload, expected)
  if (key === undefined) return err({ reason: 'holder_key_missing' })
  const jws = decodeJws(kbJwt, SD_JWT.keyBindingJwt)
  if (!jws.ok) return err(jwsRefusal(jws.error, 'malformed_holder_binding'))
  if (member(jws.value.header, 'typ') !== 'kb+jwt') return err({ reason: 'wrong_token_type' })
  if (!(await verifyJws(jws.value, key))) return err({ reason: 'invalid_holder_signature' })
  const claims = jws.value.payload
  const sdHash = encodeBase64url(await digest(bound.hash, utf8(bound.sdJwt)))
  if (member(claims, 'sd_hash') !== sdHash) return err({ reason: 'sd_hash_mismatch' })
  // §4.3: `iat` is required
  const current = Object.hasOwn(claims, 'iat') ? isCurrent(claims, expected) : undefined
  if (current === undefined) return err({ reason: 'malformed_holder_binding' })
  if (!current) return err({ reason: 'holder_binding_not_current' })
  const confirmed = await matchTransactionData(claims, expected.transactionData ?? [])
  return confirmed.ok ? ok({ claims, key, confirmed: confirmed.value }) : confirmed
}
