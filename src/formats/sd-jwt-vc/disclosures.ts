// Disclosures (RFC 9901 §4.2): decoded strictly, and identified by the digest of their characters as
// received.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isTooMuchJson, type Json, parseJson } from '../../codec/json.ts'
import { digest, type HashName } from '../../crypto/digest.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../verification/format.ts'

/** One disclosure; `name` is `undefined` for an array element (§4.2.2). */
export type Disclosure = { readonly name: string | undefined; readonly value: Json }

/** Claim names of the format itself, which a disclosure must not have (§7.1 step 3.3.2, §4.1.1). */
const FORMAT_NAMES: ReadonlySet<string> = new Set(['_sd', '...', '_sd_alg'])

/**
 * Decodes all disclosures. Maps each base64url digest, as embedded in payloads (§4.2.3), to its disclosure.
 *
 * @example
 * await digestDisclosures(['WyI2cU1RdlJMNWhhaiIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0'], 'sha-256')
 * // maps 'uutlBuYeMDyjLLTpf6Jxi7yNkEF35jdyWMn9U7b_RYY' to { name: 'family_name', value: 'Möbius' }
 */
export async function digestDisclosures(
  encoded: readonly string[],
  hash: HashName,
): Promise<Result<ReadonlyMap<string, Disclosure>, CredentialRefusal>> {
  const disclosures: Disclosure[] = []
  for (const text of encoded) {
    const disclosure = decodeDisclosure(text)
    if (!disclosure.ok) return disclosure
    disclosures.push(disclosure.value)
  }
  const digests = await Promise.all(
    encoded.map(async (text) => encodeBase64url(await digest(hash, utf8(text)))),
  )
  const byDigest = new Map(digests.map((value, i) => [value, disclosures[i] as Disclosure]))
  // §4: a Holder never sends a disclosure more than once.
  return byDigest.size === digests.length ? ok(byDigest) : err({ reason: 'duplicate_digest' })
}

function decodeDisclosure(text: string): Result<Disclosure, CredentialRefusal> {
  const parsed = parseJson(decodeBase64url(text), SD_JWT.disclosure)
  if (!parsed.ok)
    return err({ reason: isTooMuchJson(parsed.error) ? 'limit_exceeded' : 'malformed_disclosure' })
  if (!Array.isArray(parsed.value)) return err({ reason: 'malformed_disclosure' })
  const elements: readonly Json[] = parsed.value
  const [salt, second, third] = elements
  if (typeof salt !== 'string' || second === undefined) return err({ reason: 'malformed_disclosure' })
  if (elements.length === 2) return ok({ name: undefined, value: second })
  if (elements.length !== 3 || typeof second !== 'string' || third === undefined) {
    return err({ reason: 'malformed_disclosure' })
  }
  return FORMAT_NAMES.has(second)
    ? err({ reason: 'forbidden_disclosure' })
    : ok({ name: second, value: third })
}
