// The built-in credential types (api/types): their identifiers in each format, and the path of each scope's
// claim. `docs/decisions/formats.md` names the source of each identifier, or says that there is no public
// source.

import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat } from './policy.ts'

/**
 * Name of the catalogue entry for all scopes `age_over_NN`, NN from 01 to 99 (ISO/IEC 18013-5 §7.2.5). The
 * two digits of a scope replace `NN` in the path of the entry.
 */
export const AGE_PATTERN = 'age_over_NN'

/**
 * Scope and mdoc element of each PID attribute (PID Rulebook 1.7 §4.1.1, §3.1.2). The scope is the SD-JWT
 * claim name, with dots between its levels. Null: an mdoc has no element for the attribute.
 */
const PID_ATTRIBUTES: readonly (readonly [scope: string, element: string | null])[] = [
  ['family_name', 'family_name'],
  ['given_name', 'given_name'],
  ['birthdate', 'birth_date'],
  ['place_of_birth', 'place_of_birth'],
  ['place_of_birth.country', null],
  ['place_of_birth.region', null],
  ['place_of_birth.locality', null],
  ['nationalities', 'nationality'],
  ['address', 'resident_address'],
  ['address.formatted', 'resident_address'],
  ['address.country', 'resident_country'],
  ['address.region', 'resident_state'],
  ['address.locality', 'resident_city'],
  ['address.postal_code', 'resident_postal_code'],
  ['address.street_address', 'resident_street'],
  ['address.house_number', null],
  ['birth_family_name', 'family_name_birth'],
  ['birth_given_name', 'given_name_birth'],
  ['sex', 'sex'],
  ['email', 'email_address'],
  ['phone_number', 'mobile_phone_number'],
  ['picture', 'portrait'],
  ['personal_administrative_number', 'personal_administrative_number'],
  ['date_of_expiry', 'expiry_date'],
  ['date_of_issuance', 'issuance_date'],
  ['issuing_authority', 'issuing_authority'],
  ['issuing_country', 'issuing_country'],
  ['issuing_jurisdiction', 'issuing_jurisdiction'],
  ['document_number', 'document_number'],
  ['trust_anchor', 'trust_anchor'],
  ['attestation_legal_category', 'attestation_legal_category'],
]

/**
 * Returns the other names of the same attribute: `picture` for `portrait`, and `portrait` for `picture`. A
 * type uses only one of these names.
 */
export function relatedScopes(name: string): readonly string[] {
  const names = PID_ATTRIBUTES.filter((pair) => pair.includes(name)).flat()
  return [...new Set(names)].flatMap((each) => (each === null || each === name ? [] : [each]))
}

/** Elements of the mDL (ISO/IEC 18013-5 §7.2.1), without the biometric templates. */
const MDL_ELEMENTS = `family_name given_name birth_date issue_date expiry_date issuing_country issuing_authority
  document_number portrait driving_privileges un_distinguishing_sign administrative_number sex height weight
  eye_colour hair_colour birth_place resident_address portrait_capture_date age_in_years age_birth_year
  issuing_jurisdiction nationality resident_city resident_state resident_postal_code resident_country
  family_name_national_character given_name_national_character signature_usual_mark`

/**
 * Elements of the AAMVA Mobile Driver's License Implementation Guidelines. `sex` is left out, because AAMVA
 * defines other values for it than ISO.
 */
const AAMVA_ELEMENTS = `domestic_driving_privileges name_suffix organ_donor veteran family_name_truncation
  given_name_truncation aka_family_name aka_given_name aka_suffix weight_range race_ethnicity DHS_compliance
  DHS_temporary_lawful_status EDL_credential resident_county hazmat_endorsement_expiration_date
  audit_information aamva_version`

/** Elements of ISO/IEC 23220-2 in a photo ID (ISO/IEC 23220-4 Table C.1). */
const PHOTO_ID_ELEMENTS = `family_name given_name family_name_unicode given_name_unicode birth_date portrait issue_date expiry_date
  issuing_authority_unicode issuing_authority_latin1 issuing_country age_in_years age_birth_year portrait_capture_date birthplace
  name_at_birth resident_address resident_city resident_postal_code resident_country resident_city_latin1 sex
  nationality document_number issuing_subdivision family_name_latin1 given_name_latin1`

