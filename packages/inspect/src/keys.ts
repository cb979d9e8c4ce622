// Keys that an input contains, and keys that the caller gives. A key that is inside proves nothing about its
// owner.

import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { isJsonObject, type JsonObject, member, parseJson } from '../../../src/codec/json.ts'
import { type PrivateJwk, type PublicJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { readKeyInDid } from '../../../src/trust/did/did.ts'
import { decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { subjectKeyJwk } from '../../../src/trust/x509/subject-key.ts'
import { INPUT } from './limits.ts'
import { type Check, check, UnreadableInputError } from './report.ts'
import type { Bytes } from './source.ts'

/** A key, and where it is. `d` is present for a private key. */
export type GivenKey = { readonly publicJwk: PublicJwk; readonly privateJwk: PrivateJwk | undefined }

/** A key inside an input. `place`: words such as "in the chain". */
export type InsideKey = { readonly jwk: PublicJwk; readonly place: 'chain' | 'header' | 'DID' }

/** Parses a JWK or a JWK Set. Throws `UnreadableInputError`. */
export function readKeys(text: string): readonly GivenKey[] {
  const parsed = parseJson(text, INPUT.json)
  const value = parsed.ok ? parsed.value : undefined
  const set = isJsonObject(value) && Array.isArray(member(value, 'keys')) ? member(value, 'keys') : [value]
  const keys = (set as readonly unknown[]).slice(0, INPUT.keys).map((jwk) => {
    const publicJwk = parsePublicJwk(jwk)
    const d = isJsonObject(jwk) ? member(jwk, 'd') : undefined
    return publicJwk && { publicJwk, privateJwk: typeof d === 'string' ? { ...publicJwk, d } : undefined }
  })
  if (keys.length > 0 && keys.every((key) => key !== undefined)) return keys
  throw new UnreadableInputError('the key must be a JWK or a JWK Set on P-256, P-384, P-521 or Ed25519')
}

/** Returns the key in the header of a JWS: of its chain, its `jwk`, or a DID. `iss`: of the payload. */
export function keyInHeader(header: JsonObject, iss: unknown): InsideKey | undefined {
  const [leaf] = chainOf(header) ?? []
  const certified = leaf && keyOfCertificate(leaf)
  if (certified !== undefined) return { jwk: certified, place: 'chain' }
  const jwk = parsePublicJwk(member(header, 'jwk'))
  if (jwk !== undefined) return { jwk, place: 'header' }
  const names = [member(header, 'kid'), iss].filter((name) => typeof name === 'string')
  const contained = names.map(readKeyInDid).find((key) => key !== undefined)
  return contained && { jwk: contained, place: 'DID' }
}

/** Returns the certificates of `x5c`; `undefined` if there are none, or one is not base64. */
export function chainOf(header: JsonObject): readonly Bytes[] | undefined {
  const x5c = member(header, 'x5c')
  if (!Array.isArray(x5c) || x5c.length === 0) return undefined
  const chain = x5c.map((text) => (typeof text === 'string' ? decodeBase64(text) : undefined))
  return chain.every((bytes) => bytes !== undefined) ? chain : undefined
}

/** Returns the key of a certificate; `undefined` if it is malformed, weak or RSA. */
export function keyOfCertificate(bytes: Bytes): PublicJwk | undefined {
  const key = decodeCertificate(bytes)?.subjectKey
  return key && subjectKeyJwk(key)
}

/** How to check one signature. */
type Signed = {
  readonly name: string
  readonly clause: string
  readonly inside: InsideKey | undefined
  readonly given: readonly GivenKey[]
  /** Verifies with a key. */
  readonly verify: (key: PublicJwk) => Promise<boolean>
}

/** Checks a signature with the key inside, else with the given keys. Says which key it was. */
export async function checkSignature({ name, clause, inside, given, verify }: Signed): Promise<Check> {
  for (const { publicJwk } of given)
    if (await verify(publicJwk))
      return check(name, 'holds', 'signature holds with a key that you gave', clause)
  if (inside === undefined) {
    const detail = given.length > 0 ? 'no key that you gave made the signature' : NO_KEY
    return check(name, given.length > 0 ? 'fails' : 'not_checked', detail, clause)
  }
  const what = `the key in the ${inside.place}`
  const owner = inside.place === 'chain' ? 'the chain' : 'the key'
  return (await verify(inside.jwk))
    ? check(name, 'holds', `signature holds with ${what}; ${owner} is not trusted by this`, clause)
    : check(name, 'fails', `signature does not hold with ${what}`, clause)
}

const NO_KEY = 'no key is inside: its issuer publishes it elsewhere, and nothing is fetched. Give the key'
