// Signs of a wrong clock. Wallets and issuers write times, so a wrong clock refuses most good responses. The
// refusals of the last minute in this isolate are compared. Times are Unix milliseconds.

import type { ReasonCode } from '../document/reasons.ts'

const WINDOW_MS = 60_000
/** Fewer refusals say nothing about the clock. */
const FEWEST = 5
/** Most refusals in memory. */
const LIMIT = 200

const BY_TIME: ReadonlySet<ReasonCode> = new Set([
  'holder_binding_not_current',
  'credential_expired',
  'credential_not_yet_valid',
  'certificate_expired',
  'certificate_not_yet_valid',
] satisfies readonly ReasonCode[])

let refusals: readonly { readonly at: number; readonly isByTime: boolean }[] = []

/** Notes the reason of a response that was refused, or that rejected its session. */
export function noteRefusal(reason: ReasonCode, now: number): void {
  refusals = [...refusals.slice(1 - LIMIT), { at: now, isByTime: BY_TIME.has(reason) }]
}

/** Returns true if most refusals of the last minute are about a time. */
export function isClockSuspect(now: number): boolean {
  const recent = refusals.filter(({ at }) => Math.abs(now - at) < WINDOW_MS)
  return recent.length >= FEWEST && 2 * recent.filter(({ isByTime }) => isByTime).length > recent.length
}
