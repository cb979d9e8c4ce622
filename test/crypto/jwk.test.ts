import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { signatureAlgorithm } from '../../src/crypto/algorithms.ts'
import {
  importAgreementKey,
  importVerificationKey,
  jwkThumbprint,
  type PublicJwk,
  parsePublicJwk,
} from '../../src/crypto/jwk.ts'

// RFC 7515 A.3.1
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
} as const
// RFC 8037 A.2
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const

const algorithm = (name: string) => {
  const entry = signatureAlgorithm(name)
  if (entry === undefined) throw new Error(name)
  return entry
}

describe('parsePublicJwk', () => {
  it('reads the public parameters and drops all other members', () => {
    const stranger = {
      ...P256,
      d: 'secret',
      kid: 'k',
      x5c: ['x'],
      jku: 'https://a.example',
      alg: 'HS256',
      use: 'enc',
    }
    expect(parsePublicJwk(stranger)).toEqual(P256)
    expect(parsePublicJwk({ ...ED25519, y: 'AAAA' })).toEqual(ED25519)
  })

  it.each([
    ['a text instead of an object', 'P-256'],
    ['a list', [P256]],
    ['null', null],
    ['a missing key type', { ...P256, kty: undefined }],
    ['another key type', { ...P256, kty: 'OKP' }],
    ['RSA', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['a symmetric key', { kty: 'oct', k: 'AAAA' }],
    ['a curve outside the table', { ...P256, crv: 'secp256k1' }],
    ['a curve with the name of an inherited property', { ...P256, crv: 'constructor' }],
    ['a missing x', { ...P256, x: undefined }],
    ['a missing y', { ...P256, y: undefined }],
    ['a short coordinate', { ...P256, x: P256.x.slice(0, 40) }],
    ['a long coordinate', { ...P256, x: `AA${P256.x}` }],
    ['padding', { ...P256, y: `${P256.y}=` }],
    ['non-canonical pad bits', { ...P256, y: `${P256.y.slice(0, -1)}1` }],
    ['a number for a coordinate', { ...P256, x: 1 }],
    ['a coordinate of another curve', { ...P256, crv: 'P-384' }],
    ['an OKP key of type EC', { ...ED25519, kty: 'EC' }],
  ])('rejects %s', (_, value) => {
    expect(parsePublicJwk(value)).toBeUndefined()
  })

  it('does not read inherited members', () => {
    expect(parsePublicJwk(Object.create(P256))).toBeUndefined()
  })
})

describe('importVerificationKey', () => {
  it('imports a key for its own algorithm, and for no other algorithm', async () => {
    expect(await importVerificationKey(P256, algorithm('ES256'))).toBeInstanceOf(CryptoKey)
    expect(await importVerificationKey(ED25519, algorithm('EdDSA'))).toBeInstanceOf(CryptoKey)
    expect(await importVerificationKey(ED25519, algorithm('Ed25519'))).toBeInstanceOf(CryptoKey)
    for (const other of ['ES384', 'ES512', 'EdDSA']) {
      expect(await importVerificationKey(P256, algorithm(other))).toBeUndefined()
    }
    expect(await importVerificationKey(ED25519, algorithm('ES256'))).toBeUndefined()
  })

  it('imports a JavaScript object once, and imports an equal second object separately', async () => {
    const kept = { ...ED25519 }
    const key = await importVerificationKey(kept, algorithm('EdDSA'))
    expect(await importVerificationKey(kept, algorithm('Ed25519'))).toBe(key)
    expect(await importVerificationKey({ ...ED25519 }, algorithm('EdDSA'))).not.toBe(key)
  })

  it('rejects another algorithm for an object that is already imported', async () => {
    const kept = { ...P256 }
    expect(await importVerificationKey(kept, algorithm('ES256'))).toBeInstanceOf(CryptoKey)
    expect(await importVerificationKey(kept, algorithm('ES384'))).toBeUndefined()
    expect(await importVerificationKey(kept, algorithm('EdDSA'))).toBeUndefined()
  })

  it('rejects a point that is not on the curve, at every call', async () => {
    const off = { ...P256, x: P256.y, y: P256.x } as PublicJwk
    expect(await importVerificationKey(off, algorithm('ES256'))).toBeUndefined()
    expect(await importVerificationKey(off, algorithm('ES256'))).toBeUndefined()
  })

  it('ignores other members of the object', async () => {
    const carrying = {
      ...P256,
      alg: 'ES384',
      use: 'enc',
      key_ops: ['sign'],
      d: 'AAAA',
      ext: false,
    } as PublicJwk
    expect(await importVerificationKey(carrying, algorithm('ES256'))).toBeInstanceOf(CryptoKey)
  })
})

describe('importAgreementKey', () => {
  it('imports a key for key agreement on its own curve', async () => {
    const key = await importAgreementKey(P256)
    expect(key).toMatchObject({ type: 'public', algorithm: { name: 'ECDH', namedCurve: 'P-256' } })
  })

  it('rejects a point that is not on its curve', async () => {
    expect(await importAgreementKey({ ...P256, x: P256.y, y: P256.x })).toBeUndefined()
  })
})

describe('jwkThumbprint', () => {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

  it('returns the thumbprint of RFC 8037 A.3 for the key of A.2', async () => {
    expect(base64url(await jwkThumbprint(ED25519))).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })

  it.each(['ES256', 'ES384', 'ES512'])(
    'agrees with the library jose for an %s key, whatever other members the key has',
    async (alg) => {
      const { publicKey } = await generateKeyPair(alg, { extractable: true })
      const jwk = await exportJWK(publicKey)
      const thumbprint = await jwkThumbprint({ ...jwk, kid: 'x' } as unknown as PublicJwk)
      expect(base64url(thumbprint)).toBe(await calculateJwkThumbprint(jwk))
    },
  )
})
