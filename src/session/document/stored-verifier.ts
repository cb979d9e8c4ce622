// The identity of the verifier in the requests of a session, and the wallets that were chosen.

import type { DcApiProtocol } from '../../openid4vp/dc-api.ts'
import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import type { IdentityProof } from '../../openid4vp/request/generation.ts'
import type { VerifierAttestation } from '../../openid4vp/request/verifier-info.ts'
import type { StoredRequest } from './stored-request.ts'

/** The verifier's identity, pinned at creation: a renewed certificate does not change a running session. */
export type StoredVerifier =
  | (IdentityProof & {
      readonly client_id: string
      readonly sealed_signing_jwk: string
      readonly verifier_info?: readonly VerifierAttestation[]
      /** Metadata for Google Wallet in base64url. */
      readonly google_metadata?: string
      /** Further identities of multi-signed requests. Absent: none. */
      readonly further?: readonly StoredFurther[]
    })
  /**
   * Verifier of unsigned requests, without a registration. `client_id` contains the Response URI, or is
   * `null`. If it is `null`, the origin of the page identifies the verifier.
   */
  | {
      readonly client_id: string | null
      readonly sealed_signing_jwk: null
      readonly verifier_info?: never
      readonly google_metadata?: never
      readonly further?: never
    }

/** An identity that signs multi-signed requests beside the first identity. */
export type StoredFurther = IdentityProof & {
  readonly client_id: string
  readonly sealed_signing_jwk: string
  readonly verifier_info?: readonly VerifierAttestation[]
  readonly google_metadata?: string
}

/**
 * Request for a chosen wallet. The request was lowered (adapted to the wallet's abilities) when the wallet
 * was first chosen. A later release may change the wallet's profile, but not the requests of this session.
 */
export type StoredWallet = {
  /** Id of the wallet's profile. */
  readonly id: string
  readonly query: DcqlQuery
  readonly request_options: StoredRequest['request_options']
  /** Scheme or start of an address that opens the wallet. Null if the wallet has no links and no QR codes. */
  readonly link: string | null
  /** All links of the wallet, by their name in `wallet_links`. */
  readonly links: Readonly<Record<string, string>>
  readonly dc_api_protocols: readonly DcApiProtocol[]
  /** True if the verifier's certificate chain includes the root. Absent means false. */
  readonly include_root?: true
  /** True if signed requests have `iss`, and `kid` in their header. Absent means false. */
  readonly names_issuer?: true
  /** True if the wallet's encrypted response has no `kid`. Absent means false. */
  readonly omits_kid?: true
  /**
   * Verifier identity for this wallet. `of`: id of another wallet of this session that has the same identity.
   * Absent: the session's identity is used.
   */
  readonly verifier?: StoredVerifier | { readonly of: string }
}

type WithVerifier = { readonly verifier: StoredVerifier }

/**
 * Returns true if the request is unsigned. The link or QR code then contains all parameters of the request
 * instead of a `request_uri`.
 */
export function passesByValue({ verifier }: WithVerifier): boolean {
  return verifier.sealed_signing_jwk === null
}

/** Returns the Client Identifier. Throws if there is none, as in a protocol without the redirect flow. */
export function requireClientId({ verifier }: WithVerifier): string {
  if (verifier.client_id === null) throw new Error('this protocol has no Client Identifier')
  return verifier.client_id
}
