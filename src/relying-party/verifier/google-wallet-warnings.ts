// Warnings about settings with which Google Wallet refuses requests. The metadata for Google Wallet must
// match their digest in a leaf certificate that a Verifier Registrar issued
// (developers.google.com/wallet/identity/verify/verifier-registrar).

import { decodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { DER, decodeDer } from '../../codec/der.ts'
import type { Config } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import { type GoogleWallet, writeGoogleMetadata } from '../document/google-wallet.ts'
import type { SettingsView } from '../document/settings.ts'

type Service = Pick<Config, 'googleAggregator'> & {
  readonly verifier: Pick<Config['verifier'], 'certificateChainPem'>
}

type GoogleSettings = Pick<SettingsView, 'google_wallet' | 'name' | 'verifier'> & {
  readonly further_verifiers?: SettingsView['further_verifiers']
}

/** Returns the warnings, which are the same in test mode and live mode. */
export async function googleWalletWarnings(service: Service, settings: GoogleSettings) {
  const { google_wallet = null, verifier, further_verifiers = [] } = settings
  const chain = verifier?.certificate_chain_pem ?? service.verifier.certificateChainPem
  const fault = await metadataFault(service, settings, { chain, metadata: google_wallet })
  // The operator is responsible for the certificate of the service. So the relying party gets no warning that
  // metadata for this certificate are missing.
  const isOfOperator = fault === 'google_metadata_missing' && verifier === null
  const further = await Promise.all(
    further_verifiers.map(async (one, i) => ({
      code: await furtherFault(service, settings, one),
      pointer: `/verifier/further/${i}/google_wallet`,
    })),
  )
  return [{ code: isOfOperator ? undefined : fault, pointer: '/google_wallet' }, ...further].flatMap(
    ({ code, pointer }) => (code === undefined ? [] : [{ code, pointer }]),
  )
}

/** Returns true if an identity has metadata for Google Wallet that its certificate does not contradict. */
export async function hasGoogleIdentity(service: Service, settings: GoogleSettings): Promise<boolean> {
  const { google_wallet = null, verifier, further_verifiers = [] } = settings
  if (google_wallet !== null) {
    const chain = verifier?.certificate_chain_pem ?? service.verifier.certificateChainPem
    return (await metadataFault(service, settings, { chain, metadata: google_wallet })) === undefined
  }
  const certified = further_verifiers.filter((one) => one.google_wallet !== undefined)
  const faults = await Promise.all(certified.map((one) => furtherFault(service, settings, one)))
  return faults.some((fault) => fault === undefined)
}

function furtherFault(
  service: Service,
  settings: GoogleSettings,
  { certificate_chain_pem: chain, google_wallet }: SettingsView['further_verifiers'][number],
) {
  return metadataFault(service, settings, { chain, metadata: google_wallet ?? null })
}

/** Compares the metadata with its digest in the leaf. A leaf without a digest has no fault. */
async function metadataFault(
  { googleAggregator }: Service,
  { name }: GoogleSettings,
  identity: { readonly chain: string; readonly metadata: GoogleWallet | null },
): Promise<'google_metadata_missing' | 'google_metadata_mismatch' | undefined> {
  const [leaf] = anchorCertificates(identity.chain)
  const extension = leaf?.extensions.googleMetadataDigest
  if (extension === undefined) return undefined
  if (identity.metadata === null) return 'google_metadata_missing'
  const metadata = decodeBase64url(writeGoogleMetadata(identity.metadata, name, googleAggregator))
  const digest = decodeDer(extension)
  const isDigest = digest?.tag === DER.octetString && metadata !== undefined
  const isSame = isDigest && equalBytes(digest.content, await sha256(metadata))
  return isSame ? undefined : 'google_metadata_mismatch'
}
