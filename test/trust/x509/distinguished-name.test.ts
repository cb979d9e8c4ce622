// Distinguished names: their form, their text (RFC 4514), and how they compare (RFC 5280 §7.1). A forged
// chain may have any name, and is compared with every authority before a signature is checked.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { decodeHex } from '../../../src/codec/bytes.ts'
import { decodeDer } from '../../../src/codec/der.ts'
import {
  type DistinguishedName,
  decodeDistinguishedName,
  formatDistinguishedName,
  isSameName,
  placeDistinguishedName,
} from '../../../src/trust/x509/distinguished-name.ts'
import {
  mintCertificate,
  mintKeys,
  mintLeaf,
  mintRoot,
  tlv,
} from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf } from '../fixtures.ts'

/** One character of three bytes that NFKC makes eighteen of. */
const LONG = '\uFDFA'
const keys = await mintKeys('P-256')
const anchors = await Promise.all(
  Array.from({ length: 100 }, async (_, i) =>
    caAnchor((await mintRoot({ keys, subject: `C=DE,O=Trust ${i},CN=Root` })).pem),
  ),
)

afterEach(() => vi.restoreAllMocks())

describe('the names of a forged chain', () => {
  it.each([1, 256, 257, 4000])(
    'the names of a forged chain with %i characters are normalized at most once, and never if they exceed the limit',
    async (length) => {
      const forge = (cn: string) =>
        mintCertificate({ issuerName: `C=DE,O=${LONG.repeat(length)},CN=${cn}`, ca: false })
      const [first, second] = [await forge('a'), await forge('b')]
      expect(outcomeOf(await ask({ chain: [first.der] }, { anchors }))).toBe('untrusted_issuer')
      const normalize = vi.spyOn(String.prototype, 'normalize')
      expect(outcomeOf(await ask({ chain: [second.der] }, { anchors }))).toBe('untrusted_issuer')
      expect(normalize.mock.calls.length).toBeLessThanOrEqual(2)
      for (const text of normalize.mock.contexts) expect(String(text).length).toBeLessThanOrEqual(18 * 256)
    },
  )
})

describe('an issuer name that differs from the authority’s name only in upper and lower case', () => {
  it.each([
    [256, 'trusted'],
    [257, 'untrusted_issuer'],
  ])(
    'an issuer name of %i characters that differs from the authority’s name only in case gives the result %s',
    async (length, expected) => {
      const root = await mintRoot({ subject: `CN=${'A'.repeat(length)}` })
      const leaf = await mintLeaf(root, { issuerName: `CN=${'a'.repeat(length)}` })
      const same = await mintLeaf(root)
      const context = { anchors: [caAnchor(root.pem)] }
      expect(outcomeOf(await ask({ chain: [leaf.der] }, context))).toBe(expected)
      expect(outcomeOf(await ask({ chain: [same.der] }, context))).toBe('trusted')
    },
  )
})

const UTF8 = 0x0c
const TELETEX = 0x14
const oid = (hex: string) => tlv(6, decodeHex(hex)!)
const COMMON_NAME = oid('550403')
const ORGANIZATION = oid('55040a')
const attribute = (type: Uint8Array, text: string, tag = UTF8) =>
  tlv(0x30, type, tlv(tag, new TextEncoder().encode(text)))
const cn = (text: string, tag = UTF8) => attribute(COMMON_NAME, text, tag)
const o = (text: string, tag = UTF8) => attribute(ORGANIZATION, text, tag)

/** The Name of these sets of attributes. */
function nameOf(...sets: readonly (readonly Uint8Array[])[]): DistinguishedName {
  const name = decode(tlv(0x30, ...sets.map((attributes) => tlv(0x31, ...attributes))))
  if (name === undefined) throw new Error('the name is not decoded')
  return name
}

const decode = (der: Uint8Array<ArrayBuffer>) => decodeDistinguishedName(decodeDer(der))

describe('a distinguished name', () => {
  it.each([
    ['without RDNs', tlv(0x30)],
    ['with one attribute in an RDN', tlv(0x30, tlv(0x31, cn('A')))],
    ['with two attributes in an RDN', tlv(0x30, tlv(0x31, cn('A'), o('B')))],
  ])('is decoded %s', (_, der) => {
    expect(decode(der)).toBeDefined()
  })

  it.each([
    ['if it is a SET', tlv(0x31, tlv(0x31, cn('A')))],
    ['if an RDN is a SEQUENCE', tlv(0x30, tlv(0x30, cn('A')))],
    ['if an RDN is empty', tlv(0x30, tlv(0x31))],
    ['if an RDN has more attributes than the limit', tlv(0x30, tlv(0x31, ...Array(17).fill(cn('A'))))],
    ['if an attribute is a SET', tlv(0x30, tlv(0x31, tlv(0x31, COMMON_NAME, tlv(UTF8))))],
    ['if an attribute has no value', tlv(0x30, tlv(0x31, tlv(0x30, COMMON_NAME)))],
    ['if an attribute has two values', tlv(0x30, tlv(0x31, tlv(0x30, COMMON_NAME, tlv(UTF8), tlv(UTF8))))],
    ['if an attribute has no type', tlv(0x30, tlv(0x31, tlv(0x30, tlv(UTF8), tlv(UTF8))))],
  ])('is refused %s', (_, der) => {
    expect(decode(der)).toBeUndefined()
  })
})

