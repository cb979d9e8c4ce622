// Documents of ISO/IEC 18013-5: DeviceResponse, one document, and IssuerSigned. The decoders are those of the
// service; what they refuse is shown as plain CBOR.

import { type CborItem, decodeCbor, findEntry, readInteger, readText } from '../../../../src/codec/cbor.ts'
import { verifyCoseSign1 } from '../../../../src/crypto/cose.ts'
import { openNameSpaces } from '../../../../src/formats/mdoc/digests.ts'
import { type DecodedIssuerSigned, decodeIssuerSigned } from '../../../../src/formats/mdoc/issuer-signed.ts'
import { REASONS } from '../../../../src/session/document/reasons.ts'
import type { Context } from '../context.ts'
import { checkSignature, keyOfCertificate } from '../keys.ts'
import { INPUT } from '../limits.ts'
import { MDOC } from '../meanings.ts'
import { type Check, check, type Part, part, type Row, row } from '../report.ts'
import { cborRows, jsonRows, timeText } from '../rows.ts'
import { certificateParts } from './certificates.ts'

/** Documents that are shown. */
const SHOWN = 16

/** Returns the parts of a DeviceResponse. `of`: words before each title. */
export async function deviceResponseParts(
  response: CborItem,
  context: Context,
  of = '',
): Promise<readonly Part[]> {
  const documents = findEntry(response, 'documents')
  const items = documents?.type === 'array' ? documents.items.slice(0, SHOWN) : []
  const status = readInteger(findEntry(response, 'status'))
  const errors = findEntry(response, 'documentErrors')
  const clause = 'ISO/IEC 18013-5 8.3.2.1.2.2'
  const rows = [
    row('version', readText(findEntry(response, 'version')) ?? 'missing', [
      'Version of the structure.',
      clause,
    ]),
    row('status', String(status ?? 'missing'), ['0: no error.', 'ISO/IEC 18013-5 8.3.2.1.2.3']),
    row('documents', String(documents?.type === 'array' ? documents.items.length : 0)),
    ...(errors ? cborRows(errors).map(({ name, value }) => row(`documentErrors ${name}`, value)) : []),
  ]
  const parts = await Promise.all(
    items.map((item, i) => documentParts(item, context, items.length > 1 ? `${of}document ${i + 1}: ` : of)),
  )
  return [part(`${of}DeviceResponse`, clause, rows), ...parts.flat()]
}

/** Returns the parts of one document: what the issuer signed, and the proof of the device. */
export async function documentParts(document: CborItem, context: Context, of = ''): Promise<readonly Part[]> {
  const issuerSigned = findEntry(document, 'issuerSigned')
  const deviceSigned = findEntry(document, 'deviceSigned')
  const docType = readText(findEntry(document, 'docType'))
  const issued = issuerSigned ? await issuerSignedParts(issuerSigned, context, of, docType) : []
  return [...issued, devicePart(deviceSigned, of)]
}

function devicePart(deviceSigned: CborItem | undefined, of: string): Part {
  const clause = 'ISO/IEC 18013-5 9.1.3'
  const title = `${of}device authentication`
  if (deviceSigned === undefined) {
    const detail = 'there is no proof of the device: whoever has the document can present it'
    return part(title, clause, [], [check('device authentication', 'not_checked', detail, clause)])
  }
  const auth = findEntry(deviceSigned, 'deviceAuth')
  const isMac = auth !== undefined && findEntry(auth, 'deviceMac') !== undefined
  const kind = isMac ? 'MAC, which only the recipient can check' : 'signature'
  const detail = 'it covers the session, so it is checked only together with the request'
  const rows = [
    row('kind', kind, MDOC.deviceAuth),
    ...cborRows(findEntry(deviceSigned, 'nameSpaces') ?? deviceSigned),
  ]
  return part(title, clause, rows, [check('device authentication', 'not_checked', detail, clause)])
}

