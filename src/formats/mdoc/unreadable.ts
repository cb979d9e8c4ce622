// The rejection of CBOR that is not read (codec/cbor.ts).

import type { CborError } from '../../codec/cbor.ts'
import type { CredentialRefusal } from '../format.ts'

/** Beyond a limit, or no strict CBOR. */
export function unreadable(fault: CborError): CredentialRefusal {
  const beyond = fault === 'too_large' || fault === 'too_deep' || fault === 'too_many_items'
  return { reason: beyond ? 'limit_exceeded' : 'malformed_credential' }
}
