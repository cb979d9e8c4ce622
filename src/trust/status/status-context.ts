// Dependencies of a status check.

import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { SharedCache } from '../../net/shared-cache.ts'
import type { TrustAnchor } from '../anchors/anchor.ts'
import type { SignerProfile } from '../anchors/signer.ts'
import type { CertificateRevocation } from '../revocation/certificate-revocation.ts'

export type StatusContext = SignerProfile & {
  /** Unix seconds. */
  readonly now: number
  /** All anchors of the relying party. */
  readonly anchors: readonly TrustAnchor[]
  readonly fetchResource: FetchResource
  readonly sharedCache?: SharedCache | undefined
  readonly credentialType: { readonly name: string; readonly builtIn: boolean }
  /** Anchor of the credential's issuer, found by `resolveSigner`. */
  readonly credentialAnchor: Pick<TrustAnchor, 'name' | 'assurance_level'>
  /** Check of the certificates of the list's signer. Default: `off`. */
  readonly certificateRevocation?: CertificateRevocation
}
