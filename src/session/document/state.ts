// The only place where a status changes (api/outcome): one table of transitions. Every other transition is
// refused.

import type { Status, TerminalStatus } from '../../api/values.ts'

const TRANSITIONS: Readonly<Partial<Record<Status, readonly TerminalStatus[]>>> = {
  pending: ['verified', 'rejected', 'declined', 'expired', 'canceled'],
}

/** Returns the new status, or `undefined` if the transition is refused. */
export function transition(from: Status, to: TerminalStatus): TerminalStatus | undefined {
  return TRANSITIONS[from]?.find((status) => status === to)
}
