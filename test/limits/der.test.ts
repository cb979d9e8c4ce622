import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '../../src/codec/bytes.ts'
import { type DerElement, decodeDer } from '../../src/codec/der.ts'
import { CERTIFICATE, DER_DEPTH } from '../../src/limits.ts'
import { decodeCertificate } from '../../src/trust/x509/certificate.ts'
import { decodeDistinguishedName } from '../../src/trust/x509/distinguished-name.ts'
import { mintIssuerPki, tlv } from '../support/certificates/certificates.ts'
import annexD from '../vectors/iso18013-5-annexD.json' with { type: 'json' }
import { effortOf } from './effort.ts'
import { changed, noise, RUNS } from './generators.ts'

const { root, leaf } = await mintIssuerPki()
const CERTIFICATES = [root.der, leaf.der, decodeHex(annexD.ISO_18013_5_ANNEX_D_DS_CERT) ?? new Uint8Array()]

function depthOf({ children }: DerElement): number {
  return 1 + Math.max(0, ...children.map(depthOf))
}

/** Nested SEQUENCEs of this depth. */
function nested(levels: number): Uint8Array<ArrayBuffer> {
  let encoded: number[] = []
  for (let i = 0; i < levels; i++) {
    const length = encoded.length
    const head =
      length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
    encoded = [0x30, ...head, ...encoded]
  }
  return Uint8Array.from(encoded)
}

describe('randomly generated DER', () => {
  it('is decoded within its limit of depth or rejected, with an effort that is proportional to its bytes', async () => {
    const input = fc.oneof(noise, changed(CERTIFICATES), fc.integer({ min: 1, max: 300 }).map(nested))
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        const { result, pieces } = await effortOf(() => decodeDer(bytes))
        expect(pieces).toBeLessThanOrEqual(3 * (bytes.length + 1))
        if (result !== undefined) expect(depthOf(result)).toBeLessThanOrEqual(DER_DEPTH)
      }),
      RUNS,
    )
  })

  it('nested DER is accepted at the limit of depth, and rejected if it is one level deeper', () => {
    expect(decodeDer(nested(DER_DEPTH))).toBeDefined()
    expect(decodeDer(nested(DER_DEPTH + 1))).toBeUndefined()
  })
})

describe('a randomly generated certificate', () => {
  it('is decoded or rejected, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(noise, changed(CERTIFICATES)), (bytes) => {
        expect(() => decodeCertificate(bytes)).not.toThrow()
      }),
      RUNS,
    )
  })

  it('a randomly generated certificate with more bytes than its limit is not decoded', async () => {
    const { result, pieces } = await effortOf(() =>
      decodeCertificate(new Uint8Array(CERTIFICATE.bytes + 1).fill(0x30)),
    )
    expect(result).toBeUndefined()
    expect(pieces).toBe(0)
  })
})

describe('a distinguished name', () => {
  it('may have only a limited number of attributes in one RDN, because their comparison takes quadratic time', () => {
    const attribute = tlv(0x30, tlv(0x06, Uint8Array.of(0x55, 4, 3)), tlv(0x0c, Uint8Array.of(0x61)))
    const nameOf = (attributes: number) =>
      decodeDistinguishedName(
        decodeDer(tlv(0x30, tlv(0x31, ...Array.from({ length: attributes }, () => attribute)))),
      )
    expect(nameOf(CERTIFICATE.attributes)?.rdns[0]).toHaveLength(CERTIFICATE.attributes)
    expect(nameOf(CERTIFICATE.attributes + 1)).toBeUndefined()
  })
})
