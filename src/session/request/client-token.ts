// The token of a session's page or kiosk (api/access). The token is derived from the server secret, the
// session's id and the session's creation time. So the token is not stored, and ends with the session. The id
// alone is not enough: after a session is fully erased, the same `Idempotency-Key` can create another session
// with the same id.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import type { SessionDocument } from '../document/document.ts'
import { derivedKey } from '../store/keys.ts'
import { isLoginToken, openLoginToken } from './login-token.ts'

/** Prefix of every client token, and of no other kind of token. */
export const CLIENT_TOKEN_PREFIX = 'ct_'

/** The session of a client token. `created_at` in Unix milliseconds. */
type NamedSession = Pick<SessionDocument, 'verification_id' | 'created_at'>

/**
 * Returns the client token of a session. The token contains the creation time, so that a route can check the
 * token before it calls the session.
 */
export async function signClientToken(config: Config, session: NamedSession): Promise<string> {
  const beginning = session.created_at.toString(RADIX)
  const mac = await hmacSha256(
    await derivedKey(config, 'client-token'),
    utf8(`${session.verification_id}\0${beginning}`),
  )
  return `${CLIENT_TOKEN_PREFIX}${beginning}.${encodeBase64url(mac)}`
}

/**
 * Returns the creation time in a valid token for this id (Unix milliseconds), or `undefined` for any other
 * text. The session then compares this time with its own creation time. The token of a login is valid, too.
 */
export async function verifyClientToken(
  config: Config,
  verificationId: string,
  presented: string,
): Promise<number | undefined> {
  if (isLoginToken(presented)) return (await openLoginToken(config, verificationId, presented))?.createdAt
  return verifySessionToken(config, verificationId, presented)
}

/** Like `verifyClientToken`, for a token of `signClientToken` only. */
export async function verifySessionToken(
  config: Config,
  verificationId: string,
  presented: string,
): Promise<number | undefined> {
  const beginning = SHAPE.exec(presented)?.[1] // need not be timing-safe: the kind of token is not secret
  if (beginning === undefined) return undefined
  const created_at = Number.parseInt(beginning, RADIX)
  const expected = await signClientToken(config, { verification_id: verificationId, created_at })
  return timingSafeEqualText(expected, presented) ? created_at : undefined
}

/** Returns the address of the session page, with the token. */
export async function buildSessionUrl(config: Config, session: NamedSession): Promise<string> {
  return `${config.baseUrl}/s/${session.verification_id}?token=${await signClientToken(config, session)}`
}

/** Returns the address of the session's QR code, with the token. */
export async function buildQrCodeUrl(config: Config, session: NamedSession): Promise<string> {
  const token = await signClientToken(config, session)
  return `${config.baseUrl}/v1/verify/${session.verification_id}/qr?token=${token}`
}

const RADIX = 36
const SHAPE = new RegExp(`^${CLIENT_TOKEN_PREFIX}([0-9a-z]{1,10})\\.`)
