// A VICAL (ISO/IEC 18013-5 Annex C) lists the authorities that issue driving licences and other mdocs. A
// VICAL is CBOR, signed as a COSE_Sign1. Published lists have no CBOR tag. A list with tag 18 (RFC 9052 §4.2)
// is accepted too.

import { type CborItem, decodeCbor, findEntry, isTooMuch, readBytes, readText } from '../../codec/cbor.ts'
import { readDateTime } from '../../codec/date-time.ts'
import { decodeCoseSign1, readX5chain, verifyCoseSign1 } from '../../crypto/cose.ts'
import { TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { DecodedList, ListContent, ListedCertificate, TrustListError } from './listed.ts'

/** Decodes a VICAL. */
export function decodeVical(body: Uint8Array<ArrayBuffer>): Result<DecodedList, TrustListError> {
  const item = decode(body)
  if (!item.ok) return item
  const message = item.value.type === 'tag' && item.value.tag === COSE_SIGN1 ? item.value.content : item.value
  const sign1 = decodeCoseSign1(message)
  if (!sign1.ok) return sign1
  const { algorithm, protectedHeader, unprotected, payload } = sign1.value
  const header = decode(protectedHeader)
  if (!header.ok || payload === null) return err('malformed')
  // The chain may be in the protected or the unprotected header (RFC 9360 §2). An unprotected chain is not
  // signed. This is safe, because only a pinned signer or a pinned authority gives trust.
  const chain = readX5chain(header.value, unprotected)
  if (!chain.ok) return chain
  return ok({
    algorithm: algorithm.name,
    chain: chain.value,
    verify: (key) => verifyCoseSign1(sign1.value, payload, key),
    read: () => readContent(payload),
  })
}

const COSE_SIGN1 = 18
/** Tag 0: a time as text (RFC 8949 §3.4.1). */
const DATE_TIME = 0

function decode(bytes: Uint8Array<ArrayBuffer>): Result<CborItem, TrustListError> {
  const item = decodeCbor(bytes, TRUST_LIST.cbor)
  return item.ok ? item : err(isTooMuch(item.error) ? 'too_large' : 'malformed')
}

/**
 * Reads the content (Annex C.1.7). `version` 1, `date` and the entries are required, one entry for each
 * certificate. `vicalIssueID` and `nextUpdate` are optional.
 */
function readContent(payload: Uint8Array<ArrayBuffer>): Result<ListContent, TrustListError> {
  const item = decode(payload)
  if (!item.ok) return item
  const vical = item.value
  const issuedAt = readTime(findEntry(vical, 'date'))
  const nextUpdate = readTime(findEntry(vical, 'nextUpdate'))
  const sequence = readSequence(findEntry(vical, 'vicalIssueID'))
  const entries = findEntry(vical, 'certificateInfos')
  if (!readText(findEntry(vical, 'version'))?.startsWith('1.')) return err('malformed')
  if (typeof issuedAt !== 'number' || nextUpdate === undefined || sequence === undefined)
    return err('malformed')
  if (entries?.type !== 'array') return err('malformed')
  const certificates = entries.items.map(readEntry)
  if (!certificates.every((listed) => listed !== undefined)) return err('malformed')
  return ok({ type: null, sequence, issuedAt, nextUpdate, certificates: certificates.flat() })
}

/** Returns the Unix seconds of a tdate; `null` without an item; `undefined` if the item is not a tdate. */
function readTime(item: CborItem | undefined): number | null | undefined {
  if (item === undefined) return null
  const text = item.type === 'tag' && item.tag === DATE_TIME ? readText(item.content) : undefined
  return text === undefined ? undefined : readDateTime(text)
}

function readSequence(item: CborItem | undefined): number | null | undefined {
  if (item === undefined) return null
  return item.type === 'integer' && typeof item.value === 'number' && item.value >= 0 ? item.value : undefined
}

/** Returns the certificate of an entry once for each of its docTypes; `undefined` for a malformed entry. */
function readEntry(item: CborItem): readonly ListedCertificate[] | undefined {
  const certificate = readBytes(findEntry(item, 'certificate'))
  const docTypes = findEntry(item, 'docType')
  if (certificate === undefined || docTypes?.type !== 'array') return undefined
  const services = docTypes.items.map(readText)
  return services.every((service) => service !== undefined)
    ? services.map((service) => ({ service, certificate }))
    : undefined
}
