// Issues and presents SD-JWT VCs with libraries of other projects (@sd-jwt/sd-jwt-vc, jose). Splits a good
// presentation so that a test can change one part and sign all other parts again.

import { createHash, type JsonWebKey, randomBytes, sign } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { exportJWK, generateKeyPair } from 'jose'
import type { PublicJwk } from '../../../src/crypto/jwk.ts'

/** A key that signs. It may be the key of a certificate. */
export type SigningKey = { readonly alg: string; readonly privateJwk: JsonWebKey }
export type KeyPair = SigningKey & { readonly publicJwk: PublicJwk }

/** A fresh key pair for `alg` (ES256, ES384, ES512, Ed25519, …), made by jose. */
export async function makeKey(alg = 'ES256'): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const publicJwk = (await exportJWK(publicKey)) as PublicJwk
  return { alg, publicJwk, privateJwk: (await exportJWK(privateKey)) as JsonWebKey }
}

/**
 * Claims to issue. `vct` is required by the library; `disclosable` is its disclosure frame (`{ _sd: ['name']
 * }`).
 */
export type Issuance = {
  readonly issuer: SigningKey
  /** Becomes `cnf.jwk`. Without it the credential has no holder binding. */
  readonly holder?: { readonly publicJwk: PublicJwk }
  readonly claims: Readonly<Record<string, unknown>>
  readonly disclosable?: object
  /** Standard base64 DER certificates for the protected header, leaf first. */
  readonly x5c?: readonly string[]
  /** More protected header parameters (`kid`, …). */
  readonly header?: object
  readonly hash?: 'sha-256' | 'sha-384' | 'sha-512'
}

/** An SD-JWT VC as @sd-jwt/sd-jwt-vc issues it, with all its disclosures. */
export async function issueSdJwtVc(issuance: Issuance): Promise<string> {
  const { issuer, holder, claims, disclosable, x5c, header, hash } = issuance
  const instance = new SDJwtVcInstance({
    signer: (data: string) => rawSignature(issuer, data),
    signAlg: issuer.alg,
    hasher,
    hashAlg: hash ?? 'sha-256',
    saltGenerator,
  })
  const cnf = holder === undefined ? {} : { cnf: { jwk: holder.publicJwk } }
  const options = { header: { ...header, ...(x5c === undefined ? {} : { x5c }) } }
  return instance.issue({ ...claims, ...cnf } as never, disclosable as never, options)
}

/**
 * How a wallet presents. `disclose` is the library's presentation frame (`{ name: true }`); default:
 * everything.
 */
export type Presentation = {
  /** Without a holder no KB-JWT is made. */
  readonly holder?: SigningKey
  readonly nonce: string
  readonly audience: string
  /** Unix seconds. */
  readonly iat: number
  readonly disclose?: object
  /** Further claims of the KB-JWT. */
  readonly keyBinding?: object
}

/** A presentation as @sd-jwt/sd-jwt-vc makes it. */
export async function presentSdJwtVc(sdJwt: string, presentation: Presentation): Promise<string> {
  const { holder, nonce, audience, iat, disclose, keyBinding } = presentation
  const instance = new SDJwtVcInstance({
    hasher,
    saltGenerator,
    ...(holder === undefined
      ? {}
      : { kbSigner: (data: string) => rawSignature(holder, data), kbSignAlg: holder.alg }),
  })
  const frame = disclose ?? everything(await instance.getClaims(sdJwt))
  const kb = holder === undefined ? {} : { kb: { payload: { nonce, aud: audience, iat, ...keyBinding } } }
  return instance.present(sdJwt, frame as never, kb)
}

/** Parts of a presentation, to be changed. A string in place of an object is used as its JSON text. */
export type Parts = {
  header: Record<string, unknown> | string
  payload: Record<string, unknown> | string
  disclosures: string[]
  /** `sd_hash` is made anew unless it was changed. */
  kb: { header: Record<string, unknown> | string; payload: Record<string, unknown> | string } | undefined
  /** Keys that sign. Each signs with its own algorithm, whatever `alg` the header has. */
  issuer: SigningKey
  holder: SigningKey
}

/**
 * Takes a presentation apart, lets `change` alter it, and signs it again with the issuer's and the holder's
 * keys.
 */
export async function alter(
  presentation: string,
  keys: { readonly issuer: SigningKey; readonly holder: SigningKey },
  change: (parts: Parts & { payload: Record<string, unknown>; header: Record<string, unknown> }) => void,
): Promise<string> {
  const [issuerJwt = '', ...disclosures] = presentation.split('~')
  const kbJwt = disclosures.pop()
  const kb = kbJwt ? { header: jsonPart(kbJwt, 0), payload: jsonPart(kbJwt, 1) } : undefined
  const oldHash = kb?.payload.sd_hash
  const parts = { header: jsonPart(issuerJwt, 0), payload: jsonPart(issuerJwt, 1), disclosures, kb, ...keys }
  change(parts)
  const sdJwt = `${[signJwt(parts.header, parts.payload, parts.issuer), ...parts.disclosures].join('~')}~`
  if (parts.kb === undefined) return sdJwt
  const payload: { _sd_alg?: string } | string = parts.payload
  const newHash = digestOf(sdJwt, typeof payload === 'string' ? undefined : payload._sd_alg)
  const kbPayload: object | string = parts.kb.payload
  const kbText = typeof kbPayload === 'string' ? kbPayload : JSON.stringify(kbPayload)
  return sdJwt + signJwt(parts.kb.header, kbText.replace(String(oldHash ?? newHash), newHash), parts.holder)
}

/** A disclosure of these elements; a string is taken as the JSON text itself. */
export function encodeDisclosure(elements: readonly unknown[] | string): string {
  return base64url(typeof elements === 'string' ? elements : JSON.stringify(elements))
}

/** The base64url digest of a text (a disclosure, an SD-JWT). Unknown hash names are taken as SHA-256. */
export function digestOf(text: string, hash = 'sha-256'): string {
  const known = ['sha-384', 'sha-512'].includes(hash) ? hash.replace('-', '') : 'sha256'
  return createHash(known).update(text, 'ascii').digest('base64url')
}

/** A compact JWS over exactly these JSON texts or values. */
export function signJwt(header: object | string, payload: object | string, key: SigningKey): string {
  const input = [header, payload]
    .map((part) => base64url(typeof part === 'string' ? part : JSON.stringify(part)))
    .join('.')
  return `${input}.${rawSignature(key, input)}`
}

/** A raw (JOSE) signature, base64url. */
export function rawSignature(key: SigningKey, data: string): string {
  const hash = { ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' }[key.alg] ?? null
  // The key is passed as a JWK, because workerd's `sign` accepts no KeyObject together with `dsaEncoding`.
  const options = { key: key.privateJwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return sign(hash, Buffer.from(data), options).toString('base64url')
}

function hasher(data: string | ArrayBuffer, alg: string): Uint8Array {
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(new Uint8Array(data))
  return new Uint8Array(createHash(alg.replace('-', '')).update(bytes).digest())
}

function saltGenerator(length: number): string {
  return randomBytes(length).toString('base64url')
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function jsonPart(jwt: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
}

/** A presentation frame that discloses every claim, at every level. */
function everything(claims: unknown): object {
  const entries = Object.entries(claims as object)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? everything(value) : true,
    ]),
  )
}
