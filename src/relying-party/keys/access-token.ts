// Access tokens (CONTRACT 8): JWTs after RFC 9068 that the edge verifies alone. A token stands on an API key and is worth
// nothing without it: whether that key still stands, and with which scopes, is asked of the settings each time.

import * as z from 'zod/mini'
import { encodeBase64url } from '../../codec/base64url.ts'
import type { Config, PublishedJwk } from '../../config.ts'
import type { SignatureAlgorithm } from '../../crypto/algorithms.ts'
import { importVerificationKey } from '../../crypto/jwk.ts'
import { decodeJws, verifyJwsWithKey } from '../../crypto/jws.ts'
import { randomBytes } from '../../crypto/random.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import { err, ok, type Result } from '../../result.ts'
import { SCOPES, type Scope } from '../settings/settings.ts'

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
  const issuedAt = Math.floor(now / 1000)
  const keyLeft =
    grant.keyExpiresAt === null ? Infinity : Math.max(0, Math.floor(grant.keyExpiresAt / 1000) - issuedAt)
  const expiresIn = Math.min(ACCESS_TOKEN_LIFETIME, keyLeft)
  // RFC 9068 §2.2; without a user, the subject is the client itself.
  const claims: z.infer<typeof CLAIMS> = {
    iss: issuer.baseUrl,
    aud: issuer.baseUrl,
    sub: grant.relyingPartyId,
    client_id: grant.relyingPartyId,
    iat: issuedAt,
    exp: issuedAt + expiresIn,
    jti: encodeBase64url(randomBytes(16)),
    scope: grant.scopes.join(' '),
    key_id: grant.keyId,
    livemode: grant.livemode,
  }
  return { token: await signJwt(claims, TYPE, signingJwk), expiresIn }
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
  const jws = decodeJws(token, LIMITS)
  if (!jws.ok) return err('invalid_token')
  const header = HEADER.safeParse(jws.value.header)
  if (!header.success) return err('invalid_token')
  const jwk = issuer.accessTokenKeys.keys.find(({ kid }) => kid === header.data.kid)
  // A retired key is published for what it signed once: should it leak, nobody gets in with it.
  if (jwk?.d === undefined) return err('invalid_token')
  const key = await verificationKey(jwk, jws.value.algorithm)
  if (!(await verifyJwsWithKey(jws.value, key))) return err('invalid_token')
  const { data: claims } = CLAIMS.safeParse(jws.value.payload)
  if (claims?.iss !== issuer.baseUrl || claims.aud !== issuer.baseUrl || claims.sub !== claims.client_id) {
    return err('invalid_token')
  }
  return claims.exp * 1000 <= now ? err('expired_token') : ok(toAccessToken(claims))
}

const ALGORITHM = 'ES256'
const TYPE = 'at+jwt'

/** Of header and of claims, each. */
const LIMITS = { length: 4096, depth: 2 }

const HEADER = z.object({
  alg: z.literal(ALGORITHM),
  typ: z.enum([TYPE, `application/${TYPE}`]), // RFC 9068 §4
  kid: z.string(), // it names one of our keys, or nothing (RFC 7515 §4.1.4)
})

/** What our tokens say, and nothing else: a claim that we never make is not for us to pass over. */
const CLAIMS = z.strictObject({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  client_id: z.string(),
  iat: z.int(),
  exp: z.int(),
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

const imported = new WeakMap<PublishedJwk, CryptoKey>()

/** The public half of a key of the configuration, imported once. There is one algorithm, so its name need not be remembered. */
async function verificationKey(jwk: PublishedJwk, algorithm: SignatureAlgorithm): Promise<CryptoKey> {
  const known = imported.get(jwk)
  if (known !== undefined) return known
  const key = await importVerificationKey(jwk, algorithm)
  if (key === undefined) throw new Error('a key of ACCESS_TOKEN_KEYS is not on its curve')
  imported.set(jwk, key)
  return key
}
