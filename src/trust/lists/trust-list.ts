// Verification of a list (ETSI TS 119 602, ISO/IEC 18013-5 Annex C). It has a pinned signer and the expected
// type. It is valid now, and not older than the last accepted list.

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
  /** The expected `LoTEType`; `null`: any. One signer may sign several lists. */
  readonly listType: string | null
  readonly services: readonly ServiceGrant[]
  /** The last accepted list; `null` at first. */
  readonly last: ListEdition | null
  readonly now: number
}

/** Number and date of one issue of a list. */
type ListEdition = Pick<ListContent, 'sequence' | 'issuedAt'>

/** A verified list. Times are Unix seconds. */
export type VerifiedList = ListEdition &
  ListAnchors & {
    readonly nextUpdate: number | null
    /** The expiry of the first certificate in its signer's path. */
    readonly signerExpires: number
  }

/**
 * Verifies a fetched list. Its content is read after the signature is verified, and is then compared with
 * `last`.
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
  const { sequence, issuedAt, nextUpdate } = content.value
  return ok({ sequence, issuedAt, nextUpdate, ...signed.value, ...anchors.value })
}

/**
 * Seconds by which a list may be issued in the future. Lists are prepared in advance, so this is more than
 * clock skew.
 */
const ISSUED_AHEAD = 300

function findContentError(content: ListContent, rules: ListRules): TrustListError | undefined {
  const { type, issuedAt, nextUpdate } = content
  if (rules.listType !== null && type !== rules.listType) return 'wrong_list_type'
  if (issuedAt !== null && issuedAt > rules.now + ISSUED_AHEAD) return 'not_yet_issued'
  if (nextUpdate !== null && nextUpdate <= rules.now) return 'expired'
  return rules.last !== null && isOlder(content, rules.last) ? 'rolled_back' : undefined
}

/** Compares numbers, then dates. A list that no longer has a number counts as older. */
function isOlder(edition: ListEdition, last: ListEdition): boolean {
  if (last.sequence !== null && (edition.sequence ?? -1) !== last.sequence)
    return (edition.sequence ?? -1) < last.sequence
  return last.issuedAt !== null && (edition.issuedAt ?? 0) < last.issuedAt
}
