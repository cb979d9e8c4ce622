// Writes bytes with a MAC as text. Only the holder of the key can make such a text. A text made for one
// context is rejected in every other context.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { concatBytes, utf8 } from '../codec/bytes.ts'
import { hmacSha256 } from './hmac.ts'
import { timingSafeEqual } from './timing-safe.ts'

const MAC_BYTES = 16

/** Returns the number of characters that `writeTagged` writes for this number of bytes. */
export function taggedLength(bytes: number): number {
  return Math.ceil(((bytes + MAC_BYTES) * 4) / 3)
}

/** Writes the bytes and their MAC in base64url. */
export async function writeTagged(
  key: Uint8Array<ArrayBuffer>,
  context: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  return encodeBase64url(concatBytes(bytes, await mac(key, context, bytes)))
}

/**
 * Returns the bytes of a text. Returns `undefined` if the text was not written with this key and context, or
 * has another number of bytes than `length`.
 */
export async function readTagged(
  key: Uint8Array<ArrayBuffer>,
  context: string,
  { text, length }: { readonly text: string; readonly length: number },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const tagged = text.length === taggedLength(length) ? decodeBase64url(text) : undefined
  if (tagged === undefined) return undefined
  const bytes = tagged.slice(0, length)
  return timingSafeEqual(tagged.slice(length), await mac(key, context, bytes)) ? bytes : undefined
}

async function mac(key: Uint8Array<ArrayBuffer>, context: string, bytes: Uint8Array<ArrayBuffer>) {
  return (await hmacSha256(key, concatBytes(utf8(`${context}\0`), bytes))).slice(0, MAC_BYTES)
}
