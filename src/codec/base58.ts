// base58 with the Bitcoin alphabet (draft-msporny-base58), as multibase `z` uses it. The time of decoding
// grows with the square of the length, so the length is limited.

import { DID } from '../limits.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/**
 * Decodes base58. Returns `undefined` for an empty text, a text with other characters, and a text that is too
 * long.
 *
 * @example
 * decodeBase58('2NEpo7TZRRrLZSi2U') // bytes of 'Hello World!'
 */
export function decodeBase58(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length === 0 || text.length > DID.base58Characters) return undefined
  const bytes: number[] = [] // least significant first
  for (const character of text) {
    let carry = ALPHABET.indexOf(character)
    if (carry === -1) return undefined
    for (const [i, byte] of bytes.entries()) {
      carry += byte * 58
      bytes[i] = carry & 0xff
      carry >>= 8
    }
    if (carry > 0) bytes.push(carry)
  }
  // Each leading `1` is a leading zero byte.
  const zeros = text.length - text.replace(/^1+/, '').length
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.reverse()])
}
