// Hostile trusted lists in XML as data: each is a published list, or a list signed by a test key, with one
// change. Our own reader judges them, and EU DSS.

import { createHash } from 'node:crypto'
import { ENVELOPED, EXCLUSIVE, transform, type XmlSignatureOptions } from './xml-lists.ts'

export type TextChange = (whole: string) => string

/** Replaces a text that must be there. */
export const swap =
  (from: string | RegExp, to: string): TextChange =>
  (whole) => {
    const changed = whole.replace(from, () => to)
    if (changed === whole) throw new Error(`the text has no ${from}`)
    return changed
  }

export const SIGNATURE = /<ds:Signature .*<\/ds:Signature>/s
export const signatureOf = (whole: string) => SIGNATURE.exec(whole)?.[0] ?? ''
const ROOT_END = '</TrustServiceStatusList>'

/** Entities of which each has the former one ten times: the last one has a billion of the first. */
const BILLION = Array.from(
  { length: 10 },
  (_, i) => `<!ENTITY lol${i} "${i === 0 ? 'lol' : `&lol${i - 1};`.repeat(10)}">`,
).join('')

/** Attributes with names of four characters: a million have 8,000,000 bytes, below the limit of a list. */
const attributes = (count: number) =>
  Array.from({ length: count }, (_, i) => ` ${(i + 466_560).toString(36)}=""`).join('')

/** Removes the id of the root, so that a copy of the root may have it. */
const withoutIds = swap(/ Id="id_for_enveloped_signing_of_the_entire_list"/, '')

/** The root of a list with everything in it, but without the signature. */
const signedPart = (whole: string) => whole.replace(SIGNATURE, '').replace(/^.*?\?>\s*/s, '')

