// The credential types we know by name (CONTRACT 8): their identifiers in each format, and where each scope's claim stands.
// Data first, then the look-ups. `docs/decisions/catalogue.md` names the text each identifier was compared with, and tells
// those that no public text could be found for.

import type { CredentialType } from '../formats/format.ts'
import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import { parseAgeScope } from './age.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat, ScopePath } from './policy.ts'

/**
 * A scope entry of this name stands for every `age_over_NN`, NN from 01 to 99 (ISO/IEC 18013-5 §7.2.5): the two digits
 * take the place of `NN` in its path.
 */
const AGE_PATTERN = 'age_over_NN'

/**
 * Scope and mdoc element of each PID attribute (PID Rulebook 1.7 §4.1.1, §3.1.2). The scope is the SD-JWT claim name, a dot
 * parting its levels; null where an mdoc has no element of its own for it.
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

/** ISO/IEC 18013-5 §7.2.1, without the biometric templates. */
const MDL_ELEMENTS = `family_name given_name birth_date issue_date expiry_date issuing_country issuing_authority
  document_number portrait driving_privileges un_distinguishing_sign administrative_number sex height weight
  eye_colour hair_colour birth_place resident_address portrait_capture_date age_in_years age_birth_year
  issuing_jurisdiction nationality resident_city resident_state resident_postal_code resident_country
  family_name_national_character given_name_national_character signature_usual_mark`

/** ISO/IEC 23220-4 Table C.1: elements of ISO/IEC 23220-2. */
const PHOTO_ID_ELEMENTS = `family_name given_name birth_date portrait issue_date expiry_date
  issuing_authority_unicode issuing_country age_in_years age_birth_year portrait_capture_date birthplace
  name_at_birth resident_address resident_city resident_postal_code resident_country resident_city_latin1 sex
  nationality document_number issuing_subdivision family_name_latin1 given_name_latin1`

/** ISO/IEC 23220-4 Table C.2: elements of the photo ID itself. */
const PHOTO_ID_OWN_ELEMENTS = `person_id birth_country birth_state birth_city administrative_number resident_street
  resident_house_number travel_document_number resident_state`

const AV_NAMESPACE = 'eu.europa.ec.av.1'
const PID_NAMESPACE = 'eu.europa.ec.eudi.pid.1'
const MDL_NAMESPACE = 'org.iso.18013.5.1'
const ISO_23220_NAMESPACE = 'org.iso.23220.1'

/** A namespace that is spelt like the type's own identifier. It takes the place of this step in a path. */
const OWN_NAMESPACE = '{type}'

/** The built-in types. A relying party can add to them, never change them. */
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
        identifiers: ['urn:eudi:pid:1'],
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
        scopes: { ...elements(MDL_NAMESPACE, MDL_ELEMENTS), ...isoBirthAndAge(MDL_NAMESPACE) },
      },
    },
  },
  {
    name: 'photo_id',
    formats: {
      mso_mdoc: {
        // Drafts of ISO/IEC 23220-4 write the document type and its namespace both ways, and both are issued.
        identifiers: ['org.iso.23220.photoid.1', 'org.iso.23220.photoID.1'],
        scopes: {
          ...elements(OWN_NAMESPACE, PHOTO_ID_OWN_ELEMENTS),
          ...elements(ISO_23220_NAMESPACE, PHOTO_ID_ELEMENTS),
          ...isoBirthAndAge(ISO_23220_NAMESPACE),
        },
      },
    },
  },
]

const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN_TYPES.map((type) => type.name))

/**
 * The built-in types and those a relying party added. An added type that takes a name already in the list is left out, so
 * that no settings can redefine `pid`; `typeConflicts` tells the relying party when it sets them.
 */
export function typeDefinitions(
  added: readonly CredentialTypeDefinition[],
): readonly CredentialTypeDefinition[] {
  const names = new Set(BUILT_IN_NAMES)
  const free = added.filter((type) => !names.has(type.name) && names.add(type.name))
  return [...BUILT_IN_TYPES, ...free]
}

/** A name or an identifier of an added type that already means another type. `index` is the added type's place. */
export type TypeConflict =
  | { readonly kind: 'name'; readonly index: number; readonly name: string }
  | {
      readonly kind: 'identifier'
      readonly index: number
      readonly format: string
      readonly identifier: string
    }

/**
 * What of the added types must be refused when they are set: verification maps an identifier to one type, the first in the
 * list, so a second type of that identifier could never be satisfied.
 */
