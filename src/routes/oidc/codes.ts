// Authorization codes and access tokens. The secret in a code is derived from the secret in the cookie of the
// browser that began the login, so no other browser can make it, and storage has its digest only. A MAC of
// the service protects the time of the redirect.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { derivedKey } from '../../session/store/keys.ts'
import { digestOf, loginCookieName, writeCookie } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'

/** Secret of a browser, and the digests that its login stores. */
export type BrowserSecret = { readonly secret: string; readonly browser: string; readonly code: string }

/** Creates the secret of a browser for one login. */
export async function newBrowserSecret(): Promise<BrowserSecret> {
  const secret = encodeBase64url(randomBytes(32))
  return { secret, browser: await digestOf(secret), code: await digestOf(await digestCodeSecret(secret)) }
}

/** Seconds of the longest login: the session, the way back, and the tokens. */
const COOKIE_SECONDS = 1_200

/** `Lax`: the browser comes from the client's site, and opens our page by a redirect. */
export function setLoginCookie(
  c: AppContext,
  verificationId: string,
  secret: string,
  maxAge = COOKIE_SECONDS,
): void {
  writeCookie(c, loginCookieName(verificationId), secret, { sameSite: 'Lax', maxAge })
}

/** Returns the code for a browser. `now` is Unix milliseconds. */
export async function deriveCode(
  config: Config,
  verificationId: string,
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<string> {
  const signed = `${verificationId.slice(2)}.${now.toString(36)}.${await digestCodeSecret(secret)}`
  return `${signed}.${await computeMac(config, signed)}`
}

/** A code of this service. `code`: digest of its secret. */
type ParsedCode = { readonly verificationId: string; readonly issuedAt: number; readonly code: string }

/** Parses a code; `undefined` for every text that this service did not write. */
export async function parseCode(config: Config, text: string): Promise<ParsedCode | undefined> {
  const [, signed = '', id = '', time = '', secret = '', mac = ''] = CODE.exec(text) ?? []
  if (signed === '' || !timingSafeEqualText(await computeMac(config, signed), mac)) return undefined
  return { verificationId: `v_${id}`, issuedAt: Number.parseInt(time, 36), code: await digestOf(secret) }
}

const CODE = /^(([A-Za-z0-9_-]{43})\.([0-9a-z]{1,10})\.([A-Za-z0-9_-]{43}))\.([A-Za-z0-9_-]{43})$/

/** An access token, and the digest that is stored. */
export async function newAccessToken(verificationId: string) {
  const token = `${verificationId.slice(2)}.${encodeBase64url(randomBytes(32))}`
  return { token, digest: await digestOf(token) }
}

/** Returns the session of an access token, and the token's digest. */
export async function parseAccessToken(text: string) {
  const id = /^([A-Za-z0-9_-]{43})\.[A-Za-z0-9_-]{43}$/.exec(text)?.[1]
  return id === undefined ? undefined : { verificationId: `v_${id}`, digest: await digestOf(text) }
}

async function digestCodeSecret(secret: string): Promise<string> {
  const key = decodeBase64url(secret) ?? new Uint8Array(1)
  return encodeBase64url(await hmacSha256(key, utf8('code')))
}

async function computeMac(config: Config, signed: string): Promise<string> {
  return encodeBase64url(await hmacSha256(await derivedKey(config, 'oidc-code'), utf8(signed)))
}
