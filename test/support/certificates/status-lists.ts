// A publisher of Token Status Lists on loopback. node:zlib packs the lists. jose signs the JWTs. cborg
// encodes the CWTs, and node:crypto signs them. No code of the service is used.

import { sign } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { encode, Tagged } from 'cborg'
import { type KeyPair, type SigningKey, signJwt } from '../people/issuer.ts'
import { startReceiver } from '../service/receiver.ts'
import type { Minted } from './certificates.ts'

/** Entries of two bits: the statuses of Token Status List §7.1, and one of the issuer's own. */
export const STATUS = { valid: 0, invalid: 1, suspended: 2, own: 3 } as const

/** The signer of a CWT, with its certificates, leaf first. */
export type CwtSigner = { readonly leaf: Minted; readonly chain: readonly Uint8Array[] }

export type StatusLists = {
  /** Publishes a list with these entries as a JWT, and returns its new address. */
  readonly publish: (entries: readonly number[], claims?: object, signer?: ListSigner) => string
  /** The same as a CWT. */
  readonly publishCwt: (entries: readonly number[], signer: CwtSigner) => string
  /** Publishes these revoked identifiers (ISO/IEC 18013-5 second edition §12.3.6). */
  readonly publishIdentifiers: (revoked: readonly Uint8Array[], signer: CwtSigner) => string
  /** Removes a list: 404. */
  readonly withdraw: (uri: string) => void
  /** Puts a list back. */
  readonly restore: (uri: string) => void
  /** Number of requests for an address, by `Accept`. */
  readonly asked: (uri: string) => readonly (string | undefined)[]
  readonly close: () => Promise<void>
}

/** The signer of a JWT, with its certificates in the header if it has any. */
export type ListSigner = SigningKey & { readonly x5c?: readonly string[] }

type Published = {
  readonly type: 'statuslist+jwt' | 'statuslist+cwt' | 'identifierlist+cwt'
  readonly body: string | Uint8Array
}

/** Starts a publisher. By default `signer` signs its JWTs as `iss`. */
export async function startStatusLists(iss: string, signer: KeyPair): Promise<StatusLists> {
  const server = await startReceiver()
  const { origin } = new URL(server.url)
  const lists = new Map<string, Published>()
  const withdrawn = new Set<string>()
  server.answer(({ path }) => {
    const list = withdrawn.has(path) ? undefined : lists.get(path)
    if (list === undefined) return { status: 404 }
    return { headers: { 'content-type': `application/${list.type}` }, body: list.body }
  })
  const publish = (make: (uri: string) => Published) => {
    const path = `/lists/${lists.size + 1}-${crypto.randomUUID()}`
    lists.set(path, make(origin + path))
    return origin + path
  }
  return {
    publish: (entries, claims = {}, key: ListSigner = signer) =>
      publish((sub) => {
        const status_list = { bits: 2, lst: pack(entries).toString('base64url') }
        const payload = { iss, sub, iat: now(), ttl: 600, status_list, ...claims }
        const header = { alg: key.alg, typ: 'statuslist+jwt', ...(key.x5c && { x5c: key.x5c }) }
        return { type: 'statuslist+jwt', body: signJwt(header, payload, key) }
      }),
    publishCwt: (entries, key) =>
      publish((uri) => ({ type: 'statuslist+cwt', body: makeStatusList(uri, pack(entries), key) })),
    publishIdentifiers: (revoked, key) =>
      publish((uri) => ({ type: 'identifierlist+cwt', body: makeIdentifierList(uri, revoked, key) })),
    withdraw: (uri) => withdrawn.add(new URL(uri).pathname),
    restore: (uri) => withdrawn.delete(new URL(uri).pathname),
    asked: (uri) =>
      server.requests
        .filter(({ path }) => path === new URL(uri).pathname)
        .map(({ headers }) => headers.accept),
    close: server.close,
  }
}

const [SUB, EXP, IAT, TTL, STATUS_LIST, IDENTIFIER_LIST] = [2, 4, 6, 65534, 65533, 65530]
const [ALG, TYP, X5CHAIN] = [1, 16, 33]

/** §5.2, its certificates in the unprotected header (RFC 9360). */
function makeStatusList(uri: string, lst: Uint8Array, signer: CwtSigner): Uint8Array {
  const list = new Map<string, unknown>([
    ['bits', 2],
    ['lst', lst],
  ])
  const header = new Map<number, unknown>([[TYP, 'application/statuslist+cwt']])
  const claims = new Map<number, unknown>([
    [SUB, uri],
    [IAT, now()],
    [TTL, 600],
    [STATUS_LIST, list],
  ])
  return signCwt({ header, unprotected: new Map([[X5CHAIN, signer.chain]]), claims }, signer)
}

/** ISO/IEC 18013-5 second edition §12.3.6.4, its certificates in the protected header. */
function makeIdentifierList(uri: string, revoked: readonly Uint8Array[], signer: CwtSigner): Uint8Array {
  const type = 'application/identifierlist+cwt'
  const header = new Map<number, unknown>([[X5CHAIN, signer.chain]])
  const claims = new Map<number, unknown>([
    [SUB, uri],
    [EXP, now() + 600],
    [IAT, now()],
    [TYP, type],
    [IDENTIFIER_LIST, { identifiers: new Map(revoked.map((identifier) => [identifier, {}])) }],
  ])
  return signCwt({ header, unprotected: new Map(), claims }, signer)
}

type Cwt = Readonly<Record<'header' | 'unprotected' | 'claims', ReadonlyMap<number, unknown>>>

/** A COSE_Sign1 under ES256. */
function signCwt({ header, unprotected, claims }: Cwt, { leaf }: CwtSigner): Uint8Array {
  const [protectedHeader, payload] = [encode(new Map([[ALG, -7], ...header])), encode(claims)]
  const signed = encode(['Signature1', protectedHeader, new Uint8Array(), payload])
  const key = { key: leaf.privateJwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  const signature = new Uint8Array(sign('sha256', signed, key as never))
  return encode(new Tagged(18, [protectedHeader, unprotected, payload, signature]))
}

/** §4.1: four entries a byte, the first one lowest. */
function pack(entries: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(entries.length / 4))
  entries.forEach((entry, i) => {
    bytes[i >> 2] = (bytes[i >> 2] ?? 0) | (entry << (2 * (i % 4)))
  })
  return deflateSync(bytes)
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
