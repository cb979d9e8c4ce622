// The EU's list of lists (Commission Implementing Decision (EU) 2015/1505, ETSI TS 119 612): which national
// lists are followed, and who signs them. The Official Journal publishes the signers of the list of lists.
// After a change of signers, a chain of older versions of the list ("pivots") leads from the published
// signers to the new signers.

import { err, ok, type Result } from '../../result.ts'
import { anchorCertificates } from '../x509/pem-certificates.ts'
import { childrenNamed, onlyChild, readText } from '../xml/reading.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { TrustListError } from './listed.ts'
import { TL } from './tl-limits.ts'
import { readPointers, type TlPointer } from './tl-pointers.ts'
import { LIST_OF_LISTS_TYPE, NATIONAL_LIST_TYPE } from './tl-presets.ts'
import {
  type Ended,
  isListType,
  type LastIssue,
  readScheme,
  readSchemeElement,
  schemeInformation,
  type TlScheme,
  tl,
} from './tl-scheme.ts'
import { parseXmlList, type SignedXmlList, verifyXmlList, verifyXmlTree } from './tl-signature.ts'

/** Rules for the list of lists. `now` is Unix seconds; signers are PEM texts with one certificate each. */
export type LotlRules = {
  /** The certificates of the Official Journal. */
  readonly signers: readonly string[]
  /** Signers that the newest pivot named when pivots were last followed. */
  readonly learnedSigners: readonly string[]
  /** The newest pivot at that time; `null`: pivots were never followed. */
  readonly lastPivot: LastPivot | null
  /** Address in the Official Journal at which `signers` are published; `null`: no pivot is followed. */
  readonly ojUrl: string | null
  readonly territories: readonly string[] | 'all'
  readonly last: LastIssue | null
  readonly now: number
}

/** Number and content of a pivot. `contentDigest`: as in `SignedXmlList`. */
export type LastPivot = { readonly number: number; readonly contentDigest: string }

/**
 * A verified list of lists. `ended`: reason why the list gives no trust, or null. With a reason, no national
 * list is followed.
 */
export type VerifiedLotl = Pick<TlScheme, 'sequence' | 'issuedAt' | 'nextUpdate'> & {
  readonly contentDigest: string
  readonly signer: string
  readonly ended: Ended | null
  /** The followed lists, one for each territory. */
  readonly lists: readonly TlPointer[]
  /** Signers that pivots led to. Empty if a pinned signer signed the list of lists. */
  readonly learnedSigners: readonly string[]
  readonly lastPivot: LastPivot | null
  /**
   * True if the list names exactly the pinned signers as its own signers. False: the signers of the list will
   * probably change soon.
   */
  readonly pinnedSignersAnnounced: boolean
}

/** Fetches a pivot. Returns `undefined` if the pivot is unavailable. */
export type FetchPivot = (url: string) => Promise<Uint8Array | undefined>

/**
 * Verifies a fetched list of lists. `fetchPivot` is called only if the signer of the list is neither in
 * `signers` nor in `learnedSigners`.
 */
export async function verifyEuLotl(
  body: Uint8Array,
  rules: LotlRules,
  fetchPivot: FetchPivot,
): Promise<Result<VerifiedLotl, TrustListError>> {
  const accepted = await acceptSigner(body, rules, fetchPivot)
  if (!accepted.ok) return accepted
  const { signed, learnedSigners, lastPivot } = accepted.value
  const listTypes = [LIST_OF_LISTS_TYPE]
  const scheme = readScheme(signed, { ...rules, listTypes, territory: TERRITORY })
  if (!scheme.ok) return scheme
  const { sequence, issuedAt, nextUpdate } = scheme.value
  const lists = scheme.value.ended === null ? followedLists(signed.root, rules.territories) : []
  if (lists.length > TL.followed) return err('too_large')
  // With two lists of one territory, it would not be clear which of the two lists is used.
  const isAmbiguous = new Set(lists.map(({ territory }) => territory)).size < lists.length
  return ok({
    sequence,
    issuedAt,
    nextUpdate,
    contentDigest: signed.contentDigest,
    signer: signed.signer,
    ended: isAmbiguous ? 'malformed' : scheme.value.ended,
    lists: isAmbiguous ? [] : lists,
    learnedSigners,
    lastPivot,
    pinnedSignersAnnounced: isSameSet(ownSigners(signed.root), rules.signers),
  })
}

const TERRITORY = 'EU'

type AcceptedList = Pick<VerifiedLotl, 'learnedSigners' | 'lastPivot'> & { readonly signed: SignedXmlList }

