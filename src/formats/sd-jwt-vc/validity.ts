// The time a credential is valid (RFC 7519 §4.1, SD-JWT VC §2.2.2.3). Out of time is a finding: the credential is
// authentic all the same. A time that is no time is a rejection.

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW } from '../../trust/clock-skew.ts'
import type { CredentialReason } from '../format.ts'

/** Tells a NumericDate (RFC 7519 §2). JSON can spell numbers that are none, such as 1e999. */
export function isNumericDate(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/**
 * What the time and audience claims of the processed payload say (RFC 9901 §7.1 step 6), at `now` (Unix seconds) and to
 * the audience we are. All of them are optional.
 */
export function checkValidity(
  claims: JsonObject,
  here: { readonly now: number; readonly audience: string },
): Result<readonly CredentialReason[], { readonly reason: 'invalid_claim'; readonly claim: string }> {
  for (const claim of ['exp', 'nbf', 'iat']) {
    const value = member(claims, claim)
    if (value !== undefined && !isNumericDate(value)) return err({ reason: 'invalid_claim', claim })
  }
  if (!isAddressedTo(member(claims, 'aud'), here.audience))
    return err({ reason: 'invalid_claim', claim: 'aud' })
  const { exp, nbf, iat } = claims as { exp?: number; nbf?: number; iat?: number } // checked just above
  const findings: CredentialReason[] = []
  if (exp !== undefined && exp <= here.now - CLOCK_SKEW) findings.push('credential_expired')
  // A credential issued in the future is as little valid yet as one that says so.
  const start = Math.max(nbf ?? here.now, iat ?? here.now)
  if (start > here.now + CLOCK_SKEW) findings.push('credential_not_yet_valid')
  return ok(findings)
}

/** RFC 7519 §4.1.3: whoever is not named by an `aud` that is present must reject the token. */
function isAddressedTo(aud: Json | undefined, audience: string): boolean {
  if (aud === undefined || aud === audience) return true
  return Array.isArray(aud) && aud.includes(audience)
}
