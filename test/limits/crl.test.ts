import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../src/codec/base64url.ts'
import { concatBytes } from '../../src/codec/bytes.ts'
import { splitDer } from '../../src/codec/der.ts'
import { CRL } from '../../src/limits.ts'
import { decodeCertificate } from '../../src/trust/x509/certificate.ts'
import { verifyCertificateSignature } from '../../src/trust/x509/certificate-signature.ts'
import { decodeCrl, serialKey } from '../../src/trust/x509/crl.ts'
import { decodeDistributionPoints } from '../../src/trust/x509/distribution-points.ts'
import { tlv } from '../support/certificates/certificates.ts'
import { listOf, place, pointName, points, SERIAL } from '../trust/x509/crl-fixtures.ts'
import vectors from '../vectors/crl-openssl.json' with { type: 'json' }
import { effortOf } from './effort.ts'
import { changed, noise, RUNS } from './generators.ts'

const made = Object.values(vectors.lists).map((list) => decodeBase64(list)!)
const LISTS = [...made, await listOf({ revoked: [SERIAL.leaf], extensions: [place(pointName('http://x/'))] })]
const AUTHORITY = decodeCertificate(decodeBase64(vectors.authority)!)!
const SIGNED = decodeBase64(vectors.lists.complete)!
const REVOKED = serialKey(Uint8Array.of(0x10, 0x01))

describe('a randomly generated revocation list', () => {
  it('is decoded or rejected, with an effort that is proportional to its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, changed(LISTS)), async (bytes) => {
        const { result, pieces } = await effortOf(() => decodeCrl(bytes))
        expect(result.ok || ['malformed', 'unsupported'].includes(result.error)).toBe(true)
        expect(pieces).toBeLessThanOrEqual(8 * (bytes.length + 1))
      }),
      RUNS,
    )
  })

  it('a signed revocation list with a changed byte is rejected, has no valid signature, or still contains the revoked serial number', async () => {
    await fc.assert(
      fc.asyncProperty(changed([SIGNED]), async (bytes) => {
        const decoded = decodeCrl(bytes)
        if (!decoded.ok) return
        const { signed, list } = decoded.value
        if ((await verifyCertificateSignature(signed, AUTHORITY)) === 'valid')
          expect(list.revoked.has(REVOKED)).toBe(true)
      }),
      RUNS,
    )
  })

  it('randomly generated distribution points are decoded or rejected, and nothing throws', () => {
    const values = [points([pointName('http://a/', 'http://b/')], [pointName('ldap://c/')]).value]
    fc.assert(
      fc.property(fc.oneof(noise, changed(values)), (bytes) => {
        expect(() => decodeDistributionPoints(bytes)).not.toThrow()
      }),
      RUNS,
    )
  })
})

const ENTRY = tlv(0x30, tlv(0x02, Uint8Array.of(1)), tlv(0x17, new TextEncoder().encode('260101000000Z')))

/** A good list whose entries are replaced by these bytes. Its lengths are right, its signature is not. */
function listing(entries: Uint8Array): Uint8Array<ArrayBuffer> {
  const [whole] = splitDer(SIGNED, 1)!
  const [tbs, ...outer] = splitDer(whole!.content, 3)!
  const fields = splitDer(tbs!.content, 7)!
  const body = fields.map(({ encoded }, i) => (i === 5 ? long(0x30, entries) : encoded))
  return long(0x30, long(0x30, ...body), ...outer.map(({ encoded }) => encoded))
}

/** One element of up to 16 MiB, in the shortest form if it has 64 KiB at least. */
function long(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concatBytes(...parts)
  const { length } = content
  if (length < 0x10000) return tlv(tag, content)
  return concatBytes(Uint8Array.of(tag, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff), content)
}

const repeated = (bytes: Uint8Array, count: number) =>
  new Uint8Array(Buffer.alloc(bytes.length * count, bytes))

describe('a long revocation list', () => {
  it('is decoded with as many entries as the limit allows, and rejected with one more entry', () => {
    expect(decodeCrl(listing(repeated(ENTRY, CRL.entries))).ok).toBe(true)
    expect(decodeCrl(listing(repeated(ENTRY, CRL.entries + 1)))).toEqual({ ok: false, error: 'malformed' })
  })

  it('a long revocation list of a million empty elements is rejected without more effort than the limit of entries allows', async () => {
    const list = listing(repeated(Uint8Array.of(0x30, 0), 1_000_000))
    const { result, pieces } = await effortOf(() => decodeCrl(list))
    expect(result).toEqual({ ok: false, error: 'malformed' })
    expect(pieces).toBeLessThanOrEqual(2 * CRL.entries + 100)
  })

  it('is not decoded if it has more bytes than its limit', async () => {
    const { result, pieces } = await effortOf(() => decodeCrl(new Uint8Array(CRL.bytes + 1).fill(0x30)))
    expect(result).toEqual({ ok: false, error: 'too_large' })
    expect(pieces).toBe(0)
  })
})
