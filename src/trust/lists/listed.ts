// Types that all kinds of trust lists share: content, certificates, decoded list and errors. Each certificate
// has a service: in ETSI TS 119 602 a service type, in ISO/IEC 18013-5 Annex C a docType. The operator's
// grants (list-anchors.ts) are not applied yet.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'

/** Kinds of signed lists that are not in XML. */
export type SignedKind = 'etsi_lote' | 'vical'

/**
 * One certificate of a list, as encoded bytes. `certificate` is `undefined` if the entry is not valid base64.
 */
export type ListedCertificate = {
  readonly service: string
  /**
   * Status of the service. Only lists in XML have it. The operator's grants say which statuses they accept.
   */
  readonly status?: string
  readonly certificate: Uint8Array<ArrayBuffer> | undefined
}

/** Content of a list. Times are Unix seconds. A missing member is `null`. */
export type ListContent = {
  /** The type in the list (`LoTEType`). */
  readonly type: string | null
  /** Sequence number of the list. The number rises each time the list is issued. */
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
  /** The type of the list is not the expected type. One signer may sign lists of several types. */
  | 'wrong_list_type'
  /** The type or the territory of a list in XML is not the expected one. */
  | 'wrong_list'
  /** The list's date of issue is too far in the future. */
  | 'not_yet_issued'
  /** The time of the next issue (`nextUpdate`) has passed. */
  | 'expired'
  /** The list in XML says that its scheme is closed. The trust in its services then ends. */
  | 'closed'
  /** The list is older than the last accepted list, or has the same number but other content (only XML). */
  | 'rolled_back'
  /**
   * No certificate of the list can become an anchor under the operator's grants. Not used for lists in XML.
   */
  | 'nothing_usable'
