// The Mobile Security Object (ISO/IEC 18013-5 §9.1.2.4): what the issuer signed about the document.

import { bytesOf, type CborItem, decodeCbor, embeddedOf, entryOf, textOf } from '../../codec/cbor.ts'
import { readDateTime } from '../../codec/date-time.ts'
import { parseCoseKey } from '../../crypto/cose.ts'
import type { HashName } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../format.ts'
import { unreadable } from './unreadable.ts'

/** Digest identifier → digest, of one namespace. */
export type ValueDigests = ReadonlyMap<number, Uint8Array<ArrayBuffer>>

/** A decoded MSO. It counts once the issuer's signature over it has been verified. */
export type MobileSecurityObject = {
  readonly docType: string
  readonly hash: HashName
  readonly valueDigests: ReadonlyMap<string, ValueDigests>
  /** `undefined` for a key of a kind we do not know. */
  readonly deviceKey: PublicJwk | undefined
  /** Unix seconds. */
  readonly validity: Readonly<Record<'signed' | 'validFrom' | 'validUntil', number>>
  /** Where the issuer says how the document stands (Token Status List §6.3); `undefined` where it says nothing. */
  readonly status: CborItem | undefined
}

const HASHES: ReadonlyMap<string | undefined, HashName> = new Map([
  ['SHA-256', 'sha-256'],
  ['SHA-384', 'sha-384'],
  ['SHA-512', 'sha-512'],
])

/** Decodes the payload of `issuerAuth`: embedded CBOR, version 1.0. */
export function decodeMobileSecurityObject(
  payload: Uint8Array<ArrayBuffer>,
): Result<MobileSecurityObject, CredentialRefusal> {
  const wrapper = decodeCbor(payload, MDOC.mobileSecurityObject)
  if (!wrapper.ok) return err(unreadable(wrapper.error))
  const embedded = embeddedOf(wrapper.value)
  if (embedded === undefined) return err({ reason: 'malformed_credential' })
  const mso = decodeCbor(embedded, MDOC.mobileSecurityObject)
  return mso.ok ? readMembers(mso.value) : err(unreadable(mso.error))
}

function readMembers(mso: CborItem): Result<MobileSecurityObject, CredentialRefusal> {
  if (textOf(entryOf(mso, 'version')) !== '1.0') return err({ reason: 'invalid_claim', claim: 'version' })
  const docType = textOf(entryOf(mso, 'docType'))
  if (docType === undefined) return err({ reason: 'invalid_claim', claim: 'docType' })
  const hash = HASHES.get(textOf(entryOf(mso, 'digestAlgorithm')))
  if (hash === undefined) return err({ reason: 'unsupported_hash_algorithm' })
  const valueDigests = readValueDigests(entryOf(mso, 'valueDigests'))
  if (valueDigests === undefined) return err({ reason: 'invalid_claim', claim: 'valueDigests' })
  const keyInfo = entryOf(mso, 'deviceKeyInfo')
  const validity = readValidity(entryOf(mso, 'validityInfo'))
  if (!validity.ok) return validity
  return ok({
    docType,
    hash,
    valueDigests,
    deviceKey: parseCoseKey(keyInfo && entryOf(keyInfo, 'deviceKey')),
    validity: validity.value,
    status: entryOf(mso, 'status'),
  })
}

function readValueDigests(item: CborItem | undefined): ReadonlyMap<string, ValueDigests> | undefined {
  if (item?.type !== 'map') return undefined
  const valueDigests = new Map<string, ValueDigests>()
  for (const { key, value } of item.entries) {
    const digests = readDigests(value)
    if (key.type !== 'text' || digests === undefined) return undefined
    valueDigests.set(key.value, digests)
  }
  return valueDigests
}

function readDigests(item: CborItem): ValueDigests | undefined {
  if (item.type !== 'map') return undefined
  const digests = new Map<number, Uint8Array<ArrayBuffer>>()
  for (const { key, value } of item.entries) {
    const digest = bytesOf(value)
    if (key.type !== 'integer' || typeof key.value !== 'number' || digest === undefined) return undefined
    digests.set(key.value, digest)
  }
  return digests
}

function readValidity(
  info: CborItem | undefined,
): Result<MobileSecurityObject['validity'], CredentialRefusal> {
  const [signed, validFrom, validUntil] = (['signed', 'validFrom', 'validUntil'] as const).map((name) =>
    readTdate(info && entryOf(info, name)),
  )
  if (signed === undefined) return err({ reason: 'invalid_claim', claim: 'signed' })
  if (validFrom === undefined) return err({ reason: 'invalid_claim', claim: 'validFrom' })
  if (validUntil === undefined) return err({ reason: 'invalid_claim', claim: 'validUntil' })
  return ok({ signed, validFrom, validUntil })
}

/** §9.1.2.4: a tdate (tag 0) in whole seconds of UTC, in Unix seconds. A day that no calendar has is none. */
function readTdate(item: CborItem | undefined): number | undefined {
  if (item?.type !== 'tag' || item.tag !== 0) return undefined
  const text = textOf(item.content)
  return text?.endsWith('Z') && !text.includes('.') ? readDateTime(text) : undefined
}
