// What the service signs (compact JWS, ES256), read with the keys that it publishes.

import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeUtf8, utf8 } from '../../../src/codec/bytes.ts'
import { err, ok, type Result } from '../../../src/result.ts'

/** The service's keys: the body of `{baseUrl}/.well-known/jwks.json`. */
export type ServiceKeys = { readonly keys: readonly (JsonWebKey & { readonly kid?: string })[] }

export type JwsError = 'malformed' | 'unknown_key' | 'wrong_signature'

type Members = Readonly<Record<string, unknown>>

/** Header and claims of a JWS, once its signature has verified. */
export async function verifyServiceJws(
  jws: string,
  jwks: ServiceKeys,
): Promise<Result<{ readonly header: Members; readonly claims: Members }, JwsError>> {
  const parts = jws.split('.')
  const [encodedHeader = '', encodedPayload = '', encodedSignature = ''] = parts
  const header = readJson(encodedHeader)
  const claims = readJson(encodedPayload)
  const signature = decodeBase64url(encodedSignature)
  if (parts.length !== 3 || !header || !claims || !signature || header.alg !== 'ES256')
    return err('malformed')
  const jwk = jwks.keys.find(({ kid }) => kid === header.kid)
  if (jwk === undefined) return err('unknown_key')
  const { kty = '', crv = '', x = '', y = '' } = jwk
  const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, curve, false, ['verify'])
  const signed = utf8(`${encodedHeader}.${encodedPayload}`)
  const isSigned = await crypto.subtle.verify(curve, key, signature, signed)
  return isSigned ? ok({ header, claims }) : err('wrong_signature')
}

/** The JSON object that a part holds. */
export function readJson(encoded: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(decodeUtf8(decodeBase64url(encoded) ?? new Uint8Array()) ?? '')
    return typeof value === 'object' && value !== null ? (value as Members) : undefined
  } catch {
    return undefined // not JSON
  }
}
