// Who a session's requests are signed by: the relying party's own certificate, else the service's (CONTRACT 8), under the
// Client Identifier Prefix that was asked for (OpenID4VP 1.0 §5.9.3).

import { X509Certificate } from 'node:crypto'
import { encodeBase64 } from '../../codec/base64url.ts'
import type { Config, P256PrivateJwk } from '../../config.ts'
import {
  attestationClientId,
  type ClientIdPrefix,
  didClientId,
  x509HashClientId,
  x509SanDnsClientId,
} from '../../openid4vp/request/client-identifier.ts'
import type { VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { parseVerifierAttestation } from '../../openid4vp/request/verifier-attestation.ts'
import { verificationMethodOf, verifierDid } from '../../openid4vp/request/verifier-did.ts'
import { attestRegistration } from '../../openid4vp/request/verifier-info.ts'
import type { Settings } from '../../relying-party/settings/settings.ts'
import { err, ok, type Result } from '../../result.ts'

/** Why a prefix cannot be used with the certificate and the host there are. */
export type IdentityFault = keyof typeof IDENTITY_FAULTS

/** What is wrong, as a sentence about the prefix. */
export const IDENTITY_FAULTS = {
  host_not_in_certificate: 'needs a verifier certificate that names the host of this service',
  host_is_an_address: 'needs a base_url with a host name: an IP address has no did:web',
  attestation_missing: "needs an attestation_jwt in the relying party's verifier",
  attestation_not_yet_valid: 'needs an attestation that is valid already',
  attestation_expired: 'needs an attestation that expires no earlier than the session',
} as const

/** What a session asks for. Times are Unix seconds. */
export type Asked = { readonly prefix: ClientIdPrefix; readonly now: number; readonly expiresAt: number }

/** The identity for one session, with the registration that the relying party's own certificate has; `null` where nobody signs. */
export async function verifierIdentity(
  config: Config,
  settings: Settings,
  asked: Asked,
): Promise<Result<VerifierIdentity | null, IdentityFault>> {
  const identity = await identify(config, settings, asked)
  const registration = settings.verifier?.registration
  if (!identity.ok || identity.value === null || registration === undefined) return identity
  return ok({ ...identity.value, verifierInfo: attestRegistration(registration) })
}

async function identify(
  config: Config,
  settings: Settings,
  asked: Asked,
): Promise<Result<VerifierIdentity | null, IdentityFault>> {
  const { chain, signingJwk } = identityMaterial(config, settings)
  const [leaf] = chain
  if (leaf === undefined) throw new Error('the verifier certificate chain is empty')
  const x5c = chain.map((certificate) => encodeBase64(new Uint8Array(certificate.raw)))
  switch (asked.prefix) {
    case 'x509_hash':
      return ok({ clientId: await x509HashClientId(new Uint8Array(leaf.raw)), proof: { x5c }, signingJwk })
    case 'x509_san_dns': {
      const clientId = sanDnsClientId(config.baseUrl, leaf)
      return clientId === undefined
        ? err('host_not_in_certificate')
        : ok({ clientId, proof: { x5c }, signingJwk })
    }
    case 'decentralized_identifier': {
      // Whoever signs with a key of its own is known by an identifier of its own.
      const did = verifierDid(config.baseUrl, settings.verifier && settings.relying_party_id.slice(3))
      if (did === undefined) return err('host_is_an_address')
      const kid = await verificationMethodOf(did, signingJwk)
      return ok({ clientId: didClientId(did), proof: { kid }, signingJwk })
    }
    case 'verifier_attestation':
      return attestedIdentity(settings, asked)
    case 'redirect_uri':
      return ok(null)
  }
}

/** §12: attested is the key of the relying party; its attestation must hold for as long as the session may be fetched. */
function attestedIdentity(
  { verifier }: Settings,
  { now, expiresAt }: Asked,
): Result<VerifierIdentity, IdentityFault> {
  const jwt = verifier?.attestation_jwt
  if (verifier === null || jwt === undefined) return err('attestation_missing')
  const attestation = parseVerifierAttestation(jwt, verifier.signing_jwk)
  if (!attestation.ok) throw new Error('a verifier attestation that was accepted cannot be read')
  if (attestation.value.notBefore > now) return err('attestation_not_yet_valid')
  if (attestation.value.expiresAt < expiresAt) return err('attestation_expired')
  const clientId = attestationClientId(attestation.value.subject)
  return ok({ clientId, proof: { jwt }, signingJwk: verifier.signing_jwk })
}

type Material = { readonly chain: readonly X509Certificate[]; readonly signingJwk: P256PrivateJwk }

function identityMaterial(config: Config, settings: Settings): Material {
  const { verifier } = settings
  if (verifier === null) {
    return { chain: parseChain(config.verifier.certificateChainPem), signingJwk: config.verifier.signingJwk }
  }
  return { chain: parseChain(verifier.certificate_chain_pem), signingJwk: verifier.signing_jwk }
}

/** Wallets compare the host with the leaf's names and with our response_uri: a wildcard or a common name is not enough. */
function sanDnsClientId(baseUrl: string, leaf: X509Certificate): string | undefined {
  const { hostname } = new URL(baseUrl)
  const isNamed = leaf.checkHost(hostname, { subject: 'never', wildcards: false }) !== undefined
  return isNamed ? x509SanDnsClientId(baseUrl) : undefined
}

// A chain is parsed once for each text: the service's own, and the last few of relying parties.
const CHAINS_KEPT = 50
const chains = new Map<string, readonly X509Certificate[]>()

function parseChain(pem: string): readonly X509Certificate[] {
  const known = chains.get(pem)
  if (known !== undefined) return known
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const parsed = blocks.map((block) => new X509Certificate(block))
  if (chains.size >= CHAINS_KEPT) chains.clear()
  chains.set(pem, parsed)
  return parsed
}
