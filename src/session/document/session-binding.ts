// Proof of the person at the other end of a session (CONTRACT 5).

/** Kinds of proof, weakest first. */
export const SESSION_BINDINGS = ['none', 'page', 'relying_party'] as const
export type SessionBinding = (typeof SESSION_BINDINGS)[number]

/** Returns true if the shown binding is at least the required one. */
export function reaches(shown: SessionBinding | null, required: SessionBinding): boolean {
  return SESSION_BINDINGS.indexOf(shown ?? 'none') >= SESSION_BINDINGS.indexOf(required)
}
