// What every kind of list comes to, before an operator's mapping gives it a meaning: certificates, and what each is listed
// for in the list's own words. ETSI TS 119 602 calls that a service type, ISO/IEC 18013-5 Annex C a docType.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'

/** Kinds of list. */
export const LIST_KINDS = ['etsi_lote', 'vical', 'pem_bundle'] as const
export type ListKind = (typeof LIST_KINDS)[number]
/** Kinds that somebody signs and publishes. */
export type SignedKind = Exclude<ListKind, 'pem_bundle'>

/** One certificate of a list, still encoded. `undefined` bytes: the list has something there that is none. */
export type ListedCertificate = {
  readonly service: string
  readonly certificate: Uint8Array<ArrayBuffer> | undefined
}

/** What a list says. Times are Unix seconds; what a list does not say is `null`. */
export type ListContent = {
  /** What kind of list it calls itself (`LoTEType`). */
  readonly type: string | null
  /** Rises with each issue. */
  readonly sequence: number | null
  readonly issuedAt: number | null
  readonly nextUpdate: number | null
  readonly certificates: readonly ListedCertificate[]
}

/** A signed list taken apart: nothing of it is verified, and what it says is not read yet. */
export type DecodedList = {
  readonly algorithm: string
  /** DER certificates of its signer, leaf first; `undefined` where it names none. */
  readonly chain: readonly Uint8Array<ArrayBuffer>[] | undefined
  readonly verify: (key: PublicJwk) => Promise<boolean>
  readonly read: () => Result<ListContent, TrustListError>
}

/** Why a list is not accepted. */
export type TrustListError =
  | 'too_large'
  | 'malformed'
  | 'unsupported_algorithm'
  | 'unsupported_critical_header'
  /** None of the pinned signers vouches for its signer. */
  | 'untrusted_signer'
  /** What is wrong with the certificates of its signer. */
  | Exclude<TrustRefusal['reason'], 'untrusted_issuer'>
  | 'invalid_signature'
  /** It is another list of the same signer. */
  | 'wrong_list_type'
  /** Its date of issue is still to come. */
  | 'not_yet_issued'
  /** A newer one was due before now. */
  | 'expired'
  /** Older than what was accepted before. */
  | 'rolled_back'
  /** Nothing in it can be trusted with what the operator mapped: an empty copy would look like a good one. */
  | 'nothing_usable'
