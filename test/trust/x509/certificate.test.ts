// Certificates as bytes: only strict DER is accepted, and it is decoded as OpenSSL (through Node) decodes it.

import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { concatBytes, decodeHex } from '../../../src/codec/bytes.ts'
import { splitDer } from '../../../src/codec/der.ts'
import { type Certificate, decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { subjectKeyJwk } from '../../../src/trust/x509/subject-key.ts'
import {
  type Minted,
  mintLeaf,
  mintRoot,
  type RawExtension,
  tlv,
  withDer,
} from '../../support/certificates/certificates.ts'
import { WEAK_ED25519 } from '../../support/weak-keys.ts'
import isoVectors from '../../vectors/iso18013-5-annexD.json' with { type: 'json' }
import { ask, outcomeOf, pinnedAnchor, pki } from '../fixtures.ts'

const UNKNOWN: RawExtension = { oid: '1.2.3.4.5', critical: false, value: tlv(0x05) }

const ECDSA_WITH_SHA256 = '2a8648ce3d040302'

async function askChain(...chain: readonly Minted[]): Promise<string> {
  return outcomeOf(await ask({ chain: chain.map((certificate) => certificate.der) }))
}

const KINDS = await Promise.all(
  (['P-384', 'P-521', 'Ed25519'] as const).map(async (keyKind): Promise<[string, string]> => {
    const { der } = await mintRoot({ keyKind })
    return [`an authority with a key of ${keyKind}`, Buffer.from(der).toString('hex')]
  }),
)

describe('decodeCertificate', () => {
  it.each([
    ['ISO 18013-5 Annex D, document signer', isoVectors.ISO_18013_5_ANNEX_D_DS_CERT],
    ['ISO 18013-5 Annex D, reader', isoVectors.ISO_18013_5_ANNEX_D_READER_CERT],
    ['a leaf of @peculiar/x509', Buffer.from(pki.leaf.der).toString('hex')],
    ['an authority of @peculiar/x509', Buffer.from(pki.root.der).toString('hex')],
    ...KINDS,
  ])('reads %s as OpenSSL does', (_, hex) => {
    const bytes = decodeHex(hex)!
    const foreign = new X509Certificate(bytes)
    const certificate = decodeCertificate(bytes) as Certificate
    expect(certificate.notBefore).toBe(foreign.validFromDate.getTime() / 1000)
    expect(certificate.notAfter).toBe(foreign.validToDate.getTime() / 1000)
    expect(certificate.extensions.basicConstraints?.ca ?? false).toBe(foreign.ca)
    expect(subjectKeyJwk(certificate.subjectKey!)).toEqual(foreign.publicKey.export({ format: 'jwk' }))
    const texts = certificate.subject.rdns.flat().map(({ text }) => text)
    expect(texts).toEqual(foreign.subject.split('\n').map((line) => line.replace(/^[^=]*=/, '')))
  })

  it('reads the key usage and extended key usage of a published document signer', () => {
    const certificate = decodeCertificate(decodeHex(isoVectors.ISO_18013_5_ANNEX_D_DS_CERT)!)
    expect(certificate?.extensions.keyUsage).toEqual({
      digitalSignature: true,
      contentCommitment: false,
      keyCertSign: false,
      cRLSign: false,
    })
    expect(certificate?.extensions.extendedKeyUsage).toEqual(['1.0.18013.5.1.2'])
  })
})

/** Encoded parts of a sequence. */
const partsOf = (bytes: Uint8Array<ArrayBuffer>) =>
  splitDer(splitDer(bytes, 1)![0]!.content, 12)!.map(({ encoded }) => encoded)

const OUTSIDE = partsOf(pki.leaf.der)
const INSIDE = partsOf(OUTSIDE[0]!)
const [SERIAL, ISSUER, VALIDITY, KEY, EXTENSIONS] = [1, 3, 4, 6, 7]
const version = (...numbers: readonly number[]) =>
  tlv(0xa0, ...numbers.map((number) => tlv(2, Uint8Array.of(number))))
const identifier = (tag: number) => tlv(tag, Uint8Array.of(0, 1))
const asSet = (sequence: Uint8Array<ArrayBuffer>) => tlv(0x31, ...partsOf(sequence))

type Parts = Uint8Array<ArrayBuffer>[]

/** The leaf with changed parts. Its lengths are right, its signature is not. */
function leafWith(change: (inside: Parts, outside: Parts) => unknown, tag = 0x30): Uint8Array<ArrayBuffer> {
  const [inside, outside] = [[...INSIDE], [...OUTSIDE]]
  change(inside, outside)
  return tlv(0x30, tlv(tag, ...inside), ...outside.slice(1))
}

describe('the parts of a certificate', () => {
  it.each<[string, (inside: Parts) => unknown]>([
    ['if nothing is changed', () => undefined],
    [
      'in version 2 with unique identifiers',
      (inside) => {
        inside.splice(0, 1, version(1))
        inside.splice(EXTENSIONS, 1, identifier(0x81), identifier(0x82))
      },
    ],
    [
      'in version 3 with a unique identifier before the extensions',
      (inside) => inside.splice(EXTENSIONS, 0, identifier(0x82)),
    ],
    [
      'with a serial number of 20 octets and a sign',
      (inside) => inside.splice(SERIAL, 1, tlv(2, Uint8Array.of(0), new Uint8Array(20).fill(0xff))),
    ],
    [
      'in version 1, without a version number and extensions',
      (inside) => {
        inside.pop()
        inside.shift()
      },
    ],
  ])('are decoded %s', (_, change) => {
    expect(decodeCertificate(leafWith(change))).toBeDefined()
  })

  it.each<[string, (inside: Parts, outside: Parts) => unknown]>([
    ['with a fourth outer element', (_, outside) => outside.push(tlv(5))],
    [
      'in version 4',
      (inside) => {
        inside.splice(0, 1, version(3))
        inside.pop()
      },
    ],
    ['with two version numbers', (inside) => inside.splice(0, 1, version(2, 2))],
    ['with an empty version', (inside) => inside.splice(0, 1, version())],
    [
      'with a version that is a text',
      (inside) => inside.splice(0, 1, tlv(0xa0, tlv(0x0c, Uint8Array.of(2)))),
    ],
    ['in version 2 with extensions', (inside) => inside.splice(0, 1, version(1))],
    [
      'with a serial number of 22 octets',
      (inside) => inside.splice(SERIAL, 1, tlv(2, new Uint8Array(22).fill(1))),
    ],
    ['with an empty signed part', (inside) => inside.splice(0)],
    ['with extensions in a SET', (inside) => inside.splice(EXTENSIONS, 1, tlv(0xa3, tlv(0x31)))],
    ['with no list of extensions', (inside) => inside.splice(EXTENSIONS, 1, tlv(0xa3))],
    [
      'with two lists of extensions',
      (inside) => {
        const [list] = splitDer(splitDer(inside[EXTENSIONS]!, 1)![0]!.content, 1)!
        inside.splice(EXTENSIONS, 1, tlv(0xa3, list!.encoded, list!.encoded))
      },
    ],
    ['with nothing but a version', (inside) => inside.splice(1)],
    ['without an issuer', (inside) => inside.splice(ISSUER, 1, tlv(0x30))],
    [
      'with three dates',
      (inside) => {
        const dates = partsOf(inside[VALIDITY]!)
        inside.splice(VALIDITY, 1, tlv(0x30, ...dates, dates[1]!))
      },
    ],
    ['with its dates in a SET', (inside) => inside.splice(VALIDITY, 1, asSet(inside[VALIDITY]!))],
    ['with one date', (inside) => inside.splice(VALIDITY, 1, tlv(0x30, partsOf(inside[VALIDITY]!)[0]!))],
    ['with a key that is a SET', (inside) => inside.splice(KEY, 1, asSet(inside[KEY]!))],
    ['without a key', (inside) => inside.splice(KEY)],
    ['with its extensions before a unique identifier', (inside) => inside.push(identifier(0x82))],
    [
      'with its unique identifiers in the wrong order',
      (inside) => inside.splice(EXTENSIONS, 0, identifier(0x82), identifier(0x81)),
    ],
    [
      'with a unique identifier twice',
      (inside) => inside.splice(EXTENSIONS, 0, identifier(0x81), identifier(0x81)),
    ],
    ['with an unknown member', (inside) => inside.splice(EXTENSIONS, 0, identifier(0x80))],
    [
      'with a member of another kind after the unique identifier',
      (inside) => inside.splice(EXTENSIONS, 1, identifier(0x82), identifier(0xa4)),
    ],
  ])('are refused %s', (_, change) => {
    expect(decodeCertificate(leafWith(change))).toBeUndefined()
  })

  it('are refused if they are in a SET instead of a SEQUENCE', () => {
    expect(decodeCertificate(leafWith(() => undefined, 0x31))).toBeUndefined()
    expect(decodeCertificate(tlv(0x31, ...OUTSIDE))).toBeUndefined()
  })
})

const OIDS = { ed25519: '2b6570', rsa: '2a864886f70d010101' }
const keyOf = (oid: string, key: Uint8Array, parameters: readonly Uint8Array[]) =>
  tlv(0x30, tlv(0x30, tlv(6, decodeHex(oid)!), ...parameters), tlv(3, Uint8Array.of(0), key))
const ed25519 = (key: Uint8Array, ...parameters: readonly Uint8Array[]) =>
  keyOf(OIDS.ed25519, key, parameters)
/** An RSA key whose modulus has so many octets, and which has so many bits in the first. */
const rsa = (octets: number, first = 0x80, exponent = '010001', parameters = [tlv(5)]) => {
  const modulus = new Uint8Array(octets).fill(0xff)
  modulus[0] = first
  const sign = first >= 0x80 ? Uint8Array.of(0) : new Uint8Array()
  return keyOf(OIDS.rsa, tlv(0x30, tlv(2, sign, modulus), tlv(2, decodeHex(exponent)!)), parameters)
}
/** RFC 8032 §7.1, TEST 1. */
const GOOD_ED25519 = decodeHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')!
const typeOfKey = (key: Uint8Array<ArrayBuffer>) =>
  decodeCertificate(leafWith((inside) => inside.splice(KEY, 1, key)))?.subjectKey?.type

describe('the key of a certificate', () => {
  it.each([
    ['of Ed25519 is used', ed25519(GOOD_ED25519), 'ed25519'],
    ['of Ed25519 with parameters is rejected', ed25519(GOOD_ED25519, tlv(5)), undefined],
    ['of Ed25519 in 31 octets is rejected', ed25519(GOOD_ED25519.slice(1)), undefined],
    ['of RSA with 2048 bits is used', rsa(256), 'rsa'],
    ['of RSA with 2047 bits is rejected', rsa(256, 0x40), undefined],
    ['of RSA with 8192 bits is used', rsa(1024), 'rsa'],
    ['of RSA with 8193 bits is rejected', rsa(1025, 0x01), undefined],
    [
      'of RSA with parameters that are not NULL is rejected',
      rsa(256, 0x80, '010001', [tlv(0x30)]),
      undefined,
    ],
    ['of RSA without parameters is rejected', rsa(256, 0x80, '010001', []), undefined],
    ['of RSA with exponent 3 is rejected', rsa(256, 0x80, '03'), undefined],
    ['of RSA with exponent 65535 is rejected', rsa(256, 0x80, '00ffff'), undefined],
    ['of RSA with an even exponent is rejected', rsa(256, 0x80, '010002'), undefined],
    ['of RSA with an exponent of five octets is rejected', rsa(256, 0x80, '0100000001'), undefined],
  ])('the key of a certificate %s', (_, key, type) => {
    expect(typeOfKey(key)).toBe(type)
  })

  it.each(WEAK_ED25519.map((key) => key.toString('hex')))(
    'an Ed25519 key of a certificate with a point of small order is rejected: %s',
    (hex) => {
      expect(typeOfKey(ed25519(decodeHex(hex)!))).toBeUndefined()
    },
  )
})

describe('the strict reader of certificates', () => {
  const { der } = pki.leaf
  const cases: readonly [string, Uint8Array<ArrayBuffer>, string][] = [
    ['truncated DER', der.slice(0, -1), 'malformed_certificate_chain'],
    ['a byte after the certificate', concatBytes(der, Uint8Array.of(0)), 'malformed_certificate_chain'],
    ['an empty certificate', new Uint8Array(), 'malformed_certificate_chain'],
    ['a certificate beyond 16 KiB', new Uint8Array(16_385), 'malformed_certificate_chain'],
    [
      'a length with a superfluous octet',
      concatBytes(Uint8Array.of(0x30, 0x83, 0), der.slice(2)),
      'malformed_certificate_chain',
    ],
    ['a flipped bit at the end of the signature', flipped(der, der.length - 1), 'invalid_certificate_path'],
  ]

  it.each(cases)('rejects a chain with an invalid leaf: %s', async (_, leaf, expected) => {
    expect(outcomeOf(await ask({ chain: [leaf, pki.intermediate.der] }))).toBe(expected)
  })

  it('rejects a malformed certificate above a good leaf', async () => {
    expect(outcomeOf(await ask({ chain: [pki.leaf.der, pki.intermediate.der.slice(0, -1)] }))).toBe(
      'malformed_certificate_chain',
    )
  })

  it.each<[string, readonly RawExtension[]]>([
    ['an extension twice', [UNKNOWN, UNKNOWN]],
    ['basic constraints twice', [{ oid: '2.5.29.19', critical: true, value: tlv(0x30) }]],
    [
      'basic constraints with a negative path length',
      [
        {
          oid: '2.5.29.19',
          critical: true,
          value: tlv(0x30, tlv(1, Uint8Array.of(255)), tlv(2, Uint8Array.of(255))),
        },
      ],
    ],
    ['alternative names that are no SEQUENCE', [{ oid: '2.5.29.17', critical: false, value: tlv(0x04) }]],
    ['an empty list of alternative names', [{ oid: '2.5.29.17', critical: false, value: tlv(0x30) }]],
    [
      'an alternative name that is not ASCII',
      [{ oid: '2.5.29.17', critical: false, value: tlv(0x30, tlv(0x82, Uint8Array.of(0xe4))) }],
    ],
    [
      'an alternative name of an unknown form',
      [{ oid: '2.5.29.17', critical: false, value: tlv(0x30, tlv(0x89)) }],
    ],
    ['more than 16 KiB', [{ ...UNKNOWN, value: tlv(0x04, new Uint8Array(16_384)) }]],
    [
      'a byte after the value of a known extension',
      [
        {
          oid: '2.5.29.37',
          critical: false,
          value: concatBytes(tlv(0x30, tlv(6, Uint8Array.of(42))), Uint8Array.of(0)),
        },
      ],
    ],
  ])('rejects a leaf with %s', async (_, extensions) => {
    const keepsConstraints = extensions.some(({ oid, value }) => oid === '2.5.29.19' && value.length > 2)
    const leaf = await mintLeaf(pki.intermediate, { ...(keepsConstraints && { ca: null }), extensions })
    expect(await askChain(leaf, pki.intermediate)).toBe('malformed_certificate_chain')
  })

  it('rejects a leaf with different signed and unsigned algorithm identifiers (RFC 5280 §4.1.1.2)', async () => {
    const changed = replaced(der, ECDSA_WITH_SHA256, '2a8648ce3d040303')
    expect(outcomeOf(await ask({ chain: [changed, pki.intermediate.der] }))).toBe(
      'malformed_certificate_chain',
    )
  })

  it.each([
    ['in hybrid form', '03420004', '03420006'],
    ['on another curve', '2a8648ce3d030107', '2a8648ce3d030106'],
    ['of an unknown algorithm', '2a8648ce3d0201', '2a8648ce3d0202'],
  ])('accepts no key %s, even from a pinned certificate', async (_, from, to) => {
    const pinned = withDer(pki.leaf, replaced(der, from, to))
    expect(decodeCertificate(pinned.der)).toMatchObject({ subjectKey: undefined })
    const anchors = [pinnedAnchor(pinned.pem)]
    expect(outcomeOf(await ask({ chain: [pinned.der] }, { anchors }))).toBe('issuer_key_not_found')
  })

  it('does not trust a leaf if one bit in any of its bytes is flipped', async () => {
    for (let i = 0; i < der.length; i++) {
      const result = await ask({ chain: [flipped(der, i), pki.intermediate.der] })
      expect(result.ok, `byte ${i}`).toBe(false)
    }
  })
})

function flipped(bytes: Uint8Array<ArrayBuffer>, i: number): Uint8Array<ArrayBuffer> {
  return bytes.map((byte, j) => (i === j ? byte ^ 1 : byte))
}

/** The certificate with the last occurrence of some bytes replaced by as many other bytes. */
function replaced(bytes: Uint8Array<ArrayBuffer>, from: string, to: string): Uint8Array<ArrayBuffer> {
  const hex = Buffer.from(bytes).toString('hex')
  const at = hex.lastIndexOf(from)
  expect(at).toBeGreaterThan(0)
  return decodeHex(hex.slice(0, at) + to + hex.slice(at + from.length))!
}
