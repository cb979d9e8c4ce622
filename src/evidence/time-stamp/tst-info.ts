// TSTInfo, the content of a time stamp token (RFC 3161 §2.4.2).

import { encodeHex, utf8 } from '../../codec/bytes.ts'
import {
  DER,
  type DerElement,
  decodeDer,
  isInteger,
  readAscii,
  readObjectIdentifier,
  readTime,
} from '../../codec/der.ts'
import { sequence } from './signed-data.ts'

export type TstInfo = {
  /** Policy of the authority, in dotted form. */
  readonly policy: string
  /** The hash algorithm of the imprint, in dotted form, and the digest. */
  readonly hashAlgorithm: string
  readonly digest: Uint8Array<ArrayBuffer>
  /** Octets of the INTEGER, hexadecimal. */
  readonly serialNumber: string
  /** Unix seconds, fractions cut off. */
  readonly genTime: number
  /** Octets of the INTEGER; `undefined` if absent. */
  readonly nonce: Uint8Array<ArrayBuffer> | undefined
}

/** Identifier octets of the fields `[0] tsa` and `[1] extensions`. */
const [TSA, EXTENSIONS] = [0xa0, 0xa1]

/** Decodes TSTInfo; `undefined` if it has another form, or an extension that is critical. */
export function decodeTstInfo(content: Uint8Array<ArrayBuffer>): TstInfo | undefined {
  const fields = [...(sequence(decodeDer(content)) ?? [])]
  const [version, policyElement, imprint, serial, time] = fields.splice(0, 5)
  const [algorithm, digest, ...extra] = sequence(imprint) ?? []
  const policy = readObjectIdentifier(policyElement)
  const hashAlgorithm = readObjectIdentifier(sequence(algorithm)?.[0])
  const genTime = readGenTime(time)
  if (version === undefined || !isInteger(version) || version.content[0] !== 1 || version.content.length > 1)
    return undefined
  if (policy === undefined || hashAlgorithm === undefined || genTime === undefined) return undefined
  if (digest?.tag !== DER.octetString || extra.length > 0) return undefined
  if (serial === undefined || !isInteger(serial)) return undefined
  takeIf(fields, DER.sequence) // accuracy
  takeIf(fields, DER.boolean) // ordering
  const nonce = takeIf(fields, DER.integer)
  takeIf(fields, TSA)
  const extensions = takeIf(fields, EXTENSIONS)
  if (fields.length > 0 || (nonce !== undefined && !isInteger(nonce))) return undefined
  if (extensions !== undefined && hasCritical(extensions)) return undefined
  const serialNumber = encodeHex(serial.content)
  return { policy, hashAlgorithm, digest: digest.content, serialNumber, genTime, nonce: nonce?.content }
}

function takeIf(fields: DerElement[], tag: number): DerElement | undefined {
  return fields[0]?.tag === tag ? fields.shift() : undefined
}

/** Returns true if an extension is critical. DER encodes the member `critical` only if it is TRUE. */
function hasCritical({ children }: DerElement): boolean {
  return children.some((extension) => extension.children.some(({ tag }) => tag === DER.boolean))
}

/** A GeneralizedTime with fractions (§2.4.2), which certificates never have. */
const WITH_FRACTION = /^(\d{14})\.\d{0,8}[1-9]Z$/

function readGenTime(element: DerElement | undefined): number | undefined {
  if (element?.tag !== DER.generalizedTime) return undefined
  const [, whole] = WITH_FRACTION.exec(readAscii(element.content) ?? '') ?? []
  if (whole === undefined) return readTime(element)
  return readTime({ ...element, content: utf8(`${whole}Z`) })
}
