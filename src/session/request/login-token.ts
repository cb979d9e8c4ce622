// The client token of a login (api/logins). The token contains the client's request, sealed. So nothing is
// stored before the login page sends its first POST. The browser that began the login keeps the token in the
// address of the page.

import type { Config } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Sealing, seal, unseal } from '../../crypto/seal.ts'
import { LOGIN_TOKEN_CHARACTERS } from '../../limits.ts'
import { derivedKey } from '../store/keys.ts'

/**
 * Prefix of the client token of a login. The client token of a created session also begins with `ct_`, but
 * has the creation time of the session instead of `login`.
 */
const PREFIX = 'ct_login.'

/** Content of a token. Times are Unix milliseconds. */
export type LoginToken = {
  /** Time at which the login began. If a session is created later, it gets this time as its creation time. */
  readonly createdAt: number
  /** End of the login. No session is created from this time on. */
  readonly expiresAt: number
  readonly relyingPartyId: string
  readonly clientId: string
  /** Digest of the secret in the cookie of the browser that began the login. */
  readonly browser: string
  /** The parameters of the request, or the `request_uri` of a pushed request. */
  readonly request: StoredRequestParameters | string
}

/** Channel of a request, and its parameters. */
export type StoredRequestParameters = readonly [
  origin: 'front_channel' | 'pushed' | 'authenticated',
  parameters: readonly (readonly [name: string, value: string])[],
]

/** Returns the client token of a login; `undefined` if the request is too long for an address. */
export async function sealLoginToken(
  config: Config,
  verificationId: string,
  { createdAt, expiresAt, relyingPartyId, clientId, browser, request }: LoginToken,
): Promise<string | undefined> {
  const text = JSON.stringify([expiresAt, relyingPartyId, clientId, browser, request])
  const sealing = await deriveSealing(config, verificationId, createdAt)
  const sealed = await seal(sealing, text, randomBytes(12))
  const token = `${PREFIX}${createdAt.toString(RADIX)}.${sealed}`
  return token.length > LOGIN_TOKEN_CHARACTERS ? undefined : token
}

/**
 * Returns the content of the client token of this login; `undefined` for every other text. A token can be
 * opened until two days after its creation, even if it has expired.
 */
export async function openLoginToken(
  config: Config,
  verificationId: string,
  presented: string,
): Promise<LoginToken | undefined> {
  if (!isLoginToken(presented) || presented.length > LOGIN_TOKEN_CHARACTERS) return undefined
  const [, beginning = '', sealed = ''] = SHAPE.exec(presented) ?? []
  const createdAt = Number.parseInt(beginning, RADIX)
  // A time more than two days from now is rejected. So nobody can make this service derive the keys of many
  // days.
  if (!(Math.abs(Date.now() - createdAt) < 2 * DAY_MS)) return undefined
  const sealing = await deriveSealing(config, verificationId, createdAt)
  const text = await unseal(sealing, sealed)
  if (text === undefined) return undefined
  // This service sealed the text, so its form is not checked.
  const [expiresAt, relyingPartyId, clientId, browser, request] = JSON.parse(text)
  return { createdAt, expiresAt, relyingPartyId, clientId, browser, request }
}

/** Returns true if a client token has the form of a login's token. */
export function isLoginToken(presented: string): boolean {
  return presented.startsWith(PREFIX)
}

const RADIX = 36
const SHAPE = /^ct_login\.([0-9a-z]{1,10})\.([A-Za-z0-9_-]+)$/
const DAY_MS = 86_400_000

/**
 * Returns the sealing key of the login's day, and the additional authenticated data (AAD). Each day has its
 * own key, because NIST SP 800-38D §8.3 limits one key to 2^32 random IVs.
 */
async function deriveSealing(config: Config, verificationId: string, createdAt: number): Promise<Sealing> {
  const key = await derivedKey(config, `login-token/${Math.floor(createdAt / DAY_MS)}`)
  return { key, aad: `${verificationId} ${createdAt}` }
}
