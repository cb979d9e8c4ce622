// Handles of a generation: its request id, `state` and `kid`. Each is a sequence number with a MAC under the
// session's random key. They are unguessable, valid for one kind only, and recognised without a row of
// storage after the generation is gone. So a dead handle gets `request_superseded`, and an invented one gets
// `unknown_state`.

import { readTagged, taggedLength, writeTagged } from '../../crypto/tagged-bytes.ts'

/** Kind of a handle. A handle of one kind is unknown for every other kind. */
export type HandleKind = 'request' | 'state' | 'kid'

const NUMBER_BYTES = 3

/** Characters of every handle. */
export const HANDLE_LENGTH = taggedLength(NUMBER_BYTES)

/** Highest sequence number in a handle: more renders than the longest session allows. */
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
