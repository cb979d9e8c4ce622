// The meaning of a reason for the person at the page: one of nine families of a refused response, or one of
// four families of an end. Each family has a text in assets/texts. The reason itself is for the relying
// party.

import type { Status } from '../../api/values.ts'
import { REASONS, type ReasonCode, type ReasonFamily, type RefusalReason } from './reasons.ts'

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

/** Kind of an end, as the page tells it to the person. */
export type EndFamily = 'expired' | 'revoked' | 'not_suitable' | 'declined_on_page'

/** Returns the family of a session's end. Null: the status says everything, or the session is pending. */
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
