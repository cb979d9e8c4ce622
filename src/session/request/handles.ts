// Handles of a generation: its request id, `state` and `kid`. Each is a sequence number with a MAC under the
// session's random key. They are unguessable, valid for one kind only, and recognised without a row of
// storage after the generation is gone. So a dead handle gets `request_superseded`, and an invented one gets
// `unknown_state`.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { concatBytes, utf8 } from '../../codec/bytes.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'

/** Kind of a handle. A handle of one kind is unknown for every other kind. */
export type HandleKind = 'request' | 'state' | 'kid'

const NUMBER_BYTES = 3
const MAC_BYTES = 16

/** Characters of every handle. */
export const HANDLE_LENGTH = Math.ceil(((NUMBER_BYTES + MAC_BYTES) * 4) / 3)

/** Highest sequence number in a handle: more renders than the longest session allows. */
export const MAXIMUM_NUMBER = 2 ** (8 * NUMBER_BYTES) - 1

/** Returns the handle of generation `number`. */
export async function makeHandle(
  key: Uint8Array<ArrayBuffer>,
  kind: HandleKind,
  number: number,
): Promise<string> {
  const bytes = encodeNumber(number)
  return encodeBase64url(concatBytes(bytes, await mac(key, kind, bytes)))
}

/** Returns the generation's number, or `undefined` if this session did not issue the handle. */
export async function readHandle(
  key: Uint8Array<ArrayBuffer>,
  kind: HandleKind,
  handle: string,
): Promise<number | undefined> {
  const bytes = handle.length === HANDLE_LENGTH ? decodeBase64url(handle) : undefined
  if (bytes === undefined) return undefined
  const number = bytes.slice(0, NUMBER_BYTES)
  if (!timingSafeEqual(bytes.slice(NUMBER_BYTES), await mac(key, kind, number))) return undefined
  return number.reduce((value, byte) => value * 256 + byte, 0)
}

function encodeNumber(number: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: NUMBER_BYTES }, (_, i) => (number >>> (8 * (NUMBER_BYTES - 1 - i))) & 255)
}

async function mac(key: Uint8Array<ArrayBuffer>, kind: HandleKind, number: Uint8Array<ArrayBuffer>) {
  return (await hmacSha256(key, concatBytes(utf8(`${kind}\0`), number))).slice(0, MAC_BYTES)
}
