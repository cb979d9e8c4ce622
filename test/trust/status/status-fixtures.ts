// Good status lists, made without code of src/trust: jose signs JWTs, node:crypto signs CWTs, node:zlib
// deflates.

import { createPrivateKey, sign } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { concatBytes, utf8 } from '../../../src/codec/bytes.ts'
import type { FetchError, FetchResource, ResourceRequest } from '../../../src/net/guarded-fetch.ts'
import { err, ok, type Result } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import type { StatusContext } from '../../../src/trust/status/status-context.ts'
import { STATUS_LIST_CWT } from '../../../src/trust/status/status-cwt.ts'
import { STATUS_LIST_JWT } from '../../../src/trust/status/status-jwt.ts'
import { checkStatus, type StatusReference } from '../../../src/trust/status/status-list.ts'
import { NOW, SHARED } from '../fixtures.ts'

export const URI = 'https://status.example/lists/1'
export const ISSUER = 'https://issuer.example'

export const keys = await generateKeyPair('ES256', { extractable: true })
export const publicJwk = await exportJWK(keys.publicKey)

/** An anchor of one issuer with these keys. */
export function jwksAnchor(changes: object = {}): TrustAnchor {
  return { ...SHARED, issuer: ISSUER, jwks: { keys: [publicJwk] }, ...changes } as TrustAnchor
}

/** zlib stream of these bytes. */
export function deflate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateSync(bytes))
}

/** Two bits an entry: 1 2 0 3, 0 1 0 1, 1 2 3 3, as in the draft's own picture. */
export const LIST = deflate(Uint8Array.of(0xc9, 0x44, 0xf9))

export const goodClaims = {
  iss: ISSUER,
  sub: URI,
  iat: NOW - 100,
  exp: NOW + 1000,
  ttl: 600,
  status_list: { bits: 2, lst: encodeBase64url(LIST) },
} as const

/** A JWT of these claims; a member that is `undefined` is left out. */
export function makeJwt(
  claims: object = {},
  header: object = {},
  key: CryptoKey = keys.privateKey,
): Promise<string> {
  return new SignJWT({ ...goodClaims, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', ...header })
    .sign(key)
}

/** Values for CBOR. A Map has any keys, in order. */
export type Cbor = number | string | Uint8Array | readonly Cbor[] | Map<number | string, Cbor>

export function cbor(value: Cbor): Uint8Array<ArrayBuffer> {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return concatBytes(head(3, utf8(value).length), utf8(value))
  if (value instanceof Uint8Array) return concatBytes(head(2, value.length), value)
  if (value instanceof Map)
    return concatBytes(head(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)]))
  return concatBytes(head(4, value.length), ...value.map(cbor))
}

function head(major: number, argument: number): Uint8Array<ArrayBuffer> {
  if (argument < 24) return Uint8Array.of((major << 5) | argument)
  // The shortest form, which signatures cover (RFC 9052 §9).
  const width = argument < 0x100 ? 1 : argument < 0x1_0000 ? 2 : 4
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, argument)
  return concatBytes(Uint8Array.of((major << 5) | (24 + Math.log2(width))), bytes.subarray(4 - width))
}

export type Entries = readonly (readonly [number | string, Cbor | undefined])[]

export const TYP = 'application/statuslist+cwt'

/** A CWT of the good claims; each list of entries changes one part, `undefined` removes. */
export async function makeCwt(
  changes: {
    readonly claims?: Entries
    readonly header?: Entries
    readonly unprotected?: Entries
    readonly tag?: number
    readonly list?: Entries
  } = {},
  privateKey: CryptoKey = keys.privateKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const list = changed([['bits', 2], ['lst', LIST]], changes.list) // biome-ignore format: entries
  const claims = changed([[2, URI], [6, NOW - 100], [4, NOW + 1000], [65534, 600], [65533, list]], changes.claims) // biome-ignore format: entries
  const header = cbor(changed([[1, -7], [16, TYP]], changes.header)) // biome-ignore format: entries
  const payload = cbor(claims)
  const key = createPrivateKey({ key: await exportJWK(privateKey), format: 'jwk' } as never)
  const signed = cbor(['Signature1', header, new Uint8Array(), payload])
  const signature = new Uint8Array(sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }))
  const message = cbor([header, changed([], changes.unprotected), payload, signature])
  return concatBytes(Uint8Array.of(0xc0 | (changes.tag ?? 18)), message)
}

function changed(good: Entries, changes: Entries = []): Map<number | string, Cbor> {
  const entries = [...new Map([...good, ...changes])]
  return new Map(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

/** A web with one response, and the requests it received. */
export function web(answer: () => Promise<string | Uint8Array<ArrayBuffer> | { fault: FetchError }>): {
  readonly fetchResource: FetchResource
  readonly asked: ResourceRequest[]
} {
  const asked: ResourceRequest[] = []
  const fetchResource: FetchResource = async (request) => {
    asked.push(request)
    const body = await answer()
    if (typeof body === 'string') return ok({ body: utf8(body), contentType: 'text/plain' })
    return body instanceof Uint8Array ? ok({ body, contentType: 'text/plain' }) : err(body.fault)
  }
  return { fetchResource, asked }
}

export function context(changes: Partial<StatusContext> = {}): StatusContext {
  return {
    now: NOW,
    anchors: [jwksAnchor()],
    fetchResource: async ({ url }) => {
      throw new Error(`nothing may be fetched here: ${url}`)
    },
    credentialType: { name: 'pid', builtIn: true },
    credentialAnchor: SHARED,
    ...changes,
  }
}

type IndexReference = Extract<StatusReference, { readonly index: number }>

/** The status that a response gives, or the error. */
export async function statusOf(
  body: string | Uint8Array<ArrayBuffer>,
  reference: Partial<IndexReference> = {},
  changes: Partial<StatusContext> = {},
): Promise<string> {
  const form = typeof body === 'string' ? STATUS_LIST_JWT : STATUS_LIST_CWT
  const { fetchResource } = web(async () => body)
  const full = { uri: URI, index: 2, form, ...reference } as const
  return word(await checkStatus(full, context({ fetchResource, ...changes })))
}

export function word(result: Result<{ readonly status: string }, string>): string {
  return result.ok ? result.value.status : result.error
}
