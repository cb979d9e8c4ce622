// Identity that signs a session's requests under the requested Client Identifier Prefix (OpenID4VP 1.0
// §5.9.3). The identity uses the relying party's own certificate, or else the certificate of the service
// (api/verifier).

import { decodeBase64, encodeBase64 } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import {
  attestationClientId,
  type ClientIdPrefix,
  didClientId,
  x509HashClientId,
  x509SanDnsClientId,
} from '../../openid4vp/request/client-identifier.ts'
import type { FurtherIdentity, VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { parseVerifierAttestation } from '../../openid4vp/request/verifier-attestation.ts'
import { deriveVerificationMethod, verifierDid } from '../../openid4vp/request/verifier-did.ts'
import { attestRegistration } from '../../openid4vp/request/verifier-info.ts'
import { err, ok, type Result } from '../../result.ts'
import { checkValidityPeriod } from '../../trust/x509/certificate-path.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import { writeGoogleMetadata } from '../document/google-wallet.ts'
import type { FurtherVerifier, Settings } from '../document/settings.ts'
import { namesHost } from './verifier-certificate.ts'
import { registrationFor } from './verifier-registration.ts'

/**
 * Reasons why a prefix cannot be used. Each text continues a sentence that begins with "client_id_prefix".
 * assets/messages.json contains these texts.
 */
export const IDENTITY_ERRORS = {
  host_not_in_certificate: 'requires a verifier certificate that names the host of this service',
  host_is_an_address: 'requires a base_url with a host name: an IP address has no did:web',
  attestation_missing: "requires an attestation_jwt in the relying party's verifier",
  attestation_not_yet_valid: 'requires an attestation that is valid already',
  attestation_expired: 'requires an attestation that expires no earlier than the session',
} as const

type IdentityError = keyof typeof IDENTITY_ERRORS

/** Values of one session on which its identity depends. `expiresAt`: its end. Times are Unix seconds. */
type IdentityRequest = {
  readonly prefix: ClientIdPrefix
  readonly now: number
  readonly expiresAt: number
  /** Intended use that the create request named. Absent: none. */
  readonly use?: string | undefined
  /** True: `x5c` includes the root, for a wallet that expects the root although HAIP 1.0 §5 forbids it. */
  readonly includeRoot?: boolean
}

/**
 * Returns the identity of one session, with the relying party's registration, its metadata for Google Wallet,
 * and its further identities. `null`: requests are unsigned.
 */
export async function verifierIdentity(
  config: Config,
  settings: Settings,
  request: IdentityRequest,
): Promise<Result<VerifierIdentity | null, IdentityError>> {
  const identity = await identify(config, settings, request)
  if (!identity.ok || identity.value === null) return identity
  const registration = settings.verifier && registrationFor(settings.verifier, request.use)
  const { google_wallet, name } = settings
  // Google Wallet accepts only the prefix `x509_hash`.
  const isForGoogle = google_wallet && request.prefix === 'x509_hash'
  const further = await furtherIdentities(config, settings, request)
  return ok({
    ...identity.value,
    ...(registration && { verifierInfo: attestRegistration(registration) }),
    ...(isForGoogle && { googleMetadata: writeGoogleMetadata(google_wallet, name, config.googleAggregator) }),
    ...(further.length > 0 && { further }),
  })
}

/** Returns the further identities whose certificates are valid at `now` (Unix seconds). */
async function furtherIdentities(
  config: Config,
  { further_verifiers = [], name }: Settings,
  { now, use }: Pick<IdentityRequest, 'now' | 'use'>,
): Promise<readonly FurtherIdentity[]> {
  const valid = further_verifiers.filter((one) => isValidAt(one, now))
  return Promise.all(valid.map((one) => furtherIdentity(config, one, { name, use })))
}

function isValidAt({ certificate_chain_pem }: FurtherVerifier, now: number): boolean {
  return anchorCertificates(certificate_chain_pem).every(
    (certificate) => checkValidityPeriod(certificate, now) === undefined,
  )
}

/**
 * Returns the further identity with metadata for Google Wallet; `undefined` if there is none. Only this
 * identity signs the requests for Google Wallet.
 */
export async function googleIdentity(
  config: Config,
  settings: Settings,
  request: Pick<IdentityRequest, 'now' | 'use'>,
): Promise<VerifierIdentity | undefined> {
  if (settings.google_wallet) return undefined
  const further = await furtherIdentities(config, settings, request)
  return further.find(({ googleMetadata }) => googleMetadata !== undefined)
}

async function furtherIdentity(
  { googleAggregator }: Config,
  verifier: FurtherVerifier,
  { name, use }: Pick<Settings, 'name'> & Pick<IdentityRequest, 'use'>,
): Promise<FurtherIdentity> {
  const { signing_jwk, certificate_chain_pem, google_wallet } = verifier
  const registration = registrationFor(verifier, use)
  const chain = pemBlocks(certificate_chain_pem)
  const [leaf] = chain
  if (leaf === undefined) throw new Error('the certificate chain of a further identity is empty')
  return {
    clientId: await x509HashClientId(leaf.der),
    proof: { x5c: chain.map(({ der }) => encodeBase64(der)) },
    signingJwk: signing_jwk,
    ...(registration && { verifierInfo: attestRegistration(registration) }),
    ...(google_wallet && { googleMetadata: writeGoogleMetadata(google_wallet, name, googleAggregator) }),
  }
}

async function identify(
  config: Config,
  settings: Settings,
  request: IdentityRequest,
): Promise<Result<VerifierIdentity | null, IdentityError>> {
  const { verifier } = settings
  const signingJwk = verifier?.signing_jwk ?? config.verifier.signingJwk
  const chain = pemBlocks(verifier?.certificate_chain_pem ?? config.verifier.certificateChainPem)
  const [leaf] = chain
  if (leaf === undefined) throw new Error('the verifier certificate chain is empty')
  const root = pemBlocks((request.includeRoot && verifier?.root_certificate_pem) || '')
  const proof = { x5c: [...chain, ...root].map(({ der }) => encodeBase64(der)) }
  switch (request.prefix) {
    case 'x509_hash':
      return ok({ clientId: await x509HashClientId(leaf.der), proof, signingJwk })
    case 'x509_san_dns': {
      // Wallets compare the host in the Client Identifier with the leaf's names and with our response_uri.
      const isNamed = namesHost(leaf.pem, new URL(config.baseUrl).hostname)
      const clientId = isNamed ? x509SanDnsClientId(config.baseUrl) : undefined
      return clientId === undefined ? err('host_not_in_certificate') : ok({ clientId, proof, signingJwk })
    }
    case 'decentralized_identifier': {
      // A relying party with its own key has its own DID.
      const did = verifierDid(config.baseUrl, verifier && settings.relying_party_id.slice(3))
      if (did === undefined) return err('host_is_an_address')
      const kid = await deriveVerificationMethod(did, signingJwk)
      return ok({ clientId: didClientId(did), proof: { kid }, signingJwk })
    }
    case 'verifier_attestation':
      return attestedIdentity(settings, request)
    case 'redirect_uri':
      return ok(null)
  }
}

/**
 * Returns the identity with the relying party's attestation (§12). The attestation must be valid from `now`
 * until `expiresAt`, the end of the session.
 */
export function attestedIdentity(
  { verifier }: Pick<Settings, 'verifier'>,
  { now, expiresAt }: Pick<IdentityRequest, 'now' | 'expiresAt'>,
): Result<VerifierIdentity, IdentityError> {
  const jwt = verifier?.attestation_jwt
  if (verifier === null || jwt === undefined) return err('attestation_missing')
  const attestation = parseVerifierAttestation(jwt, verifier.signing_jwk)
  if (!attestation.ok) throw new Error('a verifier attestation that was accepted cannot be read')
  if (attestation.value.notBefore > now) return err('attestation_not_yet_valid')
  if (attestation.value.expiresAt < expiresAt) return err('attestation_expired')
  const clientId = attestationClientId(attestation.value.subject)
  return ok({ clientId, proof: { jwt }, signingJwk: verifier.signing_jwk })
}

/** Returns the certificates of a PEM text. */
function pemBlocks(text: string) {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)
  return Array.from(blocks, ([pem, base64 = '']) => {
    const der = decodeBase64(base64.replace(/\s+/g, ''))
    if (der === undefined) throw new Error('a certificate of the verifier chain is not base64')
    return { pem, der }
  })
}
