// The trust anchors of the built-in sandbox issuer: for relying parties in test mode alone (CONTRACT 8). Its keys are public
// (docs/decisions/sandbox.md): whoever reads them may issue himself anything, so nothing of it may ever count in live mode.

import type { Certificate } from '../x509/certificate.ts'
import { isSameName } from '../x509/distinguished-name.ts'
import type { AnchorMechanism, TrustAnchor } from './anchor.ts'
import { anchorCertificates } from './anchor-certificates.ts'
import root from './sandbox-root.json' with { type: 'json' }

/** Where the sandbox issuer publishes. The name never resolves (RFC 6761 §6.4): only the binding leads there. */
export const SANDBOX_ORIGIN = 'https://sandbox.invalid'

/**
 * The sandbox's anchors, for `builtInTypes` and whatever types a relying party added. Such a type is named where one of
 * `others`, its own anchors, names it, and else goes by `*`: naming it would take it away from an own anchor for `*`.
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

/** Whether a certificate was issued in the name of the sandbox's root, as the root itself was. */
export function isOfSandbox({ issuer }: Certificate): boolean {
  return anchorCertificates(root.x509_ca_pem).some(({ subject }) => isSameName(subject, issuer))
}

const MECHANISMS: readonly AnchorMechanism[] = [
  root,
  // Issuers whose metadata is none, and cannot be had.
  { issuer_url: `${SANDBOX_ORIGIN}/broken` },
  { issuer_url: `${SANDBOX_ORIGIN}/down` },
]
