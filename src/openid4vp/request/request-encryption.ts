// An encrypted Request Object (OpenID4VP 1.0 §5.10, RFC 9101 §6.1): a JWE around the signed one, for the key that the wallet posted.
// Its key agreement and content encryptions are those of responses.

import { CompactEncrypt } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { CONTENT_ENCRYPTIONS, KEY_AGREEMENT } from '../response/response-encryption.ts'
import { REQUEST_OBJECT_TYPE } from './request-object.ts'

/** How one Request Object is encrypted. */
export type RequestEncryption = {
  readonly jwk: PublicJwk
  readonly kid: string | undefined
  readonly contentEncryption: (typeof CONTENT_ENCRYPTIONS)[number]
}

/** What a wallet says of it. Undefined: nothing. */
export type EncryptionSupport = {
  readonly keys: readonly unknown[] | undefined
  readonly algorithms: readonly string[] | undefined
  readonly contentEncryptions: readonly string[] | undefined
}

/**
 * Chooses how to encrypt. §5.10: a wallet that requires it passes its encryption keys, so `undefined` where it passes none (what it
 * lists as supported asks for nothing); `unsupported` where none of them will do.
 */
export async function chooseRequestEncryption(
  offered: EncryptionSupport,
): Promise<RequestEncryption | 'unsupported' | undefined> {
  const keys = (offered.keys ?? []).filter(isJsonObject).filter((key) => member(key, 'use') !== 'sig')
  if (keys.length === 0) return undefined
  const { algorithms = [KEY_AGREEMENT], contentEncryptions = CONTENT_ENCRYPTIONS } = offered
  const contentEncryption = CONTENT_ENCRYPTIONS.find((ours) => contentEncryptions.includes(ours))
  if (contentEncryption === undefined || !algorithms.includes(KEY_AGREEMENT)) return 'unsupported'
  for (const key of keys) {
    const jwk = await readKey(key)
    const kid = member(key, 'kid')
    if (jwk !== undefined) return { jwk, kid: typeof kid === 'string' ? kid : undefined, contentEncryption }
  }
  return 'unsupported'
}

/** Encrypts. RFC 7519 §5.2: `cty` says that a JWT is inside; RFC 8725 §3.11: the outer one is typed like it. */
export function encryptRequestObject(
  jws: string,
  { jwk, kid, contentEncryption }: RequestEncryption,
): Promise<string> {
  const { kty, crv, x, y = '' } = jwk
  const named = kid === undefined ? {} : { kid }
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader({
      alg: KEY_AGREEMENT,
      enc: contentEncryption,
      ...named,
      typ: REQUEST_OBJECT_TYPE,
      cty: 'JWT',
    })
    .encrypt({ kty, crv, x, y })
}

async function readKey(key: JsonObject): Promise<PublicJwk | undefined> {
  if ((member(key, 'alg') ?? KEY_AGREEMENT) !== KEY_AGREEMENT) return undefined
  const jwk = parsePublicJwk(key)
  if (jwk?.crv !== 'P-256') return undefined
  try {
    await crypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: 'P-256' }, false, [])
    return jwk
  } catch {
    return undefined // WebCrypto refuses points that are not on the curve
  }
}
