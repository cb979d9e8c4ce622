// The only place where a status changes (CONTRACT 4): one table of transitions. A missing entry is a refusal.

/** Every status of a session. All but `pending` are terminal. */
export const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled'] as const
export type Status = (typeof STATUSES)[number]
export type TerminalStatus = Exclude<Status, 'pending'>

const TRANSITIONS: Readonly<Partial<Record<Status, readonly TerminalStatus[]>>> = {
  pending: ['verified', 'rejected', 'declined', 'expired', 'canceled'],
}

/** Returns the new status, or `undefined` where the transition is refused. */
export function transition(from: Status, to: TerminalStatus): TerminalStatus | undefined {
  return TRANSITIONS[from]?.find((status) => status === to)
}
