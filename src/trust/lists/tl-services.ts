// Services of a trusted list in XML (ETSI TS 119 612 §5.5). Only `ServiceInformation` is read, because
// `ServiceHistory` contains former statuses.

import { decodeBase64 } from '../../codec/base64url.ts'
import { readDateTime } from '../../codec/date-time.ts'
import {
  childElements,
  childrenNamed,
  descend,
  isNamed,
  onlyChild,
  readAttribute,
  readText,
  type XmlName,
} from '../xml/reading.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { ListedCertificate } from './listed.ts'
import { tl } from './tl-scheme.ts'

/** One current service of a list. */
export type TlService = {
  readonly provider: string
  readonly name: string
  readonly type: string
  readonly status: string
  /** `StatusStartingTime` in Unix seconds. */
  readonly since: number
  readonly certificates: readonly (Uint8Array<ArrayBuffer> | undefined)[]
  /** Local names of the extensions because of which the service is skipped. */
  readonly refusedExtensions: readonly string[]
}

/** Statuses in the EU's lists (§5.5.4). They count as trusted if the operator names no statuses. */
export const IN_FORCE: readonly string[] = [
  'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted',
  'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/recognisedatnationallevel',
]

/** Returns the services of a list. A service whose type, status or time is unreadable is left out. */
export function readServices(root: XmlElement): readonly TlService[] {
  return serviceElements(root).flatMap(readService)
}

/** The element `ServiceInformation` of a service, and the name of its provider. */
type ServiceElement = { readonly information: XmlElement | undefined; readonly provider: string }

/** Returns each service of a list, in the order of the document. Its `information` is not read yet. */
export function serviceElements(root: XmlElement): readonly ServiceElement[] {
  const providers = childrenNamed(onlyChild(root, tl('TrustServiceProviderList')), tl('TrustServiceProvider'))
  return providers.flatMap((each) => {
    const provider = displayName(descend(each, tl('TSPInformation'), tl('TSPName')))
    return childrenNamed(onlyChild(each, tl('TSPServices')), tl('TSPService')).map((service) => ({
      information: onlyChild(service, tl('ServiceInformation')),
      provider,
    }))
  })
}

/** Returns the service of an element. Returns an empty list if its type, status or time is unreadable. */
export function readService({ information, provider }: ServiceElement): readonly TlService[] {
  const type = serviceType(information)
  const status = readText(onlyChild(information, tl('ServiceStatus')))
  const since = readDateTime(readText(onlyChild(information, tl('StatusStartingTime'))) ?? '')
  if (!type || !status || since === undefined) return []
  return [
    {
      provider,
      name: displayName(onlyChild(information, tl('ServiceName'))),
      type,
      status,
      since,
      certificates: readCertificates(onlyChild(information, tl('ServiceDigitalIdentity'))),
      refusedExtensions: readRefusedExtensions(
        childrenNamed(information, tl('ServiceInformationExtensions')),
      ),
    },
  ]
}

/** Returns the `ServiceTypeIdentifier` of a service. */
export function serviceType(information: XmlElement | undefined): string | undefined {
  return readText(onlyChild(information, tl('ServiceTypeIdentifier')))
}

/** Returns the English name. If there is none, returns the first name. */
function displayName(names: XmlElement | undefined): string {
  const all = childrenNamed(names, tl('Name'))
  const english = all.find(({ attributes }) => attributes.some(({ value }) => value === 'en'))
  return readText(english ?? all[0]) ?? ''
}

function readCertificates(identity: XmlElement | undefined): TlService['certificates'] {
  return childrenNamed(identity, tl('DigitalId'))
    .flatMap((id) => childrenNamed(id, tl('X509Certificate')))
    .map((element) => decodeBase64((readText(element) ?? '!').replace(/[ \t\r\n]+/g, '')))
}

/** Extensions that may be critical, and that change nothing for an attestation service (§5.5.9). */
const UNDERSTOOD: readonly XmlName[] = [
  tl('AdditionalServiceInformation'),
  tl('ExpiredCertsRevocationInfo'),
  ['http://uri.etsi.org/02231/v2/additionaltypes#', 'TakenOverBy'],
]

/**
 * Extension that applies only to some of the certificates that a service issues, depending on their content
 * (§5.5.9.2). An anchor cannot express this, because an anchor trusts all certificates that the service
 * issues.
 */
const QUALIFICATIONS: XmlName = [
  'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#',
  'Qualifications',
]

/**
 * Returns the names of the extensions for which a service is skipped. Reads all `blocks`, although the schema
 * allows only one.
 */
function readRefusedExtensions(blocks: readonly XmlElement[]): readonly string[] {
  const extensions = blocks.flatMap((block) => childrenNamed(block, tl('Extension')))
  return extensions.flatMap((extension) => {
    const content = childElements(extension)
    const isCritical = !/^\s*(false|0)\s*$/.test(readAttribute(extension, 'Critical') ?? '')
    if (isCritical && content.length === 0) return ['Extension']
    return content
      .filter((each) => {
        const isUnderstood = UNDERSTOOD.some((name) => isNamed(each, name))
        return isNamed(each, QUALIFICATIONS) || (isCritical && !isUnderstood)
      })
      .map(({ local }) => local)
  })
}

/**
 * Certificates of the mapped services (those that the operator trusts), and the number of skipped services.
 */
export type MappedServices = {
  readonly certificates: readonly ListedCertificate[]
  /** Number of services that were skipped because of an extension, or because they have no certificate. */
  readonly skipped: number
  /** True if the status of a mapped service starts later. The anchors then change without a new list. */
  readonly changesLater: boolean
}

/** Returns the certificates of services for which `isMapped` is true. `now` is Unix seconds. */
export function mapServices(
  services: readonly TlService[],
  isMapped: (service: TlService) => boolean,
  now: number,
): MappedServices {
  const mapped = services.filter(isMapped)
  const begun = mapped.filter(({ since }) => since <= now)
  const usable = begun.filter(
    ({ certificates, refusedExtensions }) => certificates.length > 0 && refusedExtensions.length === 0,
  )
  return {
    certificates: usable.flatMap(({ type, status, certificates }) =>
      certificates.map((certificate) => ({ service: type, status, certificate })),
    ),
    skipped: begun.length - usable.length,
    changesLater: begun.length < mapped.length,
  }
}
