// Whether a list is to be believed, and what it comes to (ETSI TS 119 602, ISO/IEC 18013-5 Annex C): signed by a signer that
// the operator pinned, the list that was meant, in force now, and no older than the one before.

import { err, ok, type Result } from '../../result.ts'
import { decodeLote } from './etsi-lote.ts'
import { anchorsOfList, type ListAnchors, type ServiceGrant } from './list-anchors.ts'
import { type ListSigner, verifyListSignature } from './list-signer.ts'
import type { ListContent, SignedKind, TrustListError } from './listed.ts'
import { decodeVical } from './vical.ts'

/** What a list is judged by. `now` is Unix seconds. */
export type ListRules = {
  readonly kind: SignedKind
  readonly signers: readonly ListSigner[]
  /** The `LoTEType` it must call itself; `null`: any. One signer may sign several lists. */
  readonly listType: string | null
  readonly services: readonly ServiceGrant[]
  /** What was accepted before; `null` at first. */
  readonly last: ListEdition | null
  readonly now: number
}

/** Which list it is of those that were published. */
export type ListEdition = Pick<ListContent, 'sequence' | 'issuedAt'>

/** A list that is believed. Times are Unix seconds. */
export type VerifiedList = ListEdition &
  ListAnchors & {
    readonly nextUpdate: number | null
    /** When the first certificate of its signer's path expires. */
    readonly signerExpires: number
  }

/** Verifies a list as it was fetched. What it says is read after its signature, and compared with `last` after that. */
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
  const { sequence, issuedAt, nextUpdate } = content.value
  return ok({ sequence, issuedAt, nextUpdate, ...signed.value, ...anchors.value })
}

/** Seconds by which a list may be issued in the future: lists are prepared ahead, so this is more than clock skew. */
const ISSUED_AHEAD = 300

function findContentError(content: ListContent, rules: ListRules): TrustListError | undefined {
  const { type, issuedAt, nextUpdate } = content
  if (rules.listType !== null && type !== rules.listType) return 'wrong_list_type'
  if (issuedAt !== null && issuedAt > rules.now + ISSUED_AHEAD) return 'not_yet_issued'
  if (nextUpdate !== null && nextUpdate <= rules.now) return 'expired'
  return rules.last !== null && isOlder(content, rules.last) ? 'rolled_back' : undefined
}

/** By number, then by date. A list that had a number and has none any more cannot be told to be newer. */
function isOlder(edition: ListEdition, last: ListEdition): boolean {
  if (last.sequence !== null && (edition.sequence ?? -1) !== last.sequence)
    return (edition.sequence ?? -1) < last.sequence
  return last.issuedAt !== null && (edition.issuedAt ?? 0) < last.issuedAt
}
