// Groups of reasons, called families. The page shows the person one text for each family (assets/texts). A
// refused response has one of nine families. An end has one of four families, or none. Only the relying party
// gets the reason itself.

import type { Status } from '../../api/values.ts'
import { REASONS, type ReasonCode, type ReasonFamily, type RefusalReason } from './reasons.ts'

/** Reasons of attempts. An attempt leaves the session pending. */
export type AttemptReason = RefusalReason | 'wallet_error' | 'same_device_return_missing'

/** Family of a refusal, as the page explains it to the person. */
export type RefusalFamily =
  /** The response is malformed, or is not for a live request. */
  | 'response'
  /** Something that was requested is missing. */
  | 'incomplete'
  | 'credential'
  /** The proof that the credential belongs to the person has failed. */
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

/** Family of a session's end, from which the page chooses its text for the person. */
export type EndFamily = 'expired' | 'revoked' | 'not_suitable' | 'declined_on_page'

/**
 * Returns the family of a session's end. Returns null if the session is pending, or if its status alone
 * decides the text.
 */
export function endFamily({
  status,
  outcome,
}: {
  readonly status: Status
  readonly outcome: { readonly reason: ReasonCode | null } | null
}): EndFamily | null {
  const reason = outcome?.reason ?? null
  if (reason === 'declined_on_page') return reason
  if (status !== 'rejected' || reason === null) return null
  if (reason === 'credential_expired') return 'expired'
  return REASONS[reason].family === 'status' ? 'revoked' : 'not_suitable'
}
