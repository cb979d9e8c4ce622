// Checks if the settings of a relying party meet the requirements of some wallets (docs/wallets.md).

import type { Config } from '../../config.ts'
import { attributeValues } from '../../trust/x509/distinguished-name.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import type { Requirement } from '../../wallets/profiles/profile.ts'
import type { Settings } from '../document/settings.ts'
import { hasGoogleIdentity } from './google-wallet-warnings.ts'
import { readersFor } from './reader-certificate.ts'

/** Configuration of the service, and the current time. */
type Service = Pick<Config, 'baseUrl' | 'googleAggregator'> & {
  /** PEM of the service's certificate chain; undefined if the chain is unknown. */
  readonly chain: string | undefined
  /** Unix seconds. */
  readonly now: number
}

type RequiringSettings = Partial<Settings> & Pick<Settings, 'name' | 'origins' | 'verifier'>

/**
 * Returns the requirements that the settings do not meet. `reader_certificate` is met by a reader certificate
 * that is valid for a page of the relying party or of the service. If no chain is known, nothing about the
 * verifier certificate is reported.
 */
export async function lackingRequirements(
  settings: RequiringSettings,
  { baseUrl, googleAggregator, chain: ofService, now }: Service,
): Promise<readonly Requirement[]> {
  const { reader_certificates = [], origins, verifier } = settings
  const chain = verifier?.certificate_chain_pem ?? ofService
  const service = { googleAggregator, verifier: { certificateChainPem: ofService ?? '' } }
  const pages = [baseUrl, ...origins]
  const isMissing: Readonly<Record<Requirement, boolean>> = {
    reader_certificate: pages.every((page) => readersFor(reader_certificates, page, now * 1000).length === 0),
    google_wallet: !(await hasGoogleIdentity(service, settings)),
    organization: chain !== undefined && !namesSubject(chain),
  }
  return (Object.keys(isMissing) as Requirement[]).filter((one) => isMissing[one])
}

/** Returns true if the leaf names a legal or a natural person, as ETSI TS 119 411-8 requires. */
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
