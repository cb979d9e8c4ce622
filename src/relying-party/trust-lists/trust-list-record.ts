// The stored members of a trust list, and its views for the operator and for the processing of responses.

import type { FetchError } from '../../net/guarded-fetch.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { LastPivot } from '../../trust/lists/eu-lotl.ts'
import type { TrustListError } from '../../trust/lists/listed.ts'
import type { TlPointer } from '../../trust/lists/tl-pointers.ts'
import type { Ended } from '../../trust/lists/tl-scheme.ts'
import type { VerifiedList } from '../../trust/lists/trust-list.ts'
import type { TrustListConfig } from './trust-list-schema.ts'

/** Reason why a list was not renewed: the fetch failed, or the list failed verification. */
export type RefreshError = FetchError | TrustListError

/** The anchors of a list, for response processing. Times are Unix milliseconds. */
export type TrustListCopy = {
  readonly name: string
  readonly livemode: boolean
  /** Each anchor has the name of the list, and the sequence number and the `trust_as_of` of the copy. */
  readonly anchors: readonly TrustAnchor[]
  /** `null`: the copy can be used without a time limit. */
  readonly usable_until: number | null
  /** Territories of the national lists that a list of lists follows. Their anchors are in other copies. */
  readonly follows: readonly string[]
  readonly fault: RefreshError | null
  readonly pinned_signers_announced: boolean | null
}

/** A list as its operator sees it. Times are Unix milliseconds; an unknown value is `null`. */
export type TrustListView = {
  readonly config: TrustListConfig
  readonly created_at: number
  readonly sequence: number | null
  readonly issued_at: number | null
  readonly next_update: number | null
  /** Time at which the copy was last confirmed as the current version of the list. */
  readonly trust_as_of: number | null
  readonly usable_until: number | null
  readonly anchors: number
  /** Number of certificates that could not become anchors, although the operator trusts their service. */
  readonly left_out: number
  readonly last_attempt: { readonly at: number; readonly fault: RefreshError | null } | null
  /** Only for a list of lists. */
  readonly lists?: readonly FollowedView[]
  readonly pinned_signers_announced?: boolean | null
  /** Signers that pivots added to the pinned signers, as PEM. */
  readonly learned_signers?: readonly string[]
}

/** A national list that a list of lists follows. */
export type FollowedView = { readonly territory: string; readonly url: string } & Pick<
  TrustListView,
  'sequence' | 'next_update' | 'anchors' | 'left_out' | 'trust_as_of'
> & { readonly fault: RefreshError | null }

/**
 * The stored document. The anchors are stored under another key, because they may be as large as a megabyte,
 * and change less often.
 */
export type TrustListRecord = {
  readonly schema: 1
  readonly config: TrustListConfig
  readonly created_at: number
  readonly edition: Edition | null
  readonly checked_at: number | null
  readonly last_attempt: TrustListView['last_attempt']
  /** Absent for a list of the operator. */
  readonly followed?: FollowedBy
  /** True if the bytes of each new version of the list are stored for evidence. Absent: false. */
  readonly keeps_issues?: boolean
  /** The stored issue before the current one. Callers may use its anchors for a minute. */
  readonly former_issue?: (StoredIssue & { readonly sequence: number | null }) | undefined
  /** Territories that a list of lists follows no longer, and whose objects still have to be erased. */
  readonly unfollowed?: readonly string[]
}

/** For a national list: the address of the list of lists that names it, and its own territory. */
export type FollowedBy = { readonly url: string; readonly territory: string }

