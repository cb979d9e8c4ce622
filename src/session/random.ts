// Randomness is made in this room and passed on, so that everything to the right is deterministic.

import { encodeBase64url } from '../codec/base64url.ts'
import { oncePer } from '../codec/once-per.ts'
import type { Config } from '../config.ts'
import { randomBytes } from '../crypto/random.ts'
import { deriveKey } from '../crypto/seal.ts'

/** The key that seals what sessions store. */
export type SealingKey = Uint8Array<ArrayBuffer>

/** A fresh identifier of 128 random bits. */
export function randomIdentifier(prefix: string): string {
  return prefix + encodeBase64url(randomBytes(16))
}

/** Derives the sessions' sealing key, once an isolate. */
export const sealingKeyOf = oncePer(
  ({ serverSecret }: Config): Promise<SealingKey> => deriveKey(serverSecret, 'session'),
)
