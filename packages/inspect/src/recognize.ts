// Recognizes an input by its form, and decodes it. Nothing outside the input decides.

import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { utf8 } from '../../../src/codec/bytes.ts'
import {
  type CborItem,
  decodeCbor,
  findEntry,
  isMapOf,
  readBytes,
  readInteger,
  readText,
} from '../../../src/codec/cbor.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../src/codec/json.ts'
import { parsePairs } from '../../../src/net/form.ts'
import type { Context } from './context.ts'
import { INPUT } from './limits.ts'
import { JWT_CLAIMS, RECEIPT } from './meanings.ts'
import {
  annexCParts,
  deviceRequestParts,
  encryptedResponsePart,
  encryptionInfoPart,
  isAnnexCRequest,
} from './parts/annex-c.ts'
import { certificateParts } from './parts/certificates.ts'
import { evidenceParts } from './parts/evidence.ts'
import { isJwe, readToken, type Token, tokenParts } from './parts/jws.ts'
import { jwtVcParts } from './parts/jwt-vc.ts'
import { deviceResponseParts, documentParts, issuerSignedParts } from './parts/mdoc.ts'
import {
  digitalParts,
  isRequest,
  linkParameters,
  linkParts,
  queryPart,
  requestObjectParts,
  requestParts,
} from './parts/request.ts'
import { jweParts, responseParts, vpTokenParts } from './parts/response.ts'
import { sdJwtParts } from './parts/sd-jwt.ts'
import { readCbor, statusContentParts, statusCwtParts, statusJwtParts } from './parts/status-list.ts'
import { loteParts, vicalParts, xmlListParts } from './parts/trust-list.ts'
import { type Kind, type Part, part, type Recognized, row, UnreadableInputError } from './report.ts'
import { cborRows, jsonRows } from './rows.ts'
import { type Bytes, decodeText, type Source } from './source.ts'

/** Recognizes an input. Throws `UnreadableInputError` if its form is unknown. */
export async function recognize(source: Source, context: Context): Promise<Recognized> {
  const found =
    source.kind === 'bytes'
      ? await recognizeBytes(source.bytes, context)
      : await recognizeText(source, context)
  if (found !== undefined) return found
  throw new UnreadableInputError(UNKNOWN)
}

const UNKNOWN =
  'the form of the input is unknown: give a request link, a JWT, an SD-JWT, CBOR or certificates (as base64, ' +
  'hexadecimal, PEM or file), JSON, a trusted list in XML, or a container of evidence'

type Found = Promise<Recognized | undefined>

async function report(kind: Kind, title: string, parts: readonly Part[] | Promise<readonly Part[]>) {
  return { kind, title, parts: await parts }
}

