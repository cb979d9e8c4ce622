// Rows of the errors of a creation: the problem that the response has, and what the member must be.

/** A name or a form that this service does not know. */
export function invalid(message: string) {
  return { problem: 'invalid_request', message } as const
}

/** Known names that no credential can satisfy together. */
export function unsatisfiable(message: string) {
  return { problem: 'policy_unsatisfiable', message } as const
}
