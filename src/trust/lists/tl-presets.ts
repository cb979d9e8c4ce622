// Named schemes of trusted lists in XML. An operator can use such a name instead of the identifiers of the
// list type, the services and their statuses.

import { IN_FORCE } from './tl-services.ts'

/** Accepted types of the list, and the services whose certificates become anchors. */
export type ListScheme = {
  readonly listTypes: readonly string[]
  readonly services: readonly {
    readonly type: string
    readonly statuses: readonly string[]
    /** Absent if the operator names the types. */
    readonly credential_types?: readonly string[]
  }[]
}

/** Schemes of the lists of Member States, which a list of lists leads to. */
export const NATIONAL_SCHEMES = ['eu_qualified_attestations', 'eu_public_body_attestations'] as const

/** Names of schemes. The member `schemes` in the settings of a list is one of these names. */
export const SCHEME_NAMES = ['eu_age_verification', ...NATIONAL_SCHEMES] as const
export type SchemeName = (typeof SCHEME_NAMES)[number]

/** `TSLType` of the EU's list of lists, and of the lists of its Member States. */
export const LIST_OF_LISTS_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'
export const NATIONAL_LIST_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric'

const SERVICE_TYPE = 'http://uri.etsi.org/TrstSvc/Svctype/'

/** Returns the scheme of one service type on the lists of Member States (ETSI TS 119 612 §5.5.1). */
const nationalScheme = (type: string): ListScheme => ({
  listTypes: [NATIONAL_LIST_TYPE],
  services: [{ type: SERVICE_TYPE + type, statuses: IN_FORCE }],
})

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
  eu_qualified_attestations: nationalScheme('EAA/Q'),
  eu_public_body_attestations: nationalScheme('EAA/Pub-EAA'),
}

/** Service types that issue no attestations. `CA/QC` is for authorities that issue qualified certificates. */
export const NOT_ATTESTATION_SERVICES: readonly string[] = [`${SERVICE_TYPE}CA/QC`]
