// IssuerSigned (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.2.4): the disclosed items and the issuer's COSE_Sign1 over
// the MSO.

import { type CborItem, findEntry, isMapOf } from '../../codec/cbor.ts'
import { type CoseSign1, decodeCoseSign1, readX5chain } from '../../crypto/cose.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import { decodeMobileSecurityObject, type MobileSecurityObject } from './mobile-security-object.ts'
import { coseRefusal } from './refusals.ts'

/** The signed MSO and the disclosed items. Nothing is verified. */
export type DecodedIssuerSigned = {
  readonly issuerAuth: CoseSign1
  /** Payload of `issuerAuth`: the signed bytes. */
  readonly payload: Uint8Array<ArrayBuffer>
  readonly mso: MobileSecurityObject
  /** DER certificates, leaf first; `undefined` if `x5chain` is absent or malformed. */
  readonly chain: readonly Uint8Array<ArrayBuffer>[] | undefined
  readonly nameSpaces: readonly NameSpace[]
}

/** A namespace and its IssuerSignedItemBytes as received. */
export type NameSpace = { readonly name: string; readonly items: readonly CborItem[] }

/** Decodes `issuerSigned` and its MSO. The disclosed items stay undecoded. */
export function decodeIssuerSigned(item: CborItem): Result<DecodedIssuerSigned, CredentialRefusal> {
  if (!isMapOf(item, 'nameSpaces', 'issuerAuth')) return err({ reason: 'malformed_credential' })
  const issuerAuth = decodeCoseSign1(findEntry(item, 'issuerAuth'))
  if (!issuerAuth.ok) return err(coseRefusal(issuerAuth.error, 'malformed_credential'))
  const { payload, unprotected } = issuerAuth.value
  if (payload === null) return err({ reason: 'malformed_credential' })
  const nameSpaces = decodeNameSpaces(findEntry(item, 'nameSpaces'))
  if (!nameSpaces.ok) return nameSpaces
  const mso = decodeMobileSecurityObject(payload)
  if (!mso.ok) return mso
  const x5chain = readX5chain(unprotected) // ISO/IEC 18013-5: `x5chain` is unprotected
  const chain = x5chain.ok ? x5chain.value : undefined
  return ok({ issuerAuth: issuerAuth.value, payload, mso: mso.value, chain, nameSpaces: nameSpaces.value })
}

/**
 * Decodes `nameSpaces`. Returns an empty list if `nameSpaces` is absent, because then nothing is disclosed.
 * Each namespace must have at least one item.
 */
function decodeNameSpaces(
  item: CborItem | undefined,
): Result<readonly NameSpace[], { readonly reason: 'malformed_credential' | 'limit_exceeded' }> {
  if (item === undefined) return ok([])
  if (item.type !== 'map') return err({ reason: 'malformed_credential' })
  const nameSpaces: NameSpace[] = []
  for (const { key, value } of item.entries) {
    if (key.type !== 'text' || value.type !== 'array' || value.items.length === 0)
      return err({ reason: 'malformed_credential' })
    nameSpaces.push({ name: key.value, items: value.items })
  }
  const count = nameSpaces.reduce((sum, { items }) => sum + items.length, 0)
  return count > MDOC.elements ? err({ reason: 'limit_exceeded' }) : ok(nameSpaces)
}
