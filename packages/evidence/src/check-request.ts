// Checks of the request that was answered: its signature, and that it is the request of `session.json`.

import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { equalBytes, utf8 } from '../../../src/codec/bytes.ts'
import { canonicalJson } from '../../../src/codec/canonical-json.ts'
import { decodeCbor, findEntry, readBytes, readEmbedded } from '../../../src/codec/cbor.ts'
import { isJsonObject, type JsonObject, member } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { jwkThumbprint, type PrivateJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { buildSessionTranscript } from '../../../src/formats/mdoc/session-transcript.ts'
import { deviceRequestHash } from '../../../src/iso18013-7/device-request.ts'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { type CaseFile, readJson } from './case-file.ts'
import { checkMultiSigned, checkRequestObject } from './check-request-signature.ts'
import type { Reporter } from './report.ts'
import { textFile } from './text-file.ts'

const OID4VP = 'OpenID4VP 1.0 5'

/** Checks the request. `statement`: payload of the statement, with `request_hash`. */
export async function checkRequest(
  caseFile: CaseFile,
  { statement, responseKey }: { readonly statement: JsonObject; readonly responseKey: PrivateJwk | null },
  reporter: Reporter,
): Promise<void> {
  await checkTranscript(caseFile, responseKey, reporter)
  await checkResponseKey(caseFile, responseKey, reporter)
  const claims = await readClaims(caseFile, statement, reporter)
  if (claims === undefined) return
  const { session } = caseFile
  // Drafts write the Client Identifier without its prefix.
  const clientId = session.client_id && PROTOCOLS[session.protocol].writeClientId(session.client_id)
  const expected: readonly (readonly [string, unknown])[] = [
    ['client_id', member(claims, 'client_id') === session.client_id ? session.client_id : clientId],
    ['state', session.state],
    ['response_uri', 'responseUri' in session.handover ? session.handover.responseUri : undefined],
    ['dcql_query', session.query],
    ['transaction_data', session.transaction_data],
  ]
  const present = expected.filter(([name]) => Object.hasOwn(claims, name))
  const wrong = [['nonce', session.nonce] as const, ...present].find(
    ([name, value]) => !isSame(member(claims, name), value),
  )
  const line = { file: NAMES.session, clause: OID4VP }
  reporter.expect(
    'request_binding',
    wrong === undefined,
    `the request has another ${wrong?.[0]} than session.json`,
    line,
  )
  checkOfferedKey(claims, responseKey, reporter)
  const { iat: _iat, exp: _exp, wallet_nonce: _nonce, ...rest } = claims
  // The hash of a view of the relying party is the hash of the request that was not used.
  if (session.channel === 'by_value') return
  const hashed = caseFile.files.has(NAMES.multiSigned) ? [rest, withoutGoogle(rest)] : [rest]
  compareHash(await Promise.all(hashed.map(hashOf)), statement, reporter)
}

/**
 * Returns the claims of a signed or unsigned request of OpenID4VP. Annex C has none: its hash is compared.
 */
async function readClaims(
  caseFile: CaseFile,
  statement: JsonObject,
  reporter: Reporter,
): Promise<JsonObject | undefined> {
  const { files, session } = caseFile
  const text = textFile(files, NAMES.requestObject)
  if (text !== undefined) return checkRequestObject(caseFile, text, reporter)
  if (files.has(NAMES.multiSigned)) return checkMultiSigned(caseFile, statement, reporter)
  if (files.has(NAMES.unsignedRequest)) {
    const line = { file: NAMES.unsignedRequest, clause: OID4VP }
    reporter.absent('request_signature', 'the request was not signed', line)
    return readJson(files, NAMES.unsignedRequest)
  }
  if (!session.annex_c) reporter.fail('request_signature', 'the request is missing')
  else await checkDeviceRequest(caseFile, reporter)
  return undefined
}

/** Checks the transcript that devices signed, if the container has one. */
async function checkTranscript(
  { files, session }: CaseFile,
  responseKey: PrivateJwk | null,
  reporter: Reporter,
): Promise<void> {
  const found = files.get(NAMES.transcript)
  if (found === undefined) return
  const { audience, nonce } = session
  const handover = { ...session.handover, encryptionKey: responseKey }
  const built = await buildSessionTranscript({ audience, nonce, handover })
  const line = { file: NAMES.transcript, clause: 'ISO/IEC 18013-5 9.1.5.1' }
  reporter.expect(
    'transcript',
    built !== undefined && equalBytes(built, found),
    'the transcript is of another request',
    line,
  )
}

async function checkResponseKey(
  { session, files }: CaseFile,
  responseKey: PrivateJwk | null,
  reporter: Reporter,
): Promise<void> {
  if (responseKey === null && session.response_key_thumbprint === null) return
  const thumbprint = responseKey && encodeBase64url(await jwkThumbprint(responseKey))
  const isSameKey = thumbprint === session.response_key_thumbprint && files.has(NAMES.responseKey)
  reporter.expect('response_key', isSameKey, 'session.json names another response key', {
    file: NAMES.responseKey,
    clause: 'RFC 7638',
  })
}

/** Checks that the request offered the response key, if it offered keys. */
function checkOfferedKey(claims: JsonObject, responseKey: PrivateJwk | null, reporter: Reporter): void {
  const metadata = member(claims, 'client_metadata')
  const jwks = isJsonObject(metadata) ? member(metadata, 'jwks') : undefined
  const keys = isJsonObject(jwks) ? member(jwks, 'keys') : undefined
  if (responseKey === null || !Array.isArray(keys)) return
  const isOffered = keys
    .map(parsePublicJwk)
    .some((key) => key?.x === responseKey.x && key.y === responseKey.y)
  reporter.expect('response_key_offered', isOffered, 'the request offered another response key', {
    file: NAMES.responseKey,
    clause: 'OpenID4VP 1.0 8.3',
  })
}

async function checkDeviceRequest({ files, session }: CaseFile, reporter: Reporter): Promise<void> {
  const info = files.get(NAMES.encryptionInfo)
  const { handover } = session
  const isSameInfo =
    info !== undefined && 'encryptionInfo' in handover && handover.encryptionInfo === encodeBase64url(info)
  const line = { file: NAMES.encryptionInfo, clause: 'ISO/IEC TS 18013-7 Annex C' }
  reporter.expect('request_binding', isSameInfo, 'session.json has another encryption info', line)
}

/**
 * Compares `request_hash` of an Annex C request, which covers the query, the transcript and the registration
 * certificate in the request.
 */
export async function checkDeviceRequestHash(
  { files, session }: CaseFile,
  statement: JsonObject,
  reporter: Reporter,
): Promise<void> {
  const transcript = files.get(NAMES.transcript)
  const query = documentQuery(session.query)
  if (!session.annex_c || transcript === undefined || query === undefined) return
  const hash = await deviceRequestHash(query, transcript, readRegistration(files))
  compareHash([hash], statement, reporter)
}

const REQUEST_LIMITS = { bytes: EVIDENCE.containerBytes, depth: 32, items: 65_536 }

/** Returns the registration certificate in the request of `org-iso-mdoc`; `undefined` without one. */
function readRegistration(files: CaseFile['files']): Uint8Array<ArrayBuffer> | undefined {
  const read = (bytes: Uint8Array<ArrayBuffer> | undefined) => {
    const decoded = bytes && decodeCbor(bytes, REQUEST_LIMITS)
    return decoded?.ok ? decoded.value : undefined
  }
  const request = read(files.get(NAMES.deviceRequest))
  const documents = request && findEntry(request, 'docRequests')
  const [first] = documents?.type === 'array' ? documents.items : []
  const items = read(readEmbedded(first && findEntry(first, 'itemsRequest')))
  const info = items && findEntry(items, 'requestInfo')
  return readBytes(info && findEntry(info, 'euWrprc'))
}

/**
 * Returns the claims without the metadata for Google Wallet. A multi-signed request has the metadata of any
 * of its identities, but `request_hash` covers the claims of the first identity alone.
 */
function withoutGoogle(claims: JsonObject): JsonObject {
  const metadata = member(claims, 'client_metadata')
  if (!isJsonObject(metadata)) return claims
  const { gw_rp_metadata_bytes: _, ...rest } = metadata
  return { ...claims, client_metadata: rest }
}

/** Compares `request_hash` of the statement, which must be one of `hashes`. */
function compareHash(hashes: readonly string[], statement: JsonObject, reporter: Reporter): void {
  const stated = member(statement, 'request_hash')
  if (typeof stated !== 'string') return
  reporter.expect('request_hash', hashes.includes(stated), 'the statement has the hash of another request', {
    file: NAMES.statement,
  })
}

/** Returns the SHA-256 of the canonical JSON, base64url: `hashJson` of the service. */
export async function hashOf(value: JsonObject): Promise<string> {
  return encodeBase64url(await sha256(utf8(canonicalJson(value))))
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson((a ?? null) as never) === canonicalJson((b ?? null) as never)
}