export function typeConflicts(added: readonly CredentialTypeDefinition[]): readonly TypeConflict[] {
  return added.flatMap((type, index) => {
    const earlier = [...BUILT_IN_TYPES, ...added.slice(0, index)]
    const name = earlier.some((other) => other.name === type.name)
      ? [{ kind: 'name' as const, index, name: type.name }]
      : []
    const identifiers = Object.entries(type.formats).flatMap(([format, { identifiers }]) =>
      identifiers
        .filter((identifier) => findType(earlier, format, identifier) !== undefined)
        .map((identifier) => ({ kind: 'identifier' as const, index, format, identifier })),
    )
    return [...name, ...identifiers]
  })
}

/** Names the type of a verified identifier, for `Context.typeOf`: the first definition that lists it in that format. */
export function typeOf(
  definitions: readonly CredentialTypeDefinition[],
): (format: string, identifier: string) => CredentialType | undefined {
  return (format, identifier) => {
    const type = findType(definitions, format, identifier)
    return type && { name: type.name, builtIn: BUILT_IN_NAMES.has(type.name) }
  }
}

/** The type's data in one format; `undefined` where it has none. */
export function formatOf(type: CredentialTypeDefinition, format: string): CredentialTypeFormat | undefined {
  return Object.hasOwn(type.formats, format) ? type.formats[format] : undefined
}

/** Where a scope's claim stands in a type's credentials of one format; `undefined` where the type does not carry it. */
export function scopePath(
  type: CredentialTypeDefinition,
  format: string,
  scope: string,
  allowDerived: boolean,
): ScopePath | undefined {
  const scopes = formatOf(type, format)?.scopes
  if (scopes === undefined || scope === AGE_PATTERN) return undefined
  const age = parseAgeScope(scope)
  const entry = own(scopes, scope) ?? (age && withDigits(own(scopes, AGE_PATTERN), age.digits))
  if (entry === undefined) return undefined
  const found = { scope, path: entry.path, boolean: age !== undefined || entry.boolean === true }
  const birthdate = own(scopes, 'birthdate')
  if (!allowDerived || age === undefined || birthdate === undefined) return found
  return { ...found, derived: { path: birthdate.path, age: age.years } }
}

/** A scope's path in credentials of one of the type's identifiers. */
export function pathIn(identifier: string | undefined, found: ScopePath): ScopePath {
  if (identifier === undefined || found.path[0] !== OWN_NAMESPACE) return found
  return { ...found, path: [identifier, ...found.path.slice(1)] }
}

type Scopes = CredentialTypeFormat['scopes']
type ScopeEntry = Scopes[string]

function own(scopes: Scopes, name: string): ScopeEntry | undefined {
  return Object.hasOwn(scopes, name) ? scopes[name] : undefined
}

/** A pattern whose path has no place for the digits would find one claim for every age: it carries none. */
function withDigits(pattern: ScopeEntry | undefined, digits: string): ScopeEntry | undefined {
  if (!pattern?.path.some((step) => typeof step === 'string' && step.includes('NN'))) return undefined
  const path = pattern.path.map((step) => (typeof step === 'string' ? step.replace('NN', digits) : step))
  return { ...pattern, path }
}

/** The first type that has this identifier in this format. */
export function findType(
  definitions: readonly CredentialTypeDefinition[],
  format: string,
  identifier: string,
): CredentialTypeDefinition | undefined {
  return definitions.find((type) => formatOf(type, format)?.identifiers.includes(identifier))
}

function age(...path: ClaimsPath): Scopes {
  return { [AGE_PATTERN]: { path, boolean: true } }
}

/** ISO calls it `birth_date`; `birthdate` is our one name for it in every type, and what ages are derived from. */
function isoBirthAndAge(namespace: string): Scopes {
  return { birthdate: { path: [namespace, 'birth_date'] }, ...age(namespace, 'age_over_NN') }
}

function elements(namespace: string, names: string): Scopes {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, { path: [namespace, name] }]))
}

function pidClaims(...parent: ClaimsPath): Scopes {
  return Object.fromEntries(
    PID_ATTRIBUTES.map(([scope]) => [scope, { path: [...parent, ...scope.split('.')] }]),
  )
}

function pidElements(): Scopes {
  return Object.fromEntries(
    PID_ATTRIBUTES.flatMap(([scope, element]) =>
      element === null ? [] : [[scope, { path: [PID_NAMESPACE, element] }]],
    ),
  )
}
