// Lists of trusted issuers: ETSI TS 119 602 (JWT), ISO/IEC 18013-5 Annex C (CBOR) and ETSI TS 119 612 (XML).
// The signature is checked with the certificate in the list, which is not trusted by this.

import { utf8 } from '../../../../src/codec/bytes.ts'
import { member } from '../../../../src/codec/json.ts'
import type { Result } from '../../../../src/result.ts'
import { decodeLote } from '../../../../src/trust/lists/etsi-lote.ts'
import type { DecodedList, ListContent, TrustListError } from '../../../../src/trust/lists/listed.ts'
import { readSchemeElement } from '../../../../src/trust/lists/tl-scheme.ts'
import { readServices } from '../../../../src/trust/lists/tl-services.ts'
import { parseXmlList, verifyXmlTree } from '../../../../src/trust/lists/tl-signature.ts'
import { decodeVical } from '../../../../src/trust/lists/vical.ts'
import { decodeCertificate } from '../../../../src/trust/x509/certificate.ts'
import { formatDistinguishedName } from '../../../../src/trust/x509/distinguished-name.ts'
import { encodePem } from '../../../../src/trust/x509/pem-certificates.ts'
import { readSignature } from '../../../../src/trust/xml/enveloped-signature.ts'
import type { XmlElement } from '../../../../src/trust/xml/xml-tree.ts'
import type { Context } from '../context.ts'
import { checkSignature, keyOfCertificate } from '../keys.ts'
import { JOSE_HEADER } from '../meanings.ts'
import { type Check, check, type Part, part, type Row, row } from '../report.ts'
import { jsonRows, timeText } from '../rows.ts'
import type { Bytes } from '../source.ts'
import { certificateParts } from './certificates.ts'
import { readToken } from './jws.ts'

/** Returns the parts of a list of trusted entities as JWT. */
export async function loteParts(compact: string, context: Context): Promise<readonly Part[]> {
  const parts = await signedParts(decodeLote(utf8(compact)), context, LOTE)
  const token = readToken(compact)
  const { x5c: _, ...header } = token?.header ?? {}
  const lote = token && member(token.payload, 'LoTE')
  const members = lote === undefined ? [] : [part('all members', LOTE.clause, jsonRows(lote))]
  return [
    ...parts,
    part(`${LOTE.title}: header`, 'ETSI TS 119 182-1 5', jsonRows(header, JOSE_HEADER)),
    ...members,
  ]
}

/** Returns the parts of a VICAL. */
export function vicalParts(bytes: Bytes, context: Context): Promise<readonly Part[]> {
  return signedParts(decodeVical(bytes), context, VICAL)
}

type ListKind = { readonly title: string; readonly clause: string }

const LOTE: ListKind = { title: 'list of trusted entities', clause: 'ETSI TS 119 602 6' }
const VICAL: ListKind = { title: 'VICAL', clause: 'ISO/IEC 18013-5 C.1.7' }
const XML_LIST: ListKind = { title: 'trusted list in XML', clause: 'ETSI TS 119 612 5' }

async function signedParts(
  list: Result<DecodedList, TrustListError>,
  context: Context,
  { title, clause }: ListKind,
): Promise<readonly Part[]> {
  if (!list.ok) return [part(title, clause, [], [refusalOf(list.error, clause)])]
  const { chain, algorithm, verify } = list.value
  const jwk = chain?.[0] && keyOfCertificate(chain[0])
  const inside = jwk && ({ jwk, place: 'chain' } as const)
  const signature = await checkSignature({ name: 'signature', clause, inside, given: context.keys, verify })
  const content = list.value.read()
  const rows = content.ok ? contentRows(content.value) : []
  const checks = content.ok ? [checkNextUpdate(content.value, context)] : [refusalOf(content.error, clause)]
  return [
    part(title, clause, [row('algorithm', algorithm), ...rows], [signature, ...checks]),
    ...(content.ok ? [listedPart(content.value.certificates, clause)] : []),
    ...(chain ? await certificateParts(chain, context, `${title}: signer`) : []),
  ]
}

