// The token of one session's page or kiosk (CONTRACT 1): derived from the server secret and the session's id, so nothing
// needs to be stored, and it dies with the session. It opens that session's QR and status, nothing else.

import { encodeBase64url } from '../codec/base64url.ts'
import { utf8 } from '../codec/bytes.ts'
import type { Config } from '../config.ts'
import { hmacSha256 } from '../crypto/hmac.ts'
import { deriveKey } from '../crypto/seal.ts'
import { timingSafeEqualText } from '../crypto/timing-safe.ts'

/** Begins every client token, and no other kind of token. */
export const CLIENT_TOKEN_PREFIX = 'ct_'

/** The client token of a session. */
export async function clientTokenOf(config: Config, verificationId: string): Promise<string> {
  const mac = await hmacSha256(await keyOf(config), utf8(verificationId))
  return CLIENT_TOKEN_PREFIX + encodeBase64url(mac)
}

/** Tells whether the text is this session's client token. That the session exists is another question. */
export async function isClientTokenOf(
  config: Config,
  verificationId: string,
  presented: string,
): Promise<boolean> {
  if (!presented.startsWith(CLIENT_TOKEN_PREFIX)) return false // what kind of token it is, is no secret
  return timingSafeEqualText(await clientTokenOf(config, verificationId), presented)
}

const keys = new WeakMap<Config, Uint8Array<ArrayBuffer>>()

async function keyOf(config: Config): Promise<Uint8Array<ArrayBuffer>> {
  const known = keys.get(config)
  if (known !== undefined) return known
  const key = await deriveKey(config.serverSecret, 'client-token')
  keys.set(config, key)
  return key
}
