// The question every signature asks of trust: whose key may this be? `resolveSigner` (resolve-signer.ts) answers it.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { Certificate } from '../x509/certificate.ts'
import type { AnchorPurpose, AssuranceLevel, ListReference, TrustAnchor } from './anchor.ts'

/** What an unverified token says of its signer. Claims here select among anchors; they never add one. */
export type SignerClaims = {
  /** `iss`, where the token has one. */
  readonly iss: string | undefined
  readonly kid: string | undefined
  /** DER certificates of the protected header, leaf first; undefined where there is no chain. */
  readonly chain: readonly Uint8Array<ArrayBuffer>[] | undefined
  /** JOSE algorithm of the signature: keys that do not fit it are no candidates. */
  readonly algorithm: string
}

/** For whom and what the signer must be trusted. */
export type TrustContext = {
  readonly now: number
  readonly anchors: readonly TrustAnchor[]
  readonly fetchResource: FetchResource
  readonly credentialType: { readonly name: string; readonly builtIn: boolean }
  readonly purpose: AnchorPurpose
}

/** What is told of the anchor that vouched. */
export type VouchingAnchor = {
  readonly name: string
  readonly assurance_level: AssuranceLevel
  readonly list?: ListReference
  /** Where the list is published that the anchor came from (OpenID4VP 1.0 §6.1.1.2). */
  readonly listUrl?: string
}

/** A signer an anchor vouches for. The signature itself is still to be verified with one of the keys. */
export type TrustedSigner = {
  /** One key for certificates; those that `kid` and algorithm leave for key sets (at most 8). */
  readonly keys: readonly PublicJwk[]
  /** The issuer as far as it is proven: an anchored `iss`, an `iss` in the leaf's SAN, else the leaf's subject. */
  readonly issuer: string | null
  readonly anchor: VouchingAnchor
  /** base64url AuthorityKeyIdentifiers of the verified certificates; none where the keys come from elsewhere. */
  readonly authorityKeyIdentifiers: readonly string[]
  /** The certificates that were verified, leaf first and an authority of ours last; empty for a pinned signer and for key sets. */
  readonly path: readonly Certificate[]
}
