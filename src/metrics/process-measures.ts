// Measures of the self-hosted process and its storage. The service cannot read these measures. The launcher,
// which is the program that starts workerd, sends them over a private socket. It leaves out a measure that it
// cannot read. On Cloudflare there are no measures.

import type { Gauge } from './exposition.ts'

/** Names of the known measures. Each gauge has the name of its measure. */
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

/** Returns a gauge for each measure that the last call of `setProcessMeasures` stored. */
export function processGauges(): readonly Gauge[] {
  return Object.entries(latest).map(([name, value]) => ({
    name,
    samples: [{ labels: {}, value }],
  }))
}
