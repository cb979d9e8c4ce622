// One generation: one Authorization Request with its own id, nonce, state and response-encryption key
// (api/request). The session stores a generation encrypted. These types are the decrypted form, for code that
// builds requests or verifies responses.

import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import type { VerifierAttestation } from './verifier-info.ts'

/** Protocols (api/protocols). Only the protocols that `protocols/` registers are offered. */
export type ProtocolId =
  | 'openid4vp-1.0'
  | 'haip-1.0'
  | 'openid4vp-draft24'
  | 'openid4vp-draft18'
  | 'iso-18013-7-c'

/** Query language: DCQL (OpenID4VP 1.0 §6), or a presentation definition (DIF Presentation Exchange 2). */
export type QueryLanguage = 'dcql' | 'presentation_exchange'

/** HTTP methods for fetching the Request Object (§5.10). */
export const REQUEST_URI_METHODS = ['post', 'get'] as const
export type RequestUriMethod = (typeof REQUEST_URI_METHODS)[number]

/** Values of one Authorization Request. Its id, `nonce`, `state` and `kid` are URL-safe. */
export type Generation = {
  /** Last part of `request_uri`, which cannot be guessed. */
  readonly requestId: string
  /** 32 hexadecimal characters. */
  readonly nonce: string
  readonly state: string
  /** `kid` of the response-encryption key. */
  readonly kid: string
  readonly encryptionPublicJwk: PublicJwk
  /** Unix seconds. */
  readonly createdAt: number
}

/** The identity that signs requests, pinned for the lifetime of the session (api/verifier). */
export type VerifierIdentity = {
  /** Full Client Identifier, prefix included. */
  readonly clientId: string
  readonly proof: IdentityProof
  /** The private key (P-256) that signs requests. `proof` identifies this key to wallets. */
  readonly signingJwk: PrivateJwk
  /** Attestations of other parties about the verifier. */
  readonly verifierInfo?: readonly VerifierAttestation[]
  /** Metadata for Google Wallet in base64url. Only with `x509_hash`. */
  readonly googleMetadata?: string
  /** Further identities, which sign multi-signed requests beside this identity (A.3.2.2). */
  readonly further?: readonly FurtherIdentity[]
}

/** An identity that signs multi-signed requests only. */
export type FurtherIdentity = Omit<VerifierIdentity, 'further'>

/** JOSE header parameter that binds a Client Identifier to the signature (§5.9.3). */
export type IdentityProof =
  /** DER certificates, standard base64, leaf first, without the trust anchor. */
  | { readonly x5c: readonly string[] }
  /** DID URL of a verification method. */
  | { readonly kid: string }
  /** A Verifier Attestation JWT. */
  | { readonly jwt: string }
