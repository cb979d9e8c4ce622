// Handles of a generation (one authorization request): its request id, `state` and `kid`. A handle is a
// sequence number with a MAC under the session's random key. A handle cannot be guessed, and is valid for one
// kind only. This service recognizes its handles without stored data, even if the generation is gone. So the
// handle of a dead generation gets `request_superseded`, and an invented handle gets `unknown_state`.

import { readTagged, taggedLength, writeTagged } from '../../crypto/tagged-bytes.ts'

/** Kind of a handle. A handle of one kind is unknown for every other kind. */
export type HandleKind = 'request' | 'state' | 'kid'

const NUMBER_BYTES = 3

/** Length of every handle, in characters. */
export const HANDLE_LENGTH = taggedLength(NUMBER_BYTES)

/** Highest sequence number in a handle. Even the longest session creates fewer requests. */
export const MAXIMUM_NUMBER = 2 ** (8 * NUMBER_BYTES) - 1

/** Returns the handle of generation `number`. */
export function makeHandle(key: Uint8Array<ArrayBuffer>, kind: HandleKind, number: number): Promise<string> {
  const octet = (i: number) => (number >>> (8 * (NUMBER_BYTES - 1 - i))) & 255
  return writeTagged(
    key,
    kind,
    Uint8Array.from({ length: NUMBER_BYTES }, (_, i) => octet(i)),
  )
}

/** Returns the generation's number, or `undefined` if this session did not issue the handle. */
export async function readHandle(
  key: Uint8Array<ArrayBuffer>,
  kind: HandleKind,
  handle: string,
): Promise<number | undefined> {
  const bytes = await readTagged(key, kind, { text: handle, length: NUMBER_BYTES })
  return bytes?.reduce((value, byte) => value * 256 + byte, 0)
}