function refusalOf(error: TrustListError, clause: string): Check {
  return check('form', 'fails', `a verifier refuses the list: ${error}`, clause)
}

type Dates = Pick<ListContent, 'sequence' | 'issuedAt' | 'nextUpdate' | 'type'>

function checkNextUpdate({ nextUpdate }: Pick<Dates, 'nextUpdate'>, { now }: Context): Check {
  if (nextUpdate === null) return check('next update', 'not_checked', 'the list names no next update')
  const isPast = nextUpdate <= now
  return check(
    'next update',
    isPast ? 'fails' : 'holds',
    `${isPast ? 'past' : 'not past'} at ${timeText(now)}`,
  )
}

function contentRows({ type, sequence, issuedAt, nextUpdate }: Dates): readonly Row[] {
  const time = (seconds: number | null) => (seconds === null ? 'none' : timeText(seconds))
  return [
    row('type', type ?? 'none', ['Kind of list. One signer may sign several.', 'ETSI TS 119 602 6.3']),
    row('number', String(sequence ?? 'none'), ['It rises with each issue.', 'ETSI TS 119 612 5.3.2']),
    row('issued', time(issuedAt), ['When it was issued.', 'ETSI TS 119 612 5.3.14']),
    row('next update', time(nextUpdate), ['It may not be used after this time.', 'ETSI TS 119 612 5.3.15']),
  ]
}

function listedPart(certificates: ListContent['certificates'], clause: string): Part {
  const rows = certificates.map(({ service, certificate }) => row(service, subjectOf(certificate)))
  return part(`listed certificates (${rows.length})`, clause, rows)
}

function subjectOf(bytes: Bytes | undefined): string {
  const certificate = bytes && decodeCertificate(bytes.slice())
  if (certificate === undefined) return 'not a certificate in strict DER'
  return `${formatDistinguishedName(certificate.subject) ?? 'empty'}, until ${timeText(certificate.notAfter)}`
}

/** Returns the parts of a trusted list in XML. */
export async function xmlListParts(body: Bytes, context: Context): Promise<readonly Part[]> {
  const { title, clause } = XML_LIST
  const parsed = parseXmlList(body)
  if (!parsed.ok) return [part(title, clause, [], [refusalOf(parsed.error, clause)])]
  const root = parsed.value
  const scheme = readSchemeElement(root)
  const rows = scheme ? [...contentRows(scheme), row('territory', scheme.territory)] : []
  const dates = scheme ? [checkNextUpdate(scheme, context)] : [refusalOf('malformed', clause)]
  const { signature, certificate } = await xmlSignature(root)
  return [
    part(title, clause, rows, [signature, ...dates]),
    servicesPart(root),
    ...(certificate ? await certificateParts([certificate], context, `${title}: signer`) : []),
  ]
}

async function xmlSignature(root: XmlElement): Promise<{ signature: Check; certificate?: Bytes }> {
  const clause = 'ETSI TS 119 612 5.7.1'
  const read = readSignature(root)
  if (!read.ok)
    return {
      signature: check('signature', 'not_checked', `a verifier refuses its form: ${read.error}`, clause),
    }
  const { certificate } = read.value
  const verified = await verifyXmlTree(root, [encodePem(certificate)])
  if (verified.ok) {
    const detail = 'signature holds with the key in the list; its certificate is not trusted by this'
    return { signature: check('signature', 'holds', detail, clause), certificate }
  }
  const result = verified.error === 'invalid_signature' ? 'fails' : 'not_checked'
  const detail = `signature is refused with the key in the list: ${verified.error}`
  return { signature: check('signature', result, detail, clause), certificate }
}

function servicesPart(root: XmlElement): Part {
  const services = readServices(root)
  const rows = services.map(({ provider, name, type, status, certificates }) =>
    row(`${provider} / ${name}`, `${type} ${status} (${certificates.length} certificates)`),
  )
  return part(`services (${services.length})`, 'ETSI TS 119 612 5.5', rows)
}
