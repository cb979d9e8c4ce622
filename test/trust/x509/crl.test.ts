// RFC 5280 §5.1, X.690: the form of a revocation list. Each is a list that OpenSSL made, with one part
// changed.

import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { splitDer } from '../../../src/codec/der.ts'
import { CRL } from '../../../src/limits.ts'
import { decodeCrl, serialKey } from '../../../src/trust/x509/crl.ts'
import { decodeDistributionPoints } from '../../../src/trust/x509/distribution-points.ts'
import { tlv } from '../../support/certificates/certificates.ts'
import vectors from '../../vectors/crl-openssl.json' with { type: 'json' }
import { place, pointName, points, TRUE } from './crl-fixtures.ts'

const partsOf = (content: Uint8Array<ArrayBuffer>) => splitDer(content, 7)!.map(({ encoded }) => encoded)
const [whole] = splitDer(decodeBase64(vectors.lists.complete)!, 1)!
const outside = partsOf(whole!.content)
const inside = partsOf(splitDer(whole!.content, 3)![0]!.content)

type Change = (parts: Uint8Array<ArrayBuffer>[]) => unknown

/** The list with changed signed fields and outer parts. Its lengths are right, its signature is not. */
function listWith(change: Change, outer: Change = () => undefined): Uint8Array<ArrayBuffer> {
  const [fields, parts] = [[...inside], [...outside]]
  change(fields)
  parts[0] = tlv(0x30, ...fields)
  outer(parts)
  return tlv(0x30, ...parts)
}

const resultOf = (list: Uint8Array<ArrayBuffer>) => {
  const decoded = decodeCrl(list)
  return decoded.ok ? 'decoded' : decoded.error
}

const VERSION = 0
const ALGORITHM = 1
const ISSUER = 2
const THIS_UPDATE = 3
const ENTRIES = 5
const EXTENSIONS = 6
const time = (text: string, tag = 0x17) => tlv(tag, new TextEncoder().encode(text))
const entryOf = (serialNumber: readonly number[], ...parts: readonly Uint8Array[]) =>
  tlv(0x30, tlv(0x30, tlv(0x02, Uint8Array.from(serialNumber)), time('260101000000Z'), ...parts))
const entry = (...parts: readonly Uint8Array[]) => entryOf([1], ...parts)
const extension = ({ oid: _, value }: ReturnType<typeof place>) =>
  tlv(0xa0, tlv(0x30, tlv(0x30, Uint8Array.of(6, 3, 0x55, 0x1d, 0x1c), tlv(1, TRUE), tlv(4, value))))

const asSet = (sequence: Uint8Array<ArrayBuffer>) => tlv(0x30, tlv(0x31, ...partsOf(partsOf(sequence)[0]!)))
/** A length without its content. */
const TOO_SHORT = Uint8Array.of(0x30, 1)
const reasonOf = (value: Uint8Array<ArrayBuffer>, ...critical: readonly Uint8Array[]) =>
  tlv(0x30, Uint8Array.of(6, 3, 0x55, 0x1d, 0x15), ...critical, tlv(4, value))
const reason = (code: number, ...critical: readonly Uint8Array[]) =>
  reasonOf(tlv(0x0a, Uint8Array.of(code)), ...critical)