/** Changes of the published list of Sweden, each with our fault. */
export const CHANGED_LISTS: readonly (readonly [name: string, fault: string, change: TextChange])[] = [
  ['another text', 'invalid_signature', swap('Box 5398', 'Box 5399')],
  ['another attribute', 'invalid_signature', swap('xml:lang="sv"', 'xml:lang="en"')],
  ['another status', 'invalid_signature', swap('Svcstatus/withdrawn', 'Svcstatus/granted')],
  ['another certificate', 'invalid_signature', swap(/(?<=EAA\/Q<.*?X509Certificate>)MII/s, 'MIJ')],
  ['a tag in another place', 'invalid_signature', swap('<SchemeTerritory>SE', '<SchemeTerritory> SE')],
  ['no signature', 'malformed', swap(SIGNATURE, '')],
  [
    'two signatures',
    'malformed',
    (whole) => swap(ROOT_END, signatureOf(whole).replaceAll('id-', 'ie-') + ROOT_END)(whole),
  ],
  [
    'a second signature before the first',
    'malformed',
    (whole) =>
      swap('<SchemeInformation>', `${signatureOf(whole).replaceAll('id-', 'ie-')}<SchemeInformation>`)(whole),
  ],
  [
    'a second signature inside another element',
    'malformed',
    (whole) =>
      swap(
        '</SchemeInformation>',
        `${signatureOf(whole).replaceAll('id-', 'ie-')}</SchemeInformation>`,
      )(whole),
  ],
  [
    'the signature inside another element',
    'malformed',
    (whole) =>
      swap('</SchemeInformation>', `${signatureOf(whole)}</SchemeInformation>`)(whole.replace(SIGNATURE, '')),
  ],
  [
    'the signature one level down',
    'malformed',
    (whole) => whole.replace(SIGNATURE, `<Extra>${signatureOf(whole)}</Extra>`),
  ],
  ['an element behind the signature', 'malformed', swap(ROOT_END, `<Extra/>${ROOT_END}`)],
  ['a document type', 'malformed', swap('?>', '?><!DOCTYPE TrustServiceStatusList>')],
  ['a document type with an entity', 'malformed', swap('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>')],
  ['an external entity', 'malformed', swap('?>', '?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>')],
  [
    'nested entities of a billion texts',
    'malformed',
    (whole) =>
      swap('Box 5398', 'Box &lol9;')(swap('?>', `?><!DOCTYPE TrustServiceStatusList [${BILLION}]>`)(whole)),
  ],
  ['an entity that nobody declared', 'malformed', swap('Box 5398', 'Box &amp;&b;')],
  ['a processing instruction', 'malformed', swap('<SchemeInformation>', '<?a b?><SchemeInformation>')],
  ['a declaration of version 1.1', 'malformed', swap('version="1.0"', 'version="1.1"')],
  ['another declared encoding', 'malformed', swap('encoding="UTF-8"', 'encoding="ISO-8859-1"')],
  [
    'the same Id twice',
    'malformed',
    swap('<SchemeInformation>', '<SchemeInformation Id="id_for_enveloped_signing_of_the_entire_list">'),
  ],
  [
    'the same Id as ID',
    'malformed',
    swap('<SchemeInformation>', '<SchemeInformation ID="id_for_enveloped_signing_of_the_entire_list">'),
  ],
  [
    'the same Id as xml:id',
    'malformed',
    swap('<SchemeInformation>', '<SchemeInformation xml:id="id_for_enveloped_signing_of_the_entire_list">'),
  ],
  [
    'the same Id as id',
    'malformed',
    swap('<SchemeInformation>', '<SchemeInformation id="id_for_enveloped_signing_of_the_entire_list">'),
  ],
  [
    'a million attributes of one element',
    'too_large',
    (whole) => swap('<SchemeInformation>', `<SchemeInformation${attributes(1_000_000)}>`)(whole),
  ],
  ['a tab in an attribute', 'invalid_signature', swap('xml:lang="sv"', 'xml:lang="sv\t"')],
  ['a reference to a tab in an attribute', 'invalid_signature', swap('xml:lang="sv"', 'xml:lang="sv&#9;"')],
  ['a carriage return in an attribute', 'invalid_signature', swap('xml:lang="sv"', 'xml:lang="s\rv"')],
  [
    'a reference to a carriage return in an attribute',
    'invalid_signature',
    swap('xml:lang="sv"', 'xml:lang="s&#13;v"'),
  ],
  [
    'its good content in an object of the signature, and another status outside',
    'malformed',
    (whole) =>
      swap(
        '</ds:Signature>',
        `<ds:Object>${signedPart(whole)}</ds:Object></ds:Signature>`,
      )(withoutIds(swap('Svcstatus/withdrawn', 'Svcstatus/granted')(whole))),
  ],
  [
    'its good content in an object beside the signature, and another status outside',
    'invalid_signature',
    (whole) =>
      swap(
        '<SchemeInformation>',
        `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${signedPart(whole)}</ds:Object><SchemeInformation>`,
      )(withoutIds(swap('Svcstatus/withdrawn', 'Svcstatus/granted')(whole))),
  ],
  ['an attribute twice', 'malformed', swap('<SchemeInformation>', '<SchemeInformation a="1" a="1">')],
  ['a prefix without a declaration', 'malformed', swap('<SchemeInformation>', '<SchemeInformation z:a="1">')],
  ['a byte order mark in its middle', 'invalid_signature', swap('Box 5398', 'Box \uFEFF5398')],
  ['two byte order marks', 'malformed', (whole) => `\uFEFF\uFEFF${whole}`],
  [
    'a root in another namespace',
    'malformed',
    swap('xmlns="http://uri.etsi.org/02231/v2#"', 'xmlns="http://uri.etsi.org/02231/v3#"'),
  ],
  [
    'no default namespace inside',
    'invalid_signature',
    swap('<SchemeInformation>', '<SchemeInformation xmlns="">'),
  ],
  [
    'another namespace for one prefix',
    'invalid_signature',
    swap(
      'xmlns:ns3="http://uri.etsi.org/02231/v2/additionaltypes#"',
      'xmlns:ns3="http://uri.etsi.org/02231/v4#"',
    ),
  ],
  ['a text behind its end', 'malformed', (whole) => `${whole}a`],
  ['a second root', 'malformed', (whole) => `${whole}<a/>`],
  ['an end that is missing', 'malformed', (whole) => whole.slice(0, -30)],
]

/** Changes of the published list of Sweden after which its signed content is the same. */
export const SAME_LISTS: readonly (readonly [name: string, change: TextChange])[] = [
  ['a byte order mark at the start', (whole) => `\uFEFF${whole}`],
  ['white space in a tag', swap('<SchemeInformation>', '<SchemeInformation\n >')],
  ['a comment between elements', swap('<SchemeInformation>', '<!-- a --><SchemeInformation>')],
  ['a comment behind the root', (whole) => `${whole}<!-- a -->\n`],
  ['CRLF at the ends of lines', (whole) => whole.replaceAll(/\r?\n/g, '\r\n')],
  ['a character reference for the same character', swap('Box 5398', 'Box &#x35;398')],
  ['a CDATA section with the same text', swap('Box 5398', '<![CDATA[Box 5398]]>')],
  ['a namespace that nothing uses', swap('<SchemeInformation>', '<SchemeInformation xmlns:z="urn:z">')],
]

