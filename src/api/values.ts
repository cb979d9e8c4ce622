// Values of members that requests and responses share.

/** Every status of a session. All but `pending` are terminal. */
export const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled'] as const
export type Status = (typeof STATUSES)[number]
export type TerminalStatus = Exclude<Status, 'pending'>

/** Kinds of proof of the person at the other end of a session (api/binding), weakest first. */
export const SESSION_BINDINGS = ['none', 'page', 'relying_party'] as const
export type SessionBinding = (typeof SESSION_BINDINGS)[number]
