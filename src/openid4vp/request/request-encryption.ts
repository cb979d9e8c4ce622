// An encrypted Request Object (OpenID4VP 1.0 §5.10, RFC 9101 §6.1): a JWE around the signed Request Object,
// for a key that the wallet posted. The JWE uses the key agreement and content encryptions of responses.

import { CompactEncrypt } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { CONTENT_ENCRYPTIONS, KEY_AGREEMENT } from '../response/response-encryption.ts'
import { REQUEST_OBJECT_TYPE } from './request-object.ts'

/** Encryption of one Request Object. */
export type RequestEncryption = {
  readonly jwk: PublicJwk
  readonly kid: string | undefined
  readonly contentEncryption: (typeof CONTENT_ENCRYPTIONS)[number]
}

/** Encryption parameters of a wallet. Undefined: not stated. */
type EncryptionSupport = {
  readonly keys: readonly unknown[] | undefined
  readonly algorithms: readonly string[] | undefined
  readonly contentEncryptions: readonly string[] | undefined
}

/**
 * Chooses the encryption. §5.10: a wallet that requires encryption posts its keys. Returns `undefined` if the
 * wallet posts no encryption key, even if the wallet lists algorithms. Returns `unsupported` if no posted key
 * can be used.
 */
export function chooseRequestEncryption(
  supported: EncryptionSupport,
): RequestEncryption | 'unsupported' | undefined {
  const keys = (supported.keys ?? []).filter(isJsonObject).filter((key) => member(key, 'use') !== 'sig')
  if (keys.length === 0) return undefined
  const { algorithms = [KEY_AGREEMENT], contentEncryptions = CONTENT_ENCRYPTIONS } = supported
  const contentEncryption = CONTENT_ENCRYPTIONS.find((ours) => contentEncryptions.includes(ours))
  if (contentEncryption === undefined || !algorithms.includes(KEY_AGREEMENT)) return 'unsupported'
  for (const key of keys) {
    const jwk = parseKey(key)
    const kid = member(key, 'kid')
    if (jwk !== undefined) return { jwk, kid: typeof kid === 'string' ? kid : undefined, contentEncryption }
  }
  return 'unsupported'
}

/**
 * Encrypts a signed Request Object. `cty` says that the content is a JWT (RFC 7519 §5.2). The JWE has the
 * same `typ` as the Request Object (RFC 8725 §3.11).
 */
export function encryptRequestObject(
  jws: string,
  { jwk, kid, contentEncryption }: RequestEncryption,
): Promise<string> {
  const { kty, crv, x, y = '' } = jwk
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader({
      alg: KEY_AGREEMENT,
      enc: contentEncryption,
      ...(kid !== undefined && { kid }),
      typ: REQUEST_OBJECT_TYPE,
      cty: 'JWT',
    })
    .encrypt({ kty, crv, x, y })
}

function parseKey(key: JsonObject): PublicJwk | undefined {
  if ((member(key, 'alg') ?? KEY_AGREEMENT) !== KEY_AGREEMENT) return undefined
  const jwk = parsePublicJwk(key)
  return jwk?.crv === 'P-256' ? jwk : undefined
}