/** The last accepted issue (published version) of a list. */
export type Edition = Omit<VerifiedList, 'anchors' | 'signerExpires'> & {
  readonly anchors: number
  readonly etag: string | null
  /**
   * Expiry of the signer in Unix seconds. `null`: the list is not signed, or is XML, whose signature is
   * accepted until its next update. If an older record has no such member, the next fetch requests the whole
   * list.
   */
  readonly signerExpires?: number | null
  /** SHA-256 of the signed content, in base64. Only for lists in XML. */
  readonly contentDigest?: string
  /** The certificate that signed the issue, as PEM. Only for lists in XML. */
  readonly signer?: string
  /** The reason for which the issue gives no trust. Only for lists in XML. */
  readonly ended?: Ended | null
  /** The followed lists, and the state of the list's own signers. Only for a list of lists. */
  readonly lists?: readonly TlPointer[]
  readonly learnedSigners?: readonly string[]
  readonly lastPivot?: LastPivot | null
  readonly pinnedSignersAnnounced?: boolean
  /**
   * Digest, size and time of the bytes of the issue, which are stored as a material. Absent if they are not
   * stored.
   */
  readonly issue?: StoredIssue | undefined
}

/** An issue as fetched, for evidence (api/evidence): its hexadecimal SHA-256, size and time. */
export type StoredIssue = {
  readonly sha256: string
  readonly bytes: number
  /** Unix seconds. */
  readonly fetched_at: number
}

/** A new issue with the `ETag` of its response. */
export type NewEdition = Omit<Edition, 'anchors'> & { readonly anchors: readonly TrustAnchor[] }

/**
 * Returns the time until which the copy may be used; 0 without a copy, `null` for a PEM bundle. This time is
 * the due time of the next issue, or `stale_after_seconds` after the last confirmation if that is earlier.
 */
export function usableUntil({ config, edition, checked_at }: TrustListRecord): number | null {
  if (edition === null || checked_at === null) return 0
  if (config.kind === 'pem_bundle') return null
  const unconfirmed = checked_at + config.stale_after_seconds * 1000
  return Math.min(unconfirmed, toMilliseconds(edition.nextUpdate) ?? unconfirmed)
}

/** Returns a list as its operator sees it, without the national lists of a list of lists. */
export function toView(stored: TrustListRecord): TrustListView {
  const { config, created_at, edition, last_attempt } = stored
  return {
    config,
    created_at,
    sequence: edition?.sequence ?? null,
    issued_at: toMilliseconds(edition?.issuedAt),
    next_update: toMilliseconds(edition?.nextUpdate),
    trust_as_of: stored.checked_at,
    usable_until: usableUntil(stored),
    anchors: edition?.anchors ?? 0,
    left_out: edition?.leftOut ?? 0,
    last_attempt,
    ...(config.kind === 'eu_lotl' && {
      pinned_signers_announced: edition?.pinnedSignersAnnounced ?? null,
      learned_signers: edition?.learnedSigners ?? [],
    }),
  }
}

/** Returns the copy for response processing. `anchors`: the stored anchors. */
export function toCopy(stored: TrustListRecord, anchors: readonly TrustAnchor[]): TrustListCopy {
  const { config, edition, checked_at, followed, last_attempt } = stored
  const { name, livemode } = config
  const list = {
    name,
    ...(followed && { territory: followed.territory }),
    sequence: edition?.sequence ?? null,
    trust_as_of: new Date(checked_at ?? 0).toISOString(),
  }
  // OpenID4VP 1.0 §6.1.1.2: a query can name an ETSI list by its own URL, or by the URL of the list of lists
  // that follows it. A query cannot name a list of another kind.
  const listUrls =
    config.kind === 'etsi_lote' || config.kind === 'etsi_tl'
      ? [config.url, ...(followed ? [followed.url] : [])]
      : undefined
  return {
    name,
    livemode,
    usable_until: usableUntil(stored),
    anchors: anchors.map((anchor) => ({ ...anchor, list, ...(listUrls && { listUrls }) })),
    follows: (edition?.lists ?? []).map(({ territory }) => territory),
    fault: last_attempt?.fault ?? null,
    pinned_signers_announced: edition?.pinnedSignersAnnounced ?? null,
  }
}

function toMilliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