describe('the text of a distinguished name', () => {
  it.each([
    ['550403', 'CN'],
    ['550404', 'SN'],
    ['550405', 'serialNumber'],
    ['550406', 'C'],
    ['550407', 'L'],
    ['550408', 'ST'],
    ['550409', 'STREET'],
    ['55040a', 'O'],
    ['55040b', 'OU'],
    ['55042a', 'GN'],
    ['550461', 'organizationIdentifier'],
    ['0992268993f22c640101', 'UID'],
    ['0992268993f22c640119', 'DC'],
  ])('shows the attribute type with the DER bytes %s as %s', (hex, short) => {
    expect(formatDistinguishedName(nameOf([attribute(oid(hex), 'A')]))).toBe(`${short}=A`)
  })

  it('begins with the most specific RDN, and has a plus between the attributes of one RDN', () => {
    expect(formatDistinguishedName(nameOf([o('A')], [cn('B'), o('C')]))).toBe('CN=B+O=C,O=A')
  })

  it('shows a value in hexadecimal if its type is unknown or the value cannot be read', () => {
    expect(formatDistinguishedName(nameOf([attribute(oid('550441'), 'A')]))).toBe('2.5.4.65=#0c0141')
    expect(formatDistinguishedName(nameOf([cn('A', TELETEX)]))).toBe('2.5.4.3=#140141')
  })

  it('is null for an empty name and for a text of more than 1024 characters', () => {
    expect(formatDistinguishedName(nameOf())).toBe(null)
    expect(formatDistinguishedName(nameOf([cn('A'.repeat(1021))]))).toBe(`CN=${'A'.repeat(1021)}`)
    expect(formatDistinguishedName(nameOf([cn('A'.repeat(1022))]))).toBe(null)
  })
})

describe('two distinguished names', () => {
  const PRINTABLE = 0x13
  it.each<[string, DistinguishedName, DistinguishedName, boolean]>([
    ['with equal attributes are the same', nameOf([o('A')], [cn('B')]), nameOf([o('A')], [cn('B')]), true],
    ['with different string types are the same', nameOf([cn('A')]), nameOf([cn('A', PRINTABLE)]), true],
    ['with different upper and lower case are the same', nameOf([cn('AE')]), nameOf([cn('aE')]), true],
    // Lower case keeps them apart; upper case would not.
    [
      'differ if they are equal only after conversion to upper case',
      nameOf([cn('stra\u00dfe')]),
      nameOf([cn('strasse')]),
      false,
    ],
    [
      'with different white space between words are the same',
      nameOf([cn(' A  B')]),
      nameOf([cn('A\tB ')]),
      true,
    ],
    ['differ if only the first has a space', nameOf([cn('A B')]), nameOf([cn('AB')]), false],
    [
      'with a different attribute order in one RDN are the same',
      nameOf([cn('A'), o('B')]),
      nameOf([o('b'), cn('a')]),
      true,
    ],
    [
      'differ if the order of their RDNs differs',
      nameOf([cn('A')], [o('B')]),
      nameOf([o('B')], [cn('A')]),
      false,
    ],
    ['differ if their attribute types differ', nameOf([cn('A')]), nameOf([o('A')]), false],
    ['differ if one has one RDN more', nameOf([cn('A')]), nameOf([cn('A')], [o('B')]), false],
    ['differ if one has one attribute more in an RDN', nameOf([cn('A')]), nameOf([cn('A'), o('B')]), false],
    [
      'that cannot be read are the same if their bytes are equal',
      nameOf([cn('A', TELETEX)]),
      nameOf([cn('A', TELETEX)]),
      true,
    ],
    [
      'that cannot be read differ if their bytes differ',
      nameOf([cn('A', TELETEX)]),
      nameOf([cn('B', TELETEX)]),
      false,
    ],
  ])('two distinguished names %s', (_, a, b, same) => {
    expect([isSameName(a, b), isSameName(b, a)]).toEqual([same, same])
  })
})

describe('the place of a name relative to a subtree', () => {
  const base = nameOf([o('A')], [cn('B')])
  it.each<[string, DistinguishedName, DistinguishedName]>([
    ['inside', nameOf([o('A')], [cn('B')]), base],
    ['inside', nameOf([o('a')], [cn('b')], [cn('C')]), base],
    ['inside', nameOf([o('A')]), nameOf()],
    ['outside', nameOf([o('A')]), base],
    ['outside', nameOf(), base],
    ['outside', nameOf([o('A')], [cn('C')]), base],
    ['outside', nameOf([o('A'), cn('B')], [cn('B')]), base],
    ['unknown', nameOf([o('A', TELETEX)], [cn('B')]), base],
    ['unknown', nameOf([o('A')], [cn('B')]), nameOf([o('A', TELETEX)], [cn('B')])],
    ['unknown', nameOf([o('A', TELETEX)], [cn('B')], [cn('C')]), base],
    ['unknown', nameOf([cn('A', TELETEX), o('B')]), nameOf([cn('A'), o('B')])],
    ['outside', nameOf([cn('A', TELETEX), o('C')]), nameOf([cn('A'), o('B')])],
    ['outside', nameOf([cn('A', TELETEX), o('B')]), nameOf([o('B'), o('C')])],
    ['outside', nameOf([o('A', TELETEX)], [cn('C')]), base],
    ['outside', nameOf([o('A', TELETEX)]), base],
    ['unknown', nameOf([cn('a'.repeat(257))]), nameOf([cn('A'.repeat(257))])],
    ['unknown', nameOf([cn('a'.repeat(257))]), nameOf([cn('b')])],
  ])('is %s: case %#', (placement, name, subtree) => {
    expect(placeDistinguishedName(name, subtree)).toBe(placement)
  })
})