const DOCUMENT = transform(ENVELOPED) + transform(EXCLUSIVE)
const transforms = (to: string): XmlSignatureOptions => ({ signedInfo: swap(DOCUMENT, to) })
const filter2 = (filter: string, expression: string, prefix = '') =>
  transforms(
    transform(
      'http://www.w3.org/2002/06/xmldsig-filter2',
      `<f:XPath xmlns:f="http://www.w3.org/2002/06/xmldsig-filter2"${prefix} Filter="${filter}">${expression}</f:XPath>`,
    ) + transform(EXCLUSIVE),
  )
const subtract = '/descendant::ds:Signature'

/** The one filter of XPath Filter 2.0 that leaves out the signature. */
export const FILTER2: XmlSignatureOptions = filter2('subtract', subtract)

/** A list whose signature covers a copy of its good content alone, while another status is outside. */
function signedCopy(): XmlSignatureOptions {
  let copy = ''
  return {
    content: (whole) => {
      copy = whole
      const forged = withoutIds(swap('Svcstatus/withdrawn', 'Svcstatus/granted')(whole))
      return swap('<SchemeInformation>', `<Copy>${whole}</Copy><SchemeInformation>`)(forged)
    },
    signedInfo: (info) => {
      const digest = createHash('sha256').update(copy).digest('base64')
      const named = swap('URI=""', 'URI="#id_for_enveloped_signing_of_the_entire_list"')(info)
      return swap(/(?<=<ds:DigestValue>)[^<]+/, digest)(named)
    },
  }
}

