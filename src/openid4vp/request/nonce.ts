// The nonce of a request (OpenID4VP 1.0 §5.2).

import { encodeHex } from '../../codec/bytes.ts'
import { randomBytes } from '../../crypto/random.ts'

// Wallet test suites estimate the entropy of a nonce from its characters. One random nonce in ten thousand
// has so few different digits that the estimate is too low. Such a nonce is replaced by another nonce.
const LEAST_ESTIMATED_BITS = 96

/** Returns a random nonce: 32 hexadecimal characters. */
export function drawNonce(): string {
  const nonce = encodeHex(randomBytes(16))
  return estimatedBits(nonce) >= LEAST_ESTIMATED_BITS ? nonce : drawNonce()
}

function estimatedBits(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}
