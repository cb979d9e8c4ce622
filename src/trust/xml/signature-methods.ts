// Algorithms of XML signatures (RFC 9231 §2.3): their identifiers and parameters. All other algorithms, such
// as SHA-1 and HMAC, are not accepted.

import type { HashName } from '../../crypto/digest.ts'
import type { SubjectKey } from '../x509/subject-key.ts'

/** Kind of key, scheme and hash of a signature method. */
export type SignatureMethod = {
  readonly type: 'rsa' | 'ec'
  readonly scheme: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA'
  readonly hash: 'SHA-256' | 'SHA-384' | 'SHA-512'
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const PSS = 'http://www.w3.org/2007/05/xmldsig-more#'
const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#'

const METHODS: ReadonlyMap<string, SignatureMethod> = new Map(
  (['256', '384', '512'] as const).flatMap((bits): [string, SignatureMethod][] => {
    const hash = `SHA-${bits}` as const
    return [
      [`${MORE}rsa-sha${bits}`, { type: 'rsa', scheme: 'RSASSA-PKCS1-v1_5', hash }],
      [`${MORE}ecdsa-sha${bits}`, { type: 'ec', scheme: 'ECDSA', hash }],
      [`${PSS}sha${bits}-rsa-MGF1`, { type: 'rsa', scheme: 'RSA-PSS', hash }],
    ]
  }),
)

const DIGESTS: ReadonlyMap<string, HashName> = new Map([
  [`${ENCRYPTION}sha256`, 'sha-256'],
  [`${MORE}sha384`, 'sha-384'],
  [`${ENCRYPTION}sha512`, 'sha-512'],
])

/** Returns the method with this identifier; `undefined` for any other text. */
export function signatureMethod(identifier: string | undefined): SignatureMethod | undefined {
  return identifier === undefined ? undefined : METHODS.get(identifier)
}

/** Returns the hash of a digest method; `undefined` for any other text. */
export function digestMethod(identifier: string | undefined): HashName | undefined {
  return identifier === undefined ? undefined : DIGESTS.get(identifier)
}

/**
 * Verifies a signature. An ECDSA value is the two numbers r and s in full length (RFC 9231 §2.3.6). Returns
 * false also for a key of another kind.
 */
export async function verifyXmlSignature(
  { type, scheme, hash }: SignatureMethod,
  key: SubjectKey,
  {
    signature,
    data,
  }: { readonly signature: Uint8Array<ArrayBuffer>; readonly data: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  if (key.type !== type) return false
  if (key.type === 'ec' && signature.length !== 2 * key.size) return false
  try {
    return await crypto.subtle.verify(
      { name: scheme, hash, saltLength: Number(hash.slice(4)) / 8 },
      await importKey(key, { scheme, hash }),
      signature,
      data,
    )
  } catch {
    return false // WebCrypto rejects numbers that are not an RSA key
  }
}

function importKey(
  key: SubjectKey,
  { scheme, hash }: Pick<SignatureMethod, 'scheme' | 'hash'>,
): Promise<CryptoKey> {
  return key.type === 'rsa'
    ? crypto.subtle.importKey('spki', key.spki, { name: scheme, hash }, false, ['verify'])
    : crypto.subtle.importKey(
        'raw',
        key.point,
        { name: scheme, namedCurve: key.type === 'ec' ? key.curve : '' },
        false,
        ['verify'],
      )
}
