// Verifies an SD-JWT VC (draft-ietf-oauth-sd-jwt-vc) as OpenID4VP 1.0 B.3 presents it. The SD-JWT must have a
// known type and a trusted issuer, and be valid now.

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import type { DecodedJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import { parseStatusClaim } from '../../trust/status/status-list.ts'
import { completeVerification, tokenStatus } from '../verification/complete-verification.ts'
import type {
  Context,
  CredentialType,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../verification/format.ts'
import { resolveJwtIssuer } from '../verification/issuer-jwt.ts'
import { checkValidity } from '../verification/jwt-validity.ts'
import { tracer } from '../verification/tracer.ts'
import { verifySdJwt } from './sd-jwt.ts'

/** Credential Format Identifier (OpenID4VP 1.0 B.3.1), which is also the `typ` (SD-JWT VC §2.2.1). */
export const FORMAT = 'dc+sd-jwt'

/** SD-JWT VC §2.2.2.3: claims that must not be in disclosures, in whole or in part. */
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
  const { issuer, claims, confirmed, ...holder } = verified.value
  // A `status` claim must refer to a status list. CLEAR_CLAIMS forbids this claim in disclosures.
  const status = member(claims, 'status')
  const checked = {
    format: FORMAT,
    typeIdentifier: issuer.vct,
    type: issuer.type,
    issuer,
    claims,
    ...holder,
    ...(expected.transactionData === undefined ? {} : { confirmed }),
    readStatus: tokenStatus(status === undefined ? undefined : parseStatusClaim(status)),
  }
  const validity = checkValidity(claims, { ...context, audience: expected.audience })
  return completeVerification(checked, validity, context)
}

type KnownType = { readonly vct: string; readonly type: CredentialType }

/**
 * Finds the type first and then the signers, because an anchor is trusted only for certain types. `vct` and
 * `iss` come from the unverified payload, and prove nothing.
 */
async function resolveIssuer(
  jws: DecodedJws,
  context: Context,
): Promise<Result<readonly (TrustedSigner & KnownType)[], PresentationRefusal>> {
  const traced = tracer(context.trace)
  const knownType = traced('type', findType(jws.payload, context))
  if (!knownType.ok) return knownType
  const iss = member(jws.payload, 'iss')
  const isText = iss === undefined || typeof iss === 'string'
  const signers = traced(
    'issuer_trust',
    isText
      ? await resolveJwtIssuer(jws, iss, knownType.value.type, context)
      : err<PresentationRefusal>({ reason: 'invalid_claim', claim: 'iss' }),
  )
  return signers.ok ? ok(signers.value.map((signer) => ({ ...signer, ...knownType.value }))) : signers
}

/**
 * Returns the type that the required `vct` names (SD-JWT VC §2.2.2.1). Ignores `aka_vcts`, because an issuer
 * must not choose the types for which it is trusted.
 */
function findType(payload: JsonObject, context: Context): Result<KnownType, PresentationRefusal> {
  const vct = member(payload, 'vct')
  if (typeof vct !== 'string' || vct === '') return err({ reason: 'invalid_claim', claim: 'vct' })
  const type = context.typeOf(FORMAT, vct)
  return type === undefined ? err({ reason: 'unknown_credential_type' }) : ok({ vct, type })
}
