// COSE (RFC 9052, RFC 9053), as credentials and mdoc readers use it: COSE_Sign1 and COSE_Mac0 without a tag,
// and public COSE_Keys. The algorithm must be in our table, as for JWS. `alg` is read from the protected
// header only.

import { encodeBase64url } from '../codec/base64url.ts'
import { type CborItem, decodeCbor, findEntry, isTooMuch, readBytes, readInteger } from '../codec/cbor.ts'
import { type CborValue, encodeCbor } from '../codec/cbor-encode.ts'
import { COSE_HEADER } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import { type SignatureAlgorithm, type SignatureAlgorithmName, signatureAlgorithm } from './algorithms.ts'
import { hmacSha256 } from './hmac.ts'
import { type PrivateJwk, type PublicJwk, parsePublicJwk, verifySignature } from './jwk.ts'
import { timingSafeEqual } from './timing-safe.ts'

/** COSE algorithm identifiers (RFC 9053 §2, RFC 9864 §2) and their names, in the order we advertise them. */
const SIGNATURES: ReadonlyMap<number, SignatureAlgorithmName> = new Map([
  [-7, 'ES256'],
  [-9, 'ES256'],
  [-35, 'ES384'],
  [-51, 'ES384'],
  [-36, 'ES512'],
  [-52, 'ES512'],
  [-8, 'EdDSA'],
  [-19, 'Ed25519'],
])

/** The identifiers of every accepted signature algorithm. */
export const COSE_SIGNATURE_ALGORITHMS: readonly number[] = [...SIGNATURES.keys()]

/** ES256 (RFC 9053 §2.1), the algorithm of our own signatures. */
const ES256 = -7

/** HMAC 256/256 (RFC 9053 §3.1), the only accepted MAC. */
const HMAC_256 = 5

/** Common part of COSE_Sign1 and COSE_Mac0. `payload` is null if the payload is detached. */
type CoseMessage = {
  /** The protected header as received: these bytes are signed. */
  readonly protectedHeader: Uint8Array<ArrayBuffer>
  /** The unprotected header, a map. Nothing in it is authenticated. */
  readonly unprotected: CborItem
  readonly payload: Uint8Array<ArrayBuffer> | null
}

/** A COSE_Sign1, not yet verified. */
export type CoseSign1 = CoseMessage & {
  readonly algorithm: SignatureAlgorithm
  readonly signature: Uint8Array<ArrayBuffer>
}

/** A COSE_Mac0 with HMAC 256/256, not yet verified. */
type CoseMac0 = CoseMessage & { readonly tag: Uint8Array<ArrayBuffer> }

export type CoseError = 'malformed' | 'too_large' | 'unsupported_algorithm' | 'unsupported_critical_header'

/** Decodes an untagged COSE_Sign1 (RFC 9052 §4.2) with an algorithm of our table. */
export function decodeCoseSign1(item: CborItem | undefined): Result<CoseSign1, CoseError> {
  const parts = decodeParts(item)
  if (!parts.ok) return parts
  const { algorithm: identifier, authenticator, message } = parts.value
  const algorithm = signatureAlgorithm(
    typeof identifier === 'number' ? SIGNATURES.get(identifier) : undefined,
  )
  return algorithm === undefined
    ? err('unsupported_algorithm')
    : ok({ ...message, algorithm, signature: authenticator })
}

/** Decodes an untagged COSE_Mac0 (RFC 9052 §6.2) with HMAC 256/256. */
export function decodeCoseMac0(item: CborItem | undefined): Result<CoseMac0, CoseError> {
  const parts = decodeParts(item)
  if (!parts.ok) return parts
  const { algorithm, authenticator, message } = parts.value
  return algorithm === HMAC_256 ? ok({ ...message, tag: authenticator }) : err('unsupported_algorithm')
}

/**
 * Returns whether `key` signed `payload` (RFC 9052 §4.4, without external data). Returns false also for a key
 * that does not fit the algorithm.
 */
export function verifyCoseSign1(
  sign1: CoseSign1,
  payload: Uint8Array<ArrayBuffer>,
  key: PublicJwk,
): Promise<boolean> {
  const signed = encodeCbor(['Signature1', sign1.protectedHeader, NO_EXTERNAL_DATA, payload])
  return verifySignature(sign1, signed, key)
}

/**
 * Signs a detached payload with ES256 (RFC 9052 §4.4). `chain` becomes `x5chain` in the unprotected header:
 * DER certificates, leaf first.
 */
export async function signCoseSign1(
  payload: Uint8Array<ArrayBuffer>,
  { kty, crv, x, y, d }: Required<PrivateJwk>,
  chain: readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]],
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, algorithm, false, ['sign'])
  const header = encodeCbor({ map: [[LABEL.alg, ES256]] })
  const signed = encodeCbor(['Signature1', header, NO_EXTERNAL_DATA, payload])
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm, key, signed))
  const x5chain = chain.length === 1 ? chain[0] : chain
  return encodeCbor([header, { map: [[LABEL.x5chain, x5chain]] }, null, signature])
}

/** Returns whether `key` made the tag over `payload` (RFC 9052 §6.3, without external data). */
export async function verifyCoseMac0(
  { protectedHeader, tag }: CoseMac0,
  payload: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const authenticated = encodeCbor(['MAC0', protectedHeader, NO_EXTERNAL_DATA, payload])
  return timingSafeEqual(await hmacSha256(key, authenticated), tag)
}

