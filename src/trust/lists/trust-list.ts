// Verification of a trust list that is not in XML (ETSI TS 119 602, ISO/IEC 18013-5 Annex C). A pinned
// signer, or a signer below a pinned authority, must have signed the list. The list must have the expected
// type, must be valid now, and must not be older than the last accepted list.

import { err, ok, type Result } from '../../result.ts'
import { decodeLote } from './etsi-lote.ts'
import { anchorsOfList, type ListAnchors, type ServiceGrant } from './list-anchors.ts'
import { type ListSigner, verifyListSignature } from './list-signer.ts'
import type { ListContent, SignedKind, TrustListError } from './listed.ts'
import { decodeVical } from './vical.ts'

/** Rules for one list. `now` is Unix seconds. */
export type ListRules = {
  readonly kind: SignedKind
  readonly signers: readonly ListSigner[]
  /** The expected `LoTEType`; `null` accepts any. One signer may sign lists of several types. */
  readonly listType: string | null
  readonly services: readonly ServiceGrant[]
  /** Number and date of the last accepted list; `null` if no list was accepted yet. */
  readonly last: ListEdition | null
  readonly now: number
}

/** Number and date of one issue of a list. */
type ListEdition = Pick<ListContent, 'sequence' | 'issuedAt'>

/** A verified list. Times are Unix seconds. */
export type VerifiedList = ListEdition &
  ListAnchors & {
    readonly nextUpdate: number | null
    /** Earliest expiry of the certificates in the path of the list's signer. */
    readonly signerExpires: number
  }

/**
 * Verifies a fetched list. The content of the list is read after the signature is verified, and is then
 * compared with `last`.
 */
export async function verifyTrustList(
  body: Uint8Array<ArrayBuffer>,
  rules: ListRules,
): Promise<Result<VerifiedList, TrustListError>> {
  const decoded = rules.kind === 'vical' ? decodeVical(body) : decodeLote(body)
  if (!decoded.ok) return decoded
  const signed = await verifyListSignature(decoded.value, rules)
  if (!signed.ok) return signed
  const content = decoded.value.read()
  if (!content.ok) return content
  const refused = findContentError(content.value, rules)
  if (refused !== undefined) return err(refused)
  const anchors = anchorsOfList(content.value.certificates, rules.services)
  if (!anchors.ok) return anchors
  if (anchors.value.anchors.length === 0) return err('nothing_usable')
  const { sequence, issuedAt, nextUpdate } = content.value
  return ok({ sequence, issuedAt, nextUpdate, ...signed.value, ...anchors.value })
}

/**
 * Seconds by which the date of issue may be in the future. This is more than the clock skew, because lists
 * are prepared in advance.
 */
const ISSUED_AHEAD = 300

function findContentError(content: ListContent, rules: ListRules): TrustListError | undefined {
  const { type, issuedAt, nextUpdate } = content
  if (rules.listType !== null && type !== rules.listType) return 'wrong_list_type'
  if (issuedAt !== null && issuedAt > rules.now + ISSUED_AHEAD) return 'not_yet_issued'
  if (nextUpdate !== null && nextUpdate <= rules.now) return 'expired'
  return rules.last !== null && isOlder(content, rules.last) ? 'rolled_back' : undefined
}

/**
 * Returns whether an issue is older than the last accepted issue. Numbers are compared first, then dates. If
 * only the last accepted issue has a number, the new issue is older.
 */
function isOlder(edition: ListEdition, last: ListEdition): boolean {
  if (last.sequence !== null && (edition.sequence ?? -1) !== last.sequence)
    return (edition.sequence ?? -1) < last.sequence
  return last.issuedAt !== null && (edition.issuedAt ?? 0) < last.issuedAt
}
