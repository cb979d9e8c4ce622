// A path whose certificates name revocation lists, and a web that has the lists. Tests change one thing.

import { concatBytes } from '../../../src/codec/bytes.ts'
import type { FetchError, FetchResource, ResourceRequest } from '../../../src/net/guarded-fetch.ts'
import { err, ok } from '../../../src/result.ts'
import {
  type CertificateStatus,
  checkCertificates,
} from '../../../src/trust/revocation/certificate-revocation.ts'
import { type Certificate, decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import {
  type CertificateOptions,
  type Minted,
  mintIntermediate,
  mintLeaf,
  mintRoot,
  tlv,
} from '../../support/certificates/certificates.ts'
import { type CrlOptions, makeCrl } from '../../support/certificates/crl.ts'
import { NOW } from '../fixtures.ts'

export const LEAF_LIST = 'http://crl.authority.example.org/issuing.crl'
export const TOP_LIST = 'http://crl.authority.example.org/root.crl'
export const SERIAL = { leaf: '7b', intermediate: '1c' } as const

export const root = await mintRoot()
export const intermediate = await mintIntermediate(root, { serialNumber: SERIAL.intermediate })
export const listedIntermediate = await mintIntermediate(root, {
  serialNumber: SERIAL.intermediate,
  keys: intermediate.keys,
  crls: [TOP_LIST],
})
export const leaf = await mintLeaf(intermediate, { serialNumber: SERIAL.leaf, crls: [LEAF_LIST] })

/** The path of a leaf that differs from the good leaf, below an intermediate that names no list. */
export async function pathOf(changes: CertificateOptions): Promise<readonly Certificate[]> {
  const minted = await mintLeaf(intermediate, { serialNumber: SERIAL.leaf, keys: leaf.keys, ...changes })
  return decodePath(minted, intermediate, root)
}

export function decodePath(...path: readonly Minted[]): readonly Certificate[] {
  return path.map(({ der }) => decodeCertificate(der)!)
}

/** Leaf with a list, intermediate without, root. */
export const PATH = decodePath(leaf, intermediate, root)

/** Content of an address: a body, or the error. */
export type Web = Readonly<Record<string, Uint8Array<ArrayBuffer> | FetchError>>

/** A web that may change, and the requests it received. */
export function webOf(web: Web) {
  const asked: ResourceRequest[] = []
  const state = { web }
  const fetchResource: FetchResource = async (request) => {
    asked.push(request)
    const found = state.web[request.url] ?? 'unavailable'
    return typeof found === 'string' ? err(found) : ok({ body: found, contentType: 'text/html' })
  }
  return { fetchResource, asked, state, urls: () => asked.map(({ url }) => url) }
}

export const listOf = (changes: CrlOptions = {}) => makeCrl(intermediate, NOW, changes)

/** Revocation status of a path in this web. */
export function standingIn(
  web: Web,
  path: readonly Certificate[] = PATH,
  now: number = NOW,
  clockSkew?: number,
): Promise<CertificateStatus> {
  return checkCertificates(path, { now, clockSkew, fetchResource: webOf(web).fetchResource })
}

/** In one word: the status, or the error. */
export function word(standing: CertificateStatus): string {
  return standing.status === 'unavailable' ? standing.cause : standing.status
}

/** Bytes with one bit changed in the byte at this place. */
export function tampered(bytes: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  const changed = bytes.slice()
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

/** IssuingDistributionPoint of these parts. */
export const place = (...parts: readonly Uint8Array[]) => ({
  oid: '2.5.29.28',
  critical: true,
  value: tlv(0x30, ...parts),
})
export const TRUE = Uint8Array.of(0xff)
const text = (value: string) => new TextEncoder().encode(value)
/** `[0]` with a full name of these URIs. */
export const pointName = (...uris: readonly string[]) =>
  tlv(0xa0, tlv(0xa0, ...uris.map((uri) => tlv(0x86, text(uri)))))
/** CRLDistributionPoints of points that the caller encodes. */
export const points = (...each: readonly (readonly Uint8Array[])[]) => ({
  oid: '2.5.29.31',
  critical: false,
  value: tlv(0x30, ...each.map((parts) => tlv(0x30, concatBytes(...parts)))),
})
