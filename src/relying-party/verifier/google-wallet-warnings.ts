// Warnings about settings with which Google Wallet refuses requests. A leaf certificate of a Verifier
// Registrar contains the digest of the metadata
// (developers.google.com/wallet/identity/verify/verifier-registrar).

import { decodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { DER, decodeDer } from '../../codec/der.ts'
import type { Config } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import { writeGoogleMetadata } from '../document/google-wallet.ts'
import type { SettingsView } from '../document/settings.ts'

const POINTER = '/google_wallet'

type Service = Pick<Config, 'googleAggregator'> & {
  readonly verifier: Pick<Config['verifier'], 'certificateChainPem'>
}

/** Returns the warnings, which are the same in test mode and live mode. */
export async function googleWalletWarnings(
  { googleAggregator, verifier: service }: Service,
  { google_wallet = null, name, verifier }: Pick<SettingsView, 'google_wallet' | 'name' | 'verifier'>,
) {
  const [leaf] = anchorCertificates(verifier?.certificate_chain_pem ?? service.certificateChainPem)
  const extension = leaf?.extensions.googleMetadataDigest
  if (extension === undefined) return []
  if (google_wallet === null)
    return verifier === null ? [] : [{ code: 'google_metadata_missing', pointer: POINTER }]
  const metadata = decodeBase64url(writeGoogleMetadata(google_wallet, name, googleAggregator))
  const digest = decodeDer(extension)
  const isDigest = digest?.tag === DER.octetString && metadata !== undefined
  if (isDigest && equalBytes(digest.content, await sha256(metadata))) return []
  return [{ code: 'google_metadata_mismatch', pointer: POINTER }]
}