describe('a revocation list', () => {
  it('is decoded, with or without its optional parts', () => {
    expect(resultOf(listWith(() => undefined))).toBe('decoded')
    expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 2)))).toBe('decoded')
    expect(resultOf(listWith((fields) => fields.splice(THIS_UPDATE + 1, 1)))).toBe('decoded')
    const decoded = decodeCrl(listWith((fields) => fields.splice(ENTRIES, 1, entry())))
    expect(decoded.ok && [...decoded.value.list.revoked]).toEqual([serialKey(Uint8Array.of(1))])
  })

  it.each<[string, Change, Change?]>([
    ['it has version 1 and extensions', (fields) => fields.splice(VERSION, 1)],
    ['it has version 3', (fields) => fields.splice(VERSION, 1, tlv(2, Uint8Array.of(2)))],
    [
      'its signed part names another signature algorithm',
      (fields) => fields.splice(ALGORITHM, 1, tlv(0x30, Uint8Array.of(6, 3, 0x2b, 0x65, 0x70))),
    ],
    ['it has no issuer', (fields) => fields.splice(ISSUER, 1)],
    ['it has no thisUpdate', (fields) => fields.splice(THIS_UPDATE, 2)],
    [
      'its thisUpdate is a day that does not exist',
      (fields) => fields.splice(THIS_UPDATE, 1, time('260230000000Z')),
    ],
    [
      'its nextUpdate is a day that does not exist',
      (fields) => fields.splice(THIS_UPDATE + 1, 1, time('260230000000Z')),
    ],
    ['it has three times', (fields) => fields.splice(THIS_UPDATE, 0, time('260101000000Z'))],
    ['its extensions come before its entries', (fields) => fields.push(...fields.splice(ENTRIES, 1))],
    ['its signed part has an element after the extensions', (fields) => fields.push(tlv(0x05))],
    [
      'it has two lists of extensions',
      (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, tlv(0x30), tlv(0x30))),
    ],
    [
      'an entry has no serial number',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, tlv(0x30, time('260101000000Z')))),
    ],
    // It would revoke a certificate that it does not seem to name.
    [
      'a serial number has a superfluous leading zero',
      (fields) => fields.splice(ENTRIES, 1, entryOf([0, 1])),
    ],
    ['a serial number has no octets', (fields) => fields.splice(ENTRIES, 1, entryOf([]))],
    [
      'an entry has no revocation date',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, tlv(0x30, tlv(2, TRUE)))),
    ],
    [
      'an entry has an element after its extensions',
      (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30), tlv(0x30))),
    ],
    ['the extensions of an entry are NULL', (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x05)))],
    ['its signed part is a SET', () => undefined, (parts) => parts.splice(0, 1, tlv(0x31, ...inside))],
    ['it has a fourth outer element', () => undefined, (parts) => parts.push(tlv(0x05))],
    ['it has no signature', () => undefined, (parts) => parts.pop()],
    [
      'its signature is not a whole number of bytes',
      () => undefined,
      (parts) => parts.splice(2, 1, tlv(3, Uint8Array.of(1, 0))),
    ],
    [
      'its onlyContainsCACerts is encoded as FALSE',
      (fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(0x82, Uint8Array.of(0))))),
    ],
    [
      'its onlyContainsCACerts is a BOOLEAN of two bytes',
      (fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(0x82, Uint8Array.of(0xff, 0xff))))),
    ],
    [
      'its issuing distribution point is no SEQUENCE',
      (fields) => fields.splice(EXTENSIONS, 1, extension({ ...place(), value: tlv(0x31) })),
    ],
    ['an entry is a SET', (fields) => fields.splice(ENTRIES, 1, asSet(entry()))],
    ['an entry is no DER', (fields) => fields.splice(ENTRIES, 1, tlv(0x30, TOO_SHORT))],
    [
      'an entry has an extension twice',
      (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, reason(1), reason(1)))),
    ],
    [
      'it has more entries than the limit',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, ...Array(CRL.entries + 1).fill(partsOf(entry())[0]))),
    ],
    ['its extensions are a SET', (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, tlv(0x31)))],
    ['its extensions are no DER', (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, TOO_SHORT))],
    [
      'its issuing distribution point is no DER',
      (fields) => fields.splice(EXTENSIONS, 1, extension({ ...place(), value: TOO_SHORT })),
    ],
    [
      'its algorithm identifiers are SETs',
      (fields) => fields.splice(ALGORITHM, 1, tlv(0x31)),
      (parts) => parts.splice(1, 1, tlv(0x31)),
    ],
  ])('is rejected if %s', (_, change, outer) => {
    expect(resultOf(listWith(change, outer))).toBe('malformed')
  })

  it('is rejected if its outer type is SET instead of SEQUENCE, or if the input is empty', () => {
    expect(resultOf(tlv(0x31, ...outside))).toBe('malformed')
    expect(resultOf(new Uint8Array())).toBe('malformed')
  })

  it('is rejected as too large if it has more than 2 MiB, but not if it has exactly 2 MiB', () => {
    expect(resultOf(new Uint8Array(CRL.bytes))).toBe('malformed')
    expect(resultOf(new Uint8Array(CRL.bytes + 1))).toBe('too_large')
  })

  it.each(['', '\n', '\r\n\r\n'])('is decoded from PEM if %j follows the end line', (end) => {
    const base64 = Buffer.from(listWith(() => undefined)).toString('base64')
    const lines = base64.replace(/.{64}/g, '$&\r\n')
    const text = `-----BEGIN X509 CRL-----\n${lines}\n-----END X509 CRL-----${end}`
    expect(resultOf(Uint8Array.from(new TextEncoder().encode(text)))).toBe('decoded')
  })

  it.each([
    ['onlyContainsUserCerts', 0x81, 'others'],
    ['onlyContainsCACerts', 0x82, 'authorities'],
  ] as const)(
    'a revocation list with the field %s covers only the certificates that the field names',
    (_, tag, only) => {
      const decoded = decodeCrl(
        listWith((fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(tag, TRUE))))),
      )
      expect(decoded.ok && decoded.value.list.scope).toEqual({ point: undefined, only })
    },
  )

  // RFC 5280 §5.3.1: there is no 7, and 8 is for deltas.
  it.each([0, 1, 2, 3, 4, 5, 6, 9, 10])(
    'may have an entry with reason code %i, critical or not critical',
    (code) => {
      for (const one of [reason(code), reason(code, tlv(1, TRUE))])
        expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, one)))))).toBe(
          'decoded',
        )
    },
  )

  it.each([
    ['code 7', reason(7)],
    ['code 8', reason(8)],
    ['code 11', reason(11)],
    ['of two octets', reasonOf(tlv(0x0a, Uint8Array.of(1, 1)))],
    ['encoded as an INTEGER', reasonOf(tlv(2, Uint8Array.of(1)))],
    ['that is no DER', reasonOf(TOO_SHORT)],
  ])('is rejected if an entry has a reason %s', (_, one) => {
    expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, one)))))).toBe('malformed')
  })
})

describe('distribution points', () => {
  const uri = 'http://a.example.org/'
  const reasons = tlv(0x81, Uint8Array.of(6, 0x40))

  it.each([
    ['a distribution point has its parts in the wrong order', points([reasons, pointName(uri)]).value],
    ['a distribution point has two names', points([pointName(uri), pointName(uri)]).value],
    ['the points are in a SET', tlv(0x31, tlv(0x30, pointName(uri)))],
    ['a distribution point is a SET', tlv(0x30, tlv(0x31, pointName(uri)))],
    ['the name of a point has two forms', points([tlv(0xa0, tlv(0xa0, tlv(0x86)), tlv(0xa1))]).value],
    ['a name in a point has an unknown form', points([tlv(0xa0, tlv(0xa0, tlv(0x05)))]).value],
    ['a name in a point is not ASCII', points([tlv(0xa0, tlv(0xa0, tlv(0x86, Uint8Array.of(0xe9))))]).value],
    ['the value is empty', new Uint8Array()],
  ])('are rejected if %s', (_, value) => {
    expect(decodeDistributionPoints(value)).toBeUndefined()
  })
})
