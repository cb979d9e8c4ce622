// Distribution points of revocation lists: in a certificate (CRLDistributionPoints, RFC 5280 §4.2.1.13), and
// in the list itself (§5.2.5).

import { decodeEach } from '../../codec/decode-each.ts'
import { DER, type DerElement, decodeDer } from '../../codec/der.ts'
import { CERTIFICATE, CRL } from '../../limits.ts'
import { decodeGeneralName } from './general-name.ts'

/** The URIs of one distribution point. Each URI leads to the same list. */
export type DistributionPoint = readonly string[]

/**
 * Returns the points that have a complete list of the certificate's own issuer. Points for only some reasons,
 * or of another authority, are left out. Returns `undefined` if the value of the extension is malformed.
 */
export function decodeDistributionPoints(
  value: Uint8Array<ArrayBuffer>,
): readonly DistributionPoint[] | undefined {
  const list = decodeDer(value)
  const elements = list?.tag === DER.sequence ? list.children : []
  if (elements.length === 0 || elements.length > CRL.points) return undefined
  const points: DistributionPoint[] = []
  for (const { tag, children } of elements) {
    const [name, ...others] = children
    if (tag !== DER.sequence || name === undefined || !children.every(isPartOfPoint)) return undefined
    const uris = name.tag === POINT_NAME ? decodePointName(name) : []
    if (uris === undefined) return undefined
    if (others.length === 0) points.push(uris)
  }
  return points
}

/**
 * Returns the URIs of a tagged DistributionPointName; an empty list for a name relative to the issuer's name.
 * Returns `undefined` if the element is malformed.
 */
export function decodePointName({ children }: DerElement): DistributionPoint | undefined {
  const [name, ...rest] = children
  if (name === undefined || rest.length > 0) return undefined
  if (name.tag === RELATIVE_NAME) return []
  if (name.tag !== FULL_NAME) return undefined
  const names = decodeEach(name.children, decodeGeneralName, CERTIFICATE.generalNames)
  return names?.flatMap((one) => (one.form === 'uri' ? [one.value] : []))
}

/** Tag `[0]` of the DistributionPointName, in a certificate's point and in a list. */
export const POINT_NAME = 0xa0
const FULL_NAME = 0xa0
const RELATIVE_NAME = 0xa1
/** Tags of the parts of a point: the name, `reasons` and `cRLIssuer`. */
const POINT_PARTS: readonly number[] = [POINT_NAME, 0x81, 0xa2]

function isPartOfPoint({ tag }: DerElement, i: number, parts: readonly DerElement[]): boolean {
  return POINT_PARTS.includes(tag) && (i === 0 || numberOf(tag) > numberOf(parts[i - 1]?.tag ?? 0))
}

function numberOf(tag: number): number {
  return tag & 0x1f
}
