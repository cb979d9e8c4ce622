// Verification of the signature of a time stamp token: RSA PKCS #1 v1.5, RSA-PSS or ECDSA with SHA-256 to
// SHA-512, or Ed25519 (RFC 5652 §5.4, RFC 4055, RFC 5754, RFC 8419). Other algorithms are rejected.

import { DER, type DerElement, readObjectIdentifier, readSmallInteger } from '../../codec/der.ts'
import { verifyCertificateSignature } from '../../trust/x509/certificate-signature.ts'
import { type SignerInfo, sequence } from './signed-data.ts'

type HashName = 'SHA-256' | 'SHA-384' | 'SHA-512'

const HASHES: ReadonlyMap<string, HashName> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'SHA-256'],
  ['2.16.840.1.101.3.4.2.2', 'SHA-384'],
  ['2.16.840.1.101.3.4.2.3', 'SHA-512'],
])

const RSA = '1.2.840.113549.1.1.1'
const RSA_PSS = '1.2.840.113549.1.1.10'
const MGF1 = '1.2.840.113549.1.1.8'

/** Returns the name of a hash algorithm; `undefined` for an algorithm that is not accepted. */
export function readHash(algorithm: DerElement | undefined): HashName | undefined {
  const [name, parameters, ...rest] = sequence(algorithm) ?? []
  if (rest.length > 0 || (parameters !== undefined && parameters.tag !== DER.null)) return undefined
  return HASHES.get(readObjectIdentifier(name) ?? '')
}

/** Verifies the signature over the signed attributes with the key of the signer's certificate. */
export async function verifySignerSignature(signer: SignerInfo): Promise<boolean> {
  const { certificate, signatureAlgorithm, signature, signedBytes, digestAlgorithm } = signer
  const [name, parameters, ...rest] = signatureAlgorithm.children
  if (rest.length > 0) return false
  const algorithm = readObjectIdentifier(name)
  if (algorithm === RSA) {
    const hash = readHash(digestAlgorithm)
    if (parameters !== undefined && parameters.tag !== DER.null) return false
    return hash !== undefined && verifyRsa(signer, { name: 'RSASSA-PKCS1-v1_5', hash })
  }
  if (algorithm === RSA_PSS) {
    const pss = readPss(parameters)
    return pss !== undefined && verifyRsa(signer, { name: 'RSA-PSS', ...pss })
  }
  const signed = { tbs: signedBytes, signatureAlgorithm, signature }
  return (await verifyCertificateSignature(signed, certificate)) === 'valid'
}

async function verifyRsa(
  { certificate, signature, signedBytes }: SignerInfo,
  algorithm: { readonly name: string; readonly hash: HashName; readonly saltLength?: number },
): Promise<boolean> {
  const { subjectKey } = certificate
  if (subjectKey?.type !== 'rsa') return false
  try {
    const key = await crypto.subtle.importKey('spki', subjectKey.spki, algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, key, signature, signedBytes)
  } catch {
    return false // WebCrypto rejects numbers that are not an RSA key
  }
}

/** Length of the longest accepted salt of RSA-PSS, in bytes: the length of a SHA-512 digest. */
const MAXIMUM_SALT = 64

/**
 * Reads RSASSA-PSS-params (RFC 4055 §3.1). The hash algorithms of the message and of MGF1 must be equal. Both
 * must be present, because the default SHA-1 is not accepted.
 */
function readPss(parameters: DerElement | undefined) {
  const tagged = new Map((sequence(parameters) ?? []).map((one) => [one.tag, one.children]))
  const hash = readHash(tagged.get(0xa0)?.[0])
  const [mask, maskHash] = sequence(tagged.get(0xa1)?.[0]) ?? []
  const saltLength = readSmallInteger(tagged.get(0xa2)?.[0])
  if (hash === undefined || readObjectIdentifier(mask) !== MGF1 || readHash(maskHash) !== hash)
    return undefined
  return saltLength === undefined || saltLength > MAXIMUM_SALT || tagged.has(0xa3)
    ? undefined
    : { hash, saltLength }
}
