// Access tokens (api/settings): JWTs (RFC 9068), which the edge verifies without a call to another service. A
// token depends on its API key. At each use of the token, the settings say if the key still exists and which
// scopes it has.

import * as z from 'zod/mini'
import { encodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import { decodeJws, verifyJws } from '../../crypto/jws.ts'
import { randomBytes } from '../../crypto/random.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import { err, ok, type Result } from '../../result.ts'
import { SCOPES, type Scope } from '../document/settings.ts'

/** Seconds for which a token is valid, unless its API key expires before. */
export const ACCESS_TOKEN_LIFETIME = 15 * 60

/** Content of a token. */
type AccessToken = {
  readonly relyingPartyId: string
  /** Id of the API key for which the token was issued. */
  readonly keyId: string
  readonly livemode: boolean
  readonly scopes: readonly Scope[]
}

/** Content of a new token. `keyExpiresAt`: expiry of the API key in Unix milliseconds; null: no expiry. */
export type AccessTokenGrant = AccessToken & { readonly keyExpiresAt: number | null }

/** A token and its lifetime in seconds. */
type IssuedToken = { readonly token: string; readonly expiresIn: number }

type Issuer = Pick<Config, 'baseUrl' | 'accessTokenKeys'>

/** Issues a token, signed by the first of our keys. `now` is Unix milliseconds. */
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
 * Verifies an access token of this service (RFC 9068 §4). `now` is Unix milliseconds. Returns `expired_token`
 * only if everything else in the token is valid. Every other error is `invalid_token`.
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
  // A key without `d` is retired. It is still published, so that others can verify older signatures, such as
  // those of receipts. A token of that key is rejected.
  if (jwk?.d === undefined) return err('invalid_token')
  if (!(await verifyJws(jws.value, jwk))) return err('invalid_token')
  const { data: claims } = CLAIMS.safeParse(jws.value.payload)
  if (claims?.iss !== issuer.baseUrl || claims.aud !== issuer.baseUrl || claims.sub !== claims.client_id) {
    return err('invalid_token')
  }
  return claims.exp * 1000 <= now ? err('expired_token') : ok(toAccessToken(claims))
}

const ALGORITHM = 'ES256'
const TYPE = 'at+jwt'

/** Limits of the header; the same limits apply to the claims. `length`: bytes. `depth`: depth of the JSON. */
const LIMITS = { length: 4096, depth: 2 }

const HEADER = z.object({
  alg: z.literal(ALGORITHM),
  typ: z.enum([TYPE, `application/${TYPE}`]), // RFC 9068 §4
  kid: z.string(), // must be the id of one of our keys (RFC 7515 §4.1.4)
})

/** The claims of our tokens. A token with any other claim is rejected. */
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
