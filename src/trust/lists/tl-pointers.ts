// Pointers of a trusted list in XML to other lists (ETSI TS 119 612 §5.3.13).

import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeCertificate } from '../x509/certificate.ts'
import { encodePem } from '../x509/pem-certificates.ts'
import { childrenNamed, descend, onlyChild, readText, type XmlName } from '../xml/reading.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { TL } from './tl-limits.ts'
import { isListType, schemeInformation, tl } from './tl-scheme.ts'

/** A pointer to a list in XML. `signers`: PEM texts with one certificate each. */
export type TlPointer = {
  readonly url: string
  readonly territory: string
  readonly signers: readonly string[]
}

const XML_LIST = 'application/vnd.etsi.tsl+xml'
const MIME_TYPE: XmlName = ['http://uri.etsi.org/02231/v2/additionaltypes#', 'MimeType']

/** Returns the pointers to lists in XML of one type, in the order of the document. */
export function readPointers(root: XmlElement, type: string): readonly TlPointer[] {
  const pointers = onlyChild(schemeInformation(root), tl('PointersToOtherTSL'))
  return childrenNamed(pointers, tl('OtherTSLPointer')).flatMap((pointer) => {
    const url = readText(onlyChild(pointer, tl('TSLLocation')))
    const [ownType, ...types] = readInformation(pointer, tl('TSLType'))
    const [territory, ...territories] = readInformation(pointer, tl('SchemeTerritory'))
    const [mimeType, ...mimeTypes] = readInformation(pointer, MIME_TYPE)
    const isClear = types.length + territories.length + mimeTypes.length === 0
    if (!isClear || !url || !territory || mimeType !== XML_LIST) return []
    if (url.length > TL.urlCharacters) return []
    return isListType(ownType ?? '', [type]) ? [{ url, territory, signers: readSigners(pointer) }] : []
  })
}

/** Returns the texts of all elements with this name in the `OtherInformation` of a pointer. */
function readInformation(pointer: XmlElement, name: XmlName): readonly string[] {
  return childrenNamed(onlyChild(pointer, tl('AdditionalInformation')), tl('OtherInformation'))
    .flatMap((information) => childrenNamed(information, name))
    .map((element) => readText(element) ?? '')
}

/**
 * Returns the certificates that may sign the list. Leaves out a certificate that cannot be decoded or is too
 * long.
 */
function readSigners(pointer: XmlElement): readonly string[] {
  return childrenNamed(descend(pointer, tl('ServiceDigitalIdentities')), tl('ServiceDigitalIdentity'))
    .flatMap((identity) => childrenNamed(identity, tl('DigitalId')))
    .flatMap((id) => childrenNamed(id, tl('X509Certificate')))
    .map((element) => decodeBase64((readText(element) ?? '!').replace(/[ \t\r\n]+/g, '')))
    .filter(
      (der) => der !== undefined && der.length <= TL.signerBytes && decodeCertificate(der) !== undefined,
    )
    .slice(0, TL.pointerSigners)
    .map((der) => encodePem(der ?? new Uint8Array()))
}
