// The token of one session's page or kiosk (CONTRACT 1): derived from the server secret, the session's id and the time of its
// creation, so nothing needs to be stored, and it dies with the session. The id alone would not do: an `Idempotency-Key` that is
// used again after an erased session is forgotten makes another session of the same id.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { deriveKey } from '../../crypto/seal.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import type { SessionDocument } from '../document.ts'

/** Begins every client token, and no other kind of token. */
export const CLIENT_TOKEN_PREFIX = 'ct_'

/** What a client token is for. `created_at` in Unix milliseconds. */
export type NamedSession = Pick<SessionDocument, 'verification_id' | 'created_at'>

/** The client token of a session. It names the session's beginning, so that the edge can check it alone. */
export async function clientTokenOf(config: Config, session: NamedSession): Promise<string> {
  const beginning = session.created_at.toString(RADIX)
  const mac = await hmacSha256(await keyOf(config), utf8(`${session.verification_id}\0${beginning}`))
  return `${CLIENT_TOKEN_PREFIX}${beginning}.${encodeBase64url(mac)}`
}

/**
 * The beginning of the session that the token opens (Unix milliseconds), where it is one for this id; else `undefined`. Whether
 * the session is still that one is the object's to say.
 */
export async function readClientToken(
  config: Config,
  verificationId: string,
  presented: string,
): Promise<number | undefined> {
  const beginning = SHAPE.exec(presented)?.[1] // what kind of token it is, is no secret
  if (beginning === undefined) return undefined
  const created_at = Number.parseInt(beginning, RADIX)
  const expected = await clientTokenOf(config, { verification_id: verificationId, created_at })
  return timingSafeEqualText(expected, presented) ? created_at : undefined
}

/** The address of the page a person opens; it carries the token. */
export async function sessionUrlOf(config: Config, session: NamedSession): Promise<string> {
  return `${config.baseUrl}/s/${session.verification_id}?token=${await clientTokenOf(config, session)}`
}

/** The address of the session's QR; it carries the token. */
export async function qrCodeUrlOf(config: Config, session: NamedSession): Promise<string> {
  const token = await clientTokenOf(config, session)
  return `${config.baseUrl}/v1/verify/${session.verification_id}/qr?token=${token}`
}

const RADIX = 36
const SHAPE = new RegExp(`^${CLIENT_TOKEN_PREFIX}([0-9a-z]{1,10})\\.`)

const keys = new WeakMap<Config, Uint8Array<ArrayBuffer>>()

async function keyOf(config: Config): Promise<Uint8Array<ArrayBuffer>> {
  const known = keys.get(config)
  if (known !== undefined) return known
  const key = await deriveKey(config.serverSecret, 'client-token')
  keys.set(config, key)
  return key
}
