// Encryption of the claims in a result (api/result). A compact JWE for the relying party contains a JWS,
// which is signed with our published key. So only the relying party can read the claims, and the relying
// party can check that this service verified them.

import { CompactEncrypt } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import type { Decision } from '../../policy/policy.ts'
import type { SessionDocument } from '../document/document.ts'

/**
 * Limit of the claims that are encrypted, in bytes of JSON. The document of a session can contain nearly 2
 * MiB. A response has at most 1 MiB, and its claims are usually below the limit. The claims exceed the limit
 * only if several scopes repeat a value, or if numbers are longer in JSON than in the response.
 */
const CLAIMS_LIMIT = 850_000

/**
 * Encrypts the requested claims of the verified credentials (ECDH-ES, A256GCM; JWS ES256 inside). Returns
 * null if there is no key, the decision is not a success, or the claims exceed the limit. The outcome is then
 * stored without claims.
 */
export async function encryptClaims(
  decision: Decision,
  { request, relying_party_id, verification_id }: SessionDocument,
  { config, now }: { readonly config: Pick<Config, 'baseUrl' | 'accessTokenKeys'>; readonly now: number },
): Promise<string | null> {
  const recipient = request.claims_encryption_jwk
  if (recipient === null || decision.status !== 'verified') return null
  const credentials = listCredentials(decision)
  if (utf8(JSON.stringify(credentials)).length > CLAIMS_LIMIT) return null
  const envelope = { iss: config.baseUrl, aud: relying_party_id, iat: Math.floor(now / 1000) }
  const claims = { ...envelope, verification_id, credentials }
  const jws = await signJwt(claims, 'verification-claims+jwt', config.accessTokenKeys.keys[0])
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' }
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader(recipient.kid === undefined ? header : { ...header, kid: recipient.kid })
    .encrypt(recipient)
}

function listCredentials(decision: Decision) {
  return decision.credentials.map(({ id, credential_type, format, issuer }, index) => ({
    id,
    credential_type,
    format,
    issuer,
    // The claims of a credential are found by its position and not by the query id, because several
    // credentials may satisfy one query.
    claims: decision.claims[index]?.claims ?? {},
  }))
}
