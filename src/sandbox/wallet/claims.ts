// What the sandbox issuer says of the person at the test wallet: whatever is asked for. Nobody of this name exists.

import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts'
import type { WantedClaim } from './query.ts'

/** The claims of a credential that answers what is asked, with the values that were asked for. */
export function claimsFor(wanted: readonly WantedClaim[]): JsonObject {
  return wanted.reduce<JsonObject>((claims, { path, values }) => {
    const placed = place(claims, path, values[0] ?? plausible(path))
    return isJsonObject(placed) ? placed : claims
  }, {})
}

/** The value with another one at the end of a path below it. */
function place(into: Json | undefined, path: WantedClaim['path'], value: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'string') {
    const object = isJsonObject(into) ? into : {}
    const inner = Object.hasOwn(object, step) ? object[step] : undefined
    return { ...object, [step]: place(inner, rest, value) }
  }
  const list: readonly Json[] = Array.isArray(into) ? into : []
  const index = Math.min(step ?? 0, ELEMENTS)
  return Array.from({ length: Math.max(list.length, index + 1) }, (_, i) =>
    i === index ? place(list[i], rest, value) : (list[i] ?? value),
  )
}

/** A path may ask for the millionth element. */
const ELEMENTS = 100

/** A claim that is not known here is true: the one value that answers both "what" and "whether". */
function plausible(path: WantedClaim['path']): Json {
  const name = path.findLast((step) => typeof step === 'string') ?? ''
  const value = (Object.hasOwn(PERSON, name) ? PERSON[name] : undefined) ?? true
  // A step past the name is into its list.
  return Array.isArray(value) && path.at(-1) !== name ? (value[0] ?? true) : value
}

const BIRTH_DATE = '1940-02-29'
const ADDRESS = {
  formatted: 'Sandbox Street 1, 00001 Testing',
  country: 'UT',
  region: 'Test',
  locality: 'Testing',
  postal_code: '00001',
  street_address: 'Sandbox Street 1',
  house_number: '1',
}

/** By the names that PID, driving licence and photo ID have for them. */
const PERSON: JsonObject = {
  ...ADDRESS,
  family_name: 'Sandbox',
  given_name: 'Alex',
  birthdate: BIRTH_DATE,
  birth_date: BIRTH_DATE,
  birth_family_name: 'Sandbox',
  birth_given_name: 'Alex',
  family_name_birth: 'Sandbox',
  given_name_birth: 'Alex',
  place_of_birth: { country: 'UT', locality: 'Testing' },
  birth_place: 'Testing',
  birthplace: 'Testing',
  nationalities: ['UT'],
  nationality: 'UT',
  address: ADDRESS,
  resident_address: ADDRESS.formatted,
  resident_country: 'UT',
  resident_state: 'Test',
  resident_city: 'Testing',
  resident_postal_code: '00001',
  resident_street: 'Sandbox Street',
  resident_house_number: '1',
  sex: 9,
  height: 175,
  weight: 70,
  eye_colour: 'brown',
  hair_colour: 'brown',
  age_in_years: 86,
  age_birth_year: 1940,
  email: 'alex@sandbox.invalid',
  email_address: 'alex@sandbox.invalid',
  phone_number: '+99900000000',
  mobile_phone_number: '+99900000000',
  picture: 'data:image/png;base64,iVBORw0KGgo=',
  portrait: 'iVBORw0KGgo',
  document_number: 'SANDBOX-1',
  personal_administrative_number: 'SANDBOX-1',
  administrative_number: 'SANDBOX-1',
  issuing_authority: 'Sandbox',
  issuing_authority_unicode: 'Sandbox',
  issuing_country: 'UT',
  un_distinguishing_sign: 'UT',
  issue_date: '2025-01-01',
  issuance_date: '2025-01-01',
  date_of_issuance: '2025-01-01',
  expiry_date: '2055-01-01',
  date_of_expiry: '2055-01-01',
  driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2025-01-01', expiry_date: '2055-01-01' }],
}
