// Refusals for CBOR and COSE that cannot be decoded (codec/cbor.ts, crypto/cose.ts).

import type { CborError } from '../../codec/cbor.ts'
import type { CoseError } from '../../crypto/cose.ts'

/** Refusal for CBOR beyond a limit, or for CBOR that is not strict. */
export function cborRefusal(error: CborError) {
  const isTooMuch = error === 'too_large' || error === 'too_deep' || error === 'too_many_items'
  return { reason: isTooMuch ? 'limit_exceeded' : 'malformed_credential' } as const
}

/** Refusal for a COSE message; `malformed` is the reason for a malformed one. */
export function coseRefusal<Malformed extends 'malformed_credential' | 'malformed_holder_binding'>(
  error: CoseError,
  malformed: Malformed,
) {
  return { reason: error === 'malformed' ? malformed : error }
}
