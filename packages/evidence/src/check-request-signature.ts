// Checks of the signatures of the request: a Request Object with one signature, or the request of several
// identities.

import { decodeBase64, encodeBase64url } from '../../../src/codec/base64url.ts'
import { isJsonObject, type JsonObject, member } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { type PublicJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../../../src/crypto/jws.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { readKeyInDid } from '../../../src/trust/did/did.ts'
import {
  type CertificateChain,
  checkValidityPeriod,
  decodeCertificateChain,
} from '../../../src/trust/x509/certificate-path.ts'
import { verifyCertificateSignature } from '../../../src/trust/x509/certificate-signature.ts'
import { subjectKeyJwk } from '../../../src/trust/x509/subject-key.ts'
import { type CaseFile, readJson } from './case-file.ts'
import { claimsOfFirst, readMultiSigned } from './multi-signed.ts'
import type { Reporter } from './report.ts'

/** The signature of one identity. `clientId`: null if the request has no Client Identifier. */
type RequestSignature = {
  readonly file: string
  readonly clientId: string | null
  readonly jws: DecodedJws
}

/**
 * Checks the Request Object: the signature by the key of its header, the chain, and the Client Identifier.
 * Returns the claims.
 */
export async function checkRequestObject(
  caseFile: CaseFile,
  text: string,
  reporter: Reporter,
): Promise<JsonObject | undefined> {
  const file = NAMES.requestObject
  const jws = decodeJws(text, EVIDENCE.json, ['b64'])
  if (!jws.ok) {
    reporter.fail('request_signature', 'the Request Object is malformed', { file, clause: SIGNED })
    return undefined
  }
  const clientId = caseFile.session.client_id
  await checkSignature({ file, clientId, jws: jws.value }, caseFile, reporter)
  return jws.value.payload
}

/**
 * Checks the request of several identities: each signature with its chain and its Client Identifier, and that
 * the statement names these identities. Returns the claims as the first identity signed them.
 */
export async function checkMultiSigned(
  caseFile: CaseFile,
  statement: JsonObject,
  reporter: Reporter,
): Promise<JsonObject | undefined> {
  const file = NAMES.multiSigned
  const signatures = readMultiSigned(caseFile.files)
  if (signatures === undefined) {
    reporter.fail('request_signature', 'the multi-signed request is malformed', { file, clause: SIGNED })
    return undefined
  }
  for (const signature of signatures) await checkSignature({ file, ...signature }, caseFile, reporter)
  const offered = member(statement, 'offered_client_ids')
  const isSame = JSON.stringify(offered) === JSON.stringify(signatures.map(({ clientId }) => clientId))
  reporter.expect('offered_identities', isSame, 'the statement names other identities than the request', {
    file: NAMES.statement,
    clause: 'OpenID4VP 1.0 A.3.2.2',
  })
  return claimsOfFirst(signatures)
}

const SIGNED = 'RFC 9101 6'

async function checkSignature(
  signature: RequestSignature,
  caseFile: CaseFile,
  reporter: Reporter,
): Promise<void> {
  const { file, clientId, jws } = signature
  const line = { file, clause: SIGNED }
  const whose = file === NAMES.multiSigned ? ` of ${clientId}` : ''
  const signer = readSigner(signature, caseFile)
  if (clientId?.startsWith('x509_') && signer?.chain === undefined) {
    reporter.fail('request_signature', `the signature${whose} has no certificate that can be used`, line)
    return
  }
  if (signer === undefined) {
    reporter.absent('request_signature', 'the key of the signer is not in the Request Object', line)
    return
  }
  const isSigned = await verifyJws(jws, signer.key)
  reporter.expect('request_signature', isSigned, `the signature${whose} is invalid`, line)
  if (signer.chain !== undefined) await checkChain(signer.chain, { signature, caseFile }, reporter)
  if (signer.subject !== undefined) checkAttestation(signer.subject, signature, reporter)
}

/** `subject`: `sub` of the verifier attestation that has the key. */
type Signer = {
  readonly key: PublicJwk
  readonly chain?: CertificateChain
  readonly subject?: unknown
}

/** Finds the key of the signer: a certificate, a DID that contains the key, or a verifier attestation. */
function readSigner({ clientId, jws: { header } }: RequestSignature, caseFile: CaseFile): Signer | undefined {
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
  if (clientId?.endsWith(`:${did}`) !== true) return undefined
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
function checkAttestation(subject: unknown, { file, clientId }: RequestSignature, reporter: Reporter): void {
  const line = { file, clause: 'OpenID4VP 1.0 5.9.3' }
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
  { signature, caseFile }: { readonly signature: RequestSignature; readonly caseFile: CaseFile },
  reporter: Reporter,
): Promise<void> {
  const { file, clientId } = signature
  const line = { file, clause: 'OpenID4VP 1.0 5.9.3' }
  let holds = true
  for (const [i, certificate] of chain.entries()) {
    const issuer = chain[i + 1]
    if (issuer !== undefined) holds &&= (await verifyCertificateSignature(certificate, issuer)) === 'valid'
  }
  const wasValid = chain.every((one) => checkValidityPeriod(one, caseFile.decision.now) === undefined)
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
