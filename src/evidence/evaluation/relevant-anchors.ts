// Selects the anchors that evidence contains. A relying party may have thousands of anchors from trust lists,
// and only few of them matter for one decision.

import type { VerifiedPresentation } from '../../openid4vp/response/verify-response.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { VouchingAnchor } from '../../trust/anchors/signer.ts'

/**
 * Returns the anchors that vouched for the presentations, and the anchors with purpose `status` for the
 * presented types. The evaluation has the same result with these anchors alone. Anchors with the same name,
 * level and list are treated as one anchor.
 */
export function relevantAnchors(
  anchors: readonly TrustAnchor[],
  presentations: readonly VerifiedPresentation[],
): readonly TrustAnchor[] {
  const vouching = new Set(presentations.map(({ credential }) => nameOf(credential.anchor)))
  const types = presentations.map(({ credential }) => credential.credentialType)
  const isForStatus = ({ purpose = [], credential_types }: TrustAnchor) =>
    purpose.includes('status') && credential_types.some((type) => type === '*' || types.includes(type))
  return anchors.filter((anchor) => vouching.has(nameOf(anchor)) || isForStatus(anchor))
}

function nameOf({ name, assurance_level, list }: VouchingAnchor): string {
  return JSON.stringify([name, assurance_level, list?.name ?? null])
}
