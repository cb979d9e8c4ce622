// Enumerations that requests and responses share.

/** Every status of a session. All but `pending` are terminal. */
export const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled'] as const
export type Status = (typeof STATUSES)[number]
export type TerminalStatus = Exclude<Status, 'pending'>

/**
 * Levels of session binding, weakest first (api/binding). A level says how strong the proof is that the
 * intended person responded.
 */
export const SESSION_BINDINGS = ['none', 'page', 'relying_party'] as const
export type SessionBinding = (typeof SESSION_BINDINGS)[number]
