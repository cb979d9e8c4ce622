// Trust anchors of the built-in sandbox issuer, for relying parties in test mode only (api/trust). The
// sandbox's keys are public (docs/decisions/sandbox.md), so anyone can issue credentials with these keys. The
// anchors must never be used in live mode.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Certificate } from '../x509/certificate.ts'
import { isSameName } from '../x509/distinguished-name.ts'
import { anchorCertificates } from '../x509/pem-certificates.ts'
import { subjectKeyJwk } from '../x509/subject-key.ts'
import type { AnchorMechanism, TrustAnchor } from './anchor.ts'
import { normalizeIssuer } from './issuer-name.ts'
import keys from './sandbox-keys.json' with { type: 'json' }
import root from './sandbox-root.json' with { type: 'json' }

/**
 * Origin of the sandbox issuer. The name never resolves in DNS (RFC 6761 §6.4). The sandbox is reached by the
 * service binding only.
 */
export const SANDBOX_ORIGIN = 'https://sandbox.invalid'

/**
 * Returns the sandbox's anchors, which cover every type. `others`: the anchors of the relying party and of
 * its subscribed lists. The sandbox's anchors name all built-in types, because `*` does not cover these
 * types. They also name each type that an `issuer` anchor in `others` names, because `*` covers only types
 * that no anchor names. For all other types they have `*`. If they named these types, the `*` anchors in
 * `others` would no longer cover these types.
 */
export function sandboxAnchors(
  builtInTypes: readonly string[],
  others: readonly TrustAnchor[],
): readonly TrustAnchor[] {
  const namedTypes = others.flatMap(({ credential_types, purpose = ['issuer'] }) =>
    purpose.includes('issuer') ? credential_types : [],
  )
  const credential_types = [...builtInTypes, '*', ...namedTypes]
  return MECHANISMS.map((mechanism) => ({
    name: 'Sandbox',
    credential_types,
    assurance_level: 'high',
    ...mechanism,
  }))
}

/**
 * Returns whether a certificate belongs to the sandbox. Such a certificate is the sandbox's root, is issued
 * by the root, or has a key of the sandbox.
 */
export function isOfSandbox({ issuer, subjectKey }: Certificate): boolean {
  const key = subjectKey && subjectKeyJwk(subjectKey)
  if (key !== undefined && isSandboxKey(key)) return true
  return anchorCertificates(root.x509_ca_pem).some(({ subject }) => isSameName(subject, issuer))
}

/**
 * Returns whether a key belongs to the sandbox. Only x is compared, because the private key of (x, −y)
 * follows from the private key of (x, y).
 */
export function isSandboxKey({ x }: PublicJwk): boolean {
  return keys.includes(x)
}

/** Returns whether an https URL or a did:web has the sandbox's host. */
export function isSandboxIssuer(issuer: string): boolean {
  const host = issuer.startsWith(DID_WEB) ? issuer.slice(DID_WEB.length).split(/:|%3A/i)[0] : undefined
  const url = host === undefined ? issuer : `https://${host}`
  return URL.canParse(url) && normalizeIssuer(new URL(url).origin) === SANDBOX_ORIGIN
}

const DID_WEB = 'did:web:'

const MECHANISMS: readonly AnchorMechanism[] = [
  root,
  // Test issuers: one with invalid metadata, and one with unavailable metadata.
  { issuer_url: `${SANDBOX_ORIGIN}/broken` },
  { issuer_url: `${SANDBOX_ORIGIN}/down` },
]
