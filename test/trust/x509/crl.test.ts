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
  it('is decoded, also without its optional parts', () => {
    expect(resultOf(listWith(() => undefined))).toBe('decoded')
    expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 2)))).toBe('decoded')
    expect(resultOf(listWith((fields) => fields.splice(THIS_UPDATE + 1, 1)))).toBe('decoded')
    const decoded = decodeCrl(listWith((fields) => fields.splice(ENTRIES, 1, entry())))
    expect(decoded.ok && [...decoded.value.list.revoked]).toEqual([serialKey(Uint8Array.of(1))])
  })

  it.each<[string, Change, Change?]>([
    ['of the first version with extensions', (fields) => fields.splice(VERSION, 1)],
    ['of a third version', (fields) => fields.splice(VERSION, 1, tlv(2, Uint8Array.of(2)))],
    [
      'that names another algorithm inside',
      (fields) => fields.splice(ALGORITHM, 1, tlv(0x30, Uint8Array.of(6, 3, 0x2b, 0x65, 0x70))),
    ],
    ['without an issuer', (fields) => fields.splice(ISSUER, 1)],
    ['without a time', (fields) => fields.splice(THIS_UPDATE, 2)],
    ['of a day that does not exist', (fields) => fields.splice(THIS_UPDATE, 1, time('260230000000Z'))],
    ['that ends on one', (fields) => fields.splice(THIS_UPDATE + 1, 1, time('260230000000Z'))],
    ['with three times', (fields) => fields.splice(THIS_UPDATE, 0, time('260101000000Z'))],
    ['with its extensions before its entries', (fields) => fields.push(...fields.splice(ENTRIES, 1))],
    ['with more after its extensions', (fields) => fields.push(tlv(0x05))],
    [
      'with two lists of extensions',
      (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, tlv(0x30), tlv(0x30))),
    ],
    [
      'with an entry that has no serial number',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, tlv(0x30, time('260101000000Z')))),
    ],
    // It would revoke a certificate that it does not seem to name.
    ['with a serial number in too many octets', (fields) => fields.splice(ENTRIES, 1, entryOf([0, 1]))],
    ['with a serial number in none', (fields) => fields.splice(ENTRIES, 1, entryOf([]))],
    [
      'with an entry that has no date',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, tlv(0x30, tlv(2, TRUE)))),
    ],
    ['with an entry that has more', (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30), tlv(0x30)))],
    ['with an entry whose extensions are none', (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x05)))],
    ['whose signed part is a set', () => undefined, (parts) => parts.splice(0, 1, tlv(0x31, ...inside))],
    ['with more outside', () => undefined, (parts) => parts.push(tlv(0x05))],
    ['without a signature', () => undefined, (parts) => parts.pop()],
    [
      'whose signature has a part of a byte',
      () => undefined,
      (parts) => parts.splice(2, 1, tlv(3, Uint8Array.of(1, 0))),
    ],
    [
      'that is of authorities, or not',
      (fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(0x82, Uint8Array.of(0))))),
    ],
    [
      'that is of authorities by a word',
      (fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(0x82, Uint8Array.of(0xff, 0xff))))),
    ],
    [
      'whose place is no sequence',
      (fields) => fields.splice(EXTENSIONS, 1, extension({ ...place(), value: tlv(0x31) })),
    ],
    ['with an entry that is a set', (fields) => fields.splice(ENTRIES, 1, asSet(entry()))],
    ['with an entry that is no DER', (fields) => fields.splice(ENTRIES, 1, tlv(0x30, TOO_SHORT))],
    [
      'with an extension of an entry twice',
      (fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, reason(1), reason(1)))),
    ],
    [
      'with too many entries',
      (fields) => fields.splice(ENTRIES, 1, tlv(0x30, ...Array(CRL.entries + 1).fill(partsOf(entry())[0]))),
    ],
    ['whose extensions are a set', (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, tlv(0x31)))],
    ['whose extensions are no DER', (fields) => fields.splice(EXTENSIONS, 1, tlv(0xa0, TOO_SHORT))],
    [
      'whose place is no DER',
      (fields) => fields.splice(EXTENSIONS, 1, extension({ ...place(), value: TOO_SHORT })),
    ],
    [
      'whose algorithms are sets',
      (fields) => fields.splice(ALGORITHM, 1, tlv(0x31)),
      (parts) => parts.splice(1, 1, tlv(0x31)),
    ],
  ])('rejects %s', (_, change, outer) => {
    expect(resultOf(listWith(change, outer))).toBe('malformed')
  })

  it('rejects a list that is a set, and empty input', () => {
    expect(resultOf(tlv(0x31, ...outside))).toBe('malformed')
    expect(resultOf(new Uint8Array())).toBe('malformed')
  })

  it('may have 2 MiB, and not one byte more', () => {
    expect(resultOf(new Uint8Array(CRL.bytes))).toBe('malformed')
    expect(resultOf(new Uint8Array(CRL.bytes + 1))).toBe('too_large')
  })

  it.each(['', '\n', '\r\n\r\n'])('in PEM is decoded, with %j at its end', (end) => {
    const base64 = Buffer.from(listWith(() => undefined)).toString('base64')
    const lines = base64.replace(/.{64}/g, '$&\r\n')
    const text = `-----BEGIN X509 CRL-----\n${lines}\n-----END X509 CRL-----${end}`
    expect(resultOf(Uint8Array.from(new TextEncoder().encode(text)))).toBe('decoded')
  })

  it.each([
    [0x81, 'others'],
    [0x82, 'authorities'],
  ] as const)('with the limit %i is a list of %s only', (tag, only) => {
    const decoded = decodeCrl(
      listWith((fields) => fields.splice(EXTENSIONS, 1, extension(place(tlv(tag, TRUE))))),
    )
    expect(decoded.ok && decoded.value.list.scope).toEqual({ point: undefined, only })
  })

  // RFC 5280 §5.3.1: there is no 7, and 8 is for deltas.
  it.each([0, 1, 2, 3, 4, 5, 6, 9, 10])('may name reason %i, also as critical', (code) => {
    for (const one of [reason(code), reason(code, tlv(1, TRUE))])
      expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, one)))))).toBe('decoded')
  })

  it.each([
    ['7', reason(7)],
    ['8', reason(8)],
    ['11', reason(11)],
    ['of two octets', reasonOf(tlv(0x0a, Uint8Array.of(1, 1)))],
    ['as an integer', reasonOf(tlv(2, Uint8Array.of(1)))],
    ['that is no DER', reasonOf(TOO_SHORT)],
  ])('may not name reason %s', (_, one) => {
    expect(resultOf(listWith((fields) => fields.splice(ENTRIES, 1, entry(tlv(0x30, one)))))).toBe('malformed')
  })
})

describe('distribution points', () => {
  const uri = 'http://a.example.org/'
  const reasons = tlv(0x81, Uint8Array.of(6, 0x40))

  it.each([
    ['with its parts in another order', points([reasons, pointName(uri)]).value],
    ['with a part twice', points([pointName(uri), pointName(uri)]).value],
    ['in a set', tlv(0x31, tlv(0x30, pointName(uri)))],
    ['that is a set', tlv(0x30, tlv(0x31, pointName(uri)))],
    ['of two names', points([tlv(0xa0, tlv(0xa0, tlv(0x86)), tlv(0xa1))]).value],
    ['with a name that is none', points([tlv(0xa0, tlv(0xa0, tlv(0x05)))]).value],
    ['with a name beyond ASCII', points([tlv(0xa0, tlv(0xa0, tlv(0x86, Uint8Array.of(0xe9))))]).value],
    ['of nothing', new Uint8Array()],
  ])('rejects %s', (_, value) => {
    expect(decodeDistributionPoints(value)).toBeUndefined()
  })
})