/** Elements of the photo ID itself (ISO/IEC 23220-4 Table C.2). */
const PHOTO_ID_OWN_ELEMENTS = `person_id birth_country birth_state birth_city administrative_number resident_street
  resident_house_number travel_document_number resident_state`

/**
 * Elements of the Japanese My Number Card, without the Individual Number. A law restricts the use of that
 * number.
 */
const MY_NUMBER_CARD_ELEMENTS = `full_name_unicode resident_address_unicode local_gov_code_unicode portrait
  sex_unicode birth_date_unicode`

/**
 * Elements about the person in the Indian Aadhaar credential. The only element in the local script is
 * `local_resident_name`.
 */
const AADHAAR_ELEMENTS = `resident_name local_resident_name resident_image dob gender address building street landmark
  locality vtc sub_district district state pincode is_nri credential_issuing_date enrolment_date`

/** Ages for which the Aadhaar credential has an element. */
const AADHAAR_AGES = ['18', '50', '60', '75']

const AV_NAMESPACE = 'eu.europa.ec.av.1'
const PID_NAMESPACE = 'eu.europa.ec.eudi.pid.1'
const MDL_NAMESPACE = 'org.iso.18013.5.1'
const AAMVA_NAMESPACE = 'org.iso.18013.5.1.aamva'
const ISO_23220_NAMESPACE = 'org.iso.23220.1'
const MY_NUMBER_CARD_NAMESPACE = 'org.iso.23220.1.jp'
const AADHAAR_NAMESPACE = 'in.gov.uidai.aadhaar.1'

/**
 * Names of types that became built in later, when a relying party could already have added them. If an added
 * type has the same name or identifier, the built-in type is not used.
 */
export const LATER_TYPES: ReadonlySet<string> = new Set(['google_id_pass', 'my_number_card', 'aadhaar'])

/**
 * Domestic types of the PID in SD-JWT VC, by country (ISO 3166-1 alpha-2). A Member State may define such a
 * type below `urn:eudi:pid:`. The type extends `urn:eudi:pid:1` and has all claims of that type (PID Rulebook
 * 1.7 §4.2).
 * `checked`: day on which `source` was read.
 */
export const DOMESTIC_PIDS = [
  {
    country: 'DE',
    vct: 'urn:eudi:pid:de:1',
    source: 'German PID Reference for Relying Parties (BMI, EUDI Wallet Developer Guide)',
    checked: '2026-11-29',
  },
  {
    country: 'IT',
    vct: 'urn:eudi:pid:it:1',
    source: 'IT-Wallet Technical Specifications, PID Data Model in SD-JWT VC Format',
    checked: '2026-11-29',
  },
  {
    country: 'NL',
    vct: 'urn:eudi:pid:nl:1',
    source: 'type metadata of the NL Wallet (MinBZK/nl-wallet, eudi_pid_nl_1.json), a working version',
    checked: '2026-11-29',
  },
] as const

/** Placeholder in a path for a namespace that equals the identifier of the type. */
export const OWN_NAMESPACE = '{type}'

