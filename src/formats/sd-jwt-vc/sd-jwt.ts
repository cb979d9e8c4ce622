// A presentation of an SD-JWT verified as RFC 9901 §7.1 and §7.3 say, for any application of SD-JWT. What the
// application decides (its `typ`, whose signature counts, which claims are signed in the clear) are its rules.

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { type HashName, isHashName } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type DecodedJws, decodeJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ConfirmedTransactionData, Context, PresentationRefusal, RequestBinding } from '../format.ts'
import { JWS_REFUSALS, verifyIssuerSignature } from '../issuer-jwt.ts'
import { tracer } from '../tracer.ts'
import { digestDisclosures } from './disclosures.ts'
import { matchAudience, matchNonce, verifyKeyBinding } from './key-binding.ts'
import { processPayload } from './processed-payload.ts'
import { type SdJwtParts, splitSdJwt } from './split.ts'

/** What an application of SD-JWT decides. `Issuer` is what it knows of the issuer besides the keys. */
export type SdJwtRules<Issuer extends { readonly keys: readonly PublicJwk[] }> = {
  /** What `typ` the issuer-signed JWT may have (RFC 9901 §9.11). */
  readonly typs: readonly string[]
  /** Top-level claims that no disclosure may bring, in whole or in part (RFC 9901 §9.7). */
  readonly clearClaims: ReadonlySet<string>
  /** Finds who may have signed a decoded, still unverified JWT. Traces its own checks. */
  readonly resolveIssuer: (jws: DecodedJws) => Promise<Result<readonly Issuer[], PresentationRefusal>>
}

/** An SD-JWT whose issuer signature and disclosures have been verified, and its holder binding where there is one. */
export type VerifiedSdJwt<Issuer> = {
  readonly issuer: Issuer
  /** The Processed SD-JWT Payload (§7.1). */
  readonly claims: JsonObject
} & HolderBinding

/** What the KB-JWT proved. */
type HolderBinding = {
  readonly holderBound: boolean
  readonly confirmed: readonly ConfirmedTransactionData[]
}

/** Verifies a presentation step by step; the first failing step's reason is the result. Never throws for bad input. */
export async function verifySdJwt<Issuer extends { readonly keys: readonly PublicJwk[] }>(
  presentation: Json,
  rules: SdJwtRules<Issuer>,
  expected: RequestBinding,
  context: Pick<Context, 'now' | 'trace'>,
): Promise<Result<VerifiedSdJwt<Issuer>, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const decoded = traced('structure', decodeSdJwt(presentation, rules.typs))
  if (!decoded.ok) return decoded
  const { parts, jws } = decoded.value
  const issuers = await rules.resolveIssuer(jws)
  if (!issuers.ok) return issuers
  const issuer = traced('issuer_signature', await verifyIssuerSignature(jws, issuers.value)) // §7.1 step 2
  if (!issuer.ok) return issuer
  const opened = traced('disclosures', await openDisclosures(jws.payload, parts, rules.clearClaims))
  if (!opened.ok) return opened
  const { claims, hash } = opened.value
  const binding = await checkHolderBinding({ parts, jws, hash }, expected, context)
  return binding.ok ? ok({ issuer: issuer.value, claims, ...binding.value }) : binding
}

type DecodedSdJwt = { readonly parts: SdJwtParts; readonly jws: DecodedJws }

function decodeSdJwt(presentation: Json, typs: readonly string[]): Result<DecodedSdJwt, PresentationRefusal> {
  const parts = splitSdJwt(presentation)
  if (!parts.ok) return parts
  const jws = decodeJws(parts.value.issuerJwt, SD_JWT.issuerJwt)
  if (!jws.ok) return err(JWS_REFUSALS[jws.error])
  // One spelling only. RFC 7515 §4.1.9 lets an application read `application/x` and other letter cases as `x`; the
  // formats built on SD-JWT name a single value, and what RFC 8725 §3.11 tells apart should have a single name.
  const typ = member(jws.value.header, 'typ')
  if (typeof typ !== 'string' || !typs.includes(typ)) return err({ reason: 'wrong_token_type' })
  return ok({ parts: parts.value, jws: jws.value })
}

/** §7.1 steps 3 to 5. */
async function openDisclosures(
  payload: JsonObject,
  parts: SdJwtParts,
  clearClaims: ReadonlySet<string>,
): Promise<Result<{ readonly claims: JsonObject; readonly hash: HashName }, PresentationRefusal>> {
  const hash = hashOf(payload)
  if (hash === undefined) return err({ reason: 'unsupported_hash_algorithm' })
  const disclosures = await digestDisclosures(parts.disclosures, hash)
  if (!disclosures.ok) return disclosures
  const claims = processPayload(payload, disclosures.value, clearClaims)
  return claims.ok ? ok({ claims: claims.value, hash }) : claims
}

/** `_sd_alg` (§4.1.1), which nothing but the payload's own top level can say. */
function hashOf(payload: JsonObject): HashName | undefined {
  const name = Object.hasOwn(payload, '_sd_alg') ? member(payload, '_sd_alg') : 'sha-256'
  return typeof name === 'string' && isHashName(name) ? name : undefined
}

/** §7.3: required by our policy or not; but a proof that does arrive is never passed over. */
async function checkHolderBinding(
  bound: DecodedSdJwt & { readonly hash: HashName },
  expected: RequestBinding,
  { now, trace }: Pick<Context, 'now' | 'trace'>,
): Promise<Result<HolderBinding, PresentationRefusal>> {
  const { sdJwt, kbJwt } = bound.parts
  const traced = tracer(trace)
  if (kbJwt === undefined && expected.holderBinding) {
    return traced('holder_binding', err({ reason: 'holder_binding_missing' }))
  }
  if (kbJwt === undefined) {
    for (const check of ['holder_binding', 'nonce', 'audience'] as const) trace(check, 'skip')
    return ok({ holderBound: false, confirmed: [] })
  }
  const subject = { signedPayload: bound.jws.payload, sdJwt, hash: bound.hash }
  const binding = traced('holder_binding', await verifyKeyBinding(kbJwt, subject, { ...expected, now }))
  if (!binding.ok) return binding
  const nonce = traced('nonce', matchNonce(binding.value, expected))
  if (!nonce.ok) return nonce
  const audience = traced('audience', matchAudience(binding.value, expected))
  return audience.ok ? ok({ holderBound: true, confirmed: binding.value.confirmed }) : audience
}
