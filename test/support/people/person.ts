// A person whose wallet holds SD-JWT VCs, and the authority that issued them. Every option changes one thing
// of a good credential or of a good presentation.

import type { IssuerPki } from '../certificates/certificates.ts'
import type { KeyPair, Parts, SigningKey } from './issuer.ts'
import { alter, issueSdJwtVc, makeKey, presentSdJwtVc } from './issuer.ts'
import type { Definition, Presentations, ReceivedRequest } from './wallet.ts'

/** An issuer with the name `iss` and one key. */
export type Authority = {
  readonly iss: string
  readonly key: KeyPair
  /** A trust anchor of the `issuer` + `jwks` kind, with changes. */
  readonly anchor: (changes?: object) => Readonly<Record<string, unknown>>
}

export type Person = { readonly key: KeyPair; readonly authority: Authority }

/** How a credential and its presentation differ from a good credential and presentation. */
export type Telling = {
  /** Claims to add or replace; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly issuer?: SigningKey
  /** Certificates for the protected header, leaf first. */
  readonly x5c?: readonly string[]
  /** True for a credential without holder binding. */
  readonly unbound?: boolean
  readonly nonce?: string
  readonly audience?: string
  /** Who signs the key binding. */
  readonly holder?: SigningKey
  readonly iat?: number
  /** Further claims of the key binding. */
  readonly keyBinding?: object
  /** The library's presentation frame. */
  readonly disclose?: object
  /** Changes the parts of the presentation, which is then signed again. */
  readonly change?: (
    parts: Parts & { payload: Record<string, unknown>; header: Record<string, unknown> },
  ) => void
}

export async function makeAuthority(iss = 'https://issuer.example'): Promise<Authority> {
  const key = await makeKey()
  const anchor = (changes: object = {}) => ({
    name: 'Test issuer',
    credential_types: ['age_attestation', 'pid'],
    assurance_level: 'substantial',
    issuer: iss,
    jwks: { keys: [key.publicJwk] },
    ...changes,
  })
  return { iss, key, anchor }
}

export async function makePerson(authority: Authority): Promise<Person> {
  return { key: await makeKey(), authority }
}

/** `dc+sd-jwt` types with good claims: claims that can be disclosed one by one. */
const CREDENTIALS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'urn:eu.europa.ec.av:1': { age_over_18: true, age_over_21: true },
  'urn:eudi:pid:1': { given_name: 'Erika', family_name: 'Mustermann', birthdate: '1963-08-12', sex: 2 },
}

export const AGE = 'urn:eu.europa.ec.av:1'
export const PID = 'urn:eudi:pid:1'

/** A credential signed by the document signer of an infrastructure, with its certificates. */
export function certified({ leaf, intermediate }: Pick<IssuerPki, 'leaf' | 'intermediate'>): Telling {
  const issuer = { alg: 'ES256', privateJwk: leaf.privateJwk as SigningKey['privateJwk'] }
  return { issuer, x5c: [leaf.x5c, intermediate.x5c], claims: { iss: undefined } }
}

/** A presentation of one credential for a request. */
export async function presentationOf(
  { key, authority }: Person,
  vct: string,
  request: ReceivedRequest,
  telling: Telling = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const disclosable = { ...CREDENTIALS[vct] }
  const times = { iss: authority.iss, iat: now - 3600, exp: now + 86_400 }
  const claims = Object.fromEntries(
    Object.entries({ ...times, vct, ...disclosable, ...telling.claims }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  const frame = Object.keys(disclosable).filter((name) => name in claims)
  const sdJwt = await issueSdJwtVc({
    issuer: telling.issuer ?? authority.key,
    ...(telling.unbound ? {} : { holder: key }),
    ...(telling.x5c === undefined ? {} : { x5c: telling.x5c }),
    claims,
    disclosable: { _sd: frame },
  })
  const holder = telling.holder ?? key
  const presentation = await presentSdJwtVc(sdJwt, {
    holder,
    nonce: telling.nonce ?? request.payload.nonce,
    audience: telling.audience ?? request.payload.client_id,
    iat: telling.iat ?? now,
    ...(telling.keyBinding === undefined ? {} : { keyBinding: telling.keyBinding }),
    ...(telling.disclose === undefined ? {} : { disclose: telling.disclose }),
  })
  const { change } = telling
  return change === undefined
    ? presentation
    : alter(presentation, { issuer: telling.issuer ?? authority.key, holder }, change)
}

/** The answer to a request for an age attestation. */
export async function ageOf(
  person: Person,
  request: ReceivedRequest,
  telling: Telling = {},
): Promise<Presentations> {
  return { [queryFor(request, AGE)]: [await presentationOf(person, AGE, request, telling)] }
}

/** The id of the credential query that asks for a type identifier, found as a wallet finds it. */
export function queryFor({ payload }: Pick<ReceivedRequest, 'payload'>, identifier: string): string {
  const { presentation_definition: definition } = payload
  if (definition !== undefined) return descriptorFor(definition, identifier)
  const { credentials } = payload.dcql_query
  const query = credentials.find(({ meta }) => Object.values(meta).flat(2).includes(identifier))
  if (query === undefined) throw new Error(`nothing asks for ${identifier}`)
  return query.id
}

/**
 * Returns the id of the input descriptor for a type. The type is the id itself, or its filter accepts the
 * type.
 */
function descriptorFor({ input_descriptors }: Definition, identifier: string): string {
  const found = input_descriptors.find(
    ({ id, constraints }) =>
      id === identifier ||
      constraints.fields.some(({ filter }) => (filter?.enum ?? filter?.contains?.enum)?.includes(identifier)),
  )
  if (found === undefined) throw new Error(`nothing asks for ${identifier}`)
  return found.id
}
