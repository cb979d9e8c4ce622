// Claims of the sandbox issuer about the fictitious person of the test wallet: every requested claim has a
// value.

import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts'
import type { RequestedClaim } from './query.ts'

/** Builds the claims of a credential for the requested paths and values. */
export function claimsFor(requested: readonly RequestedClaim[]): JsonObject {
  return requested.reduce<JsonObject>((claims, { path, values }) => {
    const placed = place(claims, path, values[0] ?? defaultValue(path))
    return isJsonObject(placed) ? placed : claims
  }, {})
}

/** Returns a copy with a value at a path. */
function place(into: Json | undefined, path: RequestedClaim['path'], value: Json): Json {
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

/** Limit of elements. A path may request the millionth. */
const ELEMENTS = 100

/** Unknown claims are `true`: valid as a value and as the answer to a predicate. */
function defaultValue(path: RequestedClaim['path']): Json {
  const name = path.findLast((step) => typeof step === 'string') ?? ''
  const value = (Object.hasOwn(PERSON, name) ? PERSON[name] : undefined) ?? true
  // A step after the name is an index of its list.
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

/** Values by the claim names of PID, driving licence and photo ID. */
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
