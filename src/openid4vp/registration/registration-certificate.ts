// Registration certificates of relying parties (ETSI TS 119 475 §5.2): a JWT (`rc-wrp+jwt`) or a CWT
// (`rc-wrp+cwt`). This module reads the parts that a wallet compares with a request. Only wallets verify the
// signature.

import * as z from 'zod/mini'
import { decodeBase64url } from '../../codec/base64url.ts'
import { type CborItem, decodeCbor, findEntry, readBytes, readInteger, readText } from '../../codec/cbor.ts'
import {
  isJsonObject,
  isNumber,
  type Json,
  type JsonObject,
  member,
  parseJsonObject,
} from '../../codec/json.ts'
import { describeIssue } from '../../codec/schema.ts'
import { toJson } from '../../formats/mdoc/element-value.ts'
import { REGISTRATION } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** The content of a certificate. */
export type RegistrationCertificate = {
  /** Identifiers of the party that sends requests. The access certificate must contain one of them. */
  readonly presenters: readonly string[]
  /** Unix seconds. Absent: the certificate does not expire. */
  readonly expiresAt?: number
  /** Credentials that may be requested. The error describes the member that could not be read. */
  readonly credentials: Result<readonly RegisteredCredential[], string>
}

/** One credential that may be requested. */
export type RegisteredCredential = {
  readonly format: string
  /** TS 119 475 V1.2.1: a `meta` object as in a DCQL query. V1.1.1: the only type identifier. */
  readonly meta: JsonObject | string
  /** Paths of the credential's claims. Absent: every claim may be requested. */
  readonly paths?: readonly RegisteredPath[]
}

export type RegisteredPath = readonly (string | number | null)[]

/** `malformed`: neither a compact JWS nor base64url of a CWT. */
export type RegistrationError = 'malformed' | 'wrong_type'

/** Parses a compact JWS, or a CWT in base64url. */
export function parseRegistrationCertificate(
  text: string,
): Result<RegistrationCertificate, RegistrationError> {
  const claims = isCompactJws(text) ? jwtClaims(text) : cwtClaims(text)
  if (!claims.ok) return claims
  const expiresAt = member(claims.value, 'exp')
  const credentials = registeredCredentials(claims.value)
  if (expiresAt !== undefined && !isNumber(expiresAt))
    return ok({ presenters: readPresenters(claims.value), credentials: err('exp must be a number') })
  return ok({
    presenters: readPresenters(claims.value),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    credentials,
  })
}

/** Returns true if the certificate is a JWT. Only a JWT contains a dot: base64url of a CWT has none. */
export function isCompactJws(certificate: string): boolean {
  return certificate.includes('.')
}

function jwtClaims(text: string): Result<JsonObject, RegistrationError> {
  const [header, payload, ...rest] = text.split('.').map(decodePart)
  if (!header || !payload || rest.length !== 1) return err('malformed')
  return member(header, 'typ') === 'rc-wrp+jwt' ? ok(payload) : err('wrong_type')
}

/** Returns the JSON object in one part of a JWT; null if the part has other content, as the signature has. */
function decodePart(part: string): JsonObject | null {
  const { characters, depth } = REGISTRATION
  const parsed = parseJsonObject(decodeBase64url(part), { length: characters, depth })
  return parsed.ok ? parsed.value : null
}

const TYP = 16
/** Tags of COSE_Sign1 (RFC 9052 §2) and CWT (RFC 8392 §6). Each tag may be absent. */
const TAGS = [18, 61]

function cwtClaims(text: string): Result<JsonObject, RegistrationError> {
  const sign1 = untagged(decodeLimited(decodeBase64url(text)))
  const [protectedHeader, unprotected, payload, signature, ...rest] =
    sign1?.type === 'array' ? sign1.items : []
  const header = decodeLimited(readBytes(protectedHeader))
  const claims = decodeLimited(readBytes(payload))
  const isSign1 = unprotected?.type === 'map' && readBytes(signature) !== undefined && rest.length === 0
  if (!isSign1 || header?.type !== 'map' || claims?.type !== 'map') return err('malformed')
  if (readText(findEntry(header, TYP)) !== 'rc-wrp+cwt') return err('wrong_type')
  const claimsByName = namedClaims(claims)
  return claimsByName === undefined ? err('malformed') : ok(claimsByName)
}

