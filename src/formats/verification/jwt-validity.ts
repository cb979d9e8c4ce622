// Validity period and audience of a credential with JWT claims (RFC 7519 §4.1, SD-JWT VC §2.2.2.3). A
// credential outside its validity period is still authentic. So it is not refused, but gives a reason for the
// status `rejected`. A credential with a malformed time, or with an `aud` that does not name us, is refused.

import { isNumber, type Json, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW, type Clock } from '../../trust/clock-skew.ts'
import type { CredentialReason } from './format.ts'

/**
 * Checks the time and audience claims of the processed payload (RFC 9901 §7.1 step 6) at `now` (Unix
 * seconds). All these claims are optional.
 */
export function checkValidity(
  claims: JsonObject,
  { now, clockSkew = CLOCK_SKEW, audience }: Clock & { readonly audience: string },
): Result<readonly CredentialReason[], { readonly reason: 'invalid_claim'; readonly claim: string }> {
  for (const claim of ['exp', 'nbf', 'iat']) {
    const value = member(claims, claim)
    if (value !== undefined && !isNumber(value)) return err({ reason: 'invalid_claim', claim })
  }
  if (!isAddressedTo(member(claims, 'aud'), audience)) return err({ reason: 'invalid_claim', claim: 'aud' })
  const { exp, nbf, iat } = claims as { exp?: number; nbf?: number; iat?: number } // checked above
  const reasons: CredentialReason[] = []
  if (exp !== undefined && exp <= now - clockSkew) reasons.push('credential_expired')
  // A credential is not yet valid before the later of `nbf` and `iat`.
  const start = Math.max(nbf ?? now, iat ?? now)
  if (start > now + clockSkew) reasons.push('credential_not_yet_valid')
  return ok(reasons)
}

/**
 * Returns true if `aud` is absent or names `audience`. A recipient that `aud` does not name must reject the
 * token (RFC 7519 §4.1.3).
 */
function isAddressedTo(aud: Json | undefined, audience: string): boolean {
  if (aud === undefined || aud === audience) return true
  return Array.isArray(aud) && aud.includes(audience)
}
