// Trust anchors of the built-in sandbox issuer, for relying parties in test mode only (CONTRACT 8). Its keys
// are public (docs/decisions/sandbox.md), so anyone can issue with them. They must never count in live mode.

import type { Certificate } from '../x509/certificate.ts'
import { isSameName } from '../x509/distinguished-name.ts'
import type { AnchorMechanism, TrustAnchor } from './anchor.ts'
import { anchorCertificates } from './anchor-certificates.ts'
import root from './sandbox-root.json' with { type: 'json' }

/**
 * Origin of the sandbox issuer. The name never resolves (RFC 6761 §6.4): only the service binding leads
 * there.
 */
export const SANDBOX_ORIGIN = 'https://sandbox.invalid'

/**
 * The sandbox's anchors for `builtInTypes` and for the types that a relying party added. An added type is
 * named if one of `others`, its own anchors, names it. Otherwise `*` covers it: a name would hide an own
 * anchor for `*`.
 */
export function sandboxAnchors(
  builtInTypes: readonly string[],
  others: readonly TrustAnchor[],
): readonly TrustAnchor[] {
  const named = others.flatMap(({ credential_types, purpose = ['issuer'] }) =>
    purpose.includes('issuer') ? credential_types : [],
  )
  const credential_types = [...builtInTypes, '*', ...named]
  return MECHANISMS.map((mechanism) => ({
    name: 'Sandbox',
    credential_types,
    assurance_level: 'high',
    ...mechanism,
  }))
}

/** Returns whether the sandbox's root issued a certificate, or is the certificate itself. */
export function isOfSandbox({ issuer }: Certificate): boolean {
  return anchorCertificates(root.x509_ca_pem).some(({ subject }) => isSameName(subject, issuer))
}

const MECHANISMS: readonly AnchorMechanism[] = [
  root,
  // Issuers with invalid and with unavailable metadata.
  { issuer_url: `${SANDBOX_ORIGIN}/broken` },
  { issuer_url: `${SANDBOX_ORIGIN}/down` },
]
