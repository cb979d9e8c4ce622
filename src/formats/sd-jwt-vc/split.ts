// The compact serialization of SD-JWT and SD-JWT+KB (RFC 9901 §4), split at its tildes. Size and number of
// parts are limited here, before anything is decoded, hashed or verified.

import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** The parts as received. Every digest is computed over these characters. */
export type SdJwtParts = {
  readonly issuerJwt: string
  readonly disclosures: readonly string[]
  /** The text up to and including the last tilde, which `sd_hash` covers (§4.3.1). */
  readonly sdJwt: string
  /** The text after the last tilde; `undefined` if it is empty. */
  readonly kbJwt: string | undefined
}

/**
 * Splits a presentation. The optional JSON serialization (§8) is not supported.
 *
 * @example
 * splitSdJwt('header.payload.signature~disclosure~')
 * // { ok: true, value: { issuerJwt: 'header.payload.signature', disclosures: ['disclosure'], … } }
 */
export function splitSdJwt(
  presentation: unknown,
): Result<SdJwtParts, { readonly reason: 'malformed_credential' | 'limit_exceeded' }> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  if (presentation.length > SD_JWT.characters) return err({ reason: 'limit_exceeded' })
  // The split stops at one part above the limit, which is enough to refuse the text.
  const parts = presentation.split('~', SD_JWT.disclosures + 3)
  if (parts.length > SD_JWT.disclosures + 2) return err({ reason: 'limit_exceeded' })
  const [issuerJwt, ...rest] = parts
  const kbJwt = rest.pop()
  // §4: the last tilde is required, and only the part after it may be empty.
  if (!issuerJwt || kbJwt === undefined || rest.includes('')) return err({ reason: 'malformed_credential' })
  const sdJwt = presentation.slice(0, presentation.length - kbJwt.length)
  return ok({ issuerJwt, disclosures: rest, sdJwt, kbJwt: kbJwt === '' ? undefined : kbJwt })
}
