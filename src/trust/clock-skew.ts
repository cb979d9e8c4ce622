// The difference that is tolerated between our clock and the clocks of wallets, issuers and authorities.

/** Seconds by which the clock of another party may differ from ours. */
export const CLOCK_SKEW = 60
