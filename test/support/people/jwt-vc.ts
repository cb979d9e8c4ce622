// Makes W3C credentials and presentations as JWTs (VCDM 1.1 §6.3.1). No library makes presentations of this
// format, so jose signs them, and reads them again as the second implementation.

import { CompactSign, importJWK, type JWK, jwtVerify } from 'jose'
import type { KeyPair, SigningKey } from './issuer.ts'

export const CONTEXT = 'https://www.w3.org/2018/credentials/v1'

/** The did:jwk of a key, and the DID URL of its one method. */
export function didJwkOf({ publicJwk }: Pick<KeyPair, 'publicJwk'>): {
  readonly did: string
  readonly kid: string
} {
  const did = `did:jwk:${Buffer.from(JSON.stringify(publicJwk)).toString('base64url')}`
  return { did, kid: `${did}#0` }
}

/** A JWT of exactly these members, those that are `undefined` left out. */
export async function signJose(payload: object, key: SigningKey, header: object = {}): Promise<string> {
  const text = Buffer.from(JSON.stringify(payload))
  const protectedHeader = JSON.parse(JSON.stringify({ alg: key.alg, typ: 'JWT', ...header }))
  return new CompactSign(text)
    .setProtectedHeader(protectedHeader)
    .sign(await importJWK(key.privateJwk as JWK, key.alg))
}

/** The payload of a JWT whose signature, audience and times jose accepts. */
export async function verifyWithJose(
  jwt: string,
  key: KeyPair,
  { audience, now }: { readonly audience?: string; readonly now: number },
): Promise<Readonly<Record<string, unknown>>> {
  const options = { ...(audience === undefined ? {} : { audience }), currentDate: new Date(now * 1000) }
  const { payload } = await jwtVerify(jwt, await importJWK(key.publicJwk as JWK, key.alg), options)
  return payload
}
