// Requirements of some wallets for a relying party's settings (docs/wallets.md).

import { anchorCertificates } from '../../trust/anchors/anchor-certificates.ts'
import { attributeValues } from '../../trust/x509/distinguished-name.ts'
import type { Settings } from '../settings/settings.ts'

export type WalletRequirement = 'reader_certificate' | 'google_wallet' | 'organization'

/**
 * Returns what the settings lack. `chain`: PEM of the verifier's certificate chain, the relying party's own
 * or that of the service; undefined where it is not known, and then not reported.
 */
export function lackingRequirements(
  { reader_certificates = [], google_wallet = null }: Partial<Settings>,
  chain: string | undefined,
): readonly WalletRequirement[] {
  const isMissing: Readonly<Record<WalletRequirement, boolean>> = {
    reader_certificate: reader_certificates.length === 0,
    google_wallet: google_wallet === null,
    organization: chain !== undefined && !namesSubject(chain),
  }
  return (Object.keys(isMissing) as WalletRequirement[]).filter((one) => isMissing[one])
}

/** ETSI TS 119 411-8: the subject of an access certificate, a legal or a natural person. */
function namesSubject(chain: string): boolean {
  const [leaf] = anchorCertificates(chain)
  return SUBJECTS.some((required) =>
    required.every((oid) => leaf !== undefined && attributeValues(leaf.subject, oid).length > 0),
  )
}

const [COUNTRY, COMMON_NAME] = ['2.5.4.6', '2.5.4.3']
const [ORGANIZATION, ORGANIZATION_IDENTIFIER] = ['2.5.4.10', '2.5.4.97']
const [SERIAL_NUMBER, SURNAME, GIVEN_NAME] = ['2.5.4.5', '2.5.4.4', '2.5.4.42']
const SUBJECTS = [
  [COUNTRY, COMMON_NAME, ORGANIZATION, ORGANIZATION_IDENTIFIER],
  [COUNTRY, COMMON_NAME, SERIAL_NUMBER, SURNAME, GIVEN_NAME],
]
