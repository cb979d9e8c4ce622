// The meaning of a refused response for the person at the page: one of nine families, each with a text in
// assets/texts. The reason itself is for the relying party.

import { REASONS, type ReasonFamily, type RefusalReason } from './reasons.ts'

/** Reasons of attempts. An attempt leaves the session pending. */
export type AttemptReason = RefusalReason | 'wallet_error' | 'same_device_return_missing'

/** Kind of the fault, as the page explains it to the person. */
export type RefusalFamily =
  /** The response is malformed, or is not for a live request. */
  | 'response'
  /** Something that was requested is missing. */
  | 'incomplete'
  | 'credential'
  /** The proof that the credential belongs to the person. */
  | 'holder'
  | 'issuer'
  /** The credential is authentic, but not valid or not sufficient. */
  | 'not_valid'
  /** A check was not possible now. */
  | 'unavailable'
  /** The wallet reported an error. */
  | 'wallet'
  /** The person did not return to the browser where they began. */
  | 'browser'

/** Returns the family of a reason. */
export function refusalFamily(reason: AttemptReason): RefusalFamily {
  if (reason === 'same_device_return_missing') return 'browser'
  const { family, wallet } = REASONS[reason]
  if (wallet === 'unavailable') return 'unavailable'
  if (wallet === 'transaction' || LACKS_SOMETHING.has(reason)) return 'incomplete'
  return BY_FAMILY[family]
}

const LACKS_SOMETHING: ReadonlySet<AttemptReason> = new Set(['query_not_satisfied', 'document_not_returned'])

const BY_FAMILY: Readonly<Record<ReasonFamily, RefusalFamily>> = {
  envelope: 'response',
  credential: 'credential',
  holder: 'holder',
  trust: 'issuer',
  status: 'not_valid',
  policy: 'not_valid',
  flow: 'wallet',
}
