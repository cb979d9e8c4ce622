// Measures of the process and its storage (self-hosted). The service cannot see them, so the launcher sends
// them over its private socket. They are missing if the launcher cannot read them, and on Cloudflare.

import type { Gauge } from './exposition.ts'

/** Names of the gauges of the measures. */
export const MEASURES: readonly string[] = [
  'state_bytes',
  'state_free_bytes',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
]

let latest: Readonly<Record<string, number>> = {}

/** Stores the numbers of known measures, and drops the earlier numbers. Unknown measures are ignored. */
export function setProcessMeasures(measures: unknown): void {
  const entries = typeof measures === 'object' && measures !== null ? Object.entries(measures) : []
  latest = Object.fromEntries(
    entries.filter(([name, value]) => MEASURES.includes(name) && Number.isFinite(value)),
  )
}

/** Returns a gauge for each measure of the last call. */
export function processGauges(): readonly Gauge[] {
  return Object.entries(latest).map(([name, value]) => ({
    name,
    samples: [{ labels: {}, value }],
  }))
}
