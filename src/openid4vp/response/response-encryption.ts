// Encrypted responses (OpenID4VP 1.0 §8.3, RFC 7516, RFC 7518 §4.6): the key for one request, and the strict
// parser of a JWE. The algorithms in the header must be algorithms that the request offered.

import { compactDecrypt } from 'jose'
import { decodeBase64url } from '../../codec/base64url.ts'
import {
  isJsonObject,
  isTooMuchJson,
  type JsonError,
  type JsonLimits,
  type JsonObject,
  member,
  parseJsonObject,
} from '../../codec/json.ts'
import { type PrivateJwk, type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { EnvelopeRefusal } from './refusal.ts'

/** The offered key agreement (HAIP 1.0 §5). */
export const KEY_AGREEMENT = 'ECDH-ES'

/** The offered content encryptions (HAIP 1.0 §5). */
export const CONTENT_ENCRYPTIONS = ['A128GCM', 'A256GCM'] as const

/** Rules of a protocol for encrypted responses. */
export type EncryptionRules = {
  /** The offered content encryptions. */
  readonly contentEncryptions: readonly (typeof CONTENT_ENCRYPTIONS)[number][]
  /** True if the header must have `kid`. Otherwise `state` beside the JWE may identify the request. */
  readonly kidRequired: boolean
}

/** A response-encryption key, for one request only. */
type EncryptionKey = { readonly publicJwk: PublicJwk; readonly privateJwk: PrivateJwk }

/** A JWE in the accepted form, still encrypted. */
export type EncryptedJwe = {
  readonly jwe: string
  /** Identifies the request whose key decrypts the JWE. Not authenticated before decryption. */
  readonly kid: string | undefined
  /** `apu` (RFC 7518 §4.6.1.2), as text. Authenticated by decryption. */
  readonly agreementPartyUInfo: string | undefined
}

/** Creates a P-256 key. */
export async function createEncryptionKey(): Promise<EncryptionKey> {
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['deriveBits'])) as CryptoKeyPair
  const exported = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const { x, y, d } = exported as Required<Pick<JsonWebKey, 'x' | 'y' | 'd'>> // RFC 7518 §6.2
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y } as const
  return { publicJwk, privateJwk: { ...publicJwk, d } }
}

/** Parses the form and the protected header of a compact JWE. Makes every check that needs no key. */
export function parseEncryptedJwe(
  compact: string,
  rules: EncryptionRules,
): Result<EncryptedJwe, EnvelopeRefusal> {
  if (compact.length > RESPONSE_LIMIT) return err({ reason: 'limit_exceeded' })
  const parts = compact.split('.')
  const [encodedHeader = '', encryptedKey, iv = '', ciphertext = '', tag = ''] = parts
  const parsed = parseJsonObject(
    parts.length === 5 ? decodeBase64url(encodedHeader) : undefined,
    HEADER_LIMITS,
  )
  if (!parsed.ok) return err(jsonRefusal(parsed.error))
  const header = parsed.value
  if (!isOffered(header, rules)) return err({ reason: 'unsupported_encryption' })
  // Our private key must never be used with an `epk` (public key of the wallet) that is not on the curve.
  if (parsePublicJwk(member(header, 'epk')) === undefined) return err({ reason: 'decryption_failed' })
  // Direct key agreement has an empty encrypted key (RFC 7518 §4.6). AES-GCM has an IV of 96 bits and a tag
  // of 128 bits (§5.3).
  const isDirectGcm =
    encryptedKey === '' && decodeBase64url(iv)?.length === 12 && decodeBase64url(tag)?.length === 16
  // The library accepts white space and padding in a ciphertext. Both are rejected here. Otherwise one
  // response could have several texts.
  if (!isDirectGcm || decodeBase64url(ciphertext) === undefined) return err({ reason: 'malformed_response' })
  const kid = member(header, 'kid')
  const apu = member(header, 'apu')
  if (typeof kid !== 'string' && (kid !== undefined || rules.kidRequired)) {
    return err({ reason: 'unknown_encryption_key' })
  }
  return ok({ jwe: compact, kid, agreementPartyUInfo: typeof apu === 'string' ? apu : undefined })
}

/** Decrypts a JWE. Returns the response parameters, which are the members of the plaintext (§8.3). */
export async function decryptJwe(
  { jwe, kid }: EncryptedJwe,
  key: { readonly kid: string; readonly privateJwk: PrivateJwk },
): Promise<Result<JsonObject, EnvelopeRefusal>> {
  if (kid !== undefined && kid !== key.kid) return err({ reason: 'unknown_encryption_key' })
  const plaintext = await decrypt(jwe, key.privateJwk)
  if (plaintext === undefined) return err({ reason: 'decryption_failed' })
  const parameters = parseJsonObject(plaintext, PLAINTEXT_LIMITS)
  return parameters.ok ? parameters : err(jsonRefusal(parameters.error))
}

/** Returns the refusal of a part that is not the expected JSON, or that exceeds its limits. */
export function jsonRefusal(error: JsonError): EnvelopeRefusal {
  return { reason: isTooMuchJson(error) ? 'limit_exceeded' : 'malformed_response' }
}

/** Maximum characters of one response (api/limits: 1 MiB). */
export const RESPONSE_LIMIT = 1024 * 1024

/** Maximum nesting of JSON in a response. Presentations that are JSON objects have far fewer levels. */
export const RESPONSE_DEPTH = 32

const HEADER_LIMITS: JsonLimits = { length: 8192, depth: 8 }
const PLAINTEXT_LIMITS: JsonLimits = { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH }

function isOffered(header: JsonObject, { contentEncryptions }: EncryptionRules): boolean {
  const enc = member(header, 'enc')
  const epk = member(header, 'epk')
  return (
    member(header, 'alg') === KEY_AGREEMENT &&
    contentEncryptions.some((offered) => offered === enc) &&
    isJsonObject(epk) &&
    member(epk, 'crv') === 'P-256' &&
    // Prevents compression bombs (RFC 7516 §4.1.3). No extension is supported (§4.1.13).
    !Object.hasOwn(header, 'zip') &&
    !Object.hasOwn(header, 'crit')
  )
}

async function decrypt(jwe: string, privateJwk: PrivateJwk): Promise<Uint8Array | undefined> {
  const { kty, crv, x, y = '', d } = privateJwk
  const offered = {
    keyManagementAlgorithms: [KEY_AGREEMENT],
    contentEncryptionAlgorithms: [...CONTENT_ENCRYPTIONS],
  }
  try {
    return (await compactDecrypt(jwe, { kty, crv, x, y, d }, offered)).plaintext
  } catch {
    return undefined // apu equal to apv (RFC 7518 §4.6.2), or wrong tag
  }
}
