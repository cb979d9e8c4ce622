// Every place where a foreign public key comes in, with keys that are rejected: Ed25519 keys of small order
// or in a non-canonical encoding, and points off the curve. Stored anchors are tried, too: they may be older
// than the rule.

import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeCbor } from '../../src/codec/cbor.ts'
import { parseCoseKey } from '../../src/crypto/cose.ts'
import { parsePublicJwk } from '../../src/crypto/jwk.ts'
import { parseMultikey } from '../../src/crypto/multikey.ts'
import { parseHolderKey } from '../../src/formats/verification/holder-proof.ts'
import { parseEncryptedJwe } from '../../src/openid4vp/response/response-encryption.ts'
import { claimsEncryptionJwk } from '../../src/relying-party/document/encryption-jwk.ts'
import type { AnchorMechanism, TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../src/trust/anchors/parse-anchor.ts'
import type { SignerClaims } from '../../src/trust/anchors/signer.ts'
import { resolveDidKeys } from '../../src/trust/did/did.ts'
import { encode, type Value } from '../formats/mdoc/maker.ts'
import { mintCertificate, mintKeys } from '../support/certificates/certificates.ts'
import { ed25519Jwk, ed25519Spki, multikey, WEAK_ED25519 } from '../support/weak-keys.ts'
import { ask, jsonResource, SHARED } from '../trust/fixtures.ts'

type PublicKey = { readonly kty: 'EC' | 'OKP'; readonly crv: string; readonly x: string; readonly y?: string }

const ALGORITHMS: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'Ed25519',
}
const COSE: Readonly<Record<string, number>> = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6 }
const OIDS: Readonly<Record<string, string>> = {
  'P-256': '06082a8648ce3d030107',
  'P-384': '06052b81040022',
  'P-521': '06052b81040023',
}
const bytesOf = (text = '') => Buffer.from(text, 'base64url')
const DID = 'did:web:issuer.example'
const ISSUER = 'https://issuer.example'

/** Returns each place, and whether it accepts the key. */
async function acceptance(key: PublicKey): Promise<Readonly<Record<string, boolean>>> {
  const algorithm = ALGORITHMS[key.crv] ?? ''
  const didJwk = `did:jwk:${Buffer.from(JSON.stringify(key)).toString('base64url')}`
  const spki = spkiOf(key)
  const signer = await mintCertificate({ spki, keys: await mintKeys('P-256') })
  const authority = await mintCertificate({
    ...{ spki, keys: await mintKeys('P-256') },
    ...({ ca: true, keyUsage: ['keyCertSign'] } as const),
  })
  const method = { id: `${DID}#1`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: key }
  const document = { id: DID, verificationMethod: [method], assertionMethod: [method.id] }
  const isConfigured = (mechanism: object) => parseTrustAnchor({ ...SHARED, ...mechanism }).ok
  const isUsed = async (mechanism: object, claims: Partial<SignerClaims>, resource: object = {}) => {
    const anchors = [{ ...SHARED, ...(mechanism as AnchorMechanism) } satisfies TrustAnchor]
    const fetchResource = async () => jsonResource(resource)
    return (await ask({ algorithm, chain: undefined, ...claims }, { anchors, fetchResource })).ok
  }
  const everywhere = {
    jwk: parsePublicJwk(key) !== undefined,
    coseKey: coseKeyOf(key) !== undefined,
    confirmedJwk: parseHolderKey({ cnf: { jwk: key } }, {}) !== undefined,
    confirmedDid: parseHolderKey({ cnf: { kid: didJwk } }, { acceptsHolderKeyId: true }) !== undefined,
    subjectDid: await hasKey(didJwk, algorithm),
    configuredJwks: isConfigured({ issuer: ISSUER, jwks: { keys: [key] } }),
    configuredDid: isConfigured({ did: didJwk }),
    configuredSigner: isConfigured({ x509_certificate_pem: signer.pem }),
    configuredAuthority: isConfigured({ x509_ca_pem: authority.pem }),
    storedJwks: await isUsed({ issuer: ISSUER, jwks: { keys: [key] } }, { iss: ISSUER }),
    storedDid: await isUsed({ did: didJwk }, { iss: didJwk }),
    storedSigner: await isUsed({ x509_certificate_pem: signer.pem }, { chain: [signer.der] }),
    didDocument: await isUsed({ did: DID }, { iss: DID, kid: method.id }, document),
    metadata: await isUsed(
      { issuer_url: ISSUER },
      { iss: ISSUER },
      { issuer: ISSUER, jwks: { keys: [key] } },
    ),
  }
  if (key.crv === 'P-256') return { ...everywhere, epk: isEpk(key), claimsKey: isClaimsKey(key) }
  if (key.crv !== 'Ed25519') return everywhere
  // A compressed point of another curve has another y if it has a point at all: curve-point.test.ts.
  const multibase = multikey('ed01', bytesOf(key.x))
  const did = `did:key:${multibase}`
  return {
    ...everywhere,
    multikey: parseMultikey(multibase) !== undefined,
    configuredDidKey: isConfigured({ did }),
    storedDidKey: await isUsed({ did }, { iss: did }),
    subjectDidKey: await hasKey(did, algorithm),
  }
}