function decodeLimited(bytes: Uint8Array<ArrayBuffer> | undefined): CborItem | undefined {
  const { characters, depth, items } = REGISTRATION
  const decoded = bytes && decodeCbor(bytes, { bytes: characters, depth, items })
  return decoded?.ok ? decoded.value : undefined
}

function untagged(item: CborItem | undefined): CborItem | undefined {
  return item?.type === 'tag' && TAGS.includes(item.tag) ? untagged(item.content) : item
}

/** RFC 8392 §4: claims with a number. TS 119 475 gives its own claims no number, so their keys are texts. */
const NUMBERED: ReadonlyMap<number, string> = new Map([
  [1, 'iss'],
  [2, 'sub'],
  [3, 'aud'],
  [4, 'exp'],
  [5, 'nbf'],
  [6, 'iat'],
  [7, 'cti'],
])

/** Returns the claims by name; `undefined` if a claim has no name or no JSON form, or a name occurs twice. */
function namedClaims({ entries }: CborItem & { readonly type: 'map' }): JsonObject | undefined {
  const members = entries.map(({ key, value }) => {
    const name = readText(key) ?? NUMBERED.get(readInteger(key) ?? 0)
    const json = toJson(value)
    return name === undefined || json === undefined ? undefined : ([name, json] as const)
  })
  const claims = members.filter((claim) => claim !== undefined)
  const names = new Set(claims.map(([name]) => name))
  return names.size === entries.length ? Object.fromEntries(claims) : undefined
}

/**
 * Returns the identifiers of the intermediary, or of the subject if there is no intermediary. An
 * intermediary sends requests with its own access certificate (§5.1).
 */
function readPresenters(claims: JsonObject): readonly string[] {
  const intermediary = member(claims, 'intermediary') ?? member(claims, 'act')
  return identifiersIn(
    isJsonObject(intermediary) ? member(intermediary, 'sub') : (intermediary ?? member(claims, 'sub')),
  )
}

/**
 * Returns the identifiers in a subject. In version 1.2.1 of TS 119 475 a subject is a text. In version 1.1.1
 * it is an object, whose `id` is a text or a list of objects with `identifier`.
 */
function identifiersIn(subject: Json | undefined): readonly string[] {
  if (typeof subject === 'string') return subject === '' ? [] : [subject]
  if (Array.isArray(subject)) return subject.flatMap((one: Json) => identifiersIn(one))
  if (!isJsonObject(subject)) return []
  return identifiersIn(member(subject, 'id') ?? member(subject, 'identifier'))
}

const path = z.union([
  z.string().check(z.minLength(1)),
  z.array(z.union([z.string(), z.int().check(z.minimum(0)), z.null()])).check(z.minLength(1)),
])
const claims = z.exactOptional(z.array(z.object({ path })))

/** §5.2.4 Table 9. The tables call the list `claim`; DCQL, and some registrars, call it `claims`. */
const credentials = z.array(
  z
    .looseObject({
      format: z.string(),
      meta: z.union([z.string(), z.custom<JsonObject>(isJsonObject)]),
      claim: claims,
      claims,
    })
    .check(
      z.refine(
        ({ claim, claims }) => claim === undefined || claims === undefined,
        'must have `claim` or `claims`, not both',
      ),
      // Claims under any other name would not be found, so the entry would wrongly cover every claim.
      z.refine(
        (entry) => entry.claim !== undefined || entry.claims !== undefined || Object.keys(entry).length === 2,
        'must have `claim`, or nothing beside `format` and `meta`',
      ),
    ),
)

function registeredCredentials(payload: JsonObject): RegistrationCertificate['credentials'] {
  const parsed = credentials.safeParse(member(payload, 'credentials') ?? [], { error: describeIssue })
  const [issue] = parsed.error?.issues ?? []
  if (issue !== undefined || !parsed.success)
    return err(`credentials ${['', ...(issue?.path ?? [])].join('/')} ${issue?.message}`)
  return ok(
    parsed.data.map(({ format, meta, claim, claims }) => {
      const listed = claim ?? claims
      const paths = listed?.map(({ path }) => (typeof path === 'string' ? [path] : path))
      return { format, meta, ...(paths && { paths }) }
    }),
  )
}
