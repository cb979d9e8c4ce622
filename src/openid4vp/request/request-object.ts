// The Request Object (OpenID4VP 1.0 §5, RFC 9101): every parameter of the Authorization Request, signed. It is built
// and signed anew for each fetch, from the same generation, so that repeated fetches agree and none is ever stale. What
// it asks, and how, is its protocol's own; here stands what all of them have in common.

import { CompactSign } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import type { JsonObject } from '../../codec/json.ts'
import type { ClientMetadataInput } from './client-metadata.ts'
import type { Generation, IdentityProof, QueryLanguage, VerifierIdentity } from './generation.ts'
import type { VerifierAttestation } from './verifier-info.ts'

/** What one Request Object is made from. Times are Unix seconds. */
export type RequestObjectInput = Omit<ClientMetadataInput, 'generation'> & {
  /** What the wallet is asked in. */
  readonly language: QueryLanguage
  /** As the protocol writes it. */
  readonly clientId: string
  /** Absolute https URL without a fragment (§8.2). */
  readonly responseUri: string
  readonly generation: Pick<Generation, 'nonce' | 'state' | 'kid' | 'encryptionPublicJwk'>
  /** As the wallet posted it, accepted by `isWalletNonce`; undefined where it posted none. */
  readonly walletNonce: string | undefined
  /** As it is sent; only for a protocol that carries it. */
  readonly transactionData?: readonly string[] | undefined
  /** Only for a protocol that carries it. */
  readonly verifierInfo?: readonly VerifierAttestation[] | undefined
  readonly now: number
  /** The end of the session. */
  readonly expiresAt: number
}

/** The parameters that mean the same in every protocol. */
export function buildCommonParameters(input: RequestObjectInput): JsonObject {
  const { clientId, responseUri, responseMode, generation, now, expiresAt } = input
  return {
    response_type: 'vp_token',
    response_mode: responseMode,
    client_id: clientId,
    response_uri: responseUri,
    nonce: generation.nonce,
    state: generation.state,
    // §5.8: the audience of static discovery, as nothing about the wallet is known before it fetches.
    aud: 'https://self-issued.me/v2',
    iat: now,
    exp: Math.min(now + LIFETIME_SECONDS, expiresAt),
  }
}

/** §5.10: `wallet_nonce` is echoed as received, and only where one was received. */
export function echoWalletNonce({ walletNonce }: RequestObjectInput): JsonObject {
  return walletNonce === undefined ? {} : { wallet_nonce: walletNonce }
}

/** The same request where nobody signs it: its parameters, without what is said of a JWT only. */
export function unsignedParameters({ aud, iat, exp, ...parameters }: JsonObject): JsonObject {
  return parameters
}

/** Signs the claims: ES256, with what proves the Client Identifier. Returns a compact JWS. */
export function signRequestObject(claims: JsonObject, identity: VerifierIdentity): Promise<string> {
  const { kty, crv, x, y = '', d } = identity.signingJwk
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({
      ...headerOf(identity.proof),
      alg: REQUEST_OBJECT_ALGORITHM,
      typ: REQUEST_OBJECT_TYPE,
      // ETSI TS 119 472-2: who tells a registration says in the header when it was told.
      ...(claims.verifier_info === undefined ? {} : { iat: claims.iat }),
    })
    .sign({ kty, crv, x, y, d })
}

/** The library's own type takes lists that may be written to. */
function headerOf(proof: IdentityProof) {
  return 'x5c' in proof ? { x5c: [...proof.x5c] } : proof
}

/**
 * Tells whether a `wallet_nonce` may be echoed. Wallets send any alphabet (base64 with `/`, `+` and `=` among them),
 * so only length and printability are checked (§5.10).
 */
export function isWalletNonce(text: string): boolean {
  return /^[\x20-\x7e]{1,512}$/.test(text)
}

/** §5: the `typ` without which wallets must not process it. */
export const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt'

/** The one signature algorithm (HAIP 1.0 §7). */
export const REQUEST_OBJECT_ALGORITHM = 'ES256'

/** Long enough for a person who reads before consenting, short enough that a leaked Request Object is soon useless. */
export const LIFETIME_SECONDS = 300
