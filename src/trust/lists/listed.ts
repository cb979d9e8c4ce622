// Content that every kind of list has, before the operator's grants apply: certificates, each with its
// service. In ETSI TS 119 602 the service is a service type, in ISO/IEC 18013-5 Annex C a docType.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'

/** Kinds of signed and published lists. */
export type SignedKind = 'etsi_lote' | 'vical'

/**
 * One certificate of a list, as encoded bytes. `certificate` is `undefined` if the entry is not valid base64.
 */
export type ListedCertificate = {
  readonly service: string
  readonly certificate: Uint8Array<ArrayBuffer> | undefined
}

/** Content of a list. Times are Unix seconds. A missing member is `null`. */
export type ListContent = {
  /** The type in the list (`LoTEType`). */
  readonly type: string | null
  /** Number of the issue. It rises with each issue of the list. */
  readonly sequence: number | null
  readonly issuedAt: number | null
  readonly nextUpdate: number | null
  readonly certificates: readonly ListedCertificate[]
}

/** A decoded signed list. Nothing is verified, and its content is not read yet. */
export type DecodedList = {
  readonly algorithm: string
  /** DER certificates of the list's signer, leaf first; `undefined` if the list has none. */
  readonly chain: readonly Uint8Array<ArrayBuffer>[] | undefined
  readonly verify: (key: PublicJwk) => Promise<boolean>
  readonly read: () => Result<ListContent, TrustListError>
}

/** Reasons to reject a list. */
export type TrustListError =
  | 'too_large'
  | 'malformed'
  | 'unsupported_algorithm'
  | 'unsupported_critical_header'
  /** The signer of the list is not a pinned signer, and no pinned authority certifies the signer. */
  | 'untrusted_signer'
  /** Errors of the signer's certificates. */
  | Exclude<TrustRefusal['reason'], 'untrusted_issuer'>
  | 'invalid_signature'
  /** The type of the list is not the expected type. One signer may sign several lists. */
  | 'wrong_list_type'
  /** The list's date of issue is too far in the future. */
  | 'not_yet_issued'
  /** The time of the next issue (`nextUpdate`) has passed. */
  | 'expired'
  /** The list is older than the last accepted list. */
  | 'rolled_back'
  /** No certificate can become an anchor under the operator's grants. A copy without anchors is rejected. */
  | 'nothing_usable'