/** Options with which a test key signs another form of signature, each with our fault. */
export const OTHER_FORMS: readonly (readonly [name: string, fault: string, options: XmlSignatureOptions])[] =
  [
    [
      'the Id of the root in place of the whole document',
      'unsupported_algorithm',
      { signedInfo: swap('URI=""', 'URI="#id_for_enveloped_signing_of_the_entire_list"') },
    ],
    ['the Id of a copy in place of the whole document', 'unsupported_algorithm', signedCopy()],
    [
      'a third reference',
      'unsupported_algorithm',
      {
        signedInfo: swap(
          '</ds:SignedInfo>',
          `<ds:Reference URI=""><ds:Transforms>${DOCUMENT}</ds:Transforms></ds:Reference></ds:SignedInfo>`,
        ),
      },
    ],
    [
      'only one reference',
      'unsupported_algorithm',
      { signedInfo: swap(/<ds:Reference Type.*<\/ds:Reference>/s, '') },
    ],
    [
      'the reference to the document twice',
      'unsupported_algorithm',
      {
        signedInfo: (info) => {
          const [document = '', other = ''] = info.match(/<ds:Reference .*?<\/ds:Reference>/gs) ?? []
          return info.replace(other, document)
        },
      },
    ],
    ['a reference without an address', 'unsupported_algorithm', { signedInfo: swap(' URI=""', '') }],
    [
      'another type of the second reference',
      'unsupported_algorithm',
      { signedInfo: swap('01903#SignedProperties', '01903#CountersignedSignature') },
    ],
    ['a transform more', 'unsupported_algorithm', transforms(DOCUMENT + transform(EXCLUSIVE))],
    ['a transform twice', 'unsupported_algorithm', transforms(transform(ENVELOPED) + DOCUMENT)],
    [
      'transforms in the other order',
      'unsupported_algorithm',
      transforms(transform(EXCLUSIVE) + transform(ENVELOPED)),
    ],
    ['no canonicalization', 'unsupported_algorithm', transforms(transform(ENVELOPED))],
    [
      'XSLT',
      'unsupported_algorithm',
      transforms(
        transform(ENVELOPED) +
          transform('http://www.w3.org/TR/1999/REC-xslt-19991116') +
          transform(EXCLUSIVE),
      ),
    ],
    [
      'XSLT in place of the first',
      'unsupported_algorithm',
      transforms(transform('http://www.w3.org/TR/1999/REC-xslt-19991116') + transform(EXCLUSIVE)),
    ],
    [
      'XPath 1.0',
      'unsupported_algorithm',
      transforms(
        transform(
          'http://www.w3.org/TR/1999/REC-xpath-19991116',
          '<ds:XPath>not(ancestor-or-self::ds:Signature)</ds:XPath>',
        ) + transform(EXCLUSIVE),
      ),
    ],
    [
      'base64',
      'unsupported_algorithm',
      transforms(transform('http://www.w3.org/2000/09/xmldsig#base64') + transform(EXCLUSIVE)),
    ],
    [
      'inclusive canonicalization',
      'unsupported_algorithm',
      transforms(transform(ENVELOPED) + transform('http://www.w3.org/TR/2001/REC-xml-c14n-20010315')),
    ],
    [
      'canonicalization with comments',
      'unsupported_algorithm',
      transforms(transform(ENVELOPED) + transform(`${EXCLUSIVE}WithComments`)),
    ],
    [
      'InclusiveNamespaces',
      'unsupported_algorithm',
      transforms(
        transform(ENVELOPED) +
          transform(
            EXCLUSIVE,
            `<e:InclusiveNamespaces xmlns:e="${EXCLUSIVE}" PrefixList="ns2"></e:InclusiveNamespaces>`,
          ),
      ),
    ],
    [
      'inclusive canonicalization of SignedInfo',
      'unsupported_algorithm',
      {
        signedInfo: swap(
          `CanonicalizationMethod Algorithm="${EXCLUSIVE}"`,
          'CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
        ),
      },
    ],
    [
      'a filter with another expression',
      'unsupported_algorithm',
      filter2('subtract', '/descendant::ds:Object'),
    ],
    ['a filter by union', 'unsupported_algorithm', filter2('union', subtract)],
    ['a filter by intersection', 'unsupported_algorithm', filter2('intersect', subtract)],
    [
      'a filter whose prefix means something else',
      'unsupported_algorithm',
      filter2('subtract', subtract, ' xmlns:ds="urn:a"'),
    ],
    [
      'two filters',
      'unsupported_algorithm',
      transforms(
        transform(
          'http://www.w3.org/2002/06/xmldsig-filter2',
          `<f:XPath xmlns:f="http://www.w3.org/2002/06/xmldsig-filter2" Filter="subtract">${subtract}</f:XPath>`.repeat(
            2,
          ),
        ) + transform(EXCLUSIVE),
      ),
    ],
    ['SHA-1 as a digest', 'unsupported_algorithm', { signedInfo: swap('xmlenc#sha256', 'xmldsig#sha1') }],
    [
      'SHA-1 of the certificate',
      'unsupported_algorithm',
      { certificateDigest: ['sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'] },
    ],
    ['HMAC', 'unsupported_algorithm', { signedInfo: swap('ecdsa-sha256', 'hmac-sha256') }],
    [
      'SHA-1 in the signature',
      'unsupported_algorithm',
      { method: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1', hash: 'sha1' },
    ],
    [
      'RSA with a key of another kind',
      'unsupported_algorithm',
      { method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' },
    ],
    ['an ECDSA value in DER', 'invalid_signature', { encoding: 'der' }],
    ['an ECDSA value of 63 bytes', 'invalid_signature', { value: (bytes) => bytes.subarray(1) }],
    [
      'an ECDSA value with another byte',
      'invalid_signature',
      { value: (bytes) => bytes.with(3, (bytes[3] ?? 0) ^ 1) },
    ],
    [
      'another target of the properties',
      'malformed',
      { signature: swap('Target="#signature"', 'Target="#other"') },
    ],
    ['no Id of the signature', 'malformed', { signature: swap(' Id="signature"', '') }],
    [
      'two SignedProperties',
      'malformed',
      {
        signature: swap(
          '</xades:QualifyingProperties>',
          '<xades:SignedProperties Id="more"></xades:SignedProperties></xades:QualifyingProperties>',
        ),
      },
    ],
    [
      'another object',
      'malformed',
      { signature: swap('</ds:Signature>', '<ds:Object></ds:Object></ds:Signature>') },
    ],
    ['no digest of the certificate', 'malformed', { properties: swap(/<xades:Cert>.*<\/xades:Cert>/, '') }],
    [
      'both digests of the certificate',
      'malformed',
      {
        properties: swap(
          '<xades:SigningCertificateV2>',
          '<xades:SigningCertificate></xades:SigningCertificate><xades:SigningCertificateV2>',
        ),
      },
    ],
    [
      'the digest of another certificate',
      'malformed',
      { properties: swap(/(?<=DigestValue[^>]*>)[^<]+/, 'A'.repeat(43).concat('=')) },
    ],
    [
      'other properties than those that were signed',
      'invalid_signature',
      { signature: swap('2026-11-20T12:00:00Z', '2026-11-20T12:00:01Z') },
    ],
  ]
