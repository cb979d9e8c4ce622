// The report of `npm run admin -- trust-lists inspect`: signer, scheme, services and pointers of a trusted
// list in XML. The list is verified with the certificate that it brings itself. This does not say whose
// certificate it is.

import { createHash, X509Certificate } from 'node:crypto'
import { TRUST_LIST } from '../../src/limits.ts'
import { anchorsOfList, grantsFor, type ServiceGrant } from '../../src/trust/lists/list-anchors.ts'
import { readPointers } from '../../src/trust/lists/tl-pointers.ts'
import {
  LIST_OF_LISTS_TYPE,
  LIST_SCHEMES,
  NATIONAL_LIST_TYPE,
  SCHEME_NAMES,
} from '../../src/trust/lists/tl-presets.ts'
import { readScheme, readSchemeElement, type TlScheme } from '../../src/trust/lists/tl-scheme.ts'
import {
  IN_FORCE,
  mapServices,
  readService,
  serviceElements,
  serviceType,
  type TlService,
} from '../../src/trust/lists/tl-services.ts'
import { parseXmlList, verifyXmlList } from '../../src/trust/lists/tl-signature.ts'
import { encodePem } from '../../src/trust/x509/pem-certificates.ts'
import { readSignature } from '../../src/trust/xml/enveloped-signature.ts'
import type { XmlElement } from '../../src/trust/xml/xml-tree.ts'

type Mapping = {
  readonly services?: readonly ServiceGrant[] | undefined
  readonly schemes?: string | undefined
  /** Certificates that are looked for in the list. */
  readonly certificates?: readonly X509Certificate[] | undefined
  /** Unix milliseconds. */
  readonly now: number
  /** Another time in Unix milliseconds, at which services and their statuses are judged. */
  readonly at?: number | undefined
}

/** The first `fault` is that of the list, the second one that of its anchors by the mapping. */
type Inspection = {
  readonly report: { readonly fault: string | null; readonly mapping?: { readonly fault: string | null } }
  readonly lines: readonly string[]
}

/** Returns the report, and lines for people. */
export async function inspectList(body: Uint8Array, mapping: Mapping): Promise<Inspection> {
  const root = parseXmlList(body)
  if (!root.ok) return refused(root.error)
  const signature = readSignature(root.value)
  if (!signature.ok) return refused(signature.error)
  const { certificate } = signature.value
  const signer = {
    sha256: createHash('sha256').update(certificate).digest('hex'),
    subject: subjectOf(certificate),
  }
  const now = Math.floor((mapping.at ?? mapping.now) / 1000)
  const scheme = readSchemeElement(root.value) ?? null
  const signed = await verifyXmlList(body, [encodePem(certificate)])
  const rules = { listTypes: null, territory: null, last: null, now: timeOfList(mapping, scheme) }
  const inForce = signed.ok ? readScheme(signed.value, rules) : signed
  const services = serviceElements(root.value).flatMap(readService)
  const grants = grantsOf(mapping)
  const fault = inForce.ok ? inForce.value.ended : inForce.error
  const report: Report = {
    fault,
    signer,
    scheme,
    services: countServices(services),
    pointers: [LIST_OF_LISTS_TYPE, NATIONAL_LIST_TYPE].flatMap((type) =>
      readPointers(root.value, type).map(({ territory, url, signers }) => ({
        territory,
        url,
        signers: signers.length,
      })),
    ),
    ...(grants && { mapping: mappingOf(root.value, grants, now) }),
    ...(mapping.certificates && {
      certificates: mapping.certificates.map((one) =>
        findCertificate(one, { services, now, isInOrder: fault === null }),
      ),
    }),
  }
  return { report, lines: linesOf(report) }
}

/**
 * Returns the time (Unix seconds) at which the list must be in force. A list that was issued after `at` is
 * judged as of its issue, because it says since when each service has its status.
 */
function timeOfList({ now, at }: Mapping, scheme: TlScheme | null): number {
  if (at === undefined) return Math.floor(now / 1000)
  return Math.floor(Math.max(at, Math.min(now, (scheme?.issuedAt ?? 0) * 1000)) / 1000)
}

function refused(fault: string): Inspection {
  return { report: { fault }, lines: [`fault: ${fault}`] }
}

function subjectOf(der: Uint8Array): string {
  const certificate = readCertificate(der)
  return certificate === undefined ? 'not a certificate that can be read' : oneLine(certificate)
}

