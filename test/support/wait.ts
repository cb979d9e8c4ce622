// Limits of tests, for a hang. No test depends on how fast the machine is, so they are long.

/** Longest time of a test or a hook, in milliseconds. */
export const HANG_MS = 300_000

/** Longest wait for a state within a test, for `vi.waitFor`. */
export const WAIT = { timeout: 240_000 } as const
