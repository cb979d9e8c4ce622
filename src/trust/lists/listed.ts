// Common content of every kind of list, before the operator's grants apply: certificates, and the service of
// each. ETSI TS 119 602 has a service type for that, ISO/IEC 18013-5 Annex C a docType.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'

/** Kinds of signed and published lists. */
export type SignedKind = 'etsi_lote' | 'vical'

/** One certificate of a list, still encoded. `undefined`: the entry of the list is not a certificate. */
export type ListedCertificate = {
  readonly service: string
  readonly certificate: Uint8Array<ArrayBuffer> | undefined
}

/** Content of a list. Times are Unix seconds. A missing member is `null`. */
export type ListContent = {
  /** The type in the list (`LoTEType`). */
  readonly type: string | null
  /** Rises with each issue. */
  readonly sequence: number | null
  readonly issuedAt: number | null
  readonly nextUpdate: number | null
  readonly certificates: readonly ListedCertificate[]
}

/** A decoded signed list. Nothing is verified, and its content is not read yet. */
export type DecodedList = {
  readonly algorithm: string
  /** DER certificates of its signer, leaf first; `undefined` if the list has none. */
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
  /** No pinned signer is the list's signer or certifies it. */
  | 'untrusted_signer'
  /** Errors of the signer's certificates. */
  | Exclude<TrustRefusal['reason'], 'untrusted_issuer'>
  | 'invalid_signature'
  /** The list is another list of the same signer. */
  | 'wrong_list_type'
  /** The list's date of issue is in the future. */
  | 'not_yet_issued'
  /** A newer list was due before now. */
  | 'expired'
  /** The list is older than the last accepted list. */
  | 'rolled_back'
  /** No certificate fits the operator's grants. An empty copy would look like a valid copy. */
  | 'nothing_usable'
