// Time limits of tests, which end a test that hangs. No test depends on the speed of the machine, so the
// limits are long.

/** Longest time of a test or a hook, in milliseconds. */
export const HANG_MS = 300_000

/** Longest wait for a state within a test, for `vi.waitFor`. */
export const WAIT = { timeout: 240_000 } as const
