// Credentials of a person, and their presentations with chosen claims. Foreign libraries issue and present
// them. The list of disclosed claims is read from the finished presentation, never from the request.

import { createHash, type JsonWebKey } from 'node:crypto'
import { DeviceResponse, type IssuerSigned, type SessionTranscript } from '@owf/mdoc'
import { type IssuerPki, mintIssuerPki } from '../certificates/certificates.ts'
import { issueSdJwtVc, type KeyPair, makeKey, presentSdJwtVc } from '../people/issuer.ts'
import { fullDate, issueMdoc, MDOC_SIGNER, type NameSpaces, presentMdoc } from '../people/mdoc.ts'
import { makeDevice } from '../people/mdoc-person.ts'

/** A claims path of DCQL. */
export type Path = readonly (string | number | null)[]

export type SdJwtHolding = {
  readonly format: 'dc+sd-jwt'
  readonly type: string
  /** Claims that can be disclosed one by one. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly sdJwt: string
  readonly key: KeyPair
  readonly pki: IssuerPki
}

export type MdocHolding = {
  readonly format: 'mso_mdoc'
  readonly type: string
  readonly claims: NameSpaces
  readonly issued: IssuerSigned
  readonly device: JsonWebKey
  readonly pki: IssuerPki
}

export type Holding = SdJwtHolding | MdocHolding

/** One claim that left the wallet. */
export type DisclosedClaim = {
  readonly format: string
  readonly type: string
  /** Name of the claim or element; steps below it are joined by dots. */
  readonly claim: string
}

export type Presentation = { readonly presentation: string; readonly disclosed: readonly DisclosedClaim[] }

/** A person's credentials, each with its own holder key and with more claims than any question asks for. */
export async function makeHoldings(): Promise<{
  readonly holdings: readonly Holding[]
  /** Trust anchors of a relying party for all of them. */
  readonly anchors: readonly object[]
}> {
  const [sdJwtPki, mdocPki] = await Promise.all([
    mintIssuerPki(),
    mintIssuerPki({ leaf: { extendedKeyUsage: [MDOC_SIGNER] } }),
  ])
  const holdings = await Promise.all([
    ...Object.entries(SD_JWT_CLAIMS).map(([type, claims]) => holdSdJwt(sdJwtPki, type, claims)),
    ...Object.entries(MDOC_CLAIMS).map(([type, claims]) => holdMdoc(mdocPki, type, claims)),
  ])
  const anchors = [sdJwtPki, mdocPki].map(({ root }, index) => ({
    name: `Test authority ${index + 1}`,
    credential_types: ['age_attestation', 'pid', 'mdl', 'photo_id'],
    assurance_level: 'substantial',
    x509_ca_pem: root.pem,
  }))
  return { holdings, anchors }
}

async function holdSdJwt(
  pki: IssuerPki,
  type: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<SdJwtHolding> {
  const key = await makeKey()
  const now = Math.floor(Date.now() / 1000)
  const sdJwt = await issueSdJwtVc({
    issuer: { alg: 'ES256', privateJwk: pki.leaf.privateJwk as KeyPair['privateJwk'] },
    holder: key,
    x5c: [pki.leaf.x5c, pki.intermediate.x5c],
    claims: { vct: type, iat: now - 3600, exp: now + 86_400, ...claims },
    disclosable: disclosureFrame(claims),
  })
  return { format: 'dc+sd-jwt', type, claims, sdJwt, key, pki }
}

/** Every claim of the first level, and every member of an object below it, can be disclosed by itself. */
function disclosureFrame(claims: Readonly<Record<string, unknown>>): object {
  const nested = Object.entries(claims).filter(([, value]) => isObject(value))
  return {
    _sd: Object.keys(claims),
    ...Object.fromEntries(nested.map(([name, value]) => [name, { _sd: Object.keys(value as object) }])),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function holdMdoc(pki: IssuerPki, type: string, claims: NameSpaces): Promise<MdocHolding> {
  const device = makeDevice()
  const issued = await issueMdoc({ pki, docType: type, nameSpaces: claims, device })
  return { format: 'mso_mdoc', type, claims, issued, device, pki }
}

/** The value at a path; `undefined` if the credential has none. */
export function claimAt({ claims }: Holding, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (step === null) return Array.isArray(value) && value.length > 0 ? value : undefined
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined
  }, claims)
}

/** Presents an SD-JWT VC with the claims at these paths: `all` for every claim. */
export async function presentSdJwt(
  holding: SdJwtHolding,
  paths: readonly Path[] | 'all',
  { nonce, audience, keyBinding }: { nonce: string; audience: string; keyBinding?: object },
): Promise<Presentation> {
  const { sdJwt, key } = holding
  const presentation = await presentSdJwtVc(sdJwt, {
    holder: key,
    nonce,
    audience,
    iat: Math.floor(Date.now() / 1000),
    ...(keyBinding === undefined ? {} : { keyBinding }),
    ...(paths === 'all' ? {} : { disclose: frameOf(paths, holding.claims) }),
  })
  return { presentation, disclosed: claimsIn(presentation, holding) }
}

/** The claims that a presentation of an SD-JWT VC discloses. */
export function claimsIn(presentation: string, holding: SdJwtHolding): readonly DisclosedClaim[] {
  const { format, type } = holding
  return (
    presentation
      .split('~')
      .slice(1, -1)
      .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[])
      // An object whose members have disclosures of their own discloses nothing by itself.
      .filter(
        (disclosure) => !isObject(disclosure.at(-1)) || !Object.hasOwn(disclosure.at(-1) as object, '_sd'),
      )
      .map((disclosure) => ({ format, type, claim: nameIn(holding, String(disclosure.at(-2))) }))
  )
}

/** The whole name of a disclosed claim: `age_equal_or_over.18` for `18`. */
function nameIn({ claims }: SdJwtHolding, name: string): string {
  if (Object.hasOwn(claims, name)) return name
  const parent = Object.keys(claims).find((one) => isObject(claims[one]) && Object.hasOwn(claims[one], name))
  return `${parent}.${name}`
}

/** The library's presentation frame: a path to an object or an array discloses all of it. */
function frameOf(paths: readonly Path[], claims: SdJwtHolding['claims']): object {
  const frame: Record<string, unknown> = {}
  for (const [name, below] of paths) {
    const value = claims[String(name)]
    const members = isObject(value) ? (typeof below === 'string' ? [below] : Object.keys(value)) : undefined
    const own = members && Object.fromEntries(members.map((member) => [member, true]))
    frame[String(name)] = own === undefined ? true : { ...(frame[String(name)] as object), ...own }
  }
  return frame
}

/** Presents an mdoc with these elements by namespace: `all` for every element. */
export async function presentElements(
  holding: MdocHolding,
  elements: Readonly<Record<string, readonly string[]>> | 'all',
  transcript: SessionTranscript,
): Promise<Presentation> {
  const everything = Object.entries(holding.claims).map(([name, all]) => [name, Object.keys(all)] as const)
  const presentation = await presentMdoc(holding.issued, {
    docType: holding.type,
    device: holding.device,
    transcript,
    disclose: elements === 'all' ? Object.fromEntries(everything) : elements,
  })
  return { presentation, disclosed: disclosedIn(Buffer.from(presentation, 'base64url')) }
}

/** The elements of every document in a DeviceResponse. */
export function disclosedIn(deviceResponse: Uint8Array): readonly DisclosedClaim[] {
  const { documents = [] } = DeviceResponse.decode(deviceResponse)
  return documents.flatMap(({ docType, issuerSigned }) =>
    [...(issuerSigned.issuerNamespaces?.issuerNamespaces.values() ?? [])].flatMap((items) =>
      items.map(({ elementIdentifier }) => ({ format: 'mso_mdoc', type: docType, claim: elementIdentifier })),
    ),
  )
}

/** Elements by namespace of two-step paths. */
export function elementsOf(paths: readonly Path[]): Readonly<Record<string, readonly string[]>> {
  const groups = Map.groupBy(paths, ([nameSpace]) => String(nameSpace))
  return Object.fromEntries(
    [...groups].map(([nameSpace, found]) => [nameSpace, found.map(([, element]) => String(element))]),
  )
}

/** SHA-256 in base64url. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url')
}

const PERSON = { given_name: 'Erika', family_name: 'Mustermann' }

const SD_JWT_CLAIMS = {
  'urn:eudi:pid:1': {
    ...PERSON,
    birthdate: '1963-08-12',
    sex: 2,
    age_equal_or_over: { '18': true, '21': true },
    nationalities: ['DE'],
    address: { locality: 'Köln', country: 'DE' },
  },
  'urn:eu.europa.ec.av:1': { age_over_18: true, age_over_21: true },
} as const

const dates = { issue_date: fullDate('2025-01-01'), expiry_date: fullDate('2035-01-01') }

const MDOC_CLAIMS: Readonly<Record<string, NameSpaces>> = {
  'eu.europa.ec.eudi.pid.1': {
    'eu.europa.ec.eudi.pid.1': {
      ...PERSON,
      ...dates,
      birth_date: fullDate('1963-08-12'),
      sex: 2,
      age_over_18: true,
      age_over_21: true,
      nationality: ['DE'],
    },
  },
  'eu.europa.ec.av.1': { 'eu.europa.ec.av.1': { age_over_18: true, age_over_21: true } },
  'org.iso.18013.5.1.mDL': {
    'org.iso.18013.5.1': {
      ...PERSON,
      ...dates,
      birth_date: fullDate('1963-08-12'),
      document_number: 'D123456',
      age_over_18: true,
      age_over_21: true,
    },
    // No question is about the elements of this namespace.
    'org.iso.18013.5.1.aamva': { DHS_compliance: 'F', EDL_credential: 1 },
  },
}
