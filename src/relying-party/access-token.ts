// Access tokens (CONTRACT 8): JWTs after RFC 9068 that the edge verifies alone. A token stands on an API key and is worth
// nothing without it: whether that key still stands, and with which scopes, is asked of the settings each time.

import { errors, importJWK, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod/mini'
import { encodeBase64url } from '../codec/base64url.ts'
import type { Config, SigningJwk } from '../config.ts'
import { err, ok, type Result } from '../result.ts'
import { SCOPES, type Scope } from './settings.ts'

/** Seconds for which a token is good, unless its API key expires before. */
export const ACCESS_TOKEN_LIFETIME = 15 * 60

/** What a token says. */
export type AccessToken = {
  readonly relyingPartyId: string
  /** The API key that it stands on. */
  readonly keyId: string
  readonly livemode: boolean
  readonly scopes: readonly Scope[]
}

/** What a token is asked to be. `keyExpiresAt` in Unix milliseconds. */
export type AccessTokenGrant = AccessToken & { readonly keyExpiresAt: number | null }

/** A token and the seconds it is good for. */
export type IssuedToken = { readonly token: string; readonly expiresIn: number }

type Issuer = Pick<Config, 'baseUrl' | 'accessTokenKeys'>

/** Makes a token, signed by the first of our keys. `now` is Unix milliseconds. */
export async function issueAccessToken(
  issuer: Issuer,
  grant: AccessTokenGrant,
  now: number,
): Promise<IssuedToken> {
  const [signingJwk] = issuer.accessTokenKeys.keys
  if (signingJwk === undefined) throw new Error('there is no key to sign access tokens with')
  const issuedAt = Math.floor(now / 1000)
  const keyLeft =
    grant.keyExpiresAt === null ? Infinity : Math.max(0, Math.floor(grant.keyExpiresAt / 1000) - issuedAt)
  const expiresIn = Math.min(ACCESS_TOKEN_LIFETIME, keyLeft)
  // RFC 9068 §2.2; without a user, the subject is the client itself.
  const token = await new SignJWT({
    client_id: grant.relyingPartyId,
    scope: grant.scopes.join(' '),
    key_id: grant.keyId,
    livemode: grant.livemode,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: signingJwk.kid })
    .setIssuer(issuer.baseUrl)
    .setAudience(issuer.baseUrl)
    .setSubject(grant.relyingPartyId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + expiresIn)
    .setJti(encodeBase64url(crypto.getRandomValues(new Uint8Array(16))))
    .sign(await importedKey(signingJwk, 'private'))
  return { token, expiresIn }
}

/**
 * Verifies a token of ours (RFC 9068 §4). `now` is Unix milliseconds. `expired_token` is said only of a token that is
 * genuine and ours; everything else is `invalid_token`.
 */
export async function verifyAccessToken(
  issuer: Issuer,
  token: string,
  now: number,
): Promise<Result<AccessToken, 'invalid_token' | 'expired_token'>> {
  if (!COMPACT.test(token)) return err('invalid_token')
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(issuer, kid), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: issuer.baseUrl,
      audience: issuer.baseUrl,
      requiredClaims: ['exp', 'iat'],
      currentDate: new Date(now),
    })
    const claims = CLAIMS.safeParse(payload)
    if (!claims.success || claims.data.sub !== claims.data.client_id) return err('invalid_token')
    return ok(toAccessToken(claims.data))
  } catch (fault) {
    if (fault instanceof errors.JWTExpired) return err('expired_token')
    if (fault instanceof errors.JOSEError) return err('invalid_token')
    throw fault
  }
}

const ALGORITHM = 'ES256'
const TYPE = 'at+jwt'

/** Three parts; the last is 64 bytes with zero pad bits, so that a signature is spelled in one way only. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

const CLAIMS = z.object({
  sub: z.string(),
  client_id: z.string(),
  jti: z.string().check(z.minLength(1)),
  scope: z.string(),
  key_id: z.string(),
  livemode: z.boolean(),
})

function toAccessToken(claims: z.infer<typeof CLAIMS>): AccessToken {
  const granted = claims.scope.split(' ')
  return {
    relyingPartyId: claims.sub,
    keyId: claims.key_id,
    livemode: claims.livemode,
    scopes: SCOPES.filter((scope) => granted.includes(scope)),
  }
}

/** The header's `kid` names one of our keys, or nothing (RFC 7515 §4.1.4). */
async function verificationKey(issuer: Issuer, kid: string | undefined): Promise<CryptoKey> {
  const jwk = issuer.accessTokenKeys.keys.find((key) => key.kid === kid)
  if (jwk === undefined) throw new errors.JWKSNoMatchingKey()
  return importedKey(jwk, 'public')
}

type Half = 'public' | 'private'
const imported: Readonly<Record<Half, WeakMap<SigningJwk, CryptoKey>>> = {
  public: new WeakMap(),
  private: new WeakMap(),
}

/** One half of a key of the configuration, imported once. */
async function importedKey(jwk: SigningJwk, half: Half): Promise<CryptoKey> {
  const known = imported[half].get(jwk)
  if (known !== undefined) return known
  const { kty, crv, x, y, d } = jwk
  const key = await importJWK(half === 'public' ? { kty, crv, x, y } : { kty, crv, x, y, d }, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('an elliptic-curve key was imported as a secret')
  imported[half].set(jwk, key)
  return key
}
