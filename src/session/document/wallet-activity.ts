// The last thing that a wallet did in a pending session: it fetched a live request, or its response was
// refused. The page shows this activity until the person requests a new QR code or link. A response that
// names no live request does not change the activity.

import type { Status } from '../../api/values.ts'
import { isoTime } from '../../codec/date-time.ts'
import { type AttemptReason, type RefusalFamily, refusalFamily } from './refusal-family.ts'

/** `number` rises by one with each activity. `at` in Unix milliseconds. */
export type WalletActivity = { readonly number: number; readonly at: number } & Activity

type Activity =
  /** A wallet fetched a request for the first time. */
  | { readonly kind: 'request_fetched' }
  /** A response to a live request was refused. */
  | { readonly kind: 'response_refused'; readonly reason: AttemptReason }

/** Member of the session's document that contains the activity. */
type Active = { readonly wallet_activity?: WalletActivity }

/** Stores an activity in place of the previous activity. */
export function addActivity<T extends Active>(document: T, activity: Activity, at: number): T {
  const number = (document.wallet_activity?.number ?? 0) + 1
  return { ...document, wallet_activity: { number, at, ...activity } }
}

/**
 * Returns the activity for a holder of the `client_token`: the family of a refusal, and never its reason.
 * Returns null without an activity, or after the end.
 */
export function activityView({
  status,
  wallet_activity,
}: Active & { readonly status: Status }): ActivityView | null {
  if (wallet_activity === undefined || status !== 'pending') return null
  const { number, at, kind } = wallet_activity
  const family = kind === 'response_refused' ? refusalFamily(wallet_activity.reason) : null
  return { number, at: isoTime(at), kind, family }
}

type ActivityView = {
  readonly number: number
  readonly at: string
  readonly kind: Activity['kind']
  readonly family: RefusalFamily | null
}
