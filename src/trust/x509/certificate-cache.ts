// Cache of decoded certificates from chains that an anchor trusts. An issuer sends the same chain with every
// credential, and the cache avoids decoding it again. Only the decoded form is cached. Trust and validity are
// checked again each time.

import { encodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { CERTIFICATE } from '../../limits.ts'
import type { Certificate } from './certificate.ts'

/** Returns the cached certificate with exactly these bytes; `undefined` if there is none. */
export function cachedCertificate(encoded: Uint8Array): Certificate | undefined {
  const certificate = known.get(indexOf(encoded))
  return certificate !== undefined && equalBytes(certificate.encoded, encoded) ? certificate : undefined
}

/** Caches a chain that an anchor trusts. The least recently used certificates are dropped. */
export function cacheCertificates(chain: readonly Certificate[]): void {
  for (const certificate of chain) {
    const index = indexOf(certificate.encoded)
    known.delete(index)
    known.set(index, certificate)
    const [oldest] = known.keys()
    if (known.size > CERTIFICATE.remembered && oldest !== undefined) known.delete(oldest)
  }
}

const known = new Map<string, Certificate>()

/**
 * Returns the index of a certificate in the cache: the last bytes of the signature, which differ between
 * certificates. The caller also compares all bytes of the certificate.
 */
function indexOf(encoded: Uint8Array): string {
  return encodeBase64url(encoded.subarray(-24))
}
