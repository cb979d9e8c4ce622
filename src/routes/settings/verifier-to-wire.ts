// `verifier` and `google_wallet` of the settings as responses have them: without private keys.

import { decodeBase64url } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Env } from '../../env.ts'
import type { VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'
import { writeGoogleMetadata } from '../../relying-party/document/google-wallet.ts'
import type { SettingsView, SigningIdentity } from '../../relying-party/document/settings.ts'
import { chainLifetime } from '../../trust/x509/chain-lifetime.ts'
import { formatDistinguishedName } from '../../trust/x509/distinguished-name.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'

/** Returns `verifier` of the settings; `null` if it has neither an identity nor a reader certificate. */
export async function verifierToWire(
  env: Env,
  { verifier, reader_certificates, further_verifiers, name }: SettingsView,
) {
  if (verifier === null && reader_certificates.length === 0) return null
  const { registration, uses, ...rest } = verifier ?? { certificate_chain_pem: null }
  const further = further_verifiers.map(async ({ certificate_chain_pem, google_wallet, ...one }) => ({
    certificate_chain_pem,
    certificate: await certificateToWire(certificate_chain_pem),
    ...registrationsToWire(one),
    google_wallet: await googleWalletToWire(env, name, google_wallet),
  }))
  return {
    root_certificate_pem: null,
    attestation_jwt: null,
    ...rest,
    certificate: await certificateToWire(rest.certificate_chain_pem),
    ...registrationsToWire({ registration, uses }),
    further: await Promise.all(further),
    reader_certificates,
  }
}

/** Returns data of the leaf certificate for people to compare, and the time in which the chain is valid. */
async function certificateToWire(certificateChainPem: string | null) {
  const [leaf] = anchorCertificates(certificateChainPem ?? '')
  const lifetime = chainLifetime(certificateChainPem ?? '')
  if (leaf === undefined || lifetime === null) return null
  return {
    subject: formatDistinguishedName(leaf.subject),
    dns_names: leaf.extensions.subjectAltNames.flatMap((name) => (name.form === 'dns' ? [name.value] : [])),
    valid_from: isoTime(lifetime.validFrom),
    expires_at: isoTime(lifetime.expiresAt),
    sha256: encodeHex(await sha256(leaf.encoded)),
  }
}

function registrationsToWire({ registration, uses = [] }: Registrations) {
  const toWire = (one: VerifierRegistration) => ({ ...one, dataset: JSON.parse(one.dataset) as unknown })
  return { registration: registration === undefined ? null : toWire(registration), uses: uses.map(toWire) }
}

type Registrations = { readonly [M in 'registration' | 'uses']?: SigningIdentity[M] | undefined }

/**
 * Returns the Google Wallet metadata as authorization requests contain it, and its SHA-256. The verifier's
 * certificate must contain this SHA-256.
 */
export async function googleWalletToWire(
  env: Env,
  name: string,
  google_wallet: SettingsView['google_wallet'],
) {
  if (!google_wallet) return null
  const rp_metadata_bytes = writeGoogleMetadata(google_wallet, name, loadConfig(env).googleAggregator)
  const digest = await sha256(decodeBase64url(rp_metadata_bytes) ?? new Uint8Array())
  const shown = { display_name: null, logo_uri: null, privacy_policy_uri: null, ...google_wallet }
  return { ...shown, rp_metadata_bytes, rp_metadata_sha256: encodeHex(digest) }
}
