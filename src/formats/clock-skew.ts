// How far clocks may be apart, the same for every format.

/** Seconds by which another party's clock may differ from ours. */
export const CLOCK_SKEW = 60
