// Verifies a W3C Verifiable Credential as a JWT without JSON-LD (OpenID4VP 1.0 B.1.3.1; VCDM 1.1 §6.3.1). The
// credential must have a known type and a trusted issuer, and be valid now. It must have a proof by its
// holder, unless the query waives holder binding.

import { type Json, member } from '../../codec/json.ts'
import { verifyJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import { checkBitstringStatus } from '../../trust/status/bitstring-status-list.ts'
import { chooseWorse, parseStatusClaim } from '../../trust/status/status-list.ts'
import { completeVerification, type ReadStatus, tokenStatus } from '../verification/complete-verification.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../verification/format.ts'
import { resolveJwtIssuer } from '../verification/issuer-jwt.ts'
import { verifyIssuerSignature } from '../verification/issuer-signature.ts'
import { checkValidity } from '../verification/jwt-validity.ts'
import { tracer } from '../verification/tracer.ts'
import { type Credential, parseCredential } from './credential.ts'
import { verifyHolderBinding } from './holder-binding.ts'
import { decodePresentation, type SignedJwt } from './presentation.ts'

/** Credential Format Identifier (OpenID4VP 1.0 B.1.3.1.1). */
export const FORMAT = 'jwt_vc_json'

/** Verifies one presentation (the `verify` of `CredentialFormat`). */
export async function verifyJwtVc(
  presentation: Json,
  expected: RequestBinding,
  context: Context,
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const decoded = traced('structure', decode(presentation))
  if (!decoded.ok) return decoded
  const { parts, credential } = decoded.value
  const { jws } = parts.credential
  const knownType = traced('type', findType(credential, expected, context))
  if (!knownType.ok) return knownType
  const { type } = knownType.value
  const issuers = traced('issuer_trust', await resolveJwtIssuer(jws, credential.issuer, type, context))
  if (!issuers.ok) return issuers
  const issuer = traced(
    'issuer_signature',
    await verifyIssuerSignature(issuers.value, (key) => verifyJws(jws, key)),
  )
  if (!issuer.ok) return issuer
  context.trace('disclosures', 'skip')
  const holder = await verifyHolderBinding(parts, credential, expected, context)
  if (!holder.ok) return holder
  const checked = {
    format: FORMAT,
    ...knownType.value,
    issuer: issuer.value,
    claims: credential.root,
    holderBound: holder.value !== undefined,
    holderKey: holder.value,
    readStatus: statusReader(parts.credential),
  }
  const validity = checkValidity(credential.validity, { ...context, audience: expected.audience })
  return completeVerification(checked, validity, context)
}

function decode(presentation: Json) {
  const parts = decodePresentation(presentation)
  if (!parts.ok) return parts
  const credential = parseCredential(parts.value.credential)
  return credential.ok ? ok({ parts: parts.value, credential: credential.value }) : credential
}

type KnownType = { readonly typeIdentifier: string; readonly type: CredentialType }

/**
 * Selects the type for which an anchor must vouch: the known type that was requested, else the first known
 * type.
 */
function findType(
  credential: Credential,
  { types: requested = [] }: RequestBinding,
  context: Context,
): Result<KnownType, PresentationRefusal> {
  const knownTypes = credential.types.flatMap((typeIdentifier): readonly KnownType[] => {
    const type = context.typeOf(FORMAT, typeIdentifier)
    return type === undefined ? [] : [{ typeIdentifier, type }]
  })
  const type = knownTypes.find(({ typeIdentifier }) => requested.includes(typeIdentifier)) ?? knownTypes[0]
  return type === undefined ? err({ reason: 'unknown_credential_type' }) : ok(type)
}

/**
 * Returns a function that reads `credentialStatus` (VCDM 1.1 §4.9) and the `status` of the JWT (Token Status
 * List §6.2). If both are present, the function returns the worse result. Returns `undefined` if both are
 * absent.
 */
function statusReader({ jws, content }: SignedJwt): ReadStatus | undefined {
  const status = member(jws.payload, 'status')
  const credentialStatus = member(content, 'credentialStatus')
  const readToken = tokenStatus(status === undefined ? undefined : parseStatusClaim(status))
  if (credentialStatus === undefined) return readToken
  return async (context) => {
    const bitstring = await checkBitstringStatus(credentialStatus, context)
    return readToken === undefined ? bitstring : chooseWorse(await readToken(context), bitstring)
  }
}
