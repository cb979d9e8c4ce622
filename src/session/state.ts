// The only place a status changes: states by events (specification 3, CONTRACT 4). A missing cell is a refusal.

/** Every status of a session; all but `pending` are terminal. */
export const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled'] as const
export type Status = (typeof STATUSES)[number]
export type TerminalStatus = Exclude<Status, 'pending'>

/** What can happen to a session. */
export type SessionEvent =
  /** An authentic answer satisfied the policy. */
  | 'answer_satisfied'
  /** An authentic answer did not. */
  | 'answer_unsatisfied'
  /** The wallet answered `access_denied`. */
  | 'wallet_declined'
  | 'time_passed'
  | 'relying_party_canceled'

const TRANSITIONS: Readonly<Record<Status, Partial<Readonly<Record<SessionEvent, TerminalStatus>>>>> = {
  pending: {
    answer_satisfied: 'verified',
    answer_unsatisfied: 'rejected',
    wallet_declined: 'declined',
    time_passed: 'expired',
    relying_party_canceled: 'canceled',
  },
  verified: {},
  rejected: {},
  declined: {},
  expired: {},
  canceled: {},
}

/** The status that follows; `undefined` where the event is refused in this status. */
export function transition(from: Status, event: SessionEvent): TerminalStatus | undefined {
  return TRANSITIONS[from][event]
}

/** Tells whether nothing can happen to a session any more. */
export function isTerminal(status: Status): status is TerminalStatus {
  return status !== 'pending'
}