/** Returns the parts of IssuerSigned. `docType`: the type that the document around it names. */
export async function issuerSignedParts(
  item: CborItem,
  context: Context,
  of = '',
  docType: string | undefined = undefined,
): Promise<readonly Part[]> {
  const clause = 'ISO/IEC 18013-5 9.1.2.4'
  const title = `${of}issuer-signed document`
  const decoded = decodeIssuerSigned(item)
  if (!decoded.ok) {
    const { reason } = decoded.error
    return [part(title, clause, cborRows(item, MDOC), [check('form', 'fails', messageOf(reason), clause)])]
  }
  const { mso, chain, nameSpaces } = decoded.value
  const checks = [await checkIssuer(decoded.value, context), checkDates(decoded.value, context)]
  const isType = docType === undefined || docType === mso.docType
  if (!isType)
    checks.push(check('document type', 'fails', 'the document names another type than its MSO', clause))
  const opened = await openNameSpaces(nameSpaces, mso)
  const count = nameSpaces.reduce((sum, { items }) => sum + items.length, 0)
  const digests = opened.ok
    ? check(
        'digests',
        'holds',
        `the MSO has the digest of each of ${count} elements`,
        'ISO/IEC 18013-5 9.1.2.5',
      )
    : check('digests', 'fails', messageOf(opened.error.reason), 'ISO/IEC 18013-5 9.1.2.5')
  const elements = opened.ok
    ? elementRows(nameSpaces)
    : nameSpaces.flatMap(({ items }) => items.flatMap((each) => cborRows(each)))
  return [
    part(title, clause, msoRows(decoded.value), checks),
    part(`${of}disclosed elements`, 'ISO/IEC 18013-5 8.3.2.1.2.2', elements, [digests]),
    ...(chain ? await certificateParts(chain, context, `${of}document signer`) : []),
  ]
}

function messageOf(reason: keyof typeof REASONS): string {
  return `${reason}: ${REASONS[reason].message}`
}

function checkIssuer({ issuerAuth, payload, chain }: DecodedIssuerSigned, { keys }: Context): Promise<Check> {
  const jwk = chain?.[0] && keyOfCertificate(chain[0])
  return checkSignature({
    name: 'signature',
    clause: 'ISO/IEC 18013-5 9.1.2.4',
    inside: jwk && { jwk, place: 'chain' },
    given: keys,
    verify: (key) => verifyCoseSign1(issuerAuth, payload, key),
  })
}

function checkDates({ mso: { validity } }: DecodedIssuerSigned, { now }: Context): Check {
  const clause = 'ISO/IEC 18013-5 9.3.1'
  const isValid = validity.validFrom <= now && now <= validity.validUntil
  const words = isValid ? 'valid' : now < validity.validFrom ? 'not yet valid' : 'expired'
  return check('validity period', isValid ? 'holds' : 'fails', `${words} at ${timeText(now)}`, clause)
}

function msoRows({ mso, issuerAuth }: DecodedIssuerSigned): readonly Row[] {
  const { docType, hash, valueDigests, deviceKey, validity, status } = mso
  return [
    row('docType', docType, MDOC.docType),
    row('algorithm', issuerAuth.algorithm.name, ['Algorithm of the signature.', 'ISO/IEC 18013-5 9.1.2.4']),
    row('digestAlgorithm', hash, MDOC.digestAlgorithm),
    ...[...valueDigests].map(([name, digests]) =>
      row(`valueDigests ${name}`, `${digests.size} digests`, MDOC.valueDigests),
    ),
    row('deviceKey', deviceKey ? JSON.stringify(deviceKey) : 'missing or not supported', MDOC.deviceKeyInfo),
    row('signed', timeText(validity.signed), MDOC.validityInfo),
    row('validFrom', timeText(validity.validFrom)),
    row('validUntil', timeText(validity.validUntil)),
    ...(status ? cborRows(status).map(({ name, value }) => row(`status.${name}`, value, MDOC.status)) : []),
  ]
}

/** Shows each element by its name, as a person reads it: bytes with their length. */
function elementRows(nameSpaces: DecodedIssuerSigned['nameSpaces']): readonly Row[] {
  return nameSpaces.flatMap(({ name, items }) =>
    items.flatMap((item) => {
      const embedded = item.type === 'tag' && item.content.type === 'bytes' ? item.content.value : undefined
      const decoded = embedded && decodeCbor(embedded, INPUT.cbor)
      if (!decoded?.ok) return []
      const identifier = readText(findEntry(decoded.value, 'elementIdentifier')) ?? ''
      const value = findEntry(decoded.value, 'elementValue')
      const rows = value ? cborRows(value) : jsonRows(null)
      return rows.map((each) => row([name, identifier, each.name].filter(Boolean).join(' / '), each.value))
    }),
  )
}
