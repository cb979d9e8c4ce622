// Type of the dependencies of a status check.

import type { SharedCache } from '../../net/shared-cache.ts'
import type { TrustAnchor } from '../anchors/anchor.ts'
import type { TrustContext } from '../anchors/signer.ts'
import type { CertificateRevocation, CheckCertificates } from '../revocation/certificate-revocation.ts'

/** Dependencies of one status check. `anchors`: all anchors of the relying party. */
export type StatusContext = Omit<TrustContext, 'purpose'> & {
  readonly clockSkew?: number | undefined
  readonly sharedCache?: SharedCache | undefined
  /** Anchor of the credential's issuer, found by `resolveSigner`. */
  readonly credentialAnchor: Pick<TrustAnchor, 'name' | 'assurance_level'>
  /** Extended key usages of the credential's signer, if the signer has any. */
  readonly signerUsages?: readonly string[] | undefined
  /** Setting for the revocation check of the list signer's certificates. Default: `off`. */
  readonly certificateRevocation?: CertificateRevocation
  readonly checkCertificates?: CheckCertificates | undefined
}
