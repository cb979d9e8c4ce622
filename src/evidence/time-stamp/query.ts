// The request for a time stamp (RFC 3161 §2.4.1): 69 bytes with a digest and a nonce. The authority learns
// nothing else.

import { concatBytes } from '../../codec/bytes.ts'
import { TIME_STAMP } from '../limits.ts'

/** TimeStampReq up to the hash: version 1, and a MessageImprint with SHA-256. */
const START = Uint8Array.of(
  ...[0x30, 0x43, 0x02, 0x01, 0x01, 0x30, 0x31, 0x30, 0x0d],
  ...[0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20],
)
const NONCE = Uint8Array.of(0x02, 0x08)
/** `certReq` TRUE: the token must contain the certificate of its signer. */
const CERT_REQ = Uint8Array.of(0x01, 0x01, 0xff)

/** Media types of a query and of its reply (RFC 3161 §3.4). */
export const QUERY_TYPE = 'application/timestamp-query'
export const REPLY_TYPE = 'application/timestamp-reply'

/** A query, and the nonce that the reply must repeat. */
export type TimeStampQuery = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly nonce: Uint8Array<ArrayBuffer>
}

/**
 * Builds a query. `digest`: SHA-256 of what is stamped. `random`: 8 random bytes. The first bit is cleared
 * and the second is set, so that the nonce is a positive INTEGER of 8 octets.
 */
export function buildTimeStampQuery(
  digest: Uint8Array<ArrayBuffer>,
  random: Uint8Array<ArrayBuffer>,
): TimeStampQuery {
  if (digest.length !== 32 || random.length !== TIME_STAMP.nonceBytes)
    throw new Error('a time stamp needs a digest of 32 bytes and a nonce of 8 bytes')
  const nonce = random.slice()
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40
  return { bytes: concatBytes(START, digest, NONCE, nonce, CERT_REQ), nonce }
}
