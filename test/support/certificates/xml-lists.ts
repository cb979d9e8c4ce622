// Trusted lists in XML for tests, signed by node:crypto. No canonicaliser is used: a text is written in its
// canonical form, and its own bytes are hashed.

import { createHash, type KeyObject, sign as signWithNode } from 'node:crypto'
import type { Minted } from './certificates.ts'

export const TL_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric'
export const EAA_Q = 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q'
export const PAA = 'http://trust.tech.ec.europa.eu/lists/age-verification/service-type/paa'
export const RECOGNIZED = 'http://trust.tech.ec.europa.eu/lists/age-verification/service-status/recognized'
export const DEPRECATED = 'http://trust.tech.ec.europa.eu/lists/age-verification/service-status/deprecated'
export const AGE_LIST_TYPE = 'http://trust.tech.ec.europa.eu/lists/age-verification/tsl-type'
const STATUSES = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/'
export const GRANTED = `${STATUSES}granted`
export const WITHDRAWN = `${STATUSES}withdrawn`

export type XmlService = {
  readonly certificates: readonly string[]
  readonly type?: string
  readonly status?: string
  readonly since?: string
  /** In place of the certificates. */
  readonly identity?: string
  readonly extensions?: string
  readonly history?: string
}

export type XmlListOptions = {
  readonly version?: string
  readonly sequence?: number | string
  readonly type?: string
  readonly territory?: string
  readonly issued?: string
  /** `null`: an empty element. */
  readonly nextUpdate?: string | null
  readonly services?: readonly XmlService[]
  /** Values of `SchemeInformationURI`. */
  readonly uris?: readonly string[]
  readonly pointers?: readonly XmlPointer[]
}

export type XmlPointer = {
  readonly location: string
  readonly certificates: readonly string[]
  readonly territory: string
  readonly type?: string
  readonly mimeType?: string
}

const TL = 'http://uri.etsi.org/02231/v2#'
const ADDITIONAL = 'http://uri.etsi.org/02231/v2/additionaltypes#'

/** The canonical text of a list with the members that are read. */
export function xmlList(options: XmlListOptions = {}): string {
  const { nextUpdate = '2046-12-20T12:00:00Z', services = [] } = options
  return [
    `<TrustServiceStatusList xmlns="${TL}" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">`,
    '\n  <SchemeInformation>',
    `<TSLVersionIdentifier>${options.version ?? '6'}</TSLVersionIdentifier>`,
    `<TSLSequenceNumber>${options.sequence ?? 7}</TSLSequenceNumber>`,
    `<TSLType>${options.type ?? TL_TYPE}</TSLType>`,
    '<SchemeOperatorName><Name xml:lang="en">Test Scheme Operator</Name></SchemeOperatorName>',
    '<SchemeInformationURI>',
    ...(options.uris ?? ['https://lists.example.eu/']).map((uri) => `<URI xml:lang="en">${uri}</URI>`),
    '</SchemeInformationURI>',
    `<SchemeTerritory>${options.territory ?? 'DE'}</SchemeTerritory>`,
    ...(options.pointers === undefined ? [] : [pointersOf(options.pointers)]),
    `<ListIssueDateTime>${options.issued ?? '2046-11-20T12:00:00Z'}</ListIssueDateTime>`,
    `<NextUpdate>${nextUpdate === null ? '' : `<dateTime>${nextUpdate}</dateTime>`}</NextUpdate>`,
    '</SchemeInformation>\n',
    services.length === 0 ? '' : providersOf(services),
    '</TrustServiceStatusList>',
  ].join('')
}

function providersOf(services: readonly XmlService[]): string {
  return [
    '<TrustServiceProviderList><TrustServiceProvider>',
    '<TSPInformation><TSPName><Name xml:lang="en">Test Provider</Name></TSPName></TSPInformation>',
    '<TSPServices>',
    ...services.map(serviceOf),
    '</TSPServices></TrustServiceProvider></TrustServiceProviderList>',
  ].join('')
}

function serviceOf(service: XmlService): string {
  return [
    '<TSPService><ServiceInformation>',
    `<ServiceTypeIdentifier>${service.type ?? EAA_Q}</ServiceTypeIdentifier>`,
    '<ServiceName><Name xml:lang="en">Test Service</Name></ServiceName>',
    '<ServiceDigitalIdentity>',
    service.identity ?? service.certificates.map((x5c) => digitalId(x5c)).join(''),
    '</ServiceDigitalIdentity>',
    `<ServiceStatus>${service.status ?? GRANTED}</ServiceStatus>`,
    `<StatusStartingTime>${service.since ?? '2026-08-20T22:00:00Z'}</StatusStartingTime>`,
    service.extensions === undefined
      ? ''
      : `<ServiceInformationExtensions>${service.extensions}</ServiceInformationExtensions>`,
    '</ServiceInformation>',
    service.history ?? '',
    '</TSPService>',
  ].join('')
}

export function digitalId(x5c: string): string {
  return `<DigitalId><X509Certificate>${x5c}</X509Certificate></DigitalId>`
}

function pointersOf(pointers: readonly XmlPointer[]): string {
  const other = (content: string) => `<OtherInformation>${content}</OtherInformation>`
  return [
    '<PointersToOtherTSL>',
    ...pointers.map(({ location, certificates, territory, type = TL_TYPE, ...rest }) => {
      const mimeType = rest.mimeType ?? 'application/vnd.etsi.tsl+xml'
      const ids = certificates
        .map((x5c) => `<ServiceDigitalIdentity>${digitalId(x5c)}</ServiceDigitalIdentity>`)
        .join('')
      return [
        `<OtherTSLPointer><ServiceDigitalIdentities>${ids}</ServiceDigitalIdentities>`,
        `<TSLLocation>${location}</TSLLocation><AdditionalInformation>`,
        other(`<TSLType>${type}</TSLType>`),
        other(`<SchemeTerritory>${territory}</SchemeTerritory>`),
        other(`<ns3:MimeType xmlns:ns3="${ADDITIONAL}">${mimeType}</ns3:MimeType>`),
        '</AdditionalInformation></OtherTSLPointer>',
      ].join('')
    }),
    '</PointersToOtherTSL>',
  ].join('')
}

