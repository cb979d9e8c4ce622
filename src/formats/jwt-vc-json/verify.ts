// A W3C Verifiable Credential as a JWT without JSON-LD (OpenID4VP 1.0 B.1.3.1; VCDM 1.1 §6.3.1): of a type we know, signed by
// an issuer an anchor vouches for, presented by its holder, and valid now.

import { type Json, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { resolveSigner } from '../../trust/anchors/resolve-signer.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import { checkBitstringStatus, worseOf } from '../../trust/status/bitstring-status-list.ts'
import { parseStatusClaim } from '../../trust/status/status-list.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../format.ts'
import { readSigner, verifyIssuerSignature } from '../issuer-jwt.ts'
import { checkRevocation, listedStatus, type ReadStatus, statusContext } from '../revocation.ts'
import { checkValidity } from '../sd-jwt-vc/validity.ts'
import { tracer } from '../tracer.ts'
import { type Credential, readCredential } from './credential.ts'
import { verifyHolderBinding } from './holder-binding.ts'
import { type DecodedPresentation, decodePresentation, type SignedJwt } from './presentation.ts'

/** The Credential Format Identifier (OpenID4VP 1.0 B.1.3.1.1). */
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
  const type = traced('type', typeOf(credential, expected, context))
  if (!type.ok) return type
  const issuer = await verifyIssuer(parts.credential, credential, type.value.credentialType, context)
  if (!issuer.ok) return issuer
  context.trace('disclosures', 'skip')
  const holderBound = await verifyHolderBinding(parts, credential, expected, context)
  if (!holderBound.ok) return holderBound
  const findings = checkValidity(credential.validity, { now: context.now, audience: expected.audience })
  context.trace('validity', findings.ok && findings.value.length === 0 ? 'pass' : 'fail')
  if (!findings.ok) return findings
  const read = statusReader(
    parts.credential,
    { type: type.value.credentialType, anchor: issuer.value.anchor },
    context,
  )
  const standing = await checkRevocation({ issuer: issuer.value, read }, findings.value, context)
  if (!standing.ok) return standing
  return ok({
    format: FORMAT,
    typeIdentifier: type.value.identifier,
    credentialType: type.value.credentialType.name,
    issuer: issuer.value.issuer,
    anchor: issuer.value.anchor,
    authorityKeyIdentifiers: issuer.value.authorityKeyIdentifiers,
    claims: credential.root,
    holderBound: holderBound.value,
    ...standing.value,
  })
}

type Decoded = { readonly parts: DecodedPresentation; readonly credential: Credential }

function decode(presentation: Json): Result<Decoded, PresentationRefusal> {
  const parts = decodePresentation(presentation)
  if (!parts.ok) return parts
  const credential = readCredential(parts.value.credential)
  return credential.ok ? ok({ parts: parts.value, credential: credential.value }) : credential
}

type KnownType = { readonly identifier: string; readonly credentialType: CredentialType }

/** A credential may have several types we know: the one that was asked for decides whom to trust, else the first. */
function typeOf(
  { types }: Credential,
  { types: asked = [] }: RequestBinding,
  context: Context,
): Result<KnownType, PresentationRefusal> {
  const known = types.flatMap((identifier): readonly KnownType[] => {
    const credentialType = context.typeOf(FORMAT, identifier)
    return credentialType === undefined ? [] : [{ identifier, credentialType }]
  })
  const type = known.find(({ identifier }) => asked.includes(identifier)) ?? known[0]
  return type === undefined ? err({ reason: 'unknown_credential_type' }) : ok(type)
}

async function verifyIssuer(
  { jws }: SignedJwt,
  { issuer }: Credential,
  credentialType: CredentialType,
  context: Context,
): Promise<Result<TrustedSigner, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const claims = readSigner(jws, issuer)
  const { now, anchors, fetchResource } = context
  const trust = { now, anchors, fetchResource, credentialType, purpose: 'issuer' } as const
  const signers = traced('issuer_trust', claims.ok ? await resolveSigner(claims.value, trust) : claims)
  if (!signers.ok) return signers
  return traced('issuer_signature', await verifyIssuerSignature(jws, signers.value))
}

/** VCDM 1.1 §4.9 `credentialStatus`, or the `status` of any JWT (Token Status List §6.2). An issuer that names both means both. */
function statusReader(
  { jws, content }: SignedJwt,
  { type, anchor }: { readonly type: CredentialType; readonly anchor: TrustedSigner['anchor'] },
  context: Context,
): ReadStatus | undefined {
  const status = member(jws.payload, 'status')
  const credentialStatus = member(content, 'credentialStatus')
  const listed =
    status === undefined ? undefined : listedStatus(parseStatusClaim(status), { type, anchor }, context)
  if (credentialStatus === undefined) return listed
  return async () => {
    const found = await checkBitstringStatus(credentialStatus, statusContext({ type, anchor }, context))
    return listed === undefined ? found : worseOf(await listed(), found)
  }
}