const acceptedIn = async (key: PublicKey) => {
  const found = await acceptance(key)
  return Object.keys(found).filter((place) => found[place])
}

function coseKeyOf({ kty, crv, x, y }: PublicKey) {
  const entries: [number, Value][] = [
    [1, kty === 'EC' ? 2 : 1],
    [-1, COSE[crv] ?? 0],
    [-2, bytesOf(x)],
  ]
  if (y !== undefined) entries.push([-3, bytesOf(y)])
  const item = decodeCbor(new Uint8Array(encode(new Map(entries))), { bytes: 1000, depth: 4, items: 20 })
  return item.ok ? parseCoseKey(item.value) : undefined
}

async function hasKey(did: string, algorithm: string): Promise<boolean> {
  const fetchResource = async () => jsonResource({})
  const found = await resolveDidKeys(
    did,
    'authentication',
    { kid: undefined, algorithm },
    { fetchResource, now: 0 },
  )
  return found.ok && found.value.length > 0
}

function isEpk(epk: PublicKey): boolean {
  const header = Buffer.from(JSON.stringify({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'k', epk })).toString(
    'base64url',
  )
  const rules = { contentEncryptions: ['A128GCM'], kidRequired: true } as const
  return parseEncryptedJwe(`${header}..${'A'.repeat(16)}.AA.${'A'.repeat(22)}`, rules).ok
}

function isClaimsKey(key: PublicKey): boolean {
  return claimsEncryptionJwk.safeParse(key).success
}

/** SubjectPublicKeyInfo (RFC 5480 §2), written by hand: node:crypto refuses a point off its curve. */
function spkiOf({ crv, x, y }: PublicKey): Uint8Array<ArrayBuffer> {
  if (crv === 'Ed25519') return ed25519Spki(bytesOf(x))
  const named = Buffer.from(`06072a8648ce3d0201${OIDS[crv]}`, 'hex')
  const point = Buffer.concat([Buffer.of(0, 4), bytesOf(x), bytesOf(y)])
  return Uint8Array.from(tagged(0x30, Buffer.concat([tagged(0x30, named), tagged(0x03, point)])))
}

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length < 128 ? [content.length] : [0x81, content.length]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}

const exported = (key: JsonWebKey) => key as unknown as PublicKey
const newKey = (namedCurve: string) =>
  exported(generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }))
const GOOD: readonly PublicKey[] = [
  ...['P-256', 'P-384', 'P-521'].map(newKey),
  exported(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })),
]

it.each(GOOD.map((key) => [key.crv, key] as const))(
  'a good key of %s is accepted by every function that reads keys',
  async (_, key) => {
    const found = await acceptance(key)
    expect(Object.keys(found).filter((place) => !found[place])).toEqual([])
  },
)

describe('every function that reads keys rejects the key', () => {
  it.each(WEAK_ED25519.map((key) => [key.toString('hex'), key] as const))('Ed25519 %s', async (_, key) => {
    expect(await acceptedIn(ed25519Jwk(key))).toEqual([])
  })

  /** Points that are near a good point, and the points of other curves. */
  const off = GOOD.filter(({ kty }) => kty === 'EC').flatMap(({ crv, x, y = '', kty }) => {
    const size = bytesOf(x).length
    const flipped = (text: string) => bytesOf(text).with(-1, (bytesOf(text).at(-1) ?? 0) ^ 1)
    const zero = Buffer.alloc(size)
    const pairs: [string, Uint8Array, Uint8Array][] = [
      ['x and y exchanged', bytesOf(y), bytesOf(x)],
      ['a bit of x changed', flipped(x), bytesOf(y)],
      ['a bit of y changed', bytesOf(x), flipped(y)],
      ['x = 0, y = 0', zero, zero],
      ['x = 0, y = 1', zero, zero.with(-1, 1)],
      ['coordinates beyond the prime', Buffer.alloc(size, 0xff), Buffer.alloc(size, 0xff)],
    ]
    const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
    return pairs.map(([name, a, b]) => [crv, name, { kty, crv, x: b64(a), y: b64(b) }] as const)
  })

  it.each(off)('%s with %s', async (_crv, _name, key) => {
    expect(() => createPublicKey({ key: key as JsonWebKey, format: 'jwk' })).toThrow()
    expect(await acceptedIn(key)).toEqual([])
  })
})
