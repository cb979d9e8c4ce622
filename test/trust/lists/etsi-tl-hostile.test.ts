// Hostile trusted lists: each is a published list with one change. A change of signed content is signed again
// by a test key, so that only the rule under test refuses it.

import { constants, KeyObject, type webcrypto } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TlRules, verifyEtsiTl } from '../../../src/trust/lists/etsi-tl.ts'
import { type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import {
  CHANGED_LISTS,
  FILTER2,
  OTHER_FORMS,
  SAME_LISTS,
  SIGNATURE,
  signatureOf,
  swap,
} from '../../support/certificates/hostile-lists.ts'
import {
  canonicalText,
  type PublishedName,
  publishedList,
} from '../../support/certificates/published-lists.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import {
  digitalId,
  EAA_Q,
  GRANTED,
  privateKeys,
  signXmlList,
  TL_TYPE,
  WITHDRAWN,
  type XmlSignatureOptions,
} from '../../support/certificates/xml-lists.ts'

const NOW = Date.parse('2026-08-25T12:00:00Z') / 1000
const DSIG = 'http://www.w3.org/2000/09/xmldsig#'

let signer: Minted
let rsa: Minted
let smallRsa: Minted
let rules: TlRules
/** The list of Sweden in canonical form, with an issuer of the tests as its provider of attestations. */
let text: string

