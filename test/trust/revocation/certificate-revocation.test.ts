// RFC 5280 §5 and §6.3: status of the certificates of a path in a revocation list. Each list, or each
// certificate, differs from a good one in one thing.

import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '../../../src/codec/base64url.ts'
import { concatBytes, utf8 } from '../../../src/codec/bytes.ts'
import { CRL } from '../../../src/limits.ts'
import { checkCertificates } from '../../../src/trust/revocation/certificate-revocation.ts'
import {
  type CertificateOptions,
  mintIntermediate,
  mintLeaf,
  tlv,
} from '../../support/certificates/certificates.ts'
import { type CrlOptions, dateOf, makeCrl, REASON } from '../../support/certificates/crl.ts'
import { NOW } from '../fixtures.ts'
import {
  decodePath,
  intermediate,
  LEAF_LIST,
  leaf,
  listedIntermediate,
  listOf,
  PATH,
  pathOf,
  place,
  pointName,
  points,
  root,
  SERIAL,
  standingIn,
  TOP_LIST,
  TRUE,
  tampered,
  webOf,
  word,
} from '../x509/crl-fixtures.ts'

const DAY = 86_400
const unknown = (critical: boolean) => ({ oid: '1.3.6.1.4.1.32473.9', critical, value: tlv(0x05) })

describe('a certificate on the list of its issuer', () => {
  it('is valid if the list does not contain it, as of the date of the list', async () => {
    const standing = await standingIn({ [LEAF_LIST]: await listOf({ revoked: ['7c', '017b', '7b00'] }) })
    expect(standing).toEqual({ status: 'valid', asOf: NOW - DAY })
  })

  it.each([
    ['revoked', SERIAL.leaf],
    ['revoked for a reason', { serialNumber: SERIAL.leaf, reason: REASON.keyCompromise }],
    ['on hold', { serialNumber: SERIAL.leaf, reason: REASON.certificateHold }],
    ['revoked with more said of it', { serialNumber: SERIAL.leaf, extensions: [unknown(false)] }],
  ])('is revoked if it is %s', async (_, entry) => {
    expect(word(await standingIn({ [LEAF_LIST]: await listOf({ revoked: ['01', entry] }) }))).toBe('revoked')
  })
})

const stranger = await mintIntermediate(root)
const good = await listOf({ revoked: ['7a'] })

/** RFC 7468 §6. */
function pem(der: Uint8Array<ArrayBuffer>, label = 'X509 CRL', after = '', inside = '') {
  const text = encodeBase64(der).replace(/.{64}/g, '$&\n') + inside
  return utf8(`-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n${after}`)
}

