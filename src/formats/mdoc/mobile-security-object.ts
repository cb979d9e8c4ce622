// The Mobile Security Object (ISO/IEC 18013-5 §9.1.2.4): the issuer's signed statement about the document.

import {
  type CborItem,
  decodeCbor,
  findEntry,
  readBytes,
  readEmbedded,
  readInteger,
  readText,
} from '../../codec/cbor.ts'
import { readDateTime } from '../../codec/date-time.ts'
import { parseCoseKey } from '../../crypto/cose.ts'
import type { HashName } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import { cborRefusal } from './refusals.ts'
import { isVersion1 } from './version.ts'

/** Digest identifier → digest, of one namespace. */
type ValueDigests = ReadonlyMap<number, Uint8Array<ArrayBuffer>>

/** A decoded MSO. The MSO must not be used before the issuer's signature is verified. */
export type MobileSecurityObject = {
  readonly docType: string
  readonly hash: HashName
  readonly valueDigests: ReadonlyMap<string, ValueDigests>
  /** `undefined` if the device key is absent, malformed, or of an unsupported type. */
  readonly deviceKey: PublicJwk | undefined
  /** Unix seconds. */
  readonly validity: Readonly<Record<'signed' | 'validFrom' | 'validUntil', number>>
  /** Reference to the status of the document (Token Status List §6.3); `undefined` if there is none. */
  readonly status: CborItem | undefined
}

const HASHES: ReadonlyMap<string | undefined, HashName> = new Map([
  ['SHA-256', 'sha-256'],
  ['SHA-384', 'sha-384'],
  ['SHA-512', 'sha-512'],
])

/** Decodes the payload of `issuerAuth`: embedded CBOR, version 1.x. Unknown members are ignored. */
export function decodeMobileSecurityObject(
  payload: Uint8Array<ArrayBuffer>,
): Result<MobileSecurityObject, CredentialRefusal> {
  const wrapper = decodeCbor(payload, MDOC.mobileSecurityObject)
  if (!wrapper.ok) return err(cborRefusal(wrapper.error, 'malformed_credential'))
  const embedded = readEmbedded(wrapper.value)
  if (embedded === undefined) return err({ reason: 'malformed_credential' })
  const mso = decodeCbor(embedded, MDOC.mobileSecurityObject)
  return mso.ok ? parseMembers(mso.value) : err(cborRefusal(mso.error, 'malformed_credential'))
}

function parseMembers(mso: CborItem): Result<MobileSecurityObject, CredentialRefusal> {
  if (!isVersion1(findEntry(mso, 'version'))) return err({ reason: 'invalid_claim', claim: 'version' })
  const docType = readText(findEntry(mso, 'docType'))
  if (docType === undefined) return err({ reason: 'invalid_claim', claim: 'docType' })
  const hash = HASHES.get(readText(findEntry(mso, 'digestAlgorithm')))
  if (hash === undefined) return err({ reason: 'unsupported_hash_algorithm' })
  const digests = (nameSpace: CborItem) => readMap(nameSpace, readInteger, readBytes)
  const valueDigests = readMap(findEntry(mso, 'valueDigests'), readText, digests)
  if (valueDigests === undefined) return err({ reason: 'invalid_claim', claim: 'valueDigests' })
  const keyInfo = findEntry(mso, 'deviceKeyInfo')
  const validity = parseValidity(findEntry(mso, 'validityInfo'))
  if (!validity.ok) return validity
  return ok({
    docType,
    hash,
    valueDigests,
    deviceKey: parseCoseKey(keyInfo && findEntry(keyInfo, 'deviceKey')),
    validity: validity.value,
    status: findEntry(mso, 'status'),
  })
}

/**
 * Reads each key of a map with `keyOf`, and each value with `contentOf`. Returns `undefined` if one of them
 * cannot be read, or if the item is not a map.
 */
function readMap<Key, Value>(
  item: CborItem | undefined,
  keyOf: (key: CborItem) => Key | undefined,
  contentOf: (value: CborItem) => Value | undefined,
): ReadonlyMap<Key, Value> | undefined {
  if (item?.type !== 'map') return undefined
  const read = new Map<Key, Value>()
  for (const entry of item.entries) {
    const [key, value] = [keyOf(entry.key), contentOf(entry.value)]
    if (key === undefined || value === undefined) return undefined
    read.set(key, value)
  }
  return read
}

function parseValidity(
  info: CborItem | undefined,
): Result<MobileSecurityObject['validity'], CredentialRefusal> {
  const [signed, validFrom, validUntil] = (['signed', 'validFrom', 'validUntil'] as const).map((name) =>
    parseTdate(info && findEntry(info, name)),
  )
  if (signed === undefined) return err({ reason: 'invalid_claim', claim: 'signed' })
  if (validFrom === undefined) return err({ reason: 'invalid_claim', claim: 'validFrom' })
  if (validUntil === undefined) return err({ reason: 'invalid_claim', claim: 'validUntil' })
  return ok({ signed, validFrom, validUntil })
}

/**
 * Returns a tdate (tag 0) as Unix seconds. Returns `undefined` for any other item, and for a time that is not
 * in whole seconds of UTC (§9.1.2.4).
 */
function parseTdate(item: CborItem | undefined): number | undefined {
  const text = item?.type === 'tag' && item.tag === 0 ? readText(item.content) : undefined
  return text !== undefined && /:\d\dZ$/.test(text) ? readDateTime(text) : undefined
}