/** The built-in types. A relying party can add types but not change these. */
export const BUILT_IN_TYPES: readonly CredentialTypeDefinition[] = [
  {
    name: 'age_attestation',
    formats: {
      'dc+sd-jwt': { identifiers: ['urn:eu.europa.ec.av:1'], scopes: { ...age('age_over_NN') } },
      mso_mdoc: { identifiers: ['eu.europa.ec.av.1'], scopes: { ...age(AV_NAMESPACE, 'age_over_NN') } },
      jwt_vc_json: {
        identifiers: ['AgeAttestationCredential'],
        scopes: { ...age('credentialSubject', 'age_over_NN') },
      },
    },
  },
  {
    name: 'pid',
    formats: {
      'dc+sd-jwt': {
        identifiers: ['urn:eudi:pid:1', ...DOMESTIC_PIDS.map(({ vct }) => vct)],
        scopes: { ...pidClaims(), ...age('age_equal_or_over', 'NN') },
      },
      mso_mdoc: {
        identifiers: ['eu.europa.ec.eudi.pid.1'],
        scopes: { ...pidElements(), ...age(PID_NAMESPACE, 'age_over_NN') },
      },
      jwt_vc_json: {
        identifiers: ['PersonIdentificationData'],
        scopes: {
          ...pidClaims('credentialSubject'),
          ...age('credentialSubject', 'age_equal_or_over', 'NN'),
        },
      },
    },
  },
  {
    name: 'mdl',
    formats: {
      mso_mdoc: {
        identifiers: ['org.iso.18013.5.1.mDL'],
        scopes: { ...mdlElements(), ...elements(AAMVA_NAMESPACE, AAMVA_ELEMENTS) },
      },
    },
  },
  {
    name: 'photo_id',
    formats: {
      mso_mdoc: {
        // Drafts of ISO/IEC 23220-4 use both spellings of document type and namespace, and both are issued.
        identifiers: ['org.iso.23220.photoid.1', 'org.iso.23220.photoID.1'],
        scopes: {
          ...elements(OWN_NAMESPACE, PHOTO_ID_OWN_ELEMENTS),
          ...elements(ISO_23220_NAMESPACE, PHOTO_ID_ELEMENTS),
          ...isoBirthAndAge(ISO_23220_NAMESPACE),
        },
      },
    },
  },
  {
    name: 'google_id_pass',
    formats: { mso_mdoc: { identifiers: ['com.google.wallet.idcard.1'], scopes: mdlElements() } },
  },
  {
    name: 'my_number_card',
    formats: {
      mso_mdoc: {
        identifiers: ['org.iso.23220.1.jp.mnc'],
        scopes: {
          ...elements(MY_NUMBER_CARD_NAMESPACE, MY_NUMBER_CARD_ELEMENTS),
          ...elements(ISO_23220_NAMESPACE, 'sex age_in_years birth_date'),
          ...isoBirthAndAge(ISO_23220_NAMESPACE),
        },
      },
    },
  },
  {
    name: 'aadhaar',
    formats: { mso_mdoc: { identifiers: ['in.gov.uidai.aadhaar.1'], scopes: aadhaarElements() } },
  },
]

function mdlElements(): CredentialTypeFormat['scopes'] {
  return { ...elements(MDL_NAMESPACE, MDL_ELEMENTS), ...isoBirthAndAge(MDL_NAMESPACE) }
}

/**
 * Returns the scopes of the Aadhaar credential. The credential names its age elements `age_above18` and so
 * on. Each age is also available under the scope `age_over_NN`.
 */
function aadhaarElements(): CredentialTypeFormat['scopes'] {
  const ages = AADHAAR_AGES.flatMap((digits) => {
    const entry = { path: [AADHAAR_NAMESPACE, `age_above${digits}`], boolean: true }
    return [
      [`age_above${digits}`, entry],
      [`age_over_${digits}`, entry],
    ] as const
  })
  return {
    ...elements(AADHAAR_NAMESPACE, AADHAAR_ELEMENTS),
    birthdate: { path: [AADHAAR_NAMESPACE, 'dob'] },
    ...Object.fromEntries(ages),
  }
}

function age(...path: ClaimsPath): CredentialTypeFormat['scopes'] {
  return { [AGE_PATTERN]: { path, boolean: true } }
}

/**
 * Returns the scopes `birthdate` and `age_over_NN` of an ISO namespace. The scope is named `birthdate` in
 * every type, and ages are derived from it. ISO names the element `birth_date`.
 */
function isoBirthAndAge(namespace: string): CredentialTypeFormat['scopes'] {
  return { birthdate: { path: [namespace, 'birth_date'] }, ...age(namespace, 'age_over_NN') }
}

function elements(namespace: string, names: string): CredentialTypeFormat['scopes'] {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, { path: [namespace, name] }]))
}

function pidClaims(...parent: ClaimsPath): CredentialTypeFormat['scopes'] {
  return Object.fromEntries(
    PID_ATTRIBUTES.map(([scope]) => [scope, { path: [...parent, ...scope.split('.')] }]),
  )
}

function pidElements(): CredentialTypeFormat['scopes'] {
  return Object.fromEntries(
    PID_ATTRIBUTES.flatMap(([scope, element]) =>
      element === null ? [] : [[scope, { path: [PID_NAMESPACE, element] }]],
    ),
  )
}
