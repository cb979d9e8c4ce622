// Verifies one mdoc as OpenID4VP 1.0 B.2 presents it, in the order of ISO/IEC 18013-5 §9.3.1: issuer,
// digests, device, validity. The proof of the device covers the session transcript, and the session
// transcript covers nonce and audience. So nonce and audience are not compared separately.

import type { Json, JsonObject } from '../../codec/json.ts'
import { verifyCoseSign1 } from '../../crypto/cose.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import { parseStatusElement } from '../../trust/status/status-list.ts'
import { completeVerification, tokenStatus } from '../verification/complete-verification.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../verification/format.ts'
import { verifyIssuerSignature } from '../verification/issuer-signature.ts'
import { tracer } from '../verification/tracer.ts'
import { type Session, verifyDeviceAuth } from './device-auth.ts'
import { decodeDeviceResponse } from './device-response.ts'
import { openNameSpaces } from './digests.ts'
import { contradictedElement, type DocumentSigner, resolveDocumentSigner } from './document-signer.ts'
import { type DecodedIssuerSigned, decodeIssuerSigned } from './issuer-signed.ts'
import { buildSessionTranscript } from './session-transcript.ts'
import { checkValidity } from './validity.ts'

/** Credential Format Identifier (OpenID4VP 1.0 B.2). */
export const FORMAT = 'mso_mdoc'

/** Verifies one presentation (the `verify` of `CredentialFormat`). An mdoc always has holder binding. */
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

/** Verifies one DeviceResponse (base64url) of this session, for any protocol. */
export async function verifyDeviceResponse(
  presentation: Json,
  session: Session,
  context: Context,
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const decoded = traced('structure', decodePresentation(presentation))
  if (!decoded.ok) return decoded
  const { document, issuerSigned } = decoded.value
  const { mso, issuerAuth, payload } = issuerSigned
  const type = traced('type', findType(document.docType, mso.docType, context))
  if (!type.ok) return type
  const signer = traced('issuer_trust', await resolveDocumentSigner(issuerSigned, type.value, context))
  if (!signer.ok) return signer
  const verify = (key: PublicJwk) => verifyCoseSign1(issuerAuth, payload, key)
  const issuer = traced('issuer_signature', await verifyIssuerSignature([signer.value], verify))
  if (!issuer.ok) return issuer
  const claims = traced('disclosures', await openClaims(issuerSigned, issuer.value))
  if (!claims.ok) return claims
  const bound = traced('holder_binding', await verifyDeviceAuth(document.deviceSigned, mso, session))
  if (!bound.ok) return bound
  // The verified proof of the device covers the session transcript, which covers nonce and audience
  // (B.2.6).
  for (const check of ['nonce', 'audience'] as const) context.trace(check, 'pass')
  const checked = {
    format: FORMAT,
    typeIdentifier: mso.docType,
    type: type.value,
    issuer: issuer.value,
    claims: claims.value,
    holderBound: true,
    holderKey: mso.deviceKey,
    readStatus: tokenStatus(mso.status && parseStatusElement(mso.status)),
  }
  const validity = checkValidity(mso.validity, issuer.value.certificate, context)
  return completeVerification(checked, validity, context)
}

function decodePresentation(presentation: Json) {
  const document = decodeDeviceResponse(presentation)
  if (!document.ok) return document
  const issuerSigned = decodeIssuerSigned(document.value.issuerSigned)
  return issuerSigned.ok ? ok({ document: document.value, issuerSigned: issuerSigned.value }) : issuerSigned
}

/**
 * Finds the type of the document. The docType in the document is unsigned, so it must equal the docType that
 * the issuer signed (§9.3.1).
 */
function findType(
  claimed: string,
  signed: string,
  context: Context,
): Result<CredentialType, PresentationRefusal> {
  if (claimed !== signed) return err({ reason: 'invalid_claim', claim: 'docType' })
  const type = context.typeOf(FORMAT, signed)
  return type === undefined ? err({ reason: 'unknown_credential_type' }) : ok(type)
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