async function acceptSigner(
  body: Uint8Array,
  rules: LotlRules,
  fetchPivot: FetchPivot,
): Promise<Result<AcceptedList, TrustListError>> {
  const { learnedSigners, lastPivot } = rules
  const root = parseXmlList(body)
  if (!root.ok) return root
  const pinned = await verifyXmlTree(root.value, rules.signers)
  if (pinned.ok) return ok({ signed: pinned.value, learnedSigners: [], lastPivot })
  if (pinned.error !== 'untrusted_signer') return pinned
  const known = await verifyXmlTree(root.value, learnedSigners)
  if (known.ok) return ok({ signed: known.value, learnedSigners, lastPivot })
  if (known.error !== 'untrusted_signer') return known
  const learned = await learnSigners(root.value, rules, fetchPivot)
  if (learned === undefined) return err('untrusted_signer')
  const signed = await verifyXmlTree(root.value, learned.learnedSigners)
  return signed.ok ? ok({ signed: signed.value, ...learned }) : signed
}

/**
 * Follows the pivots from the pinned signers, oldest first and one at a time. Returns the signers that the
 * newest pivot names. Returns `undefined` if there is no pivot, or if a pivot is unavailable or invalid.
 * `root` names the pivots, but its signature is not verified yet. A forged list could leave out the newest
 * pivots, and so bring back a signer that these pivots withdrew. So `root` must name `lastPivot`, and the
 * content of that pivot must be unchanged.
 */
async function learnSigners(
  root: XmlElement,
  { signers, ojUrl, lastPivot }: LotlRules,
  fetchPivot: FetchPivot,
): Promise<Omit<AcceptedList, 'signed'> | undefined> {
  const pivots = readPivots(root, ojUrl)
  if (pivots.length > TL.pivots) return undefined
  if (lastPivot !== null && !pivots.some(({ number }) => number === lastPivot.number)) return undefined
  let learnedSigners = signers
  let newest: LastPivot | null = null
  for (const { url, number } of pivots) {
    const body = await fetchPivot(url)
    const signed = body && (await verifyXmlList(body, learnedSigners))
    if (!signed?.ok || !isPivot(signed.value.root, number)) return undefined
    const { contentDigest } = signed.value
    if (number === lastPivot?.number && contentDigest !== lastPivot.contentDigest) return undefined
    learnedSigners = ownSigners(signed.value.root)
    newest = { number, contentDigest }
  }
  return newest === null ? undefined : { learnedSigners, lastPivot: newest }
}

type Pivot = { readonly url: string; readonly number: number }

const PIVOT = /\/eu-lotl-pivot-([0-9]{1,9})\.xml$/
const OFFICIAL_JOURNAL = /^https?:\/\/eur-lex\.europa\.eu\//

/**
 * Returns the pivots that the list names before its first address in the Official Journal. The list has the
 * newest pivot first; the result has the oldest first. Returns an empty list if that address is not `ojUrl`,
 * or if the numbers of the pivots do not decrease in the list.
 */
function readPivots(root: XmlElement, ojUrl: string | null): readonly Pivot[] {
  const uris = childrenNamed(onlyChild(schemeInformation(root), tl('SchemeInformationURI')), tl('URI')).map(
    (element) => readText(element) ?? '',
  )
  const journal = uris.findIndex((uri) => OFFICIAL_JOURNAL.test(uri))
  if (ojUrl === null || journal < 0 || uris[journal] !== ojUrl) return []
  const newestFirst = uris.slice(0, journal).flatMap((url) => {
    const number = PIVOT.exec(url)?.[1]
    return number === undefined ? [] : [{ url, number: Number(number) }]
  })
  const newest = readSchemeElement(root)?.sequence ?? 0
  const isOrdered = newestFirst.every(({ number }, i) => number < (newestFirst[i - 1]?.number ?? newest + 1))
  return isOrdered ? newestFirst.toReversed() : []
}

/**
 * Returns whether a verified list is the pivot with this number. The dates of a pivot are not checked,
 * because a pivot is an old version of the list.
 */
function isPivot(root: XmlElement, number: number): boolean {
  const scheme = readSchemeElement(root)
  if (scheme === undefined || scheme.sequence !== number) return false
  return isListType(scheme.type, [LIST_OF_LISTS_TYPE]) && scheme.territory === TERRITORY
}

/** Returns the signers that the list of lists names in its pointer to itself. */
function ownSigners(root: XmlElement): readonly string[] {
  const [own, ...others] = readPointers(root, LIST_OF_LISTS_TYPE).filter(
    ({ territory }) => territory === TERRITORY,
  )
  return own === undefined || others.length > 0 ? [] : own.signers
}

function followedLists(root: XmlElement, territories: LotlRules['territories']): readonly TlPointer[] {
  return readPointers(root, NATIONAL_LIST_TYPE).filter(
    ({ territory }) => territories === 'all' || territories.includes(territory),
  )
}

/** Returns whether two lists of PEM texts have the same certificates, in any order. */
function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const keys = [a, b].map((pems) => pems.flatMap(anchorCertificates).map(({ encoded }) => encoded.join()))
  return (
    new Set(keys[0]).size === new Set(keys.flat()).size && new Set(keys[1]).size === new Set(keys.flat()).size
  )
}
