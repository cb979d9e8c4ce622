// Authorization codes and access tokens. The secret in a code is derived from the secret in the login cookie
// of the browser that began the login. So no other browser can get the code. Storage has only digests of
// these secrets. A code also contains the time of the redirect. A MAC of the service protects the code.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { derivedKey } from '../../session/store/keys.ts'
import { hashSecret } from '../edge/authenticate.ts'

/** Returns a new secret for the browser of one login. */
export function newBrowserSecret(): string {
  return encodeBase64url(randomBytes(32))
}

/**
 * Returns the digest that a login stores: the digest of the secret in its code. `secret`: the secret in the
 * cookie of the browser, from which the secret in the code is derived.
 */
export async function hashCodeSecret(secret: string): Promise<string> {
  return hashSecret(await digestCodeSecret(secret))
}

/**
 * Returns the authorization code for the browser with this secret. `now`: time of the redirect in Unix
 * milliseconds.
 */
export async function deriveCode(
  config: Config,
  verificationId: string,
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<string> {
  const signed = `${verificationId.slice(2)}.${now.toString(36)}.${await digestCodeSecret(secret)}`
  return `${signed}.${await computeMac(config, signed)}`
}

/**
 * A code of this service. `issuedAt`: time of the redirect in Unix milliseconds. `code`: digest of the secret
 * in the code.
 */
type ParsedCode = { readonly verificationId: string; readonly issuedAt: number; readonly code: string }

/** Parses a code; `undefined` for every text that this service did not write. */
export async function parseCode(config: Config, text: string): Promise<ParsedCode | undefined> {
  const [, signed = '', id = '', time = '', secret = '', mac = ''] = CODE.exec(text) ?? []
  if (signed === '' || !timingSafeEqualText(await computeMac(config, signed), mac)) return undefined
  return { verificationId: `v_${id}`, issuedAt: Number.parseInt(time, 36), code: await hashSecret(secret) }
}

const CODE = /^(([A-Za-z0-9_-]{43})\.([0-9a-z]{1,10})\.([A-Za-z0-9_-]{43}))\.([A-Za-z0-9_-]{43})$/

/** Returns a new access token, and the digest of the token, which is stored. */
export async function newAccessToken(verificationId: string) {
  const token = `${verificationId.slice(2)}.${encodeBase64url(randomBytes(32))}`
  return { token, digest: await hashSecret(token) }
}

/**
 * Returns the session of an access token, and the digest of the token; `undefined` if the text is malformed.
 */
export async function parseAccessToken(text: string) {
  const id = /^([A-Za-z0-9_-]{43})\.[A-Za-z0-9_-]{43}$/.exec(text)?.[1]
  return id === undefined ? undefined : { verificationId: `v_${id}`, digest: await hashSecret(text) }
}

async function digestCodeSecret(secret: string): Promise<string> {
  const key = decodeBase64url(secret) ?? new Uint8Array(1)
  return encodeBase64url(await hmacSha256(key, utf8('code')))
}

async function computeMac(config: Config, signed: string): Promise<string> {
  return encodeBase64url(await hmacSha256(await derivedKey(config, 'oidc-code'), utf8(signed)))
}
