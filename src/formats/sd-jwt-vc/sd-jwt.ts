// Verification of an SD-JWT presentation by RFC 9901 §7.1 and §7.3, for any application of SD-JWT. The rules
// of the application are arguments: its `typ`, its trusted issuers, and the claims that must not be in
// disclosures.

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { type HashName, isHashName } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type {
  Context,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../verification/format.ts'
import { checkMissingProof, matchRequest } from '../verification/holder-proof.ts'
import { jwsRefusal } from '../verification/issuer-jwt.ts'
import { verifyIssuerSignature } from '../verification/issuer-signature.ts'
import { tracer } from '../verification/tracer.ts'
import { digestDisclosures } from './disclosures.ts'
import { verifyKeyBinding } from './key-binding.ts'
import { processPayload } from './processed-payload.ts'
import { type SdJwtParts, splitSdJwt } from './split.ts'

/** Rules of an application of SD-JWT. */
type SdJwtRules<Issuer extends { readonly keys: readonly PublicJwk[] }> = {
  /** Accepted values of `typ` in the issuer-signed JWT (RFC 9901 §9.11). */
  readonly typs: readonly string[]
  /** Top-level claims that must not be in disclosures, in whole or in part (RFC 9901 §9.7). */
  readonly clearClaims: ReadonlySet<string>
  /** Returns the issuers that may have signed a decoded, unverified JWT. Calls `trace` for its checks. */
  readonly resolveIssuer: (jws: DecodedJws) => Promise<Result<readonly Issuer[], PresentationRefusal>>
}

/** An SD-JWT whose issuer signature, disclosures and holder binding are verified. */
type VerifiedSdJwt<Issuer> = {
  readonly issuer: Issuer
  /** The Processed SD-JWT Payload (§7.1). */
  readonly claims: JsonObject
} & HolderBinding

/** Result of the check of holder binding. */
type HolderBinding = Required<Pick<VerifiedCredential, 'holderBound' | 'confirmed'>> & {
  readonly holderKey: PublicJwk | undefined
}

/**
 * Verifies a presentation step by step. Returns the refusal of the first failing step. Never throws for bad
 * input.
 */
export async function verifySdJwt<Issuer extends { readonly keys: readonly PublicJwk[] }>(
  presentation: Json,
  rules: SdJwtRules<Issuer>,
  expected: RequestBinding,
  context: Pick<Context, 'now' | 'trace' | 'acceptsHolderKeyId'>,
): Promise<Result<VerifiedSdJwt<Issuer>, PresentationRefusal>> {
  const traced = tracer(context.trace)
  const decoded = traced('structure', decodeSdJwt(presentation, rules.typs))
  if (!decoded.ok) return decoded
  const { parts, jws } = decoded.value
  const issuers = await rules.resolveIssuer(jws)
  if (!issuers.ok) return issuers
  const issuer = traced(
    'issuer_signature',
    await verifyIssuerSignature(issuers.value, (key) => verifyJws(jws, key)),
  ) // §7.1 step 2
  if (!issuer.ok) return issuer
  const opened = traced('disclosures', await openDisclosures(jws.payload, parts, rules.clearClaims))
  if (!opened.ok) return opened
  const { claims, hash } = opened.value
  const binding = await verifyHolderBinding({ parts, jws, hash }, expected, context)
  return binding.ok ? ok({ issuer: issuer.value, claims, ...binding.value }) : binding
}

type DecodedSdJwt = { readonly parts: SdJwtParts; readonly jws: DecodedJws }

function decodeSdJwt(presentation: Json, typs: readonly string[]): Result<DecodedSdJwt, PresentationRefusal> {
  const parts = splitSdJwt(presentation)
  if (!parts.ok) return parts
  const jws = decodeJws(parts.value.issuerJwt, SD_JWT.issuerJwt)
  if (!jws.ok) return err(jwsRefusal(jws.error, 'malformed_credential'))
  // Accepts only the exact text of `typ`. RFC 7515 §4.1.9 would also allow a prefix `application/` and other
  // letter cases. The formats built on SD-JWT name exact texts, as RFC 8725 §3.11 advises.
  const typ = member(jws.value.header, 'typ')
  if (typeof typ !== 'string' || !typs.includes(typ)) return err({ reason: 'wrong_token_type' })
  return ok({ parts: parts.value, jws: jws.value })
}

/** Decodes the disclosures and builds the processed payload (§7.1 steps 3 to 5). */
async function openDisclosures(
  payload: JsonObject,
  parts: SdJwtParts,
  clearClaims: ReadonlySet<string>,
): Promise<Result<{ readonly claims: JsonObject; readonly hash: HashName }, PresentationRefusal>> {
  const hash = parseHashName(payload)
  if (hash === undefined) return err({ reason: 'unsupported_hash_algorithm' })
  const disclosures = await digestDisclosures(parts.disclosures, hash)
  if (!disclosures.ok) return disclosures
  const claims = processPayload(payload, disclosures.value, clearClaims)
  return claims.ok ? ok({ claims: claims.value, hash }) : claims
}

/**
 * Returns the hash algorithm in `_sd_alg` at the top level (§4.1.1). Returns SHA-256 if `_sd_alg` is absent,
 * and `undefined` if the algorithm is not supported.
 */
function parseHashName(payload: JsonObject): HashName | undefined {
  const name = Object.hasOwn(payload, '_sd_alg') ? member(payload, '_sd_alg') : 'sha-256'
  return typeof name === 'string' && isHashName(name) ? name : undefined
}

/** Verifies the KB-JWT if it is present, even if the query does not require a proof (§7.3). */
async function verifyHolderBinding(
  { parts: { sdJwt, kbJwt }, jws, hash }: DecodedSdJwt & { readonly hash: HashName },
  expected: RequestBinding,
  { trace, ...context }: Pick<Context, 'now' | 'trace' | 'acceptsHolderKeyId'>,
): Promise<Result<HolderBinding, PresentationRefusal>> {
  if (kbJwt === undefined) {
    const missing = checkMissingProof(expected, trace)
    return missing.ok ? ok({ holderBound: false, holderKey: undefined, confirmed: [] }) : missing
  }
  const bound = { signedPayload: jws.payload, sdJwt, hash }
  const verified = await verifyKeyBinding(kbJwt, bound, { ...expected, ...context })
  const binding = tracer(trace)('holder_binding', verified)
  if (!binding.ok) return binding
  const matched = matchRequest(binding.value.claims, expected, trace)
  const { key: holderKey, confirmed } = binding.value
  return matched.ok ? ok({ holderBound: true, holderKey, confirmed }) : matched
}
