// `haip-1.0`: the High Assurance Interoperability Profile 1.0 (Final). HAIP 1.0 restricts OpenID4VP 1.0.

import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { isSelfIssued } from '../../trust/x509/certificate.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import { openid4vp10 } from './openid4vp-1.0.ts'
import type { Protocol } from './protocol.ts'

/** HAIP 1.0. */
export const haip10: Protocol = {
  ...openid4vp10,
  // §5: requests are signed, with this prefix only.
  clientIdPrefixes: ['x509_hash'],
  responseModes: ['direct_post.jwt'],
  // §6: HAIP allows these two formats only.
  supportsFormat: (format) => format === 'dc+sd-jwt' || format === 'mso_mdoc',
  // §6.1.1 for SD-JWT VC: certificates identify the issuer's key, no certificate is self-signed, and the
  // chain lacks the anchor. ISO/IEC 18013-5 allows a pinned document signer to be self-signed.
  signerProfile: (format) => ({
    acceptsAnchor: (anchor) =>
      'x509_ca_pem' in anchor ||
      (format === 'mso_mdoc' ? 'x509_certificate_pem' in anchor : isPinnedBelowAuthority(anchor)),
  }),
  // §6.1: `cnf` must contain a `jwk`.
  acceptsHolderKeyId: false,
  // §5: responses must be encrypted. A response by value is not encrypted.
  acceptsByValue: false,
  // §5, §6: holder binding must not be waived.
  canExpress: (query) =>
    query.credentials.every((credential) => credential.require_cryptographic_holder_binding !== false),
}

function isPinnedBelowAuthority(anchor: TrustAnchor): boolean {
  return (
    'x509_certificate_pem' in anchor &&
    !anchorCertificates(anchor.x509_certificate_pem).some((certificate) => isSelfIssued(certificate))
  )
}
