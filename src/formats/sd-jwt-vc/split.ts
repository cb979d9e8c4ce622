// The compact serialization of SD-JWT and SD-JWT+KB (RFC 9901 §4), taken apart at its tildes. Size and number of parts
// are limited here, before anything is decoded, hashed or verified.

import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** The parts as they arrived: every digest is taken over these very characters. */
export type SdJwtParts = {
  readonly issuerJwt: string
  readonly disclosures: readonly string[]
  /** Everything up to and including the last tilde: what `sd_hash` is taken over (§4.3.1). */
  readonly sdJwt: string
  /** What follows the last tilde; `undefined` where nothing does. */
  readonly kbJwt: string | undefined
}

/** Splits a presentation. The JSON serialization (§8) is optional and not supported: it is no such string. */
export function splitSdJwt(
  presentation: unknown,
): Result<SdJwtParts, { readonly reason: 'malformed_credential' | 'limit_exceeded' }> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  if (presentation.length > SD_JWT.characters) return err({ reason: 'limit_exceeded' })
  // One part more than may be is enough to see that there are too many.
  const parts = presentation.split('~', SD_JWT.disclosures + 3)
  if (parts.length > SD_JWT.disclosures + 2) return err({ reason: 'limit_exceeded' })
  const [issuerJwt, ...rest] = parts
  const kbJwt = rest.pop()
  // §4: the last tilde is never omitted, and no part but the one after it may be empty.
  if (!issuerJwt || kbJwt === undefined || rest.includes('')) return err({ reason: 'malformed_credential' })
  const sdJwt = presentation.slice(0, presentation.length - kbJwt.length)
  return ok({ issuerJwt, disclosures: rest, sdJwt, kbJwt: kbJwt === '' ? undefined : kbJwt })
}
