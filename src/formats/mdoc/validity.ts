// Validity period of an MSO (ISO/IEC 18013-5 §9.1.2.4, §9.3.1). A document outside its period gives a reason
// for `rejected`. A refusal is returned if the times contradict each other, or contradict the document
// signer's certificate.

import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW, type Clock } from '../../trust/clock-skew.ts'
import type { CredentialReason } from '../verification/format.ts'
import type { MobileSecurityObject } from './mobile-security-object.ts'

/** Checks `validityInfo` against the current time and the validity period of the signer's certificate. */
export function checkValidity(
  { signed, validFrom, validUntil }: MobileSecurityObject['validity'],
  signer: { readonly notBefore: number; readonly notAfter: number },
  { now, clockSkew = CLOCK_SKEW }: Clock,
): Result<readonly CredentialReason[], { readonly reason: 'invalid_claim'; readonly claim: string }> {
  if (signed < signer.notBefore || signed > signer.notAfter)
    return err({ reason: 'invalid_claim', claim: 'signed' })
  if (validFrom < signed) return err({ reason: 'invalid_claim', claim: 'validFrom' })
  if (validUntil <= validFrom) return err({ reason: 'invalid_claim', claim: 'validUntil' })
  const reasons: CredentialReason[] = []
  if (validUntil < now - clockSkew) reasons.push('credential_expired')
  if (validFrom > now + clockSkew) reasons.push('credential_not_yet_valid')
  return ok(reasons)
}
