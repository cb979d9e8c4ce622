// Scheme information of a trusted list in XML (ETSI TS 119 612 §5.3): version, type, territory, number and
// dates.

import { readDateTime } from '../../codec/date-time.ts'
import { err, ok, type Result } from '../../result.ts'
import { childElements, onlyChild, readText, type XmlName } from '../xml/reading.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { TrustListError } from './listed.ts'

/** Returns an XML name in the namespace of trusted lists. */
export const tl = (local: string): XmlName => ['http://uri.etsi.org/02231/v2#', local]

/** Scheme information of one issue of a list. Times are Unix seconds. */
export type TlScheme = {
  readonly type: string
  readonly territory: string
  readonly sequence: number
  readonly issuedAt: number
  /** `null`: the scheme is closed, and there will be no next issue (§5.3.15). */
  readonly nextUpdate: number | null
}

/** Number, date and digest of the last accepted issue of a list. `contentDigest`: as in `SignedXmlList`. */
export type LastIssue = {
  readonly sequence: number | null
  readonly issuedAt: number | null
  readonly contentDigest?: string
}

/** Rules for the scheme. `now` is Unix seconds. */
export type SchemeRules = {
  /** Accepted values of `TSLType`; `null` accepts any. One signer may sign lists of several types. */
  readonly listTypes: readonly string[] | null
  /** Expected `SchemeTerritory`; `null` accepts any. */
  readonly territory: string | null
  readonly last: LastIssue | null
  readonly now: number
}

/**
 * Reason why a verified issue of this list gives no trust. The trust that the previous issue gave also ends.
 * `closed`: there will be no next issue. `expired`: `NextUpdate` has passed. `malformed`: `NextUpdate` is too
 * late, or the content is ambiguous. `too_large`: the issue has too many anchors.
 */
export type Ended = Extract<TrustListError, 'closed' | 'expired' | 'malformed' | 'too_large'>

/**
 * Reads and checks the scheme of a verified list. An error means that the issue must not replace the last
 * accepted issue. If `ended` is not null, the issue gives no trust, but still replaces the last accepted
 * issue. So `ended` is not an error.
 */
export function readScheme(
  { root, contentDigest }: { readonly root: XmlElement; readonly contentDigest: string },
  rules: SchemeRules,
): Result<TlScheme & { readonly ended: Ended | null }, TrustListError> {
  const scheme = readSchemeElement(root)
  if (scheme === undefined) return err('malformed')
  const { type, territory, issuedAt } = scheme
  if (!isListType(type, rules.listTypes)) return err('wrong_list')
  if (rules.territory !== null && territory !== rules.territory) return err('wrong_list')
  if (rules.last !== null && isRolledBack({ ...scheme, contentDigest }, rules.last)) return err('rolled_back')
  if (issuedAt > rules.now) return err('not_yet_issued')
  return ok({ ...scheme, ended: findEnd(scheme, rules.now) })
}

function findEnd({ issuedAt, nextUpdate }: TlScheme, now: number): Ended | null {
  if (nextUpdate === null) return 'closed'
  if (nextUpdate <= now) return 'expired'
  return nextUpdate <= latestNextUpdate(issuedAt) ? null : 'malformed'
}

/** Returns the scheme of a list; `undefined` if a member is absent or unreadable. Nothing is checked. */
export function readSchemeElement(root: XmlElement): TlScheme | undefined {
  const information = schemeInformation(root)
  const member = (name: string) => readText(onlyChild(information, tl(name)))
  const [version, number, type, territory] = [
    member('TSLVersionIdentifier'),
    member('TSLSequenceNumber'),
    member('TSLType'),
    member('SchemeTerritory'),
  ]
  const issuedAt = readDateTime(member('ListIssueDateTime') ?? '')
  const nextUpdate = readNextUpdate(onlyChild(information, tl('NextUpdate')))
  if (!isVersion(version) || !isNumber(number) || !type || !territory) return undefined
  if (issuedAt === undefined || nextUpdate === undefined) return undefined
  return { type, territory, sequence: Number(number), issuedAt, nextUpdate }
}

/** Returns the element `SchemeInformation`. */
export function schemeInformation(root: XmlElement): XmlElement | undefined {
  return onlyChild(root, tl('SchemeInformation'))
}

/**
 * Returns whether a `TSLType` is one of the accepted types. The scheme of the URI is not compared, because
 * published lists write the same type with `http` or with `https`.
 */
export function isListType(type: string, accepted: readonly string[] | null): boolean {
  return accepted === null || accepted.some((each) => withoutScheme(each) === withoutScheme(type))
}

function withoutScheme(uri: string): string {
  return uri.replace(/^https?:\/\//, '')
}

function isVersion(text: string | undefined): boolean {
  return text === '5' || text === '6'
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,15}$/.test(text)
}

/** Returns the time of the next issue; `null` for an empty element, `undefined` for anything else. */
function readNextUpdate(element: XmlElement | undefined): number | null | undefined {
  if (element === undefined) return undefined
  if (childElements(element).length === 0) return readText(element) === '' ? null : undefined
  return readDateTime(readText(onlyChild(element, tl('dateTime'))) ?? '')
}

/** Returns whether an issue is older than the last issue, or has the same number but another content. */
function isRolledBack(issue: LastIssue, last: LastIssue): boolean {
  const [number, lastNumber] = [issue.sequence ?? -1, last.sequence ?? -1]
  if (number !== lastNumber) return number < lastNumber
  return last.contentDigest !== undefined && issue.contentDigest !== last.contentDigest
}

/** Returns the latest accepted `NextUpdate`: six months after the issue (§5.3.15), and a week more. */
function latestNextUpdate(issuedAt: number): number {
  const date = new Date(issuedAt * 1000)
  date.setUTCMonth(date.getUTCMonth() + 6)
  return date.getTime() / 1000 + 7 * 86_400
}
