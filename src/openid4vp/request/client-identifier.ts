// Client Identifiers (OpenID4VP 1.0 §5.9.3). An `x509_hash` identifier contains the hash of the certificate,
// so a renewed certificate would change the identifier. For this reason, a session stores the Client
// Identifier and the certificate of its signed requests until the session ends.

import { encodeBase64url } from '../../codec/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'

/**
 * Client Identifier Prefixes. With `redirect_uri` a request is unsigned and passed by value. With every other
 * prefix the request is signed.
 */
export const CLIENT_ID_PREFIXES = [
  'x509_hash',
  'x509_san_dns',
  'decentralized_identifier',
  'verifier_attestation',
  'redirect_uri',
] as const
export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number]

/** Returns `x509_hash:` and the base64url SHA-256 of the leaf certificate's DER (not of its PEM). */
export async function x509HashClientId(leafDer: Uint8Array<ArrayBuffer>): Promise<string> {
  return `x509_hash:${encodeBase64url(await sha256(leafDer))}`
}

/**
 * Returns `x509_san_dns:` and the host of our own origin; `undefined` if the host is an IP address.
 * The leaf certificate must have the host as a dNSName. This is checked when the certificate is configured.
 *
 * @example
 * x509SanDnsClientId('https://verifier.example') // 'x509_san_dns:verifier.example'
 */
export function x509SanDnsClientId(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl)
  return isAddress(hostname) ? undefined : `x509_san_dns:${hostname}`
}

/** Returns `decentralized_identifier:` and a DID. */
export function didClientId(did: string): string {
  return `decentralized_identifier:${did}`
}

/** Returns `verifier_attestation:` and the `sub` of the attestation. */
export function attestationClientId(subject: string): string {
  return `verifier_attestation:${subject}`
}

/** Returns `redirect_uri:` and the Response URI. Nothing else identifies the verifier. */
export function redirectUriClientId(responseUri: string): string {
  return `redirect_uri:${responseUri}`
}

/** True if a URL's host is an IP address. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
}
