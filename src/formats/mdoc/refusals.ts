// Refusals for CBOR and COSE that cannot be decoded (codec/cbor.ts, crypto/cose.ts).

import { type CborError, isTooMuch } from '../../codec/cbor.ts'
import type { CoseError } from '../../crypto/cose.ts'

/**
 * Returns the refusal for CBOR that cannot be decoded: `limit_exceeded` if the CBOR exceeds a limit, else
 * `malformed`.
 */
export function cborRefusal<
  Malformed extends 'malformed_credential' | 'malformed_disclosure' | 'malformed_holder_binding',
>(error: CborError, malformed: Malformed) {
  return { reason: isTooMuch(error) ? ('limit_exceeded' as const) : malformed }
}

/**
 * Returns the refusal for a COSE message that cannot be decoded. `malformed` is the reason for a malformed
 * message.
 */
export function coseRefusal<Malformed extends 'malformed_credential' | 'malformed_holder_binding'>(
  error: CoseError,
  malformed: Malformed,
) {
  if (error === 'malformed') return { reason: malformed }
  return { reason: error === 'too_large' ? 'limit_exceeded' : error } as const
}
