// Decoded certificates of chains that led to one of our anchors: an issuer's chain comes with every credential it signed.
// What is remembered is what the bytes say. Whether they lead to an anchor, and are valid now, is asked each time anew.

import { encodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { CERTIFICATE } from '../../limits.ts'
import type { Certificate } from '../x509/certificate.ts'

/** The certificate that was decoded from these very bytes before. */
export function cachedCertificate(encoded: Uint8Array): Certificate | undefined {
  const certificate = known.get(indexOf(encoded))
  return certificate !== undefined && equalBytes(certificate.encoded, encoded) ? certificate : undefined
}

/** Remembers a chain that an anchor vouched for, in the place of those that were not needed for the longest time. */
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

/** Where to look: the end of the signature, which differs from certificate to certificate. The whole decides. */
function indexOf(encoded: Uint8Array): string {
  return encodeBase64url(encoded.subarray(-24))
}
