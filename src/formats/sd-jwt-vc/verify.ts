// SD-JWT VC (draft-ietf-oauth-sd-jwt-vc) as OpenID4VP 1.0 B.3 presents it: an SD-JWT whose type we know, whose issuer an
// anchor vouches for, and which is valid now.

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import type { DecodedJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import { resolveSigner } from '../../trust/anchors/resolve-signer.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import { parseStatusClaim } from '../../trust/status/status-list.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../format.ts'
import { readSigner } from '../issuer-jwt.ts'
import { checkRevocation, listedStatus, type ReadStatus } from '../revocation.ts'
import { tracer } from '../tracer.ts'
import { verifySdJwt } from './sd-jwt.ts'
import { checkValidity } from './validity.ts'

/** The Credential Format Identifier (OpenID4VP 1.0 B.3.1), which is also the `typ` (SD-JWT VC §2.2.1). */
export const FORMAT = 'dc+sd-jwt'

/** SD-JWT VC §2.2.2.3: these, with all they contain, must not be in disclosures. `sub` and `iat` may. */
export const CLEAR_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'status',
])

/** Verifies one presentation (the `verify` of `CredentialFormat`). */
export async function verifySdJwtVc(
  presentation: Json,
  expected: RequestBinding,
  context: Context,
  typs: readonly string[] = [FORMAT],
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  const rules = {
    typs,
    clearClaims: CLEAR_CLAIMS,
    resolveIssuer: (jws: DecodedJws) => resolveIssuer(jws, context),
  }
  const verified = await verifySdJwt(presentation, rules, expected, context)
  if (!verified.ok) return verified
  const { issuer, claims, holderBound, confirmed } = verified.value
  const findings = checkValidity(claims, { now: context.now, audience: expected.audience })
  context.trace('validity', findings.ok && findings.value.length === 0 ? 'pass' : 'fail')
  if (!findings.ok) return findings
  const standing = await checkRevocation(
    { issuer, read: statusReader(claims, issuer, context) },
    findings.value,
    context,
  )
  if (!standing.ok) return standing
  return ok({
    format: FORMAT,
    typeIdentifier: issuer.vct,
    credentialType: issuer.credentialType.name,
    issuer: issuer.issuer,
    anchor: issuer.anchor,
    authorityKeyIdentifiers: issuer.authorityKeyIdentifiers,
    claims,
    holderBound,
    ...(expected.transactionData === undefined ? {} : { confirmed }),
    ...standing.value,
  })
}

type Issuer = TrustedSigner & { readonly vct: string; readonly credentialType: CredentialType }

/** The type first: anchors vouch for types. Both come from the unverified payload and select; they prove nothing yet. */
async function resolveIssuer(
  jws: DecodedJws,
  context: Context,
): Promise<Result<readonly Issuer[], PresentationRefusal>> {
  const traced = tracer(context.trace)
  const type = traced('type', typeOf(jws.payload, context))
  if (!type.ok) return type
  const signers = traced('issuer_trust', await trustedSigners(jws, type.value.credentialType, context))
  return signers.ok ? ok(signers.value.map((signer) => ({ ...signer, ...type.value }))) : signers
}

/** SD-JWT VC §2.2.2.1: `vct` is required. `aka_vcts` is not read: it would let an issuer choose what he is trusted for. */
function typeOf(
  payload: JsonObject,
  context: Context,
): Result<{ readonly vct: string; readonly credentialType: CredentialType }, PresentationRefusal> {
  const vct = member(payload, 'vct')
  if (typeof vct !== 'string' || vct === '') return err({ reason: 'invalid_claim', claim: 'vct' })
  const credentialType = context.typeOf(FORMAT, vct)
  return credentialType === undefined
    ? err({ reason: 'unknown_credential_type' })
    : ok({ vct, credentialType })
}

async function trustedSigners(
  jws: DecodedJws,
  credentialType: CredentialType,
  context: Context,
): Promise<Result<readonly TrustedSigner[], PresentationRefusal>> {
  const iss = member(jws.payload, 'iss')
  if (iss !== undefined && typeof iss !== 'string') return err({ reason: 'invalid_claim', claim: 'iss' })
  const claims = readSigner(jws, iss)
  if (!claims.ok) return claims
  const { now, anchors, fetchResource } = context
  return resolveSigner(claims.value, { now, anchors, fetchResource, credentialType, purpose: 'issuer' })
}

/** A `status` of whatever shape says that there is one to check. It is the issuer's own: no disclosure brings it. */
function statusReader(claims: JsonObject, issuer: Issuer, context: Context): ReadStatus | undefined {
  const status = member(claims, 'status')
  if (status === undefined) return undefined
  const { credentialType: type, anchor } = issuer
  return listedStatus(parseStatusClaim(status), { type, anchor }, context)
}
