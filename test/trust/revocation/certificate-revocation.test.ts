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

describe('a certificate whose issuer publishes a revocation list', () => {
  it('is valid as of the thisUpdate of the list, if the list does not contain its serial number', async () => {
    const standing = await standingIn({ [LEAF_LIST]: await listOf({ revoked: ['7c', '017b', '7b00'] }) })
    expect(standing).toEqual({ status: 'valid', asOf: NOW - DAY })
  })

  it.each([
    ['has its serial number', SERIAL.leaf],
    [
      'has its serial number with the reason keyCompromise',
      { serialNumber: SERIAL.leaf, reason: REASON.keyCompromise },
    ],
    [
      'has its serial number with the reason certificateHold',
      { serialNumber: SERIAL.leaf, reason: REASON.certificateHold },
    ],
    [
      'has its serial number with an unknown extension that is not critical',
      { serialNumber: SERIAL.leaf, extensions: [unknown(false)] },
    ],
  ])('is revoked if the list %s', async (_, entry) => {
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

describe('a revocation list', () => {
  it('with a thisUpdate in the future is accepted within the clock skew of the caller', async () => {
    const web = { [LEAF_LIST]: await listOf({ thisUpdate: dateOf(NOW + 100) }) }
    expect(word(await standingIn(web, undefined, NOW, 120))).toBe('valid')
  })

  it.each<[string, CrlOptions, string]>([
    ['if another authority of the same name signed it', { signer: stranger }, 'invalid_signature'],
    ['if it names another issuer', { issuerName: 'C=DE,O=Test Trust,CN=Another CA' }, 'another_list'],
    ['if its nextUpdate has passed', { nextUpdate: dateOf(NOW - 1) }, 'stale'],
    ['if its thisUpdate is in the future', { thisUpdate: dateOf(NOW + 61) }, 'not_yet_valid'],
    [
      'if it has no nextUpdate and is more than a week old',
      { nextUpdate: null, thisUpdate: dateOf(NOW - 7 * DAY - 1) },
      'stale',
    ],
    ['if it has an unknown critical extension', { extensions: [unknown(true)] }, 'unsupported'],
    [
      'if an entry has an unknown critical extension',
      { revoked: [{ serialNumber: '01', extensions: [unknown(true)] }] },
      'unsupported',
    ],
    [
      'if an entry has the reason removeFromCRL',
      { revoked: [{ serialNumber: '01', reason: REASON.removeFromCRL }] },
      'malformed',
    ],
    [
      'if it is a delta CRL',
      { extensions: [{ ...unknown(true), oid: '2.5.29.27', value: tlv(0x02, TRUE) }] },
      'unsupported',
    ],
    [
      'if it is a delta CRL whose indicator is not critical',
      { extensions: [{ ...unknown(false), oid: '2.5.29.27' }] },
      'unsupported',
    ],
    ['if it is an indirect CRL', { extensions: [place(tlv(0x84, TRUE))] }, 'unsupported'],
    [
      'if it covers some reasons only',
      { extensions: [place(tlv(0x83, Uint8Array.of(6, 0x40)))] },
      'unsupported',
    ],
    ['if it covers attribute certificates only', { extensions: [place(tlv(0x85, TRUE))] }, 'unsupported'],
    [
      'if it sets both onlyContainsUserCerts and onlyContainsCACerts',
      { extensions: [place(tlv(0x81, TRUE), tlv(0x82, TRUE))] },
      'unsupported',
    ],
    [
      'if it sets onlyContainsCACerts and the certificate is a user certificate',
      { extensions: [place(tlv(0x82, TRUE))] },
      'another_list',
    ],
    [
      'if it is for another distribution point',
      { extensions: [place(pointName(`${LEAF_LIST}2`))] },
      'another_list',
    ],
    [
      'if its distribution point is a name relative to its issuer',
      { extensions: [place(tlv(0xa0, tlv(0xa1)))] },
      'another_list',
    ],
    ['if its distribution point has no name', { extensions: [place(tlv(0xa0))] }, 'malformed'],
    ['if it has an extension twice', { extensions: [unknown(false), unknown(false)] }, 'malformed'],
  ])('is not used %s', async (_, changes, cause) => {
    // The certificate is on each of these lists. An unusable list must not revoke it either.
    const revoked = [...(changes.revoked ?? []), SERIAL.leaf]
    const list = await listOf({ ...changes, revoked })
    expect(word(await standingIn({ [LEAF_LIST]: list }))).toBe(cause)
    const found = await standingIn({ [LEAF_LIST]: await listOf(changes) })
    expect(found).toEqual({ status: 'unavailable', cause })
  })

  it.each<[string, CrlOptions]>([
    ['has an unknown extension that is not critical', { extensions: [unknown(false)] }],
    ['has no nextUpdate and is a day old', { nextUpdate: null }],
    ['has a thisUpdate one minute in the future', { thisUpdate: dateOf(NOW + 60) }],
    ['has a nextUpdate of now', { nextUpdate: dateOf(NOW) }],
    [
      'is for the distribution point that the certificate names',
      { extensions: [place(pointName('ldap://x', LEAF_LIST))] },
    ],
    ['sets onlyContainsUserCerts', { extensions: [place(pointName(LEAF_LIST), tlv(0x81, TRUE))] }],
  ])('is used if it %s', async (_, changes) => {
    expect(word(await standingIn({ [LEAF_LIST]: await listOf(changes) }))).toBe('valid')
    const revoked = await listOf({ ...changes, revoked: [SERIAL.leaf] })
    expect(word(await standingIn({ [LEAF_LIST]: revoked }))).toBe('revoked')
  })

  it('is used if it is in PEM, as some authorities publish it', async () => {
    const list = pem(await listOf({ revoked: [SERIAL.leaf] }))
    expect(word(await standingIn({ [LEAF_LIST]: list }))).toBe('revoked')
  })

  it.each([
    [
      'if a revoked serial number in it was changed after signing',
      tampered(good, Buffer.from(good).indexOf('02017a', 'hex') + 2),
      'invalid_signature',
    ],
    ['if it has one byte more', Uint8Array.from([...good, 0]), 'malformed'],
    ['if its last byte is missing', good.slice(0, -1), 'malformed'],
    ['if it is PEM with text after its end', pem(good, 'X509 CRL', 'more'), 'malformed'],
    ['if it is PEM with a line before its beginning', concatBytes(utf8('-\n'), pem(good)), 'malformed'],
    ['if it is two PEM blocks', concatBytes(pem(good), pem(good)), 'malformed'],
    ['if it is PEM with the label CERTIFICATE', pem(good, 'CERTIFICATE'), 'malformed'],
    ['if it is PEM with invalid base64', pem(good, 'X509 CRL', '', '!'), 'malformed'],
    ['if the response is an HTML page', utf8('<!doctype html>'), 'malformed'],
    ['if the response is empty', new Uint8Array(), 'malformed'],
    ['if the response is a certificate', leaf.der, 'malformed'],
    ['if it is larger than the limit', tlv(0x30, new Uint8Array(CRL.bytes)), 'too_large'],
    ['if the fetch stopped because the response was too large', 'too_large', 'too_large'],
    ['if it is unavailable', 'unavailable', 'not_fetched'],
    ['if its address is forbidden', 'forbidden', 'address_forbidden'],
  ] as const)('is not used %s', async (_, answer, cause) => {
    expect(await standingIn({ [LEAF_LIST]: answer })).toEqual({ status: 'unavailable', cause })
  })

  it('is not used if the key usage of its issuer lacks cRLSign', async () => {
    const authority = await mintIntermediate(root, { keys: intermediate.keys, keyUsage: ['keyCertSign'] })
    const { fetchResource, asked } = webOf({ [LEAF_LIST]: await listOf() })
    const path = decodePath(leaf, authority, root)
    const standing = await checkCertificates(path, { now: NOW, fetchResource })
    expect(word(standing)).toBe('issuer_may_not_sign')
    expect(asked).toEqual([])
  })

  it('is not used if a weak RSA-1024 key signed it', async () => {
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
    ['an LDAP address only', { crls: [ldap] }, 'no_address'],
    [
      'a list that covers some reasons only',
      { extensions: [points([pointName(LEAF_LIST), tlv(0x81, Uint8Array.of(6, 0x40))])] },
      'no_address',
    ],
    [
      'a list of another authority',
      { extensions: [points([pointName(LEAF_LIST), tlv(0xa2, tlv(0xa4, tlv(0x30)))])] },
      'no_address',
    ],
    [
      'a distribution point relative to its issuer',
      { extensions: [points([tlv(0xa0, tlv(0xa1))])] },
      'no_address',
    ],
    ['an empty list of distribution points', { extensions: [points()] }, 'malformed_distribution_points'],
    ['an empty distribution point', { extensions: [points([])] }, 'malformed_distribution_points'],
    [
      'a distribution point without names',
      { extensions: [points([tlv(0xa0, tlv(0xa0))])] },
      'malformed_distribution_points',
    ],
    [
      'a distribution point with unknown parts',
      { extensions: [points([tlv(0xa5)])] },
      'malformed_distribution_points',
    ],
    [
      'more distribution points than the limit',
      { extensions: [points(...Array(CRL.points + 1).fill([pointName(LEAF_LIST)]))] },
      'malformed_distribution_points',
    ],
  ])('nothing is fetched for a certificate that names %s', async (_, changes, known) => {
    expect(await asked(changes)).toEqual([known, []])
  })

  it.each<[string, CertificateOptions, readonly string[]]>([
    ['an LDAP address before the usable list', { crls: [ldap, LEAF_LIST] }, [LEAF_LIST]],
    [
      'an unavailable first address for the same list',
      { extensions: [points([pointName('https://a.example.org', LEAF_LIST)])] },
      ['https://a.example.org', LEAF_LIST],
    ],
    [
      'an unavailable list before the usable list',
      { crls: ['http://away.example.org/', LEAF_LIST] },
      ['http://away.example.org/', LEAF_LIST],
    ],
    ['a second list after the usable list', { crls: [LEAF_LIST, 'http://away.example.org/'] }, [LEAF_LIST]],
    [
      'a list for some reasons only, before the usable list',
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
  ])('is checked with a usable list, even if it also names %s', async (_, changes, urls) => {
    expect(await asked(changes)).toEqual(['valid', urls])
  })

  it('with three list addresses causes requests to the first two only', async () => {
    const crls = ['http://a.example.org/', 'http://b.example.org/', LEAF_LIST]
    expect(await asked({ crls })).toEqual(['not_fetched', crls.slice(0, 2)])
  })

  it('may name a list at an http address', async () => {
    const { fetchResource, asked: requests } = webOf({ [LEAF_LIST]: await listOf() })
    await checkCertificates(PATH, { now: NOW, fetchResource })
    const request = { url: LEAF_LIST, accept: 'application/pkix-crl', limit: CRL.bytes, allowHttp: true }
    expect(requests).toEqual([request])
  })
})

describe('a certificate path', () => {
  const path = decodePath(leaf, listedIntermediate, root)
  const top = (options: CrlOptions = {}) => makeCrl(root, NOW, options)

  it('is valid if all its certificates are valid, and asOf is the thisUpdate of its oldest revocation list', async () => {
    const older = { thisUpdate: dateOf(NOW - 2 * DAY) }
    const web = { [LEAF_LIST]: await listOf(), [TOP_LIST]: await top(older) }
    expect(await standingIn(web, path)).toEqual({ status: 'valid', asOf: NOW - 2 * DAY })
  })

  it.each([
    [
      'is revoked if its intermediate is revoked and its leaf is valid',
      {},
      { revoked: [SERIAL.intermediate] },
      'revoked',
    ],
    [
      'is revoked if its leaf is revoked and the list for its intermediate is unavailable',
      { revoked: [SERIAL.leaf] },
      undefined,
      'revoked',
    ],
    [
      'is unknown if its leaf is valid and the list for its intermediate is unavailable',
      {},
      undefined,
      'not_fetched',
    ],
    [
      'is unknown if the intermediate signed the list of its own issuer',
      {},
      { signer: intermediate },
      'invalid_signature',
    ],
  ] as const)('a certificate path %s', async (_, ofLeaf, ofTop, known) => {
    const web = {
      [LEAF_LIST]: await listOf(ofLeaf),
      [TOP_LIST]: ofTop === undefined ? ('unavailable' as const) : await top(ofTop),
    }
    expect(word(await standingIn(web, path))).toBe(known)
  })

  it('is not checked if it has no certificate below its anchor', async () => {
    const { fetchResource, asked } = webOf({})
    const [, listed] = path
    const source = { now: NOW, fetchResource }
    expect(await checkCertificates([listed!], source)).toEqual({ status: 'not_present' })
    expect(await checkCertificates([], source)).toEqual({ status: 'not_present' })
    expect(asked).toEqual([])
  })

  it('is checked if its leaf is directly below an anchor without key usage', async () => {
    const anchor = await mintIntermediate(root, { keys: intermediate.keys, keyUsage: null })
    const [certificate] = PATH
    const revoked = await listOf({ revoked: [SERIAL.leaf] })
    const below = [certificate!, ...decodePath(anchor)]
    expect(word(await standingIn({ [LEAF_LIST]: revoked }, below))).toBe('revoked')
  })
})