const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const XADES = 'http://uri.etsi.org/01903/v1.3.2#'
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const ENVELOPED = `${DSIG}enveloped-signature`
export const transform = (algorithm: string, content = '') =>
  `<ds:Transform Algorithm="${algorithm}">${content}</ds:Transform>`

type TextChange = (text: string) => string

/** Changes of a good signature. A text that is hashed must stay in its canonical form. */
export type XmlSignatureOptions = {
  /** Identifier of the signature method, and the parameters of node:crypto for it. */
  readonly method?: string
  readonly hash?: string
  readonly padding?: number
  readonly encoding?: 'ieee-p1363' | 'der'
  /** The signed content before it is hashed. */
  readonly content?: TextChange
  readonly signedInfo?: TextChange
  readonly properties?: TextChange
  /** The signature with everything in it, after it was made. */
  readonly signature?: TextChange
  readonly value?: (value: Buffer) => Uint8Array
  /** The whole document at the end. */
  readonly document?: TextChange
  readonly certificates?: readonly string[]
  /** Algorithm of the digest of the certificate, as node:crypto and as XML name it. */
  readonly certificateDigest?: readonly [name: string, identifier: string]
}

const unchanged: TextChange = (text) => text

/** Signs a canonical text as XAdES baseline B, in the form of the EU's lists. */
export function signXmlList(
  text: string,
  signer: Minted,
  options: XmlSignatureOptions = {},
): Uint8Array<ArrayBuffer> {
  const content = (options.content ?? unchanged)(text)
  const properties = (options.properties ?? unchanged)(propertiesOf(signer, options.certificateDigest))
  const info = (options.signedInfo ?? unchanged)(
    signedInfoOf(options.method ?? `${MORE}ecdsa-sha256`, base64Digest(content), base64Digest(properties)),
  )
  const value = signWithNode(options.hash ?? 'sha256', Buffer.from(info), {
    key: privateKeys.get(signer) ?? (signer.privateJwk as never),
    ...(privateKeys.has(signer) ? {} : { format: 'jwk' }),
    dsaEncoding: options.encoding ?? 'ieee-p1363',
    ...(options.padding !== undefined && { padding: options.padding, saltLength: -1 }),
  } as never)
  const encoded = Buffer.from((options.value ?? ((bytes) => bytes))(value)).toString('base64')
  const certificates = (options.certificates ?? [signer.x5c]).map(
    (x5c) => `<ds:X509Certificate>${x5c}</ds:X509Certificate>`,
  )
  const signature = [
    `<ds:Signature xmlns:ds="${DSIG}" Id="signature">`,
    info,
    `<ds:SignatureValue>${encoded}</ds:SignatureValue>`,
    `<ds:KeyInfo><ds:X509Data>${certificates.join('')}</ds:X509Data></ds:KeyInfo>`,
    `<ds:Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#signature">`,
    properties,
    '</xades:QualifyingProperties></ds:Object></ds:Signature>',
  ].join('')
  const at = content.lastIndexOf('</')
  const document = content.slice(0, at) + (options.signature ?? unchanged)(signature) + content.slice(at)
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n${(options.document ?? unchanged)(document)}`,
  ) as Uint8Array<ArrayBuffer>
}

/** Private keys of RSA signers, which have no private JWK. */
export const privateKeys = new Map<Minted, KeyObject>()

function signedInfoOf(method: string, document: string, properties: string): string {
  return [
    `<ds:SignedInfo xmlns:ds="${DSIG}">`,
    `<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod>`,
    `<ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>`,
    '<ds:Reference URI="">',
    `<ds:Transforms>${transform(ENVELOPED)}${transform(EXCLUSIVE)}</ds:Transforms>`,
    `<ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod>`,
    `<ds:DigestValue>${document}</ds:DigestValue></ds:Reference>`,
    '<ds:Reference Type="http://uri.etsi.org/01903#SignedProperties" URI="#properties">',
    `<ds:Transforms>${transform(EXCLUSIVE)}</ds:Transforms>`,
    `<ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod>`,
    `<ds:DigestValue>${properties}</ds:DigestValue></ds:Reference></ds:SignedInfo>`,
  ].join('')
}

function propertiesOf({ der }: Minted, [name, identifier]: readonly [string, string] = ['sha256', SHA256]) {
  const digest = createHash(name).update(der).digest('base64')
  return [
    `<xades:SignedProperties xmlns:xades="${XADES}" Id="properties"><xades:SignedSignatureProperties>`,
    '<xades:SigningTime>2026-11-20T12:00:00Z</xades:SigningTime>',
    '<xades:SigningCertificateV2><xades:Cert><xades:CertDigest>',
    `<ds:DigestMethod xmlns:ds="${DSIG}" Algorithm="${identifier}"></ds:DigestMethod>`,
    `<ds:DigestValue xmlns:ds="${DSIG}">${digest}</ds:DigestValue>`,
    '</xades:CertDigest></xades:Cert></xades:SigningCertificateV2>',
    '</xades:SignedSignatureProperties></xades:SignedProperties>',
  ].join('')
}

function base64Digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
