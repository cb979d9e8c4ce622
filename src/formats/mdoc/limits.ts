// How much of an mdoc is read (codec/cbor.ts counts). Embedded CBOR is a byte string until it is read by itself.

import type { CborFault, CborLimits } from '../../codec/cbor.ts'
import type { CredentialRejection } from '../format.ts'

/** Of the base64url text: a portrait or two, and as much as the rest may be. */
export const PRESENTATION_CHARACTERS = 524_288

export const DEVICE_RESPONSE: CborLimits = { bytes: 393_216, depth: 12, items: 4096 }
export const MOBILE_SECURITY_OBJECT: CborLimits = { bytes: 262_144, depth: 12, items: 16_384 }
export const ISSUER_SIGNED_ITEM: CborLimits = { bytes: 393_216, depth: 16, items: 4096 }
export const DEVICE_NAME_SPACES: CborLimits = { bytes: 65_536, depth: 16, items: 1024 }

/** Data elements of one document. */
export const DATA_ELEMENTS = 512

/** The rejection of bytes that are not read: beyond a limit, or no strict CBOR. */
export function unreadable(fault: CborFault): CredentialRejection {
  const beyond = fault === 'too_large' || fault === 'too_deep' || fault === 'too_many_items'
  return { reason: beyond ? 'limit_exceeded' : 'malformed_credential' }
}
