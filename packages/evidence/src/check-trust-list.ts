// Check of the trust list that vouched, as of the decision: its own signature, its dates, and that it has the
// certificate of the anchor. The pinned signers of the list are not in the container.

import { equalBytes } from '../../../src/codec/bytes.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { decodeLote } from '../../../src/trust/lists/etsi-lote.ts'
import { verifyListSignature } from '../../../src/trust/lists/list-signer.ts'
import type { DecodedList, ListedCertificate } from '../../../src/trust/lists/listed.ts'
import { readScheme } from '../../../src/trust/lists/tl-scheme.ts'
import { mapServices, readServices } from '../../../src/trust/lists/tl-services.ts'
import { parseXmlList, verifyXmlTree } from '../../../src/trust/lists/tl-signature.ts'
import { decodeVical } from '../../../src/trust/lists/vical.ts'
import type { Certificate } from '../../../src/trust/x509/certificate.ts'
import { encodePem } from '../../../src/trust/x509/pem-certificates.ts'
import { readSignature } from '../../../src/trust/xml/enveloped-signature.ts'
import type { XmlElement } from '../../../src/trust/xml/xml-tree.ts'
import type { CaseFile } from './case-file.ts'
import { AS_TRUSTED } from './check-files.ts'
import type { Reporter } from './report.ts'

/** Checks the list of an anchor that came from a list. */
export async function checkTrustList(
  { index, files, decision }: CaseFile,
  anchor: TrustAnchor,
  certificates: readonly Certificate[],
  reporter: Reporter,
): Promise<void> {
  const { list, listUrls, service } = anchor
  if (list === undefined) return
  const material = index.materials.find(({ source, media_type }) =>
    listUrls === undefined ? media_type === 'application/cbor' : listUrls.includes(source),
  )
  const body = material && files.get(material.name)
  const line = { file: material?.name ?? null, clause: service ? 'ETSI TS 119 612 5' : 'ETSI TS 119 602' }
  if (body === undefined) {
    reporter.absent('trust_list', `${list.name}: ${AS_TRUSTED}`, line)
    return
  }
  const read = await readList(body, decision.now)
  if (read === undefined) {
    reporter.absent(
      'trust_list',
      `${list.name}: the list does not contain the certificate of its signer`,
      line,
    )
    return
  }
  if ('fault' in read) {
    reporter.fail('trust_list', `the list ${list.name} ${read.fault}`, line)
    return
  }
  const isListed = certificates.every(({ encoded }) =>
    read.certificates.some(
      (listed) =>
        listed.certificate !== undefined &&
        equalBytes(listed.certificate, encoded) &&
        (service === undefined || (listed.service === service.type && listed.status === service.status)),
    ),
  )
  if (certificates.length > 0 && isListed)
    reporter.pass('trust_list', { ...line, detail: `${list.name}: ${SIGNER_MISSING}` })
  else {
    const detail = `the list ${list.name} does not have the certificate of ${anchor.name}`
    reporter.fail('trust_list', detail, line)
  }
}

/** Anybody can sign a list. Only the pinned signer says that it is the list that the verifier trusted. */
const SIGNER_MISSING =
  'the certificate in the list signed it; the signer that the verifier pinned is not in the evidence'

/** The certificates of a list, or why it was no good list at that time. */
type ReadList = { readonly certificates: readonly ListedCertificate[] } | { readonly fault: string }

/**
 * Reads a list of any kind. Returns `undefined` if its signature cannot be checked. `now`: Unix seconds of
 * the decision.
 */
async function readList(body: Uint8Array<ArrayBuffer>, now: number): Promise<ReadList | undefined> {
  const xml = parseXmlList(body)
  if (xml.ok) return readXmlList(xml.value, now)
  for (const [kind, decode] of [
    ['etsi_lote', decodeLote],
    ['vical', decodeVical],
  ] as const) {
    const list = decode(body)
    if (list.ok) return readSignedList(kind, list.value, now)
  }
  return { fault: 'has no known form' }
}

async function readSignedList(
  kind: 'etsi_lote' | 'vical',
  list: DecodedList,
  now: number,
): Promise<ReadList | undefined> {
  const [leaf] = list.chain ?? []
  if (leaf === undefined) return undefined
  const signers = [{ x509_certificate_pem: encodePem(leaf) }]
  const signed = await verifyListSignature(list, { kind, signers, now })
  const content = list.read()
  if (!signed.ok || !content.ok) return { fault: `is not good: ${signed.ok ? 'malformed' : signed.error}` }
  const { nextUpdate, certificates } = content.value
  return nextUpdate !== null && nextUpdate <= now ? { fault: 'was expired' } : { certificates }
}

async function readXmlList(root: XmlElement, now: number): Promise<ReadList> {
  const signature = readSignature(root)
  const signers = signature.ok ? [encodePem(signature.value.certificate)] : []
  const signed = await verifyXmlTree(root, signers)
  if (!signed.ok) return { fault: `is not good: ${signed.error}` }
  const scheme = readScheme(signed.value, { listTypes: null, territory: null, last: null, now })
  if (!scheme.ok) return { fault: `is not good: ${scheme.error}` }
  if (scheme.value.ended !== null) return { fault: `had ended: ${scheme.value.ended}` }
  return { certificates: mapServices(readServices(root), () => true, now).certificates }
}
