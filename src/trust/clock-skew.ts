// The difference that is tolerated between our clock and the clocks of wallets, issuers and authorities.

/** Seconds by which the clock of another party may differ from ours. */
export const CLOCK_SKEW = 60

/**
 * Time of a check in Unix seconds, and the tolerated difference of clocks in seconds. Absent: `CLOCK_SKEW`.
 * `evidence verify` passes the value that the evidence contains, which may differ in old evidence.
 */
export type Clock = { readonly now: number; readonly clockSkew?: number | undefined }
