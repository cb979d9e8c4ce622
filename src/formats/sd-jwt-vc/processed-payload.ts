// Builds the Processed SD-JWT Payload (RFC 9901 §7.1 steps 3 to 5). Replaces digests by their disclosures,
// recursively. Removes the members that belong to the SD-JWT format. Objects are built without a prototype,
// so `__proto__` is an ordinary claim.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import type { Disclosure } from './disclosures.ts'

/**
 * Processes an issuer-signed payload. `clearClaims` are the top-level claims that must be signed in the
 * clear. Refuses a disclosure that contains such a claim, or a part of such a claim (SD-JWT VC §2.2.2.3).
 */
export function processPayload(
  payload: JsonObject,
  disclosures: ReadonlyMap<string, Disclosure>,
  clearClaims: ReadonlySet<string>,
): Result<JsonObject, CredentialRefusal> {
  const processing: Processing = { disclosures, clearClaims, digests: new Set(), used: 0 }
  const processed = processObject(payload, { depth: 0, clear: false }, processing)
  if (!processed.ok) return processed
  return processing.used === disclosures.size ? processed : err({ reason: 'unreferenced_disclosure' })
}

type Processing = {
  readonly disclosures: ReadonlyMap<string, Disclosure>
  readonly clearClaims: ReadonlySet<string>
  /** Every digest found so far, including decoy digests. No digest may occur twice (§7.1 step 4). */
  readonly digests: Set<string>
  /** Number of referenced disclosures. A digest occurs once, so no disclosure is counted twice. */
  used: number
}

/** `depth`: level below the payload. `clear`: true inside a claim that no disclosure may contain. */
type Place = { readonly depth: number; readonly clear: boolean }

function processValue(value: Json, place: Place, processing: Processing): Result<Json, CredentialRefusal> {
  if (place.depth > SD_JWT.depth) return err({ reason: 'limit_exceeded' })
  if (isJsonObject(value)) return processObject(value, place, processing)
  if (Array.isArray(value)) return processArray(value, place, processing)
  return ok(value)
}

function processObject(
  object: JsonObject,
  place: Place,
  processing: Processing,
): Result<JsonObject, CredentialRefusal> {
  const processed: Record<string, Json> = Object.create(null)
  for (const [name, value] of Object.entries(object)) {
    if (name === '_sd' || (name === '_sd_alg' && place.depth === 0)) continue
    // §4.1.1: `_sd_alg` is allowed at the top level only. §4.2.4.2: `...` is allowed in array elements only.
    if (name === '_sd_alg' || name === '...') return err({ reason: 'invalid_claim', claim: name })
    const inner = processValue(value, addPlace(name, place, processing), processing)
    if (!inner.ok) return inner
    processed[name] = inner.value
  }
  const digests = decodeDigests(object)
  if (digests === undefined) return err({ reason: 'invalid_claim', claim: '_sd' })
  for (const digest of digests) {
    const refusal = discloseMember(processed, digest, place, processing)
    if (refusal !== undefined) return err(refusal)
  }
  return ok(processed)
}

/**
 * Adds the member with this digest to the object, if it was disclosed (§7.1 step 3.3.2). Returns a refusal,
 * or `undefined` if there is none.
 */
function discloseMember(
  object: Record<string, Json>,
  digest: string,
  place: Place,
  processing: Processing,
): CredentialRefusal | undefined {
  const disclosure = findDisclosure(digest, place, processing)
  if (!disclosure.ok) return disclosure.error
  if (disclosure.value === undefined) return undefined
  const { name, value } = disclosure.value
  if (name === undefined) return { reason: 'malformed_disclosure' }
  const inside = addPlace(name, place, processing)
  if (inside.clear || Object.hasOwn(object, name)) return { reason: 'forbidden_disclosure' }
  const inner = processValue(value, inside, processing)
  if (!inner.ok) return inner.error
  object[name] = inner.value
  return undefined
}

/** Replaces digests by the disclosed elements. Drops digests without a disclosure (§7.1 step 3.4). */
function processArray(
  array: readonly Json[],
  place: Place,
  processing: Processing,
): Result<readonly Json[], CredentialRefusal> {
  const processed: Json[] = []
  const inside = { depth: place.depth + 1, clear: place.clear }
  for (const element of array) {
    let value = element
    if (isJsonObject(element) && Object.hasOwn(element, '...')) {
      const digest = member(element, '...')
      // §4.2.4.2: the object must have no other keys.
      if (typeof digest !== 'string' || Object.keys(element).length !== 1) {
        return err({ reason: 'invalid_claim', claim: '...' })
      }
      const disclosure = findDisclosure(digest, place, processing)
      if (!disclosure.ok) return disclosure
      if (disclosure.value === undefined) continue
      if (disclosure.value.name !== undefined) return err({ reason: 'malformed_disclosure' })
      value = disclosure.value.value
    }
    const inner = processValue(value, inside, processing)
    if (!inner.ok) return inner
    processed.push(inner.value)
  }
  return ok(processed)
}

/**
 * Returns the disclosure of a digest; `undefined` if the disclosure was withheld or the digest is a decoy
 * (§4.2.5).
 */
function findDisclosure(
  digest: string,
  place: Place,
  processing: Processing,
): Result<Disclosure | undefined, CredentialRefusal> {
  if (processing.digests.has(digest)) return err({ reason: 'duplicate_digest' })
  processing.digests.add(digest)
  const disclosure = processing.disclosures.get(digest)
  if (disclosure === undefined) return ok(undefined)
  if (place.clear) return err({ reason: 'forbidden_disclosure' })
  processing.used++
  return ok(disclosure)
}

/**
 * Returns the digests of `_sd`. Returns an empty list if `_sd` is absent, and `undefined` if `_sd` is not an
 * array of strings.
 */
function decodeDigests(object: JsonObject): readonly string[] | undefined {
  if (!Object.hasOwn(object, '_sd')) return []
  const digests = member(object, '_sd')
  if (!Array.isArray(digests)) return undefined
  return digests.every((digest) => typeof digest === 'string') ? digests : undefined
}

function addPlace(name: string, parent: Place, processing: Processing): Place {
  const clear = parent.clear || (parent.depth === 0 && processing.clearClaims.has(name))
  return { depth: parent.depth + 1, clear }
}
