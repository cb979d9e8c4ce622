// Verification of a trusted list in XML (ETSI TS 119 612). The result has the trust anchors of the list.

import { ok, type Result } from '../../result.ts'
import { anchorsOfList, grantsFor, type ListAnchors, type ServiceGrant } from './list-anchors.ts'
import type { TrustListError } from './listed.ts'
import { type Ended, readScheme, type SchemeRules, type TlScheme } from './tl-scheme.ts'
import { mapServices, readServices } from './tl-services.ts'
import { verifyXmlList } from './tl-signature.ts'

/** Rules for one list. `signers`: PEM texts with one certificate each. */
export type TlRules = SchemeRules & {
  readonly signers: readonly string[]
  readonly services: readonly ServiceGrant[]
}

/** A verified list. `ended`: reason why the list gives no trust and has no anchors, or null. */
export type VerifiedTl = Pick<TlScheme, 'sequence' | 'issuedAt' | 'nextUpdate'> &
  ListAnchors & {
    readonly ended: Ended | null
    readonly contentDigest: string
    /** The certificate that signed the list, as PEM. */
    readonly signer: string
    /**
     * True if the status of a service starts in the future. The same list then gives other anchors from that
     * time on.
     */
    readonly changesLater: boolean
  }

/**
 * Verifies a fetched list. A list is accepted even if `rules` trust none of its services. The result then has
 * no anchors.
 */
export async function verifyEtsiTl(
  body: Uint8Array,
  rules: TlRules,
): Promise<Result<VerifiedTl, TrustListError>> {
  const signed = await verifyXmlList(body, rules.signers)
  if (!signed.ok) return signed
  const scheme = readScheme(signed.value, rules)
  if (!scheme.ok) return scheme
  const { sequence, issuedAt, nextUpdate, ended } = scheme.value
  const { contentDigest, signer } = signed.value
  const issue = { sequence, issuedAt, nextUpdate, contentDigest, signer }
  const none = { ...issue, anchors: [], leftOut: 0, changesLater: false }
  if (ended !== null) return ok({ ...none, ended })
  const { certificates, skipped, changesLater } = mapServices(
    readServices(signed.value.root),
    (service) => grantsFor(service, rules.services).length > 0,
    rules.now,
  )
  const result = anchorsOfList(certificates, rules.services)
  if (!result.ok) return ok({ ...none, ended: 'too_large' })
  const { anchors, leftOut } = result.value
  return ok({ ...issue, ended: null, anchors, leftOut: leftOut + skipped, changesLater })
}
