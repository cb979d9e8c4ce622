// Points of the accepted curves in each encoding. node:crypto makes and compresses them. Where a key comes in
// is in key-entries.test.ts.

import { ECDH, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeCbor } from '../../src/codec/cbor.ts'
import { parseCoseKey } from '../../src/crypto/cose.ts'
import { decompressPoint } from '../../src/crypto/curve-point.ts'
import { parsePublicJwk } from '../../src/crypto/jwk.ts'
import { parseMultikey } from '../../src/crypto/multikey.ts'
import { decodeCertificate } from '../../src/trust/x509/certificate.ts'
import { encode, type Value } from '../formats/mdoc/maker.ts'
import { mintCertificate } from '../support/certificates/certificates.ts'
import { multikey, p256Spki } from '../support/weak-keys.ts'

const CURVES = [
  { crv: 'P-256', node: 'prime256v1', size: 32, cose: 1, codec: '8024' },
  { crv: 'P-384', node: 'secp384r1', size: 48, cose: 2, codec: '8124' },
  { crv: 'P-521', node: 'secp521r1', size: 66, cose: 3, codec: '8224' },
] as const

function coseKeyOf(entries: readonly (readonly [number, Value])[]) {
  const item = decodeCbor(new Uint8Array(encode(new Map(entries))), { bytes: 1000, depth: 4, items: 20 })
  return item.ok ? parseCoseKey(item.value) : undefined
}

function pointOf(crv: string) {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: crv }).publicKey.export({
    format: 'jwk',
  })
  return { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
}

describe.each(CURVES)('a point of $crv', ({ crv, node, size, cose, codec }) => {
  const { x, y } = pointOf(crv)
  const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const compressed = Buffer.from(
    ECDH.convertKey(Buffer.concat([Buffer.of(4), x, y]), node, undefined, undefined, 'compressed') as Buffer,
  )

  it('is accepted in a JWK, a COSE_Key and a multikey', () => {
    const jwk = { kty: 'EC', crv, x: b64(x), y: b64(y) }
    const key = coseKeyOf([
      [1, 2],
      [-1, cose],
      [-2, x],
      [-3, y],
    ])
    expect([parsePublicJwk(jwk), key, parseMultikey(multikey(codec, compressed))]).toEqual([jwk, jwk, jwk])
  })

  it.each<[string, Buffer, Buffer]>([
    ['with x and y exchanged', y, x],
    ['with one bit of y changed', x, Buffer.concat([y.subarray(0, -1), Buffer.of((y.at(-1) ?? 0) ^ 1)])],
    ['with zero coordinates', Buffer.alloc(size), Buffer.alloc(size)],
    ['with coordinates beyond the prime', Buffer.alloc(size, 0xff), Buffer.alloc(size, 0xff)],
  ])('a point %s is rejected in a JWK and in a COSE_Key', (_, badX, badY) => {
    expect(parsePublicJwk({ kty: 'EC', crv, x: b64(badX), y: b64(badY) })).toBeUndefined()
    const entries = [
      [1, 2],
      [-1, cose],
      [-2, badX],
      [-3, badY],
    ] as const
    expect(coseKeyOf(entries)).toBeUndefined()
  })

  it('is decompressed to the same bytes as by node:crypto, whether its first byte is 2 or 3', () => {
    const other = Buffer.from(compressed)
    other[0] = (other[0] ?? 0) ^ 1
    for (const form of [compressed, other]) {
      const expected = ECDH.convertKey(form, node, undefined, undefined, 'uncompressed')
      expect(Buffer.from(decompressPoint(crv, form) ?? [])).toEqual(expected)
    }
  })

  it('is not decompressed if its form or length is wrong, or if its x is not on the curve', () => {
    expect(decompressPoint(crv, Buffer.concat([Buffer.of(4), x]))).toBeUndefined()
    expect(decompressPoint(crv, compressed.subarray(0, size))).toBeUndefined()
    expect(decompressPoint(crv, Buffer.alloc(1 + size, 0xff).fill(2, 0, 1))).toBeUndefined()
    const neighbours = Array.from({ length: 32 }, (_, i) => {
      const changed = Buffer.from(compressed)
      changed[size] = i
      return changed
    })
    for (const form of neighbours) {
      let expected: Buffer | undefined
      try {
        expected = ECDH.convertKey(form, node, undefined, undefined, 'uncompressed') as Buffer
      } catch {
        expected = undefined
      }
      const found = decompressPoint(crv, form)
      expect(found && Buffer.from(found)).toEqual(expected)
    }
  })
})

describe('a P-256 key in a certificate', () => {
  const { x, y } = pointOf('P-256')

  it('is rejected if its point is not on the curve', async () => {
    const { der } = await mintCertificate({ spki: p256Spki(Buffer.concat([Buffer.of(4), y, x])) })
    expect(decodeCertificate(der)).toMatchObject({ subjectKey: undefined })
  })

  it('is accepted with a compressed point, and gives the uncompressed point', async () => {
    const form = Buffer.concat([Buffer.of(2 + ((y.at(-1) ?? 0) & 1)), x])
    const { der } = await mintCertificate({ spki: p256Spki(form) })
    const point = Uint8Array.from([4, ...x, ...y])
    expect(decodeCertificate(der)?.subjectKey).toMatchObject({ type: 'ec', curve: 'P-256', point })
  })
})

describe('an RSA key in a certificate', () => {
  it.each([
    [1024, false],
    [2040, false],
    [2047, false],
    [2048, true],
  ])('an RSA key of %i bits in a certificate is accepted: %s', async (modulusLength, isAccepted) => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength })
    const spki = Uint8Array.from(publicKey.export({ format: 'der', type: 'spki' }))
    const { der } = await mintCertificate({ spki })
    expect(decodeCertificate(der)?.subjectKey !== undefined).toBe(isAccepted)
  })
})
