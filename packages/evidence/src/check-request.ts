// Checks of the request that was answered: its signature, and that it is the request of `session.json`.

import { decodeBase64, encodeBase64url } from '../../../src/codec/base64url.ts'
import { equalBytes, utf8 } from '../../../src/codec/bytes.ts'
import { canonicalJson } from '../../../src/codec/canonical-json.ts'
import { decodeCbor, findEntry, readBytes, readEmbedded } from '../../../src/codec/cbor.ts'
import { isJsonObject, type JsonObject, member } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { jwkThumbprint, type PrivateJwk, type PublicJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../../../src/crypto/jws.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { buildSessionTranscript } from '../../../src/formats/mdoc/session-transcript.ts'
import { deviceRequestHash } from '../../../src/iso18013-7/device-request.ts'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { readKeyInDid } from '../../../src/trust/did/did.ts'
import {
  type CertificateChain,
  checkValidityPeriod,
  decodeCertificateChain,
} from '../../../src/trust/x509/certificate-path.ts'
import { verifyCertificateSignature } from '../../../src/trust/x509/certificate-signature.ts'
import { subjectKeyJwk } from '../../../src/trust/x509/subject-key.ts'
import { type CaseFile, readJson } from './case-file.ts'
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
  const claims = await readClaims(caseFile, reporter)
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
  if (session.channel !== 'by_value') await compareHash(await hashOf(rest), statement, reporter)
}

/**
 * Returns the claims of a signed or unsigned request of OpenID4VP. Annex C has none: its hash is compared.
 */
async function readClaims(caseFile: CaseFile, reporter: Reporter): Promise<JsonObject | undefined> {
  const { files, session } = caseFile
  const text = textFile(files, NAMES.requestObject)
  if (text !== undefined) return checkRequestObject(caseFile, text, reporter)
  if (files.has(NAMES.unsignedRequest)) {
    const line = { file: NAMES.unsignedRequest, clause: OID4VP }
    reporter.absent('request_signature', 'the request was not signed', line)
    return readJson(files, NAMES.unsignedRequest)
  }
  if (!session.annex_c) reporter.fail('request_signature', 'the request is missing')
  else await checkDeviceRequest(caseFile, reporter)
  return undefined
}

/**
 * Checks the Request Object: the signature by the key of its header, the chain, and the Client Identifier.
 */
async function checkRequestObject(
  caseFile: CaseFile,
  text: string,
  reporter: Reporter,
): Promise<JsonObject | undefined> {
  const { session } = caseFile
  const line = { file: NAMES.requestObject, clause: 'RFC 9101 6' }
  const jws = decodeJws(text, EVIDENCE.json, ['b64'])
  if (!jws.ok) {
    reporter.fail('request_signature', 'the Request Object is malformed', line)
    return undefined
  }
  const signer = readSigner(jws.value, caseFile)
  if (signer === undefined) {
    reporter.absent('request_signature', 'the key of the signer is not in the Request Object', line)
    return jws.value.payload
  }
  const isSigned = await verifyJws(jws.value, signer.key)
  reporter.expect('request_signature', isSigned, 'the signature of the Request Object is invalid', line)
  if (signer.chain !== undefined) await checkChain(signer.chain, caseFile, reporter)
  if (signer.subject !== undefined) checkAttestation(signer.subject, session.client_id, reporter)
  return jws.value.payload
}

/** `subject`: `sub` of the verifier attestation that has the key. */
type Signer = {
  readonly key: PublicJwk
  readonly chain?: CertificateChain
  readonly subject?: unknown
}