function oneLine({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ')
}

/** The grants of the mapping. A configuration gives a scheme its level and types; here any level will do. */
function grantsOf({ services, schemes }: Mapping): readonly ServiceGrant[] | undefined {
  const name = SCHEME_NAMES.find((each) => each === schemes)
  const any = { credential_types: ['pid'], assurance_level: 'low' } as const
  return name ? LIST_SCHEMES[name].services.map((each) => ({ ...any, ...each })) : services
}

function countServices(services: readonly TlService[]) {
  const groups = Map.groupBy(services, ({ type, status }) => `${type}\n${status}`)
  return [...groups]
    .map(([key, { length }]) => {
      const [type = '', status = ''] = key.split('\n')
      return { type, status, services: length }
    })
    .sort((a, b) => a.type.localeCompare(b.type) || a.status.localeCompare(b.status))
}

/** Returns the anchors, and each service of a granted type that gives none or fewer, with the reason. */
function mappingOf(root: XmlElement, grants: readonly ServiceGrant[], now: number) {
  const elements = serviceElements(root)
  const isMapped = (service: TlService) => grantsFor(service, grants).length > 0
  const services = elements.flatMap(readService)
  const found = anchorsOfList(mapServices(services, isMapped, now).certificates, grants)
  return {
    fault: found.ok ? null : found.error,
    anchors: found.ok ? found.value.anchors.map(({ name }) => name) : [],
    left_out: elements.flatMap((element) => {
      const [service] = readService(element)
      const type = serviceType(element.information)
      if (!grants.some((grant) => grant.type === type)) return []
      const why = service === undefined ? UNREADABLE : reasonOf(service, grants, now)
      return why === undefined
        ? []
        : [{ provider: element.provider, service: service?.name ?? 'a service', why }]
    }),
  }
}

const UNREADABLE = 'its status, or the time since when it has this status, cannot be read'

/** Returns why a service of a granted type gives no anchor, or fewer than it has certificates. */
function reasonOf(service: TlService, grants: readonly ServiceGrant[], now: number): string | undefined {
  const { since, certificates, refusedExtensions, type, status } = service
  if (grantsFor(service, grants).length === 0) return `its status is ${status}`
  if (since > now) return `its status starts ${new Date(since * 1000).toISOString()}`
  if (refusedExtensions.length > 0) return `extension ${refusedExtensions.join(', ')}`
  if (certificates.length === 0) return 'it has no certificate'
  const listed = certificates.map((certificate) => ({ service: type, status, certificate }))
  const found = anchorsOfList(listed, grants)
  if (!found.ok) return found.error
  return found.value.leftOut > 0 ? 'a certificate with a key or a form that no anchor can have' : undefined
}

/** Type of a qualified service for time stamps (ETSI TS 119 612 §5.5.1.1). */
const QUALIFIED_TIME_STAMPS = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'

/**
 * Returns the services that list a certificate, or the authority that signed it. `qualified_time_stamps`: the
 * list is in order, and one of them is a qualified service for time stamps with the status `granted`.
 */
function findCertificate(
  certificate: X509Certificate,
  { services, now, isInOrder }: { services: readonly TlService[]; now: number; isInOrder: boolean },
) {
  const found = services.flatMap(({ provider, name, type, status, since, certificates }) => {
    const listed = certificates.flatMap((der) => readCertificate(der) ?? [])
    const isItself = listed.some(({ raw }) => raw.equals(certificate.raw))
    const isSigned = listed.some((one) => isSignedBy(certificate, one))
    if (!isItself && !isSigned) return []
    const by = isItself ? 'the certificate itself' : 'its authority'
    return [{ provider, service: name, type, status, since: new Date(since * 1000).toISOString(), by }]
  })
  return {
    sha256: createHash('sha256').update(certificate.raw).digest('hex'),
    subject: oneLine(certificate),
    services: found,
    qualified_time_stamps:
      isInOrder &&
      found.some(
        ({ type, status, since }) =>
          type === QUALIFIED_TIME_STAMPS && status === IN_FORCE[0] && Date.parse(since) <= now * 1000,
      ),
  }
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false // a key of an unknown kind
  }
}

function readCertificate(der: Uint8Array | undefined): X509Certificate | undefined {
  try {
    return der && new X509Certificate(der)
  } catch {
    return undefined
  }
}

type Report = {
  readonly fault: string | null
  readonly signer: { readonly sha256: string; readonly subject: string }
  readonly scheme: TlScheme | null
  readonly services: ReturnType<typeof countServices>
  readonly pointers: readonly {
    readonly territory: string
    readonly url: string
    readonly signers: number
  }[]
  readonly mapping?: ReturnType<typeof mappingOf>
  readonly certificates?: readonly ReturnType<typeof findCertificate>[]
}

const ANCHOR_LIMITS = `at most ${TRUST_LIST.anchors}, with ${TRUST_LIST.certificateBytes} bytes of certificates`

function linesOf(report: Report): readonly string[] {
  const { fault, signer, scheme, services, pointers, mapping, certificates = [] } = report
  const time = (seconds: number) => new Date(seconds * 1000).toISOString()
  return [
    `fault: ${fault ?? 'none'}`,
    `signer: ${signer.subject}`,
    `signer, SHA-256: ${signer.sha256}`,
    'Compare this digest with one from another source, before you pin the signer.',
    ...(scheme === null
      ? []
      : [
          `type: ${scheme.type}`,
          `territory: ${scheme.territory}`,
          `number: ${scheme.sequence}, of ${time(scheme.issuedAt)}`,
          `next update: ${scheme.nextUpdate === null ? 'none: the list is closed' : time(scheme.nextUpdate)}`,
        ]),
    '',
    'services:',
    ...services.map((each) => `  ${String(each.services).padStart(4)}  ${each.type}  ${each.status}`),
    ...(pointers.length === 0 ? [] : ['', 'lists that it points to:']),
    ...pointers.map(({ territory, url, signers }) => `  ${territory}  ${url}  signers: ${signers}`),
    ...(mapping === undefined
      ? []
      : [
          '',
          mapping.fault === null
            ? `anchors of the mapping: ${mapping.anchors.length}`
            : `anchors of the mapping: none, ${mapping.fault}: ${ANCHOR_LIMITS}`,
          ...mapping.anchors.map((name) => `  ${name}`),
          `left out: ${mapping.left_out.length}`,
          ...mapping.left_out.map(({ provider, service, why }) => `  ${provider}, ${service}: ${why}`),
        ]),
    ...certificates.flatMap(({ subject, sha256, services, qualified_time_stamps }) => [
      '',
      `certificate: ${subject}`,
      `certificate, SHA-256: ${sha256}`,
      `listed by: ${services.length === 0 ? 'no service' : `services: ${services.length}`}`,
      ...services.map(
        ({ provider, service, type, status, since, by }) =>
          `  ${by}: ${provider}, ${service}: ${type}  ${status} since ${since}`,
      ),
      `qualified service for time stamps: ${qualified_time_stamps ? 'yes' : 'no'}`,
    ]),
  ]
}
