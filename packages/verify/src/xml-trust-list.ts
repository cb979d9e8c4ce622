// Reads and verifies a trusted list in XML (ETSI TS 119 612).

import { ASSURANCE_LEVELS } from '../../../src/trust/anchors/anchor.ts'
import { verifyEtsiTl } from '../../../src/trust/lists/etsi-tl.ts'
import type { ServiceGrant } from '../../../src/trust/lists/list-anchors.ts'
import { TL } from '../../../src/trust/lists/tl-limits.ts'
import { LIST_SCHEMES, NOT_ATTESTATION_SERVICES } from '../../../src/trust/lists/tl-presets.ts'
import { decodePemCertificates } from '../../../src/trust/x509/pem-certificates.ts'
import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { checkMembers, inputError } from './faults.ts'
import {
  checkListInput,
  checkSigners,
  parseServices,
  toSeconds,
  toTrustList,
  xmlServices,
} from './list-input.ts'
import type { TrustListResult, XmlTrustListInput } from './types.ts'

const MEMBERS: readonly (keyof XmlTrustListInput)[] = [
  ...(['name', 'kind', 'body', 'url', 'signers', 'services', 'schemes'] as const),
  ...(['assuranceLevel', 'listType', 'territory', 'previous', 'now'] as const),
]

/** Verifies a list in XML, as `readTrustList` does. */
export async function readXmlTrustList(input: XmlTrustListInput): Promise<TrustListResult> {
  checkMembers(input, MEMBERS)
  checkListInput(input)
  const { name, body, url, territory = null, previous, now = new Date() } = input
  const signers = checkSigners(input.signers, TL.signers).map(checkXmlSigner)
  const { listTypes, services } = mappingOf(input)
  if (body.length > XML.bytes) return { ok: false, reason: 'too_large' }
  const { sequence = null, issuedAt = null, contentDigest } = previous ?? {}
  const last = previous && {
    sequence,
    issuedAt: issuedAt && toSeconds(issuedAt),
    ...(contentDigest !== undefined && { contentDigest }),
  }
  const rules = { signers, listTypes, territory, services, last: last ?? null, now: toSeconds(now) }
  const verified = await verifyEtsiTl(body, rules)
  if (!verified.ok) return { ok: false, reason: verified.error }
  const { ended, nextUpdate } = verified.value
  if (ended !== null) return { ok: false, reason: ended, ended: true }
  return { ok: true, list: toTrustList({ name, now }, { ...verified.value, usableUntil: nextUpdate }, url) }
}

/** Returns the PEM of a signer. */
function checkXmlSigner(signer: unknown, index: number): string {
  const { x509_certificate_pem: pem } = (signer ?? {}) as Record<string, unknown>
  const [certificate, ...others] = (typeof pem === 'string' ? decodePemCertificates(pem) : undefined) ?? []
  if (typeof pem !== 'string' || certificate?.subjectKey === undefined || others.length > 0)
    throw inputError(`/signers/${index}/x509_certificate_pem`, 'must be one certificate as PEM')
  return pem
}

/** Returns the accepted types of the list, and the grants: from `services`, or from `schemes`. */
function mappingOf({ schemes, services, listType, assuranceLevel }: XmlTrustListInput): {
  readonly listTypes: readonly string[] | null
  readonly services: readonly ServiceGrant[]
} {
  if (schemes === undefined) {
    if (assuranceLevel !== undefined)
      throw inputError('/assuranceLevel', 'must stand inside each of services: it is for a list with schemes')
    const grants = parseServices(xmlServices, services)
    const wrong = grants.findIndex(({ type }) => NOT_ATTESTATION_SERVICES.includes(type))
    if (wrong >= 0) throw inputError(`/services/${wrong}/type`, 'must be a service that issues attestations')
    return { listTypes: listType === undefined ? null : [listType], services: grants }
  }
  if (schemes !== 'eu_age_verification') throw inputError('/schemes', 'must be eu_age_verification')
  if (services !== undefined) throw inputError('/services', 'must not be combined with schemes')
  if (listType !== undefined) throw inputError('/listType', 'must not be combined with schemes')
  if (assuranceLevel === undefined || !ASSURANCE_LEVELS.includes(assuranceLevel))
    throw inputError('/assuranceLevel', `must be ${ASSURANCE_LEVELS.join(' or ')}`)
  const scheme = LIST_SCHEMES[schemes]
  const own = { credential_types: [], assurance_level: assuranceLevel }
  return { listTypes: scheme.listTypes, services: scheme.services.map((service) => ({ ...own, ...service })) }
}
