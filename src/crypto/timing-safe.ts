// Comparison of secrets: the time taken depends on the lengths only.

import { utf8 } from '../codec/bytes.ts'

/** Compares two secrets byte by byte, always to the end. Different lengths are unequal. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

/** Compares the UTF-8 bytes of two texts with `timingSafeEqual`. */
export function timingSafeEqualText(a: string, b: string): boolean {
  return timingSafeEqual(utf8(a), utf8(b))
}