beforeAll(async () => {
  const pki = await mintIssuerPki()
  const minted = await Promise.all([
    mintListSigner(),
    mintListSigner({ keyKind: 'RSA-2048' }),
    mintListSigner({ keyKind: 'RSA-1024' }),
  ])
  ;[signer, rsa, smallRsa] = minted
  for (const each of [rsa, smallRsa])
    privateKeys.set(each, KeyObject.from(each.keys.privateKey as webcrypto.CryptoKey))
  text = canonicalText('SE').replace(
    /(EAA\/Q<.*?X509Certificate>)[^<]+/s,
    (_, before: string) => before + pki.root.x5c,
  )
  rules = {
    signers: [signer.pem],
    listTypes: [TL_TYPE],
    territory: 'SE',
    services: [{ type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' }],
    last: null,
    now: NOW,
  }
})

/** Returns the fault, or the number of anchors. */
async function verdict(body: Uint8Array, changes: Partial<TlRules> = {}) {
  const verified = await verifyEtsiTl(body, { ...rules, ...changes })
  if (!verified.ok) return verified.error
  return verified.value.ended ?? verified.value.anchors.length
}

const signed = (options: XmlSignatureOptions = {}, changes: Partial<TlRules> = {}, by = signer) =>
  verdict(signXmlList(text, by, options), changes)

const bytesOf = (whole: string) => new TextEncoder().encode(whole)

/** A change of a published list as it was signed by its own operator. */
function published(change: (whole: string) => string, name: PublishedName = 'SE') {
  const list = publishedList(name)
  return verdict(bytesOf(change(list.text)), { signers: [list.signer] })
}

it('the list is accepted before the following tests change it', async () => {
  expect(await signed()).toBe(1)
  expect(await published((whole) => whole)).toBe(0)
})

describe('a published list with one change is refused:', () => {
  it.each(CHANGED_LISTS)('%s', async (_, fault, change) => {
    expect(await published(change)).toBe(fault)
  })

  it('the signature of another list', async () => {
    const other = publishedList('IS')
    const body = bytesOf(publishedList('SE').text.replace(SIGNATURE, signatureOf(other.text)))
    expect(await verdict(body, { signers: [other.signer] })).toBe('invalid_signature')
  })

  it('a good list that is placed inside a forged root element', async () => {
    const { text: good, signer: pem } = publishedList('SE')
    const inner = good.replace(/<\?xml.*?\?>/, '')
    const root = (signature: string) =>
      `<TrustServiceStatusList xmlns="http://uri.etsi.org/02231/v2#"><SchemeInformation/>${signature}</TrustServiceStatusList>`
    const wrapped = signatureOf(good).replace(
      '</ds:Signature>',
      `<ds:Object>${inner}</ds:Object></ds:Signature>`,
    )
    for (const body of [wrapped, `<ds:Object xmlns:ds="${DSIG}">${inner}</ds:Object>`, inner])
      expect(await verdict(bytesOf(root(body)), { signers: [pem] })).toBe('malformed')
  })

  it('a forged service beside the signed services', async () => {
    const service = `<TSPService><ServiceInformation><ServiceTypeIdentifier>${EAA_Q}</ServiceTypeIdentifier></ServiceInformation></TSPService>`
    expect(await published(swap('<TSPServices>', `<TSPServices>${service}`))).toBe('invalid_signature')
  })

  it.each([
    [
      'UTF-16',
      (bytes: Uint8Array) => new Uint8Array(Buffer.from(new TextDecoder().decode(bytes), 'utf16le')),
    ],
    [
      'an overlong UTF-8 character',
      (bytes: Uint8Array) => bytes.map((byte, i) => (i === 500 ? 0xc0 : i === 501 ? 0x80 : byte)),
    ],
    ['a zero byte', (bytes: Uint8Array) => bytes.map((byte, i) => (i === 2000 ? 0 : byte))],
  ])('%s', async (_, change) => {
    const { bytes, signer: pem } = publishedList('SE')
    expect(await verdict(change(bytes), { signers: [pem] })).toBe('malformed')
  })
})

describe('a change that leaves the signed content the same is accepted:', () => {
  it.each(SAME_LISTS)('%s', async (_, change) => {
    expect(await published(change)).toBe(0)
  })

  it('a comment, a CDATA section or a character reference inside a status, which is still read as one text', async () => {
    const statusOf = (written: string) => (whole: string) =>
      whole.replace(
        new RegExp(`(EAA/Q<.*?ServiceStatus>)${GRANTED}`, 's'),
        (_, before: string) => before + written,
      )
    for (const written of [
      GRANTED.replace('granted', 'gra<!-- a -->nted'),
      GRANTED.replace('granted', 'gra<![CDATA[nted]]>'),
      GRANTED.replace('granted', '&#103;ranted'),
    ])
      expect(await signed({ document: statusOf(written) })).toBe(1)
    const withdrawn = { content: statusOf(WITHDRAWN) }
    const both = swap(new RegExp(`(?<=EAA/Q<.*?ServiceStatus>)${WITHDRAWN}`, 's'), `${GRANTED}<!-- -->`)
    expect(await signed({ ...withdrawn, document: both })).toBe('invalid_signature')
    const cut = statusOf(`${GRANTED}-not`)
    const comment = swap(`${GRANTED}-not`, `${GRANTED}<!-- -->-not`)
    expect(await signed({ content: cut, document: comment })).toBe(0)
  })

  it('another notation of the character reference for a tab or a carriage return, but not the literal character', async () => {
    const content = swap('xml:lang="sv"', 'xml:lang="s&#x9;&#xD;v"')
    expect(await signed({ content })).toBe(1)
    const written = (as: string) => signed({ content, document: swap('s&#x9;&#xD;v', as) })
    expect(await written('s&#9;&#013;v')).toBe(1)
    for (const as of ['s\t&#xD;v', 's&#x9;\rv', 's  v', 's&#x9;&#xA;v'])
      expect(await written(as), JSON.stringify(as)).toBe('invalid_signature')
  })

  it('a comment inside a certificate and inside a service type', async () => {
    const inCertificate = (whole: string) =>
      whole.replace(/(EAA\/Q<.*?X509Certificate>MII)/s, (before) => `${before}<!-- a -->`)
    expect(await signed({ document: inCertificate })).toBe(1)
    expect(await signed({ document: swap('Svctype/EAA/Q', 'Svctype/EAA<!-- a -->/Q') })).toBe(1)
  })
})

describe('the signature of a list', () => {
  it('is accepted with an XPath Filter 2.0 transform that removes only the signature', async () => {
    expect(await signed(FILTER2)).toBe(1)
  })

  it('is accepted with its two references in the other order', async () => {
    const turned = (info: string) => {
      const [first = '', second = ''] = info.match(/<ds:Reference .*?<\/ds:Reference>/gs) ?? []
      return info.replace(first + second, second + first)
    }
    expect(await signed({ signedInfo: turned })).toBe(1)
  })

  it.each([
    ['sha384', 'http://www.w3.org/2001/04/xmldsig-more#sha384'],
    ['sha512', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  ] as const)(
    'is accepted with the older SigningCertificate and the %s digest of the certificate',
    async (...digest) => {
      const older = (properties: string) =>
        properties.replaceAll('SigningCertificateV2', 'SigningCertificate')
      expect(await signed({ certificateDigest: digest, properties: older })).toBe(1)
      expect(await signed({ certificateDigest: digest })).toBe(1)
      const other = (properties: string) => older(properties).replace(/(?<=DigestValue[^>]*>)..../, 'AAAA')
      expect(await signed({ certificateDigest: digest, properties: other })).toBe('malformed')
    },
  )

  it.each(OTHER_FORMS)('is refused with %s', async (_, fault, options) => {
    expect(await signed(options)).toBe(fault)
  })

  it('is refused with a reference to SignedProperties outside the signature', async () => {
    const foreign =
      '<Extra><xades:SignedProperties xmlns:xades="http://uri.etsi.org/01903/v1.3.2#" Id="foreign"></xades:SignedProperties></Extra>'
    const options = {
      content: swap('<SchemeInformation>', `${foreign}<SchemeInformation>`),
      signedInfo: swap('#properties', '#foreign'),
    }
    expect(await signed(options)).toBe('malformed')
  })

  it('is refused if its second certificate is pinned instead of its first', async () => {
    const other = await mintListSigner()
    const certificates = [other.x5c, signer.x5c]
    expect(await signed({ certificates })).toBe('untrusted_signer')
    expect(await signed({ certificates: [signer.x5c, other.x5c] })).toBe(1)
  })

  it('is refused if no certificate is pinned, or if the pinned certificate expired before the list was issued', async () => {
    expect(await signed({}, { signers: [] })).toBe('untrusted_signer')
    const issued = new Date('2026-08-19T13:56:19Z')
    const expired = await mintListSigner({ notAfter: new Date(issued.getTime() - 1000) })
    expect(await signed({}, { signers: [expired.pem] }, expired)).toBe('certificate_expired')
    const since = await mintListSigner({ notAfter: new Date(issued.getTime() + 1000) })
    expect(await signed({}, { signers: [since.pem] }, since)).toBe(1)
  })

  it.each([
    [
      'rsa-sha256',
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      'sha256',
      constants.RSA_PKCS1_PADDING,
    ],
    [
      'rsa-sha384',
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
      'sha384',
      constants.RSA_PKCS1_PADDING,
    ],
    [
      'rsa-sha512',
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      'sha512',
      constants.RSA_PKCS1_PADDING,
    ],
    [
      'PSS with SHA-256',
      'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
      'sha256',
      constants.RSA_PKCS1_PSS_PADDING,
    ],
    [
      'PSS with SHA-384',
      'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1',
      'sha384',
      constants.RSA_PKCS1_PSS_PADDING,
    ],
    [
      'PSS with SHA-512',
      'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1',
      'sha512',
      constants.RSA_PKCS1_PSS_PADDING,
    ],
  ])('is accepted with %s, except with an RSA key of 1,024 bits', async (_, method, hash, padding) => {
    const options = { method, hash, padding }
    expect(await signed(options, { signers: [rsa.pem] }, rsa)).toBe(1)
    const value = (bytes: Uint8Array) => bytes.with(9, (bytes[9] ?? 0) ^ 1)
    expect(await signed({ ...options, value }, { signers: [rsa.pem] }, rsa)).toBe('invalid_signature')
    const small = hash === 'sha512' && padding === constants.RSA_PKCS1_PSS_PADDING ? undefined : smallRsa
    if (small !== undefined)
      expect(await signed(options, { signers: [small.pem] }, small)).toBe('unsupported_algorithm')
  })

  it.each([
    ['ecdsa-sha384', 'sha384'],
    ['ecdsa-sha512', 'sha512'],
  ])('is accepted with %s', async (method, hash) => {
    const uri = `http://www.w3.org/2001/04/xmldsig-more#${method}`
    expect(await signed({ method: uri, hash })).toBe(1)
    expect(await signed({ method: uri, hash: 'sha256' })).toBe('invalid_signature')
  })
})

describe('the scheme information of a signed list', () => {
  const scheme = (from: string | RegExp, to: string): XmlSignatureOptions => ({ content: swap(from, to) })

  it.each<[string, string | number, XmlSignatureOptions]>([
    ['version 4', 'malformed', scheme('Identifier>6<', 'Identifier>4<')],
    ['no version', 'malformed', scheme(/<TSLVersionIdentifier>.*?<\/TSLVersionIdentifier>/, '')],
    [
      'two versions',
      'malformed',
      scheme(
        '<TSLVersionIdentifier>',
        '<TSLVersionIdentifier>6</TSLVersionIdentifier><TSLVersionIdentifier>',
      ),
    ],
    ['a negative sequence number', 'malformed', scheme('SequenceNumber>62', 'SequenceNumber>-62')],
    [
      'a list type that is not configured',
      'wrong_list',
      scheme('TSLType/EUgeneric', 'TSLType/EUlistofthelists'),
    ],
    ['a territory that is not configured', 'wrong_list', scheme('SchemeTerritory>SE', 'SchemeTerritory>XX')],
    ['no territory', 'malformed', scheme(/<SchemeTerritory>.*?<\/SchemeTerritory>/, '')],
    [
      'a date of issue tomorrow',
      'not_yet_issued',
      scheme('IssueDateTime>2026-08-19', 'IssueDateTime>2026-08-26'),
    ],
    ['no date of issue', 'malformed', scheme(/<ListIssueDateTime>.*?<\/ListIssueDateTime>/, '')],
    ['a next update yesterday', 'expired', scheme('dateTime>2027-02-19', 'dateTime>2026-08-24')],
    ['a next update in ten years', 'malformed', scheme('dateTime>2027-02-19', 'dateTime>2036-02-19')],
    ['no next update', 'malformed', scheme(/<NextUpdate>.*?<\/NextUpdate>/s, '')],
    ['a next update that is no time', 'malformed', scheme('dateTime>2027-02-19', 'dateTime>soon 2027')],
    ['an empty next update', 'closed', scheme(/<NextUpdate>.*?<\/NextUpdate>/s, '<NextUpdate></NextUpdate>')],
  ])('is refused with %s', async (_, fault, options) => {
    expect(await signed(options)).toBe(fault)
  })

  it('is accepted if the next update is at most six months and a week after the date of issue', async () => {
    expect(await signed(scheme('dateTime>2027-02-19T14:56:19', 'dateTime>2027-02-26T13:56:19'))).toBe(1)
    expect(await signed(scheme('dateTime>2027-02-19T14:56:19', 'dateTime>2027-02-26T13:56:20'))).toBe(
      'malformed',
    )
  })

  it('may have the expected list type with https instead of http', async () => {
    expect(await signed(scheme(TL_TYPE, TL_TYPE.replace('http:', 'https:')))).toBe(1)
    expect(await signed({}, { listTypes: null, territory: null })).toBe(1)
  })

  it('is refused with a lower sequence number than the last list, or with the same number and different content', async () => {
    const first = await verifyEtsiTl(signXmlList(text, signer), rules)
    const last = first.ok ? first.value : null
    expect(await signed({}, { last })).toBe(1) // the same content, signed again
    expect(await signed(scheme('SequenceNumber>62', 'SequenceNumber>61'), { last })).toBe('rolled_back')
    expect(await signed(scheme('SequenceNumber>62', 'SequenceNumber>63'), { last })).toBe(1)
    expect(await signed(scheme('Box 5398', 'Box 5399'), { last })).toBe('rolled_back')
  })
})

describe('a signed list', () => {
  const service = (change: (information: string) => string): XmlSignatureOptions => ({
    content: (whole) =>
      whole.replace(/<TSPService>(?:(?!<TSPService>).)*?EAA\/Q<.*?<\/TSPService>/s, (found) => change(found)),
  })
  const leftOut = async (options: XmlSignatureOptions) => {
    const verified = await verifyEtsiTl(signXmlList(text, signer, options), rules)
    return verified.ok ? [verified.value.anchors.length, verified.value.leftOut] : verified.error
  }
  const extension = (content: string, critical = 'true') =>
    service(
      swap(
        '</ServiceInformation>',
        `<ServiceInformationExtensions><Extension Critical="${critical}">${content}</Extension></ServiceInformationExtensions></ServiceInformation>`,
      ),
    )
  const SIE = 'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#'

  it.each<[string, readonly [number, number], XmlSignatureOptions]>([
    ['a withdrawn service', [0, 0], service(swap(GRANTED, WITHDRAWN))],
    [
      'a service that is granted in its history only',
      [0, 0],
      service((found) => {
        const information = /<ServiceInformation>(.*)<\/ServiceInformation>/s.exec(found)?.[1] ?? ''
        const history = `<ServiceHistory><ServiceHistoryInstance>${information}</ServiceHistoryInstance></ServiceHistory>`
        return swap('</TSPService>', `${history}</TSPService>`)(found.replace(GRANTED, WITHDRAWN))
      }),
    ],
    [
      'a service whose status starts tomorrow',
      [0, 0],
      service(swap(/(?<=StatusStartingTime>)[^<]+/, '2026-08-26T12:00:00Z')),
    ],
    [
      'a service without a time of its status',
      [0, 0],
      service(swap(/<StatusStartingTime>.*?<\/StatusStartingTime>/, '')),
    ],
    [
      'a service with a key identifier alone',
      [0, 1],
      service(
        swap(/<X509Certificate>.*?<\/X509Certificate>/s, '<X509SKI>8ggxPazq0lOMFoNHOT69l+KgXbw=</X509SKI>'),
      ),
    ],
    [
      'a service with a name alone',
      [0, 1],
      service(swap(/<X509Certificate>.*?<\/X509Certificate>/s, '<X509SubjectName>CN=A</X509SubjectName>')),
    ],
    [
      'a service with a certificate that cannot be decoded',
      [0, 1],
      service(swap(/(?<=<X509Certificate>)[^<]+/, 'AAAA')),
    ],
    [
      'a service with a critical extension that is not understood',
      [0, 1],
      extension('<a:B xmlns:a="urn:a"></a:B>'),
    ],
    [
      'a service with an extension that has Critical="1" instead of Critical="true"',
      [0, 1],
      extension('<a:B xmlns:a="urn:a"></a:B>', '1'),
    ],
    [
      'a service with an unknown extension whose Critical is neither true nor false',
      [0, 1],
      extension('<a:B xmlns:a="urn:a"></a:B>', 'maybe true'),
    ],
    [
      'a service with a critical extension in the second of two blocks',
      [0, 1],
      service(
        swap(
          '</ServiceInformation>',
          '<ServiceInformationExtensions></ServiceInformationExtensions><ServiceInformationExtensions><Extension Critical="true"><a:B xmlns:a="urn:a"></a:B></Extension></ServiceInformationExtensions></ServiceInformation>',
        ),
      ),
    ],
    [
      'a service with Qualifications',
      [0, 1],
      extension(`<a:Qualifications xmlns:a="${SIE}"></a:Qualifications>`),
    ],
    [
      'a service with Qualifications that are not critical',
      [0, 1],
      extension(`<a:Qualifications xmlns:a="${SIE}"></a:Qualifications>`, 'false'),
    ],
    ['a service of another type', [0, 0], service(swap('Svctype/EAA/Q<', 'Svctype/EAA/q<'))],
    [
      'a service with a type in another namespace',
      [0, 0],
      service((found) =>
        found
          .replaceAll(/ServiceTypeIdentifier>/g, 'ServiceTypeIdentifier>')
          .replace('<ServiceTypeIdentifier>', '<ServiceTypeIdentifier xmlns="urn:a">'),
      ),
    ],
    [
      'a service of two types',
      [0, 0],
      service(
        swap(
          '<ServiceTypeIdentifier>',
          `<ServiceTypeIdentifier>${EAA_Q}</ServiceTypeIdentifier><ServiceTypeIdentifier>`,
        ),
      ),
    ],
    [
      'a service with two ServiceInformation',
      [0, 0],
      service((found) =>
        swap(
          '</TSPService>',
          `${/<ServiceInformation>.*<\/ServiceInformation>/s.exec(found)?.[0]}</TSPService>`,
        )(found),
      ),
    ],
  ])('gives no anchor of %s', async (_, expected, options) => {
    expect(await leftOut(options)).toEqual(expected)
  })

  it.each([
    ['AdditionalServiceInformation', '<AdditionalServiceInformation></AdditionalServiceInformation>'],
    [
      'ExpiredCertsRevocationInfo',
      '<ExpiredCertsRevocationInfo>2026-01-01T00:00:00Z</ExpiredCertsRevocationInfo>',
    ],
    [
      'TakenOverBy',
      '<a:TakenOverBy xmlns:a="http://uri.etsi.org/02231/v2/additionaltypes#"></a:TakenOverBy>',
    ],
  ])('gives the anchor of a service with the critical extension %s', async (_, content) => {
    expect(await leftOut(extension(content))).toEqual([1, 0])
  })

  it('gives the anchor of a service with an unknown extension that is not critical', async () => {
    expect(await leftOut(extension('<a:B xmlns:a="urn:a"></a:B>', 'false'))).toEqual([1, 0])
  })

  it('gives one anchor for a certificate, even if two services have the certificate', async () => {
    const twice = service((found) => found + found)
    expect(await leftOut(twice)).toEqual([1, 0])
    const two = service(swap('</DigitalId>', `</DigitalId>${digitalId(signer.x5c)}`))
    expect(await leftOut(two)).toEqual([2, 0])
  })

  it('gives anchors only of services with a status that the operator named', async () => {
    const [grant] = rules.services
    const services = grant === undefined ? [] : [{ ...grant, statuses: [WITHDRAWN] }]
    expect(await signed({}, { services })).toBe(0)
    expect(await signed(service(swap(GRANTED, WITHDRAWN)), { services })).toBe(1)
  })
})
