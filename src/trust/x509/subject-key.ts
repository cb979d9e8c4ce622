// Public keys in certificates (RFC 5280 §4.1.2.7, RFC 5480, RFC 8410). Only the curves and key sizes in this
// file are accepted. A curve with explicit parameters is rejected (CVE-2020-0601).

import { encodeBase64url } from '../../codec/base64url.ts'
import {
  DER,
  type DerElement,
  decodeDer,
  readBitString,
  readObjectIdentifier,
  readPositiveInteger,
} from '../../codec/der.ts'
import { oncePer } from '../../codec/once-per.ts'
import { decompressPoint, isEd25519Key, isOnCurve, type NistCurve } from '../../crypto/curve-point.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

/** A key of an accepted kind and size. */
export type SubjectKey =
  | {
      readonly type: 'ec'
      readonly curve: NistCurve
      /** Bytes of one coordinate. */
      readonly size: number
      /** The uncompressed point. */
      readonly point: Uint8Array<ArrayBuffer>
    }
  | { readonly type: 'ed25519'; readonly point: Uint8Array<ArrayBuffer> }
  | { readonly type: 'rsa'; readonly spki: Uint8Array<ArrayBuffer> }

/**
 * Decodes SubjectPublicKeyInfo. Returns `undefined` for a weak, unknown or malformed key. A point that is not
 * on its curve, or has a small order, is malformed.
 */
export function decodeSubjectKey(spki: DerElement): SubjectKey | undefined {
  const [algorithm, keyElement] = spki.children
  const key = readBitString(keyElement)
  if (algorithm === undefined || key === undefined || key.unusedBits !== 0 || spki.children.length !== 2)
    return undefined
  const [identifier, parameters] = algorithm.children
  const name = readObjectIdentifier(identifier)
  if (algorithm.children.length > 2) return undefined
  if (name === EC_PUBLIC_KEY) return decodeEllipticKey(parameters, key.bytes)
  if (name === ED25519) {
    return parameters === undefined && isEd25519Key(key.bytes)
      ? { type: 'ed25519', point: key.bytes }
      : undefined
  }
  if (name !== RSA_ENCRYPTION || parameters?.tag !== DER.null) return undefined
  return isStrongRsaKey(key.bytes) ? { type: 'rsa', spki: spki.encoded } : undefined
}

/**
 * Returns the key as a JWK for JOSE and COSE signatures; `undefined` for an RSA key. Each key has one JWK
 * object, so that `importVerificationKey` imports the key once.
 */
export const subjectKeyJwk = oncePer(toJwk)

function toJwk(key: SubjectKey): PublicJwk | undefined {
  if (key.type === 'rsa') return undefined
  if (key.type === 'ed25519') return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(key.point) }
  return {
    kty: 'EC',
    crv: key.curve,
    x: encodeBase64url(key.point.subarray(1, 1 + key.size)),
    y: encodeBase64url(key.point.subarray(1 + key.size)),
  }
}

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
const ED25519 = '1.3.101.112'
const RSA_ENCRYPTION = '1.2.840.113549.1.1.1'

const CURVES: ReadonlyMap<string, { readonly curve: NistCurve; readonly size: number }> = new Map([
  ['1.2.840.10045.3.1.7', { curve: 'P-256', size: 32 }],
  ['1.3.132.0.34', { curve: 'P-384', size: 48 }],
  ['1.3.132.0.35', { curve: 'P-521', size: 66 }],
])

function decodeEllipticKey(
  parameters: DerElement | undefined,
  encoded: Uint8Array<ArrayBuffer>,
): SubjectKey | undefined {
  const entry = CURVES.get(readObjectIdentifier(parameters) ?? '')
  if (entry === undefined) return undefined
  const { curve, size } = entry
  // Support of compressed points is optional (RFC 5480 §2.2). Some real authorities use compressed points of
  // P-256.
  const point = curve === 'P-256' ? (decompressPoint(curve, encoded) ?? encoded) : encoded
  // 04 marks the uncompressed form.
  if (point[0] !== 0x04 || point.length !== 1 + 2 * size) return undefined
  const isValid = isOnCurve(curve, point.subarray(1, 1 + size), point.subarray(1 + size))
  return isValid ? { type: 'ec', ...entry, point } : undefined
}

/**
 * Returns whether an RSA key is accepted. The key must have 2048 to 8192 bits (NIST SP 800-57) and an odd
 * exponent of 65537 or more. The upper bound limits the work of a verification.
 */
function isStrongRsaKey(bytes: Uint8Array<ArrayBuffer>): boolean {
  const [modulusElement, exponentElement, ...rest] = decodeDer(bytes)?.children ?? []
  const modulus = readPositiveInteger(modulusElement)
  const exponent = readPositiveInteger(exponentElement)
  if (modulus === undefined || exponent === undefined || rest.length > 0) return false
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  const value = exponent.reduce((sum, octet) => sum * 256 + octet, 0)
  return bits >= 2048 && bits <= 8192 && exponent.length <= 4 && value >= 65537 && value % 2 === 1
}
