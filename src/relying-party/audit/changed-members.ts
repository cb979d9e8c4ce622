// Names of the members that a change of settings changed, as the audit log shows them.

/** Stored members that are part of another member in the API, and the name of that member. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  reader_certificates: 'verifier',
  further_verifiers: 'verifier',
}

/**
 * Returns which of the members have another value after the change, in the order of the alphabet. An
 * encrypted member counts as changed each time it is sent, because each encryption of the same text gives
 * another value.
 */
export function changedMembers(before: object, after: object, members: readonly string[]): readonly string[] {
  const [old, next] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const changed = members.filter((name) => toText(old.get(name)) !== toText(next.get(name)))
  return [...new Set(changed.map((name) => SHOWN_AS[name] ?? name))].sort()
}

/** Returns a value as text. An absent member is null, as in the API. */
function toText(value: unknown): string {
  return JSON.stringify(value ?? null)
}
