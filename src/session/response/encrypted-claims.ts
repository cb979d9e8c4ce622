// Claim values leave the service only encrypted to the relying party (api/result). They are a compact JWE
// around a JWS by our published keys. So the reader knows that only they can read the claims, and that this
// service verified them.

import { CompactEncrypt } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import type { Decision } from '../../policy/policy.ts'
import type { SessionDocument } from '../document/document.ts'

/**
 * Most bytes of JSON that are encrypted. A response of 1 MiB has fewer. But a value under several scopes can
 * exceed what the session's document can hold (2 MiB). So can numbers that JSON writes longer than they came.
 */
const CLAIMS_LIMIT = 850_000

/**
 * Encrypts the requested claims of the verified credentials (ECDH-ES, A256GCM; JWS ES256 inside). Returns
 * null without a key or a success, or if they are too large to store: then the outcome is stored without
 * them.
 */
export async function encryptClaims(
  decision: Decision,
  { request, relying_party_id, verification_id }: SessionDocument,
  { config, now }: { readonly config: Config; readonly now: number },
): Promise<string | null> {
  const recipient = request.claims_encryption_jwk
  if (recipient === null || decision.status !== 'verified') return null
  const credentials = credentialsOf(decision)
  if (utf8(JSON.stringify(credentials)).length > CLAIMS_LIMIT) return null
  const envelope = { iss: config.baseUrl, aud: relying_party_id, iat: Math.floor(now / 1000) }
  const claims = { ...envelope, verification_id, credentials }
  const jws = await signJwt(claims, 'verification-claims+jwt', config.accessTokenKeys.keys[0])
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' }
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader(recipient.kid === undefined ? header : { ...header, kid: recipient.kid })
    .encrypt(recipient)
}

function credentialsOf(decision: Decision) {
  return decision.credentials.map(({ id, credential_type, format, issuer }, index) => ({
    id,
    credential_type,
    format,
    issuer,
    // By position, not by id: several credentials may satisfy one query.
    claims: decision.claims[index]?.claims ?? {},
  }))
}