async function recognizeText({ text, bytes }: Source & { readonly kind: 'text' }, context: Context): Found {
  const blocks = pemBlocks(text)
  if (blocks.length > 0) return report('certificates', 'Certificates', certificateParts(blocks, context))
  if (text.startsWith('<'))
    return report('trust_list', 'Trusted list in XML', xmlListParts(utf8(text), context))
  if (/^[[{"]/.test(text)) return recognizeJson(text, context)
  if (text.includes('~') && !/[\s:]/.test(text))
    return report('sd_jwt_vc', 'SD-JWT VC', sdJwtParts(text, context))
  const token = readToken(text)
  if (token !== undefined) return recognizeToken(text, token, context)
  if (isJwe(text)) return report('jwe', 'Encrypted response (JWE)', jweParts(text, context))
  const parameters = linkParameters(text)
  if (parameters !== undefined && isRequest(parameters))
    return report('request_link', 'Request link', linkParts(parameters, context))
  const form = formParameters(text)
  if (form !== undefined) return report('response', 'Authorization response', responseParts(form, context))
  return bytes && recognizeBytes(bytes, context)
}

function pemBlocks(text: string): readonly Bytes[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g)
  return [...blocks].map(([, block = '']) => decodeBase64(block.replaceAll(/\s+/g, '')) ?? new Uint8Array())
}

/** Returns the parameters of a posted response; `undefined` for any other text. */
export function formParameters(text: string): JsonObject | undefined {
  if (text.length > INPUT.formCharacters || !/^[\w.%+-]{1,64}=\S*$/.test(text)) return undefined
  const parameters = Object.fromEntries(parsePairs(text) ?? [])
  return ['response', 'vp_token', 'error'].some((name) => Object.hasOwn(parameters, name))
    ? parameters
    : undefined
}

async function recognizeToken(text: string, { header, payload }: Token, context: Context): Found {
  const typ = String(member(header, 'typ') ?? '')
  const has = (name: string) => Object.hasOwn(payload, name)
  if (typ === 'verification-receipt+jwt') {
    const view = { title: 'receipt', clause: 'docs/receipt.md', names: RECEIPT }
    return report('receipt', 'Receipt of a verification', tokenParts(text, context, view))
  }
  if (typ === 'oauth-authz-req+jwt' || isRequest(payload))
    return report('request_object', 'Request Object', requestObjectParts(text, context))
  if (typ === 'statuslist+jwt' || has('status_list'))
    return report('status_list', 'Status list', statusJwtParts(text, context, 'token'))
  if (isStatusCredential(payload))
    return report('status_list', 'Status list', statusJwtParts(text, context, 'bitstring'))
  if (has('LoTE')) return report('trust_list', 'List of trusted entities', loteParts(text, context))
  if (has('vct') || has('_sd') || /sd-jwt/.test(typ))
    return report('sd_jwt_vc', 'SD-JWT VC, as its issuer signed it', sdJwtParts(`${text}~`, context))
  if (has('vc') || has('vp')) return report('jwt_vc', 'JWT VC', jwtVcParts(text, context))
  const view = { title: 'JWT', clause: 'RFC 7519', names: JWT_CLAIMS }
  return report('jwt', typ === '' ? 'JWT' : `JWT (${typ})`, tokenParts(text, context, view))
}

function isStatusCredential(payload: JsonObject): boolean {
  const inner = member(payload, 'vc')
  const types = member(isJsonObject(inner) ? inner : payload, 'type')
  return (
    Array.isArray(types) &&
    types.some((type) => /^(?:Bitstring)?StatusList(?:2021)?Credential$/.test(String(type)))
  )
}

async function recognizeJson(text: string, context: Context): Found {
  const parsed = parseJson(text, INPUT.json)
  if (!parsed.ok) return undefined
  const { value } = parsed
  if (typeof value === 'string')
    return recognizeText({ kind: 'text', text: value, bytes: decodeText(value) }, context)
  const chain = certificatesOf(value)
  if (chain !== undefined) return report('certificates', 'Certificates', certificateParts(chain, context))
  const requests = digitalRequests(value)
  if (requests !== undefined)
    return report('request', 'Request of the Digital Credentials API', digitalParts(requests, context))
  if (!isJsonObject(value)) return report('json', 'JSON', [part('JSON', null, jsonRows(value))])
  return recognizeObject(value, context)
}

async function recognizeObject(value: JsonObject, context: Context): Found {
  if (member(value, 'version') === 1 && isJsonObject(member(value, 'channel')))
    return report('request', 'Stored request of the library', storedParts(value))
  if (isAnnexCRequest(value))
    return report('annex_c', 'Request of ISO/IEC TS 18013-7', annexCParts(value, context))
  const data = member(value, 'data')
  const answer = isJsonObject(data) && Object.hasOwn(value, 'protocol') ? data : value
  if (['response', 'vp_token'].some((name) => Object.hasOwn(answer, name)))
    return report('response', 'Authorization response', responseParts(answer, context))
  if (isRequest(value))
    return report('request', 'Authorization request', requestParts(value, 'request', context))
  if (Array.isArray(member(value, 'credentials')))
    return report('dcql_query', 'DCQL query', [queryPart(value), part('all members', null, jsonRows(value))])
  if (isVpToken(value)) return report('vp_token', 'vp_token', vpTokenParts(value, context))
  return report('json', 'JSON', [part('JSON', null, jsonRows(value))])
}

/** Shows a stored request without its private keys. */
function storedParts(value: JsonObject): readonly Part[] {
  const text = JSON.stringify(value, (name, inner) => (name === 'd' ? 'private, not shown' : inner))
  const shown = parseJson(text, INPUT.json)
  return [part('stored request', 'docs/library.md', shown.ok ? jsonRows(shown.value) : [])]
}

function isVpToken(value: JsonObject): boolean {
  const entries = Object.values(value)
  const isPresentation = (inner: Json) => typeof inner === 'string' && inner.length > 40
  return (
    entries.length > 0 &&
    entries.every((list) => Array.isArray(list) && list.length > 0 && list.every(isPresentation))
  )
}

/** Returns the certificates of `x5c`, or of a list of texts in base64; `undefined` for any other value. */
function certificatesOf(value: Json): readonly Bytes[] | undefined {
  const list = isJsonObject(value) ? member(value, 'x5c') : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const chain = list.map((text) => (typeof text === 'string' ? decodeBase64(text) : undefined))
  return chain.every((bytes) => bytes?.[0] === DER_SEQUENCE) ? (chain as readonly Bytes[]) : undefined
}

/** Returns the entries of `requests` for `navigator.credentials.get`; `undefined` for any other value. */
export function digitalRequests(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isDigitalEntry) ? value : undefined
  if (!isJsonObject(value)) return undefined
  const inner = member(value, 'digital') ?? member(value, 'requests')
  if (inner !== undefined) return digitalRequests(inner)
  return isDigitalEntry(value) ? [value] : undefined
}

function isDigitalEntry(value: Json): boolean {
  const data = isJsonObject(value) && Object.hasOwn(value, 'protocol') ? member(value, 'data') : undefined
  return isJsonObject(data) && (isRequest(data) || isAnnexCRequest(data))
}

const DER_SEQUENCE = 0x30
/** First bytes of a ZIP entry. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]

async function recognizeBytes(bytes: Bytes, context: Context): Found {
  if (ZIP.every((byte, i) => bytes[i] === byte))
    return report('evidence', 'Container of evidence', evidenceParts(bytes, context))
  if (bytes[0] === DER_SEQUENCE && bytes[1] === 0x82)
    return report('certificates', 'Certificate', certificateParts([bytes], context))
  const item = readCbor(bytes)
  return item && recognizeCbor(bytes, item, context)
}

async function recognizeCbor(bytes: Bytes, item: CborItem, context: Context): Found {
  if (isMapOf(item, 'nameSpaces', 'issuerAuth') && findEntry(item, 'issuerAuth'))
    return report('mdoc', 'mdoc, as its issuer signed it', issuerSignedParts(item, context))
  if (findEntry(item, 'issuerSigned')) return report('mdoc', 'mdoc', documentParts(item, context))
  if (findEntry(item, 'docRequests'))
    return report('annex_c', 'DeviceRequest', deviceRequestParts(item, context))
  if (findEntry(item, 'documents') ?? findEntry(item, 'documentErrors'))
    return report('device_response', 'DeviceResponse', deviceResponseParts(item, context))
  const [bits, lst] = [readInteger(findEntry(item, 'bits')), readBytes(findEntry(item, 'lst'))]
  if (bits !== undefined && lst !== undefined)
    return report('status_list', 'Status list', statusContentParts(bits, lst))
  if (item.type === 'array' && readText(item.items[0]) === 'dcapi') return recognizeEnvelope(item)
  return (
    (await recognizeCose(bytes, item, context)) ??
    report('cbor', 'CBOR', [part('CBOR', 'RFC 8949', cborRows(item))])
  )
}

function recognizeEnvelope(item: CborItem & { readonly type: 'array' }): Found {
  const content = item.items[1]
  const isResponse = content !== undefined && findEntry(content, 'cipherText') !== undefined
  return isResponse
    ? report('annex_c', 'Encrypted response of ISO/IEC TS 18013-7', [encryptedResponsePart(item)])
    : report('annex_c', 'EncryptionInfo of ISO/IEC TS 18013-7', [encryptionInfoPart(item)])
}

/** Recognizes what a COSE_Sign1 signs: a status list, an identifier list, a VICAL, or an MSO. */
async function recognizeCose(bytes: Bytes, item: CborItem, context: Context): Found {
  const message = item.type === 'tag' && item.tag === 18 ? item.content : item
  const payload =
    message.type === 'array' && message.items.length === 4 ? readBytes(message.items[2]) : undefined
  const content = payload && decodeCbor(payload, INPUT.cbor)
  if (!content?.ok) return undefined
  const { value } = content
  if (findEntry(value, 65533))
    return report('status_list', 'Status list', statusCwtParts(bytes, item, context, 'token'))
  if (findEntry(value, 65530))
    return report('status_list', 'Identifier list', statusCwtParts(bytes, item, context, 'identifiers'))
  if (findEntry(value, 'certificateInfos')) return report('trust_list', 'VICAL', vicalParts(bytes, context))
  const parts = [
    part('COSE_Sign1', 'RFC 9052 4.2', [row('payload', `${payload?.length} bytes`), ...cborRows(value)]),
  ]
  return report('cbor', 'COSE_Sign1', parts)
}
