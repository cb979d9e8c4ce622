// Claim values leave the service only encrypted to the relying party (CONTRACT 4): a compact JWE around a JWS that our published
// keys sign, so that the reader knows both that nobody else read them and that we vouched for them.

import { CompactEncrypt, importJWK, SignJWT } from 'jose'
import { utf8 } from '../codec/bytes.ts'
import type { SigningJwk } from '../config.ts'
import type { Decision } from '../policy/policy.ts'
import type { ClaimsEncryptionJwk } from '../relying-party/settings.ts'

/** What the envelope says beside the claims. `now` in Unix seconds. */
export type ClaimsEnvelope = {
  readonly issuer: string
  readonly audience: string
  readonly verificationId: string
  readonly now: number
  readonly signingJwk: SigningJwk
  readonly recipient: ClaimsEncryptionJwk
}

/** Encrypts the requested claims of the verified credentials (ECDH-ES, A256GCM; JWS ES256 inside). */
export async function encryptClaims(decision: Decision, envelope: ClaimsEnvelope): Promise<string> {
  const { kid } = envelope.signingJwk
  const jws = await new SignJWT({
    verification_id: envelope.verificationId,
    credentials: credentialsOf(decision),
  })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
    .setIssuer(envelope.issuer)
    .setAudience(envelope.audience)
    .setIssuedAt(envelope.now)
    .sign(await importJWK({ ...envelope.signingJwk }, 'ES256'))
  const recipient = envelope.recipient
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' }
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader(recipient.kid === undefined ? header : { ...header, kid: recipient.kid })
    .encrypt(await importJWK({ ...recipient }, 'ECDH-ES'))
}

function credentialsOf(decision: Decision) {
  return decision.credentials.map(({ id, credential_type, format, issuer }) => ({
    id,
    credential_type,
    format,
    issuer,
    claims: decision.claims.find((entry) => entry.id === id)?.claims ?? {},
  }))
}
