// Verification of the signature of a certificate (RFC 5280 §6.1.3 (a)(1)) or a revocation list (§6.3.3 (g)),
// by WebCrypto. MD5, SHA-1 and unknown algorithms are rejected. An algorithm is used only with its own kind
// of key.

import {
  DER,
  type DerElement,
  decodeDer,
  readObjectIdentifier,
  readPositiveInteger,
} from '../../codec/der.ts'
import type { Certificate } from './certificate.ts'
import type { SubjectKey } from './subject-key.ts'

/** `weak`: the issuer's key or the signature algorithm is not accepted, so the signature is not verified. */
type SignatureResult = 'valid' | 'invalid' | 'weak'

/** An object that a certification authority signs. */
export type SignedObject = Pick<Certificate, 'tbs' | 'signatureAlgorithm' | 'signature'>

/**
 * Verifies that `issuer`'s key signed `signed`. Names, dates and usages are not checked. A decoded object
 * never changes, so a valid result is cached. Every other result is computed again.
 */
export async function verifyCertificateSignature(
  signed: SignedObject,
  issuer: Certificate,
): Promise<SignatureResult> {
  const issuers = verified.get(signed)
  if (issuers?.has(issuer)) return 'valid'
  const result = await computeSignature(signed, issuer)
  if (result === 'valid') verified.set(signed, (issuers ?? new WeakSet()).add(issuer))
  return result
}

/**
 * Cache of valid signatures: signed object → issuers whose key verified it. Objects are compared by identity,
 * because different bytes are decoded to different objects.
 */
const verified = new WeakMap<SignedObject, WeakSet<Certificate>>()

async function computeSignature(signed: SignedObject, issuer: Certificate): Promise<SignatureResult> {
  const algorithm = signatureAlgorithm(signed.signatureAlgorithm)
  const { subjectKey } = issuer
  if (algorithm === undefined || subjectKey === undefined) return 'weak'
  if (algorithm.type !== subjectKey.type) return 'invalid'
  const key = await importedKey(subjectKey, algorithm)
  if (key === undefined) return 'weak'
  const signature = signatureFor(subjectKey, signed.signature)
  if (signature === undefined) return 'invalid'
  const parameters = { name: key.algorithm.name, hash: algorithm.hash }
  return (await crypto.subtle.verify(parameters, key, signature, signed.tbs)) ? 'valid' : 'invalid'
}

/**
 * Key type and hash of a signature algorithm. For Ed25519 the hash has no effect, because the algorithm
 * includes its own hash.
 */
type Algorithm = { readonly type: SubjectKey['type']; readonly hash: string }

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['1.2.840.10045.4.3.2', { type: 'ec', hash: 'SHA-256' }],
  ['1.2.840.10045.4.3.3', { type: 'ec', hash: 'SHA-384' }],
  ['1.2.840.10045.4.3.4', { type: 'ec', hash: 'SHA-512' }],
  ['1.2.840.113549.1.1.11', { type: 'rsa', hash: 'SHA-256' }],
  ['1.2.840.113549.1.1.12', { type: 'rsa', hash: 'SHA-384' }],
  ['1.2.840.113549.1.1.13', { type: 'rsa', hash: 'SHA-512' }],
  ['1.3.101.112', { type: 'ed25519', hash: 'SHA-512' }],
] as const)

function signatureAlgorithm(identifier: DerElement): Algorithm | undefined {
  const [name, parameters, ...rest] = identifier.children
  const algorithm = ALGORITHMS.get(readObjectIdentifier(name) ?? '')
  if (algorithm === undefined || rest.length > 0) return undefined
  if (parameters === undefined) return algorithm
  // RSA algorithms have the parameters NULL (RFC 4055 §5). All others have no parameters (RFC 5758 §3.2, RFC
  // 8410 §3).
  const isNull = parameters.tag === DER.null && parameters.content.length === 0
  return algorithm.type === 'rsa' && isNull ? algorithm : undefined
}

/**
 * Cache of imported keys: decoded key → hash → imported key. An anchor is decoded once, so its key is
 * imported once for each hash.
 */
const imported = new WeakMap<SubjectKey, Map<string, CryptoKey>>()

async function importedKey(subjectKey: SubjectKey, { hash }: Algorithm): Promise<CryptoKey | undefined> {
  const keys = imported.get(subjectKey) ?? new Map<string, CryptoKey>()
  imported.set(subjectKey, keys)
  const importedKey = keys.get(hash)
  if (importedKey !== undefined) return importedKey
  const key = await importKey(subjectKey, hash)
  if (key !== undefined) keys.set(hash, key)
  return key
}

async function importKey(key: SubjectKey, hash: string): Promise<CryptoKey | undefined> {
  try {
    if (key.type === 'rsa') {
      const parameters = { name: 'RSASSA-PKCS1-v1_5', hash }
      return await crypto.subtle.importKey('spki', key.spki, parameters, false, USE)
    }
    const parameters = key.type === 'ec' ? { name: 'ECDSA', namedCurve: key.curve } : { name: 'Ed25519' }
    return await crypto.subtle.importKey('raw', key.point, parameters, false, USE)
  } catch {
    return undefined // WebCrypto rejects points off the curve and numbers that are not an RSA key
  }
}

const USE: 'verify'[] = ['verify']

/** Bytes of an Ed25519 signature (RFC 8032 §5.1.6). */
const ED25519_BYTES = 64

/**
 * Returns the signature in the form of WebCrypto; `undefined` if the signature is malformed. The length of an
 * Ed25519 signature is checked, because workerd throws for any other length.
 */
function signatureFor(
  key: SubjectKey,
  encoded: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | undefined {
  if (key.type === 'ec') return rawSignature(encoded, key.size)
  return key.type === 'ed25519' && encoded.length !== ED25519_BYTES ? undefined : encoded
}

/**
 * Converts an Ecdsa-Sig-Value (RFC 3279 §2.2.3) to the two fixed-size numbers of WebCrypto. Returns
 * `undefined` if the value is malformed.
 */
function rawSignature(encoded: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> | undefined {
  const value = decodeDer(encoded)
  if (value?.tag !== DER.sequence || value.children.length !== 2) return undefined
  const raw = new Uint8Array(2 * size)
  for (const [i, child] of value.children.entries()) {
    const number = readPositiveInteger(child)
    if (number === undefined || number.length > size) return undefined
    raw.set(number, (i + 1) * size - number.length)
  }
  return raw
}
