// Proofs of possession of a key (DPoP, RFC 9449). A proof is a JWT that the client signs for one request. The
// tokens that the request gets are bound to the key of the proof.

import * as z from 'zod/mini'
import { publicJwk } from '../../api/oidc-clients.ts'
import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { canonicalJson } from '../../codec/canonical-json.ts'
import { member, parseJsonObject } from '../../codec/json.ts'
import { sha256 } from '../../crypto/digest.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { err, ok, type Result } from '../../result.ts'
import { hashSecret } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { openSigned } from './clients/client-assertion.ts'
import type { OidcError } from './responses.ts'

/** Longest age of a proof, and longest time by which its `iat` may be in the future, both in seconds. */
const MAXIMUM_AGE = 60
const CLOCK_SKEW = 10

/** Errors of a proof. */
export type ProofError = Extract<OidcError, `proof_${string}`>

/** A valid proof. `jkt`: SHA-256 thumbprint of its key (RFC 7638). `expiresAt`: Unix milliseconds. */
export type Proof = { readonly jkt: string; readonly jti: string; readonly expiresAt: number }

const CLAIMS = z.object({
  htm: z.string(),
  htu: z.string(),
  iat: z.number(),
  jti: z.string().check(z.minLength(1), z.maxLength(255)),
  ath: z.exactOptional(z.string()),
})

/**
 * Returns the proof of a request; null if the request has no proof. `endpoint`: the address of the request.
 * `ath`: SHA-256 of the access token of the request, in base64url; `undefined` if the request has none. Makes
 * the checks of RFC 9449 §4.3, except the check of `jti`. Call `useProof` for this check.
 */
export async function readProof(
  c: AppContext,
  endpoint: string,
  ath?: string,
): Promise<Result<Proof | null, ProofError>> {
  // Several headers arrive as one text with commas, which is no JWT.
  const text = c.req.header('DPoP')
  if (text === undefined) return ok(null)
  const opened = await openProof(text)
  if (opened === undefined) return err('proof_malformed')
  const { claims, jkt } = opened
  if (claims.htm !== c.req.method || !isAddress(claims.htu, endpoint)) return err('proof_target')
  const age = Date.now() / 1000 - claims.iat
  if (age >= MAXIMUM_AGE || age < -CLOCK_SKEW) return err('proof_time')
  if (ath !== undefined && claims.ath !== ath) return err('proof_token')
  return ok({ jkt, jti: claims.jti, expiresAt: Math.ceil((claims.iat + MAXIMUM_AGE) * 1000) })
}

/**
 * Stores the `jti` of a proof, so that the proof cannot be used again. Returns an error if the proof was used
 * before. `unavailable`: the service cannot check if it was used before. Call this function after the other
 * checks of the client and of the request, so that only a client can store a `jti`.
 */
export async function useProof(
  { env }: AppContext,
  { jkt, jti, expiresAt }: Proof,
  { relyingPartyId, isAuthenticated }: { readonly relyingPartyId: string; readonly isAuthenticated: boolean },
): Promise<ProofError | 'unavailable' | undefined> {
  const name = `dpop/${await hashSecret(`${jkt} ${jti}`)}`
  const stored = await relyingPartyStub(env, relyingPartyId)?.storeOnce(name, '', {
    isAuthenticated,
    expiresAt,
  })
  if (stored?.ok) return undefined
  if (stored?.error === 'known') return 'proof_used'
  return stored?.error === 'expired' ? 'proof_time' : 'unavailable'
}

/**
 * Returns the claims of a proof, and the thumbprint of the key in its header. Returns `undefined` if the
 * proof is malformed, or if this key did not sign it.
 */
async function openProof(text: string) {
  if (text.length > OIDC_REQUEST.assertion.length) return undefined
  const header = parseJsonObject(decodeBase64url(text.split('.')[0] ?? ''), OIDC_REQUEST.assertion)
  if (!header.ok || member(header.value, 'typ') !== 'dpop+jwt') return undefined
  const key = publicJwk.safeParse(member(header.value, 'jwk')).data
  if (key === undefined) return undefined
  const { use: _, alg: __, kid: ___, ...members } = key
  // FAPI 2.0 §5.4.1 allows no RS256.
  const signed = await openSigned(text, members, [key.kty === 'EC' ? 'ES256' : 'PS256'])
  const { data: claims } = CLAIMS.safeParse(signed)
  return claims && { claims, jkt: encodeBase64url(await sha256(utf8(canonicalJson(members)))) }
}

/**
 * Returns true if `htu` is the address of the endpoint. The comparison uses the normalized `htu` without its
 * query and fragment (RFC 9449 §4.3).
 */
function isAddress(htu: string, endpoint: string): boolean {
  if (!URL.canParse(htu)) return false
  const { origin, pathname } = new URL(htu)
  return origin + pathname === endpoint
}
