// Cache of decoded certificates from chains that led to an anchor: an issuer sends its chain with every
// credential. Only the decoded form is cached. Trust and validity are checked again each time.

import { encodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { CERTIFICATE } from '../../limits.ts'
import type { Certificate } from './certificate.ts'

/** Returns the certificate that was decoded from exactly these bytes. */
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
 * The key of the cache: the end of the signature, which differs between certificates. The whole bytes are
 * compared as well.
 */
function indexOf(encoded: Uint8Array): string {
  return encodeBase64url(encoded.subarray(-24))
}