/** Finds the key of the signer: a certificate, a DID that contains the key, or a verifier attestation. */
function readSigner({ header }: DecodedJws, caseFile: CaseFile): Signer | undefined {
  const x5c = member(header, 'x5c')
  if (Array.isArray(x5c)) {
    const bytes = x5c.map((one) => (typeof one === 'string' ? decodeBase64(one) : undefined))
    if (!bytes.every((one) => one !== undefined)) return undefined
    const chain = decodeCertificateChain(bytes)
    const subjectKey = chain.ok ? chain.value[0].subjectKey : undefined
    const key = subjectKey && subjectKeyJwk(subjectKey)
    return chain.ok && key !== undefined ? { key, chain: chain.value } : undefined
  }
  const attestation = member(header, 'jwt')
  const decoded = typeof attestation === 'string' ? decodeJws(attestation, EVIDENCE.json) : undefined
  if (decoded?.ok) {
    const cnf = member(decoded.value.payload, 'cnf')
    const key = isJsonObject(cnf) ? parsePublicJwk(member(cnf, 'jwk')) : undefined
    return key && { key, subject: member(decoded.value.payload, 'sub') ?? null }
  }
  const kid = member(header, 'kid')
  if (typeof kid !== 'string') return undefined
  const [did = ''] = kid.split('#', 1)
  // OpenID4VP 1.0 §5.9.3: the DID URL is of the DID in the Client Identifier.
  if (caseFile.session.client_id?.endsWith(`:${did}`) !== true) return undefined
  const key = readKeyInDid(kid) ?? readDidDocument(caseFile, did, kid)
  return key && { key }
}

/** Returns the key of a DID URL from the DID document of the container, if there is one. */
function readDidDocument({ files, index }: CaseFile, did: string, kid: string): PublicJwk | undefined {
  for (const { name } of index.files) {
    if (!name.startsWith('keys/did-')) continue
    const document = readJson(files, name)
    const methods = member(document, 'verificationMethod')
    if (member(document, 'id') !== did || !Array.isArray(methods)) continue
    const method = methods.find(
      (one) => isJsonObject(one) && [kid, `#${kid.split('#')[1]}`].includes(String(member(one, 'id'))),
    )
    return isJsonObject(method) ? parsePublicJwk(member(method, 'publicKeyJwk')) : undefined
  }
  return undefined
}

/**
 * Compares the attestation with the Client Identifier. The key of its issuer is not in the container, so its
 * signature stays unchecked.
 */
function checkAttestation(subject: unknown, clientId: string | null, reporter: Reporter): void {
  const line = { file: NAMES.requestObject, clause: 'OpenID4VP 1.0 5.9.3' }
  const isNamed = clientId === `verifier_attestation:${subject}`
  reporter.expect('client_identifier', isNamed, 'the attestation is for another Client Identifier', line)
  const detail = 'the key of the issuer of the attestation is missing: its signature was not checked'
  reporter.absent('verifier_attestation', detail, line)
}

/**
 * Checks that each certificate is signed by the next and was valid at the decision, and that the leaf is the
 * Client Identifier.
 */
async function checkChain(
  chain: CertificateChain,
  { session, decision }: CaseFile,
  reporter: Reporter,
): Promise<void> {
  const { client_id: clientId } = session
  const line = { file: NAMES.requestObject, clause: 'OpenID4VP 1.0 5.9.3' }
  let holds = true
  for (const [i, certificate] of chain.entries()) {
    const issuer = chain[i + 1]
    if (issuer !== undefined) holds &&= (await verifyCertificateSignature(certificate, issuer)) === 'valid'
  }
  const wasValid = chain.every((one) => checkValidityPeriod(one, decision.now) === undefined)
  const detail = holds ? 'was not valid at the decision' : 'is not signed by the next one'
  reporter.expect('request_chain', holds && wasValid, `a certificate of the verifier ${detail}`, line)
  const [leaf] = chain
  const hash = `x509_hash:${encodeBase64url(await sha256(leaf.encoded))}`
  const names = leaf.extensions.subjectAltNames.map((name) => ('value' in name ? name.value : undefined))
  const host = clientId?.replace(/^x509_san_dns:/, '')
  const isNamed = clientId?.startsWith('x509_hash:') ? clientId === hash : names.some((name) => name === host)
  reporter.expect(
    'client_identifier',
    isNamed,
    'the certificate of the verifier has another Client Identifier',
    line,
  )
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
  await compareHash(await deviceRequestHash(query, transcript, readRegistration(files)), statement, reporter)
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

async function compareHash(hash: string, statement: JsonObject, reporter: Reporter): Promise<void> {
  const stated = member(statement, 'request_hash')
  if (typeof stated !== 'string') return
  reporter.expect('request_hash', stated === hash, 'the statement has the hash of another request', {
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
