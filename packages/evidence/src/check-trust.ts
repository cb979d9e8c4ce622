// Checks of trust: the issuers that vouched, and what the evidence says that it lacks.

import { encodeHex, equalBytes } from '../../../src/codec/bytes.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { certificateName } from '../../../src/evidence/container/names.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import type { Certificate } from '../../../src/trust/x509/certificate.ts'
import { anchorCertificates } from '../../../src/trust/x509/pem-certificates.ts'
import type { CaseFile } from './case-file.ts'
import type { Decided } from './check-decision.ts'
import { AS_TRUSTED } from './check-files.ts'
import { checkTrustList } from './check-trust-list.ts'
import type { Reporter } from './report.ts'
import type { Trust } from './trust.ts'

/** Checks the anchors that vouched for the presentations. */
export async function checkTrust(
  caseFile: CaseFile,
  { evaluated, trust }: { readonly evaluated: Decided; readonly trust: Trust },
  reporter: Reporter,
): Promise<void> {
  const vouching = evaluated.presentations.map(({ credential }) => credential.anchor)
  const anchors = caseFile.decision.trust.anchors.filter((anchor) =>
    vouching.some(
      ({ name, assurance_level }) => name === anchor.name && assurance_level === anchor.assurance_level,
    ),
  )
  for (const anchor of anchors) {
    const certificates = certificatesOf(anchor)
    await checkIssuer(anchor, certificates, trust, reporter)
    await checkTrustList(caseFile, anchor, certificates, reporter)
  }
}

async function checkIssuer(
  anchor: TrustAnchor,
  certificates: readonly Certificate[],
  { issuers }: Trust,
  reporter: Reporter,
): Promise<void> {
  const [first] = certificates
  const file = first === undefined ? null : certificateName(encodeHex(await sha256(first.encoded)))
  const line = { file, clause: 'RFC 5280 6' }
  // trust.json has certificates only. Keys of an issuer that is no certificate stay as they were trusted.
  if (issuers === undefined || certificates.length === 0) {
    reporter.absent('issuer', `${anchor.name}: ${AS_TRUSTED}`, line)
    return
  }
  const isTrusted = certificates.every(({ encoded }) =>
    issuers.some((issuer) => equalBytes(issuer.encoded, encoded)),
  )
  reporter.expect(
    'issuer',
    isTrusted,
    `${anchor.name}: the certificate is not in issuers of trust.json`,
    line,
  )
}

function certificatesOf(anchor: TrustAnchor): readonly Certificate[] {
  if ('x509_ca_pem' in anchor) return anchorCertificates(anchor.x509_ca_pem)
  return 'x509_certificate_pem' in anchor ? anchorCertificates(anchor.x509_certificate_pem) : []
}

/** Reports what the evidence says that it lacks. A check that the settings turned off is no lack. */
export function checkMissing({ index }: CaseFile, reporter: Reporter): void {
  for (const { what, reason } of index.missing) {
    const detail = `${what}: ${reason}`
    if (reason === 'off') reporter.pass('missing', { detail })
    else reporter.absent('missing', detail)
  }
}
