// Checks that the issuer signed each data element (ISO/IEC 18013-5 §9.1.2.5). The digest of an item covers
// the item as received, with its tag 24. The MSO must have this digest under the namespace and the digest
// identifier of the item.

import { equalBytes } from '../../codec/bytes.ts'
import {
  type CborItem,
  decodeCbor,
  findEntry,
  readBytes,
  readEmbedded,
  readInteger,
  readText,
} from '../../codec/cbor.ts'
import type { Json, JsonObject } from '../../codec/json.ts'
import { digest } from '../../crypto/digest.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import { toJson } from './element-value.ts'
import type { NameSpace } from './issuer-signed.ts'
import type { MobileSecurityObject } from './mobile-security-object.ts'
import { cborRefusal } from './refusals.ts'

/**
 * Decodes the disclosed items, and checks the digest of each item. Returns namespace → data element → value.
 * The caller verifies the signature of the MSO first.
 */
export async function openNameSpaces(
  nameSpaces: readonly NameSpace[],
  mso: MobileSecurityObject,
): Promise<Result<JsonObject, CredentialRefusal>> {
  const claims: [string, JsonObject][] = []
  for (const nameSpace of nameSpaces) {
    const elements = await openItems(nameSpace, mso)
    if (!elements.ok) return elements
    claims.push([nameSpace.name, elements.value])
  }
  return ok(Object.fromEntries(claims))
}

async function openItems(
  { name, items }: NameSpace,
  { hash, valueDigests }: MobileSecurityObject,
): Promise<Result<JsonObject, CredentialRefusal>> {
  const elements = new Map<string, Json>()
  const identifiers = new Set<number>()
  for (const received of items) {
    const item = decodeItem(received)
    if (!item.ok) return item
    const { digestId, elementIdentifier, value } = item.value
    const signed = valueDigests.get(name)?.get(digestId)
    if (signed === undefined || !equalBytes(signed, await digest(hash, received.encoded)))
      return err({ reason: 'unreferenced_disclosure' })
    if (identifiers.has(digestId) || elements.has(elementIdentifier))
      return err({ reason: 'duplicate_digest' })
    identifiers.add(digestId)
    elements.set(elementIdentifier, value)
  }
  // `fromEntries` defines members instead of assigning them, so names such as `__proto__` are safe.
  return ok(Object.fromEntries(elements))
}

type Item = { readonly digestId: number; readonly elementIdentifier: string; readonly value: Json }

/**
 * Decodes IssuerSignedItemBytes. The length of `random` is not checked, because the issuer is responsible for
 * it.
 */
function decodeItem(received: CborItem): Result<Item, CredentialRefusal> {
  const embedded = readEmbedded(received)
  if (embedded === undefined) return err({ reason: 'malformed_disclosure' })
  const decoded = decodeCbor(embedded, MDOC.issuerSignedItem)
  if (!decoded.ok) return err(cborRefusal(decoded.error, 'malformed_disclosure'))
  const item = decoded.value
  const digestId = readInteger(findEntry(item, 'digestID'))
  const elementIdentifier = readText(findEntry(item, 'elementIdentifier'))
  const elementValue = findEntry(item, 'elementValue')
  const value = elementValue && toJson(elementValue)
  if (digestId === undefined || elementIdentifier === undefined || value === undefined)
    return err({ reason: 'malformed_disclosure' })
  if (!readBytes(findEntry(item, 'random'))) return err({ reason: 'malformed_disclosure' })
  return ok({ digestId, elementIdentifier, value })
}
