// The Request Object (OpenID4VP 1.0 §5, RFC 9101): every parameter of the Authorization Request, signed. For
// each fetch, the Request Object is built and signed again from the same stored values (`Generation`). So
// every fetch returns the same nonce, `state` and encryption key, but new times. This module has the parts
// that are common to all protocols.

import { CompactSign, FlattenedSign } from 'jose'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { JsonObject } from '../../codec/json.ts'
import { jwkThumbprint } from '../../crypto/jwk.ts'
import { importSigningKey } from '../../crypto/sign-jwt.ts'
import type { ClientMetadataInput } from './client-metadata.ts'
import type {
  FurtherIdentity,
  Generation,
  IdentityProof,
  QueryLanguage,
  VerifierIdentity,
} from './generation.ts'
import type { VerifierAttestation } from './verifier-info.ts'

/** Input of one Request Object. Times are Unix seconds. */
export type RequestObjectInput = Omit<ClientMetadataInput, 'generation'> & {
  /** Language of the query. */
  readonly language: QueryLanguage
  /** Client Identifier as the protocol writes it. */
  readonly clientId: string
  /** Absolute https URL without a fragment (§8.2). */
  readonly responseUri: string
  readonly generation: Pick<Generation, 'nonce' | 'state' | 'kid' | 'encryptionPublicJwk'>
  /** Nonce that the wallet posted, accepted by `isWalletNonce`; undefined if the wallet posted none. */
  readonly walletNonce: string | undefined
  /** Texts of `transaction_data` as they are sent. Only for a protocol that supports transaction data. */
  readonly transactionData?: readonly string[] | undefined
  /** Attestations of the verifier. Only for a protocol that supports `verifier_info`. */
  readonly verifierInfo?: readonly VerifierAttestation[] | undefined
  readonly now: number
  /** The end of the session. */
  readonly expiresAt: number
}

/** Builds the parameters that are the same in every protocol. */
export function buildCommonParameters(input: RequestObjectInput): JsonObject {
  const { clientId, responseUri, responseMode, generation, now, expiresAt } = input
  return {
    response_type: 'vp_token',
    response_mode: responseMode,
    client_id: clientId,
    response_uri: responseUri,
    nonce: generation.nonce,
    state: generation.state,
    // §5.8: `aud` of static discovery, because the wallet is unknown before it fetches the request.
    aud: 'https://self-issued.me/v2',
    iat: now,
    exp: Math.min(now + LIFETIME_SECONDS, expiresAt),
  }
}

/** Returns `wallet_nonce` as it was received; no member if the wallet sent none (§5.10). */
export function echoWalletNonce({ walletNonce }: RequestObjectInput): JsonObject {
  return walletNonce === undefined ? {} : { wallet_nonce: walletNonce }
}

/** Returns the parameters of an unsigned request, without the claims that only a JWT has. */
export function unsignedParameters({ aud, iat, exp, ...parameters }: JsonObject): JsonObject {
  return parameters
}

/**
 * Signs the claims with ES256 and the proof of the Client Identifier. If the claims have `iss`, the header
 * also names the key with `kid`, its thumbprint (RFC 7638). Returns a compact JWS.
 */
export async function signRequestObject(claims: JsonObject, identity: VerifierIdentity): Promise<string> {
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({
      // A wallet that needs `iss` also needs `kid`.
      ...(claims.iss !== undefined && { kid: encodeBase64url(await jwkThumbprint(identity.signingJwk)) }),
      ...buildHeader(identity.proof),
      alg: REQUEST_OBJECT_ALGORITHM,
      typ: REQUEST_OBJECT_TYPE,
      // ETSI TS 119 472-2: a request with a registration has `iat` in the header.
      ...(claims.verifier_info === undefined ? {} : { iat: claims.iat }),
    })
    .sign(await importSigningKey(identity.signingJwk))
}

/** A JWS with several signatures over one payload (RFC 7515 §7.2.1). All texts in it are base64url. */
export type MultiSignedRequest = {
  readonly payload: string
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[]
}

/**
 * Signs one payload with the key of each identity, with ES256 (OpenID4VP 1.0 A.3.2.2). Members that belong to
 * one identity are in the protected header of its signature, and not in the payload. Pass claims without
 * `client_id` and without `verifier_info`.
 */
export async function signForIdentities(
  claims: JsonObject,
  identities: readonly FurtherIdentity[],
): Promise<MultiSignedRequest> {
  const payload = utf8(JSON.stringify(claims))
  const signed = await Promise.all(
    identities.map(async ({ clientId, proof, signingJwk, verifierInfo }) =>
      new FlattenedSign(payload)
        .setProtectedHeader({
          ...buildHeader(proof),
          alg: REQUEST_OBJECT_ALGORITHM,
          typ: REQUEST_OBJECT_TYPE,
          client_id: clientId,
          // With a registration, the header has `iat`, as in a request with one signature.
          ...(verifierInfo && { verifier_info: verifierInfo, iat: claims.iat }),
        })
        .sign(await importSigningKey(signingJwk)),
    ),
  )
  const signatures = signed.map(({ protected: header = '', signature }) => ({ protected: header, signature }))
  return { payload: encodeBase64url(payload), signatures }
}

/**
 * Returns the header parameters. Copies `x5c`, because the type of the library requires a mutable list.
 */
function buildHeader(proof: IdentityProof) {
  return 'x5c' in proof ? { x5c: [...proof.x5c] } : proof
}

/**
 * True if a `wallet_nonce` may be echoed. Wallets use any alphabet, such as base64 with `/`, `+` and `=`, so
 * only length and printable characters are checked (§5.10).
 */
export function isWalletNonce(text: string): boolean {
  return WALLET_NONCE.test(text)
}

export const WALLET_NONCE = /^[\x20-\x7e]{1,512}$/

/** §5: the `typ` that wallets require. */
export const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt'

/** The only signature algorithm (HAIP 1.0 §7). */
export const REQUEST_OBJECT_ALGORITHM = 'ES256'

/**
 * Lifetime of a Request Object in seconds. A person has time to read the wallet's screens, and a leaked
 * object expires soon.
 */
export const LIFETIME_SECONDS = 300
