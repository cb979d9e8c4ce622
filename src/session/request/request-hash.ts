// Hash of a request, as the receipt contains it (api/receipt). A wallet or an auditor can compute the same
// hash from the claims of the Request Object. The three claims that differ with each fetch are left out.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { canonicalJson } from '../../codec/canonical-json.ts'
import type { Json, JsonObject } from '../../codec/json.ts'
import { sha256 } from '../../crypto/digest.ts'
import { buildDcApiClaims, buildDcApiParameters } from '../../openid4vp/dc-api.ts'
import type { Generation } from '../../openid4vp/request/generation.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import { passesByValue, requireClientId } from '../document/stored-verifier.ts'
import { openGeneration } from './generation-keys.ts'
import { dcApiRequestInput, requestClaims } from './requests.ts'
import { buildTerms, type RequestTerms } from './terms.ts'

/**
 * Returns the hash of a generation's request. For the Digital Credentials API, the hash covers the claims of
 * the signed request if there is one, and else the parameters of the unsigned request.
 */
export async function requestHash(
  document: SessionDocument,
  stored: StoredGeneration,
  baseUrl: string,
): Promise<string> {
  return hashJson(await unsignedRequest(document, stored, baseUrl))
}

/** Returns the members of a generation's request that the hash covers. */
export async function unsignedRequest(
  document: SessionDocument,
  stored: StoredGeneration,
  baseUrl: string,
): Promise<JsonObject> {
  const generation = await openGeneration(document, stored)
  return withoutFetch(buildClaims(buildTerms(document, stored), stored, { generation, baseUrl }))
}

function buildClaims(
  terms: RequestTerms,
  { origin, created_at: now }: StoredGeneration,
  { generation, baseUrl }: { readonly generation: Generation; readonly baseUrl: string },
): JsonObject {
  if (origin === undefined) return requestClaims(terms, generation, undefined, { baseUrl, now })
  const input = dcApiRequestInput(terms, generation, { origin, now })
  return passesByValue(terms) ? buildDcApiParameters(input) : buildDcApiClaims(input, requireClientId(terms))
}

/** Returns the SHA-256 of the canonical JSON (RFC 8785), base64url. */
export async function hashJson(value: Json): Promise<string> {
  return encodeBase64url(await sha256(utf8(canonicalJson(value))))
}

function withoutFetch({ iat, exp, wallet_nonce, ...claims }: JsonObject): JsonObject {
  return claims
}
