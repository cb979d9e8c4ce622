// Named schemes of trusted lists in XML. An operator can use such a name instead of the identifiers of the
// list type, the services and their statuses.

import { IN_FORCE } from './tl-services.ts'

/** Accepted types of the list, and the services whose certificates become anchors. */
export type ListScheme = {
  readonly listTypes: readonly string[]
  readonly services: readonly {
    readonly type: string
    readonly statuses: readonly string[]
    readonly credential_types: readonly string[]
  }[]
}

/** Names of schemes. The member `schemes` in the settings of a list is one of these names. */
export const SCHEME_NAMES = ['eu_age_verification'] as const
export type SchemeName = (typeof SCHEME_NAMES)[number]

const AGE = 'http://trust.tech.ec.europa.eu/lists/age-verification'
const OLDER_AGE = 'http://ec.europa.eu/tools/lotl/av/TrstSvc'

export const LIST_SCHEMES: Readonly<Record<SchemeName, ListScheme>> = {
  // The EU's list of issuers of proofs of age, with its identifiers of 2026 and of 2025.
  eu_age_verification: {
    listTypes: [`${AGE}/tsl-type`, `${OLDER_AGE}/TrustedList/TSLType/AVTL`],
    services: [
      {
        type: `${AGE}/service-type/paa`,
        statuses: [`${AGE}/service-status/recognized`],
        credential_types: ['age_attestation'],
      },
      {
        type: `${OLDER_AGE}/Svctype/PAA`,
        statuses: IN_FORCE.slice(0, 1),
        credential_types: ['age_attestation'],
      },
    ],
  },
}

/** `TSLType` of the EU's list of lists, and of the lists of its Member States. */
export const LIST_OF_LISTS_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'
export const NATIONAL_LIST_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric'

/** Service types that issue no attestations. `CA/QC` is for authorities that issue qualified certificates. */
export const NOT_ATTESTATION_SERVICES: readonly string[] = ['http://uri.etsi.org/TrstSvc/Svctype/CA/QC']
