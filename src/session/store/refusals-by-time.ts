// Detects that the clock of this service is wrong. Responses contain times, so a service with a wrong clock
// refuses most valid responses. This module counts the reasons of the refusals in this isolate in the last
// minute. Times are Unix milliseconds.

import type { ReasonCode } from '../document/reasons.ts'

const WINDOW_MS = 60_000
/** Fewer refusals than this number do not show that the clock is wrong. */
const FEWEST = 5
/** Limit of refusals in memory. */
const LIMIT = 200

const BY_TIME: ReadonlySet<ReasonCode> = new Set([
  'holder_binding_not_current',
  'credential_expired',
  'credential_not_yet_valid',
  'certificate_expired',
  'certificate_not_yet_valid',
] satisfies readonly ReasonCode[])

let refusals: readonly { readonly at: number; readonly isByTime: boolean }[] = []

/** Notes the reason for which a response was refused, or for which it ended its session as `rejected`. */
export function noteRefusal(reason: ReasonCode, now: number): void {
  refusals = [...refusals.slice(1 - LIMIT), { at: now, isByTime: BY_TIME.has(reason) }]
}

/**
 * Returns true if more than half of the last minute's refusals are for a reason in `BY_TIME`. Returns false
 * for fewer than `FEWEST` refusals.
 */
export function isClockSuspect(now: number): boolean {
  const recent = refusals.filter(({ at }) => Math.abs(now - at) < WINDOW_MS)
  return recent.length >= FEWEST && 2 * recent.filter(({ isByTime }) => isByTime).length > recent.length
}
