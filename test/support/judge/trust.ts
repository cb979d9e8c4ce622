// Keys of issuers and holders for the judge: by a certificate path that node:crypto checks, by a JWK Set, or
// by a did:jwk.

import { createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto'
import { compactVerify } from 'jose'
import type { Anchor, Asked } from './judge.ts'

/** Tolerated difference of clocks, in seconds. The libraries take it as an option. */
export const SKEW = 60

/** Largest accepted difference between the clock and the time of a proof of possession. */
const PROOF_SECONDS = 300

/** Returns the key of a chain's leaf (leaf first). Throws if the chain does not end at an anchor. */
export function verifyPath(chain: readonly Uint8Array[], anchors: readonly Anchor[], now: number): KeyObject {
  const path = chain.map((der) => new X509Certificate(der))
  const [leaf] = path
  if (leaf === undefined) throw new Error('no certificate')
  const pinned = anchors.flatMap(({ x509_certificate_pem: pem }) => pem ?? [])
  if (!pinned.some((pem) => new X509Certificate(pem).raw.equals(leaf.raw))) {
    const roots = anchors.flatMap(({ x509_ca_pem: pem }) =>
      pem === undefined ? [] : new X509Certificate(pem),
    )
    path.forEach((certificate, i) => {
      const issuers = path[i + 1] === undefined ? roots : [path[i + 1] as X509Certificate]
      if (!issuers.some((issuer) => isIssued(certificate, issuer))) throw new Error('no path to an anchor')
    })
  }
  for (const { validFromDate, validToDate } of path) {
    if (now * 1000 < validFromDate.getTime() || now * 1000 > validToDate.getTime())
      throw new Error('a certificate is not valid now')
  }
  return leaf.publicKey
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** Returns the trusted keys of an issuer of a JWT. */
export function issuerKeys(
  { x5c }: { readonly x5c?: unknown },
  issuer: unknown,
  anchors: readonly Anchor[],
  { now }: Asked,
): readonly KeyObject[] {
  const known = anchors.flatMap(({ issuer: name, jwks, did }) => {
    if (name !== undefined && name === issuer) return jwks?.keys ?? []
    return did !== undefined && did === issuer ? [jwkOfDid(did)] : []
  })
  if (known.length > 0) return known.map((jwk) => keyOf(jwk as JsonWebKey))
  if (!Array.isArray(x5c)) throw new Error('no anchor for this issuer')
  const chain = x5c.map((each) => Buffer.from(each, 'base64'))
  return [verifyPath(chain, anchors, now)]
}

/** Returns a public key of node:crypto. */
export function keyOf(jwk: JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' })
}

/** Returns the key in a did:jwk, or in a DID URL of it. */
export function jwkOfDid(did: unknown): JsonWebKey {
  const encoded = /^did:jwk:([\w-]+)(#0)?$/.exec(String(did))?.[1]
  if (encoded === undefined) throw new Error('resolves did:jwk only')
  return JSON.parse(Buffer.from(encoded, 'base64url').toString())
}

/** Returns the first of the keys that verifies a JWS. Throws jose's error if no key verifies it. */
export async function verifyJws(jws: string, keys: readonly KeyObject[]): Promise<KeyObject> {
  const verified = keys.map(async (key) => {
    await compactVerify(jws, key)
    return key
  })
  return Promise.any(verified).catch(({ errors }: AggregateError) => {
    throw errors[0]
  })
}

/** Throws if a proof of possession names another audience or time. The libraries leave this to callers. */
export function expectCurrent({ aud, iat }: { aud?: unknown; iat?: unknown }, asked: Asked): void {
  if (aud !== asked.audience) throw new Error('the proof names another audience')
  if (iat === undefined) return
  const earliest = Math.max(asked.requestedAt - SKEW, asked.now - PROOF_SECONDS)
  if (!(Number(iat) >= earliest && Number(iat) <= asked.now + PROOF_SECONDS))
    throw new Error('the proof is not current')
}
