// Client Identifiers (OpenID4VP 1.0 §5.9.3). Those of signed requests are pinned with their certificate for a session's
// whole life, because renewing the certificate changes the hash.

import { encodeBase64url } from '../../codec/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'

/** Client Identifier Prefixes. A request is signed under all but the last, where it must not be: it is passed by value. */
export const CLIENT_ID_PREFIXES = [
  'x509_hash',
  'x509_san_dns',
  'decentralized_identifier',
  'verifier_attestation',
  'redirect_uri',
] as const
export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number]

/** `x509_hash:` and the base64url SHA-256 of the leaf certificate's DER (never of its PEM). */
export async function x509HashClientId(leafDer: Uint8Array<ArrayBuffer>): Promise<string> {
  return `x509_hash:${encodeBase64url(await sha256(leafDer))}`
}

/**
 * `x509_san_dns:` and the host of our own origin; `undefined` where that host is an IP address and so no DNS name.
 * The leaf must carry the host as a dNSName, which is checked where the certificate is configured.
 */
export function x509SanDnsClientId(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl)
  return isAddress(hostname) ? undefined : `x509_san_dns:${hostname}`
}

/** `decentralized_identifier:` and a DID. */
export function didClientId(did: string): string {
  return `decentralized_identifier:${did}`
}

/** `verifier_attestation:` and the `sub` of the attestation. */
export function attestationClientId(subject: string): string {
  return `verifier_attestation:${subject}`
}

/** `redirect_uri:` and the Response URI: of who asks it says only where answers go. */
export function redirectUriClientId(responseUri: string): string {
  return `redirect_uri:${responseUri}`
}

/** Whether a URL's host is an IP address. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
}
