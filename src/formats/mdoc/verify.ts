// One mdoc as OpenID4VP 1.0 B.2 presents it, verified in the order of ISO/IEC 18013-5 §9.3.1: issuer, digests, device,
// validity. Nonce and audience are inside the session transcript, so the device's proof decides all three.

import type { Json, JsonObject } from '../../codec/json.ts'
import { verifyCoseSign1 } from '../../crypto/cose.ts'
import { err, ok, type Result } from '../../result.ts'
import { parseStatusElement } from '../../trust/status/status-list.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../format.ts'
import { checkRevocation, listedStatus, type ReadStatus } from '../revocation.ts'
import { tracer } from '../tracer.ts'
import { type Session, verifyDeviceAuth } from './device-auth.ts'
import { type DecodedDocument, decodeDeviceResponse } from './device-response.ts'
import { openNameSpaces } from './digests.ts'
import { contradictedElement, type DocumentSigner, resolveDocumentSigner } from './document-signer.ts'
import { type DecodedIssuerSigned, decodeIssuerSigned } from './issuer-signed.ts'
import type { MobileSecurityObject } from './mobile-security-object.ts'
import { buildSessionTranscript } from './session-transcript.ts'
import { checkValidity } from './validity.ts'

/** The Credential Format Identifier (OpenID4VP 1.0 B.2). */
export const FORMAT = 'mso_mdoc'

/** Verifies one presentation (the `verify` of `CredentialFormat`). Holder binding is always required: an mdoc has no other form. */
export async function verifyMdoc(
  presentation: Json,
  expected: RequestBinding,
  context: Context,
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  const transcript = await buildSessionTranscript(expected)
  if (transcript === undefined) return err({ reason: 'malformed_holder_binding' })
  const privateKey = expected.handover.encryptionKey
  return verifyDeviceResponse(presentation, { transcript, privateKey }, context)
}

/** Verifies one DeviceResponse (base64url) made in this session, whatever protocol the session is of. */
export async function verifyDeviceResponse(
  presentation: Json,
  session: Session,
  context: Context,
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const decoded = traced('structure', decodePresentation(presentation))
  if (!decoded.ok) return decoded
  const { document, issuerSigned } = decoded.value
  const { mso } = issuerSigned
  const type = traced('type', typeOf(document.docType, mso.docType, context))
  if (!type.ok) return type
  const issuer = await verifyIssuer(issuerSigned, type.value, context)
  if (!issuer.ok) return issuer
  const claims = traced('disclosures', await openClaims(issuerSigned, issuer.value))
  if (!claims.ok) return claims
  const held = await verifyDeviceAuth(document.deviceSigned, mso, session)
  const bound = traced('holder_binding', held)
  if (!bound.ok) return bound
  // Part of what the device has just been found to have signed (B.2.6).
  for (const check of ['nonce', 'audience'] as const) context.trace(check, 'pass')
  const findings = checkValidity(mso.validity, issuer.value.certificate, context.now)
  context.trace('validity', findings.ok && findings.value.length === 0 ? 'pass' : 'fail')
  if (!findings.ok) return findings
  const standing = await checkRevocation(
    { issuer: issuer.value, read: statusReader(mso, type.value, issuer.value, context) },
    findings.value,
    context,
  )
  if (!standing.ok) return standing
  return ok({
    format: FORMAT,
    typeIdentifier: mso.docType,
    credentialType: type.value.name,
    issuer: issuer.value.issuer,
    anchor: issuer.value.anchor,
    authorityKeyIdentifiers: issuer.value.authorityKeyIdentifiers,
    claims: claims.value,
    holderBound: true,
    ...standing.value,
  })
}

type DecodedPresentation = {
  readonly document: DecodedDocument
  readonly issuerSigned: DecodedIssuerSigned
}

function decodePresentation(presentation: Json): Result<DecodedPresentation, PresentationRefusal> {
  const document = decodeDeviceResponse(presentation)
  if (!document.ok) return document
  const issuerSigned = decodeIssuerSigned(document.value.issuerSigned)
  return issuerSigned.ok ? ok({ document: document.value, issuerSigned: issuerSigned.value }) : issuerSigned
}

/** What the document calls itself is unsigned: it is what the issuer signed, or it is nothing (§9.3.1). */
function typeOf(
  claimed: string,
  signed: string,
  context: Context,
): Result<CredentialType, PresentationRefusal> {
  if (claimed !== signed) return err({ reason: 'invalid_claim', claim: 'docType' })
  const type = context.typeOf(FORMAT, signed)
  return type === undefined ? err({ reason: 'unknown_credential_type' }) : ok(type)
}

async function verifyIssuer(
  issuerSigned: DecodedIssuerSigned,
  type: CredentialType,
  context: Context,
): Promise<Result<DocumentSigner, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const signer = traced('issuer_trust', await resolveDocumentSigner(issuerSigned, type, context))
  if (!signer.ok) return signer
  return traced('issuer_signature', await verifyIssuerSignature(issuerSigned, signer.value))
}

async function verifyIssuerSignature(
  { issuerAuth, payload }: DecodedIssuerSigned,
  signer: DocumentSigner,
): Promise<Result<DocumentSigner, PresentationRefusal>> {
  for (const key of signer.keys) {
    if (await verifyCoseSign1(issuerAuth, payload, key)) return ok(signer)
  }
  return err({ reason: 'invalid_issuer_signature' })
}

/** A `status` of whatever shape says that there is one to check. */
function statusReader(
  { status }: MobileSecurityObject,
  type: CredentialType,
  { anchor }: DocumentSigner,
  context: Context,
): ReadStatus | undefined {
  return status && listedStatus(parseStatusElement(status), { type, anchor }, context)
}

async function openClaims(
  { mso, nameSpaces }: DecodedIssuerSigned,
  { certificate }: DocumentSigner,
): Promise<Result<JsonObject, PresentationRefusal>> {
  const claims = await openNameSpaces(nameSpaces, mso)
  if (!claims.ok) return claims
  const claim = contradictedElement(mso.docType, claims.value, certificate)
  return claim === undefined ? claims : err({ reason: 'invalid_claim', claim })
}