describe('a revocation list is not used', () => {
  it.each<[string, CrlOptions, string]>([
    ['signed by a namesake', { signer: stranger }, 'invalid_signature'],
    ['in another name', { issuerName: 'C=DE,O=Test Trust,CN=Another CA' }, 'another_list'],
    ['that is over', { nextUpdate: dateOf(NOW - 1) }, 'stale'],
    ['that is not there yet', { thisUpdate: dateOf(NOW + 61) }, 'not_yet_valid'],
    ['of no end, a week old', { nextUpdate: null, thisUpdate: dateOf(NOW - 7 * DAY - 1) }, 'stale'],
    ['with a critical extension nobody knows', { extensions: [unknown(true)] }, 'unsupported'],
    [
      'with one in an entry',
      { revoked: [{ serialNumber: '01', extensions: [unknown(true)] }] },
      'unsupported',
    ],
    [
      'with an entry taken back',
      { revoked: [{ serialNumber: '01', reason: REASON.removeFromCRL }] },
      'malformed',
    ],
    [
      'that is a delta',
      { extensions: [{ ...unknown(true), oid: '2.5.29.27', value: tlv(0x02, TRUE) }] },
      'unsupported',
    ],
    [
      'that is one and does not stress it',
      { extensions: [{ ...unknown(false), oid: '2.5.29.27' }] },
      'unsupported',
    ],
    ['that is indirect', { extensions: [place(tlv(0x84, TRUE))] }, 'unsupported'],
    ['of some reasons', { extensions: [place(tlv(0x83, Uint8Array.of(6, 0x40)))] }, 'unsupported'],
    ['of attribute certificates', { extensions: [place(tlv(0x85, TRUE))] }, 'unsupported'],
    ['of both kinds at once', { extensions: [place(tlv(0x81, TRUE), tlv(0x82, TRUE))] }, 'unsupported'],
    ['of authorities', { extensions: [place(tlv(0x82, TRUE))] }, 'another_list'],
    ['of another place', { extensions: [place(pointName(`${LEAF_LIST}2`))] }, 'another_list'],
    ['of a place below its issuer', { extensions: [place(tlv(0xa0, tlv(0xa1)))] }, 'another_list'],
    ['of a place that is none', { extensions: [place(tlv(0xa0))] }, 'malformed'],
    ['with an extension twice', { extensions: [unknown(false), unknown(false)] }, 'malformed'],
  ])('%s', async (_, changes, cause) => {
    // The certificate is on each of these lists. An unusable list must not revoke it either.
    const revoked = [...(changes.revoked ?? []), SERIAL.leaf]
    const list = await listOf({ ...changes, revoked })
    expect(word(await standingIn({ [LEAF_LIST]: list }))).toBe(cause)
    const found = await standingIn({ [LEAF_LIST]: await listOf(changes) })
    expect(found).toEqual({ status: 'unavailable', cause })
  })

  it.each<[string, CrlOptions]>([
    ['with an extension that may be passed over', { extensions: [unknown(false)] }],
    ['of no end, a day old', { nextUpdate: null }],
    ['by a clock a minute ahead', { thisUpdate: dateOf(NOW + 60) }],
    ['that ends now', { nextUpdate: dateOf(NOW) }],
    ['of this very place', { extensions: [place(pointName('ldap://x', LEAF_LIST))] }],
    ['of certificates of no authority', { extensions: [place(pointName(LEAF_LIST), tlv(0x81, TRUE))] }],
  ])('but is used %s', async (_, changes) => {
    expect(word(await standingIn({ [LEAF_LIST]: await listOf(changes) }))).toBe('valid')
    const revoked = await listOf({ ...changes, revoked: [SERIAL.leaf] })
    expect(word(await standingIn({ [LEAF_LIST]: revoked }))).toBe('revoked')
  })

  it('but is used in PEM, as some authorities publish it', async () => {
    const list = pem(await listOf({ revoked: [SERIAL.leaf] }))
    expect(word(await standingIn({ [LEAF_LIST]: list }))).toBe('revoked')
  })

  it.each([
    [
      'with its serial number changed on the way',
      tampered(good, Buffer.from(good).indexOf('02017a', 'hex') + 2),
      'invalid_signature',
    ],
    ['with a byte more', Uint8Array.from([...good, 0]), 'malformed'],
    ['cut off', good.slice(0, -1), 'malformed'],
    ['in PEM with something after it', pem(good, 'X509 CRL', 'more'), 'malformed'],
    ['in PEM with a line before it', concatBytes(utf8('-\n'), pem(good)), 'malformed'],
    ['in PEM twice', concatBytes(pem(good), pem(good)), 'malformed'],
    ['in PEM of another kind', pem(good, 'CERTIFICATE'), 'malformed'],
    ['in PEM that is no base64', pem(good, 'X509 CRL', '', '!'), 'malformed'],
    ['that is a page', utf8('<!doctype html>'), 'malformed'],
    ['of nothing', new Uint8Array(), 'malformed'],
    ['that is a certificate', leaf.der, 'malformed'],
    ['larger than is read', tlv(0x30, new Uint8Array(CRL.bytes)), 'too_large'],
    ['that the fetch gave up', 'too_large', 'too_large'],
    ['that is away', 'unavailable', 'not_fetched'],
    ['at an address that is not asked', 'forbidden', 'address_forbidden'],
  ] as const)('%s', async (_, answer, cause) => {
    expect(await standingIn({ [LEAF_LIST]: answer })).toEqual({ status: 'unavailable', cause })
  })

  it('by an authority that may not sign lists', async () => {
    const authority = await mintIntermediate(root, { keys: intermediate.keys, keyUsage: ['keyCertSign'] })
    const { fetchResource, asked } = webOf({ [LEAF_LIST]: await listOf() })
    const path = decodePath(leaf, authority, root)
    const standing = await checkCertificates(path, { now: NOW, fetchResource })
    expect(word(standing)).toBe('issuer_may_not_sign')
    expect(asked).toEqual([])
  })

  it('with a signature that is weak', async () => {
    const weak = await mintIntermediate(root, { keyKind: 'RSA-1024' })
    const path = decodePath(await mintLeaf(weak, { crls: [LEAF_LIST], hash: 'SHA-256' }), weak, root)
    expect(word(await standingIn({ [LEAF_LIST]: await makeCrl(weak, NOW) }, path))).toBe('invalid_signature')
  })
})

