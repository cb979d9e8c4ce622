// `haip-1.0`: the High Assurance Interoperability Profile 1.0 (Final). It is OpenID4VP 1.0 with fewer choices.

import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { anchorCertificates } from '../../trust/anchors/anchor-certificates.ts'
import { isSelfIssued } from '../../trust/x509/certificate.ts'
import { openid4vp10 } from './openid4vp-1.0.ts'
import type { Protocol } from './protocol.ts'

/** HAIP 1.0. */
export const haip10: Protocol = {
  ...openid4vp10,
  // §5: signed, and under no other prefix.
  clientIdPrefixes: ['x509_hash'],
  responseModes: ['direct_post.jwt'],
  // §5.1: `haip-vp` may be supported; the QR keeps the scheme that every wallet of OpenID4VP 1.0 knows.
  walletSchemes: ['openid4vp', 'haip-vp', 'eudi-openid4vp', 'eu-eaap'],
  // §6: the two formats it profiles.
  supportsFormat: (format) => format === 'dc+sd-jwt' || format === 'mso_mdoc',
  // §6.1.1: the key of an issuer, and of a status list, comes with its certificates, and never with a self-signed one.
  acceptsAnchor: (anchor) => 'x509_ca_pem' in anchor || isPinnedBelowAuthority(anchor),
  // §5: answers are encrypted.
  acceptsByValue: false,
  // §5, §6: what a key binding would prove is not given up.
  canExpress: (query) =>
    query.credentials.every((credential) => credential.require_cryptographic_holder_binding !== false),
}

function isPinnedBelowAuthority(anchor: TrustAnchor): boolean {
  return (
    'x509_certificate_pem' in anchor &&
    !anchorCertificates(anchor.x509_certificate_pem).some((certificate) => isSelfIssued(certificate))
  )
}
