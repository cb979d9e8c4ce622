// The signature on a certificate (RFC 5280 §6.1.3 (a)(1)): one thing differs from a certificate that
// @peculiar/x509 signed.

import { beforeAll, describe, expect, it } from 'vitest'
import { decodeHex } from '../../../src/codec/bytes.ts'
import { decodeDer } from '../../../src/codec/der.ts'
import { type Certificate, decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { verifyCertificateSignature } from '../../../src/trust/x509/certificate-signature.ts'
import type { SubjectKey } from '../../../src/trust/x509/subject-key.ts'
import { type KeyKind, mintIntermediate, mintRoot, tlv } from '../../support/certificates/certificates.ts'

type Pair = { readonly signed: Certificate; readonly issuer: Certificate }

const [NULL, EMPTY_SEQUENCE, LONG_NULL] = [tlv(5), tlv(0x30), tlv(5, Uint8Array.of(0))]
const ECDSA_SHA256 = tlv(6, decodeHex('2a8648ce3d040302')!)
const RSA_SHA256 = tlv(6, decodeHex('2a864886f70d01010b')!)
const identifier = (...parts: readonly Uint8Array[]) => decodeDer(tlv(0x30, ...parts))!
const integer = (...octets: readonly number[]) => tlv(2, Uint8Array.from(octets))

let ec: Pair
let rsa: Pair
beforeAll(async () => {
  ec = await pairOf('P-256')
  rsa = await pairOf('RSA-2048')
})

describe('the signature algorithm of a certificate', () => {
  it('must have no parameters for ECDSA (RFC 5758 §3.2)', async () => {
    const resultOf = (...parts: readonly Uint8Array[]) =>
      verify(ec, { signatureAlgorithm: identifier(ECDSA_SHA256, ...parts) })
    expect(await resultOf()).toBe('valid')
    expect(await resultOf(NULL)).toBe('weak')
  })

  it('must have NULL or no parameters for RSA (RFC 4055 §5)', async () => {
    const resultOf = (...parts: readonly Uint8Array[]) =>
      verify(rsa, { signatureAlgorithm: identifier(RSA_SHA256, ...parts) })
    expect(await resultOf(NULL)).toBe('valid')
    expect(await resultOf()).toBe('valid')
    expect(await resultOf(LONG_NULL)).toBe('weak')
    expect(await resultOf(EMPTY_SEQUENCE)).toBe('weak')
    expect(await resultOf(NULL, NULL)).toBe('weak')
  })

  it('must be a known algorithm of the key’s type', async () => {
    expect(await verify(ec, { signatureAlgorithm: identifier() })).toBe('weak')
    expect(await verify(ec, { signatureAlgorithm: identifier(tlv(6, Uint8Array.of(42))) })).toBe('weak')
    expect(await verify(ec, { signatureAlgorithm: identifier(RSA_SHA256, NULL) })).toBe('invalid')
  })
})

describe('an ECDSA signature', () => {
  it.each([
    ['three integers', tlv(0x30, integer(1), integer(1), integer(1))],
    ['one integer', tlv(0x30, integer(1))],
    ['an integer that is too long', tlv(0x30, integer(...Array.from({ length: 33 }, () => 1)), integer(1))],
    ['a negative integer', tlv(0x30, integer(0x80), integer(1))],
    ['a SET instead of a SEQUENCE', tlv(0x31, integer(1), integer(1))],
    ['bytes that are no SEQUENCE', Uint8Array.of(1, 2, 3)],
  ])('is invalid with %s', async (_, signature) => {
    expect(await verify(ec, { signature })).toBe('invalid')
  })
})

describe('the key of an issuer', () => {
  it('is refused as too weak if the crypto library cannot import it', async () => {
    const subjectKey: SubjectKey = { type: 'ec', curve: 'P-256', size: 32, point: new Uint8Array(65).fill(4) }
    expect(await verify(ec, {}, { subjectKey })).toBe('weak')
  })

  it('can verify two certificates with different hash algorithms', async () => {
    const { key, minted } = await issuerOf('RSA-2048')
    for (const hash of ['SHA-256', 'SHA-512'] as const) {
      const { der } = await mintIntermediate(minted, { hash })
      expect(await verifyCertificateSignature(certificateOf(der), key)).toBe('valid')
    }
  })

  it('does not verify a certificate that the key of another issuer has just verified', async () => {
    const other = await pairOf('P-256')
    expect(await verifyCertificateSignature(ec.signed, ec.issuer)).toBe('valid')
    expect(await verifyCertificateSignature(ec.signed, other.issuer)).toBe('invalid')
    expect(await verifyCertificateSignature(ec.signed, ec.issuer)).toBe('valid')
  })
})

async function pairOf(keyKind: KeyKind): Promise<Pair> {
  const { key, minted } = await issuerOf(keyKind)
  const { der } = await mintIntermediate(minted, {})
  return { signed: certificateOf(der), issuer: key }
}

async function issuerOf(keyKind: KeyKind) {
  const minted = await mintRoot({ keyKind })
  return { key: certificateOf(minted.der), minted }
}

function certificateOf(der: Uint8Array<ArrayBuffer>): Certificate {
  const certificate = decodeCertificate(der)
  if (certificate === undefined) throw new Error('the certificate is not decoded')
  return certificate
}

/** Verifies the pair with changes of the certificate, or of its issuer. */
function verify({ signed, issuer }: Pair, changes: Partial<Certificate>, issuers: Partial<Certificate> = {}) {
  return verifyCertificateSignature({ ...signed, ...changes }, { ...issuer, ...issuers })
}