/** Builds the COSE_Key (RFC 9053 §7.1.1) of a P-256 key: `kty`, `crv`, `x`, `y` and nothing else. */
export function buildCoseKey({ x, y }: P256Point): CborValue {
  return {
    map: [
      [LABEL.kty, 2],
      [LABEL.crv, 1],
      [LABEL.x, x],
      [LABEL.y, y],
    ],
  }
}

/** Coordinates of a point on P-256, 32 bytes each. */
type P256Point = { readonly x: Uint8Array<ArrayBuffer>; readonly y: Uint8Array<ArrayBuffer> }

/**
 * Returns the public key of a COSE_Key (RFC 9053 §7). Returns `undefined` for other curves and types of key,
 * for compressed points, and for keys that `parsePublicJwk` rejects.
 */
export function parseCoseKey(item: CborItem | undefined): PublicJwk | undefined {
  if (item === undefined) return undefined
  const kty = KEY_TYPES.get(readInteger(findEntry(item, LABEL.kty)))
  const crv = CURVES.get(readInteger(findEntry(item, LABEL.crv)))
  const x = readBytes(findEntry(item, LABEL.x))
  const y = readBytes(findEntry(item, LABEL.y))
  if (kty === undefined || crv === undefined || x === undefined) return undefined
  return parsePublicJwk({ kty, crv, x: encodeBase64url(x), ...(y && { y: encodeBase64url(y) }) })
}

/** DER certificates, leaf first. */
type CertificateChain = readonly Uint8Array<ArrayBuffer>[]

/**
 * Reads `x5chain` (RFC 9360 §2) from the first header that has it: a byte string, or an array of byte
 * strings. Returns `undefined` if no header has `x5chain`.
 */
export function readX5chain(
  ...headers: readonly CborItem[]
): Result<CertificateChain | undefined, 'malformed'> {
  const item = headers.map((header) => findEntry(header, LABEL.x5chain)).find((entry) => entry !== undefined)
  if (item === undefined) return ok(undefined)
  const chain = (item.type === 'array' ? item.items : [item]).map(readBytes)
  const isChain = chain.every((certificate) => certificate !== undefined && certificate.length > 0)
  return chain.length > 0 && isChain ? ok(chain as CertificateChain) : err('malformed')
}

const NO_EXTERNAL_DATA = new Uint8Array(0)

/** Header parameters (RFC 9052 §3.1) and key parameters (RFC 9052 §7.1, RFC 9053 §7). */
const LABEL = { alg: 1, crit: 2, x5chain: 33, kty: 1, crv: -1, x: -2, y: -3 } as const

const KEY_TYPES: ReadonlyMap<number | undefined, string> = new Map([
  [1, 'OKP'],
  [2, 'EC'],
])

const CURVES: ReadonlyMap<number | undefined, string> = new Map([
  [1, 'P-256'],
  [2, 'P-384'],
  [3, 'P-521'],
  [6, 'Ed25519'],
])

type Parts = {
  readonly algorithm: number | undefined
  readonly authenticator: Uint8Array<ArrayBuffer>
  readonly message: CoseMessage
}

/**
 * Decodes the four parts of a COSE message: protected header, unprotected header, payload, and the signature
 * or tag.
 */
function decodeParts(item: CborItem | undefined): Result<Parts, CoseError> {
  if (item?.type !== 'array' || item.items.length !== 4) return err('malformed')
  const [protectedItem, unprotected, payloadItem, last] = item.items
  const protectedHeader = readBytes(protectedItem)
  const authenticator = readBytes(last)
  const payload = payloadItem?.type === 'simple' ? payloadItem.value : readBytes(payloadItem)
  if (protectedHeader === undefined || authenticator === undefined || unprotected?.type !== 'map')
    return err('malformed')
  if (payload !== null && !(payload instanceof Uint8Array)) return err('malformed')
  const header = decodeHeader(protectedHeader, unprotected)
  if (!header.ok) return header
  const algorithm = readInteger(findEntry(header.value, LABEL.alg))
  return ok({ algorithm, authenticator, message: { protectedHeader, unprotected, payload } })
}

/**
 * Decodes the protected header. Rejects a label that occurs twice in the two headers (RFC 9052 §3). Rejects
 * `crit`, because no critical parameter is supported.
 */
function decodeHeader(
  encoded: Uint8Array<ArrayBuffer>,
  unprotected: CborItem & { readonly type: 'map' },
): Result<CborItem, CoseError> {
  const header = decodeCbor(encoded, COSE_HEADER)
  if (!header.ok) return err(isTooMuch(header.error) ? 'too_large' : 'malformed')
  if (header.value.type !== 'map') return err('malformed')
  const entries = [...header.value.entries, ...unprotected.entries]
  const labels = entries.map(({ key }) =>
    key.type === 'integer' || key.type === 'text' ? `${key.type}:${key.value}` : undefined,
  )
  if (labels.includes(undefined) || new Set(labels).size !== labels.length) return err('malformed')
  if (findEntry(header.value, LABEL.crit) || findEntry(unprotected, LABEL.crit))
    return err('unsupported_critical_header')
  return header
}