describe('a certificate', () => {
  const asked = async (changes: CertificateOptions) => {
    const { fetchResource, urls } = webOf({ [LEAF_LIST]: await listOf() })
    const standing = await checkCertificates(await pathOf(changes), { now: NOW, fetchResource })
    return [word(standing), urls()]
  }
  const ldap = 'ldap://directory.authority.example.org/cn=CA?certificateRevocationList'

  it.each<[string, CertificateOptions, string]>([
    ['no list', {}, 'not_present'],
    ['a directory only', { crls: [ldap] }, 'no_address'],
    [
      'a list for some reasons only',
      { extensions: [points([pointName(LEAF_LIST), tlv(0x81, Uint8Array.of(6, 0x40))])] },
      'no_address',
    ],
    [
      'a list of another authority',
      { extensions: [points([pointName(LEAF_LIST), tlv(0xa2, tlv(0xa4, tlv(0x30)))])] },
      'no_address',
    ],
    ['a place below its issuer', { extensions: [points([tlv(0xa0, tlv(0xa1))])] }, 'no_address'],
    ['an empty list of places', { extensions: [points()] }, 'malformed_distribution_points'],
    ['a place that is empty', { extensions: [points([])] }, 'malformed_distribution_points'],
    [
      'a place of no names',
      { extensions: [points([tlv(0xa0, tlv(0xa0))])] },
      'malformed_distribution_points',
    ],
    ['a place of unheard-of parts', { extensions: [points([tlv(0xa5)])] }, 'malformed_distribution_points'],
    [
      'more places than are read',
      { extensions: [points(...Array(CRL.points + 1).fill([pointName(LEAF_LIST)]))] },
      'malformed_distribution_points',
    ],
  ])('that names %s has the status %s, and nothing is fetched', async (_, changes, known) => {
    expect(await asked(changes)).toEqual([known, []])
  })

  it.each<[string, CertificateOptions, readonly string[]]>([
    ['a directory before it', { crls: [ldap, LEAF_LIST] }, [LEAF_LIST]],
    [
      'another name of the same list, which is away',
      { extensions: [points([pointName('https://a.example.org', LEAF_LIST)])] },
      ['https://a.example.org', LEAF_LIST],
    ],
    [
      'another list, which is away',
      { crls: ['http://away.example.org/', LEAF_LIST] },
      ['http://away.example.org/', LEAF_LIST],
    ],
    ['others after it', { crls: [LEAF_LIST, 'http://away.example.org/'] }, [LEAF_LIST]],
    [
      'a list for some reasons before it',
      {
        extensions: [
          points(
            [pointName('http://some.example.org/'), tlv(0x81, Uint8Array.of(6, 0x40))],
            [pointName(LEAF_LIST)],
          ),
        ],
      },
      [LEAF_LIST],
    ],
  ])('is found in its list with %s', async (_, changes, urls) => {
    expect(await asked(changes)).toEqual(['valid', urls])
  })

  it('is fetched from two addresses at most', async () => {
    const crls = ['http://a.example.org/', 'http://b.example.org/', LEAF_LIST]
    expect(await asked({ crls })).toEqual(['not_fetched', crls.slice(0, 2)])
  })

  it('may be in a list by http or https', async () => {
    const { fetchResource, asked: requests } = webOf({ [LEAF_LIST]: await listOf() })
    await checkCertificates(PATH, { now: NOW, fetchResource })
    const request = { url: LEAF_LIST, accept: 'application/pkix-crl', limit: CRL.bytes, allowHttp: true }
    expect(requests).toEqual([request])
  })
})

describe('a path', () => {
  const path = decodePath(leaf, listedIntermediate, root)
  const top = (options: CrlOptions = {}) => makeCrl(root, NOW, options)

  it('is valid if all its certificates are valid, as of the older list', async () => {
    const older = { thisUpdate: dateOf(NOW - 2 * DAY) }
    const web = { [LEAF_LIST]: await listOf(), [TOP_LIST]: await top(older) }
    expect(await standingIn(web, path)).toEqual({ status: 'valid', asOf: NOW - 2 * DAY })
  })

  it.each([
    [
      'is revoked with its intermediate, though the leaf stands',
      {},
      { revoked: [SERIAL.intermediate] },
      'revoked',
    ],
    [
      'is revoked with its leaf, though nothing is known of the intermediate',
      { revoked: [SERIAL.leaf] },
      undefined,
      'revoked',
    ],
    ['is unknown where its intermediate is, though the leaf stands', {}, undefined, 'not_fetched'],
    ['is unknown where the other signed its list', {}, { signer: intermediate }, 'invalid_signature'],
  ] as const)('%s', async (_, ofLeaf, ofTop, known) => {
    const web = {
      [LEAF_LIST]: await listOf(ofLeaf),
      [TOP_LIST]: ofTop === undefined ? ('unavailable' as const) : await top(ofTop),
    }
    expect(word(await standingIn(web, path))).toBe(known)
  })

  it('is checked without its anchor, and not if the path is an anchor alone', async () => {
    const { fetchResource, asked } = webOf({})
    const [, listed] = path
    const source = { now: NOW, fetchResource }
    expect(await checkCertificates([listed!], source)).toEqual({ status: 'not_present' })
    expect(await checkCertificates([], source)).toEqual({ status: 'not_present' })
    expect(asked).toEqual([])
  })

  it('directly below an anchor without a key usage is checked as well', async () => {
    const anchor = await mintIntermediate(root, { keys: intermediate.keys, keyUsage: null })
    const [certificate] = PATH
    const revoked = await listOf({ revoked: [SERIAL.leaf] })
    const below = [certificate!, ...decodePath(anchor)]
    expect(word(await standingIn({ [LEAF_LIST]: revoked }, below))).toBe('revoked')
  })
})
