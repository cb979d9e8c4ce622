// Measures of the process and its storage (self-hosted). The service cannot see them, so the launcher sends
// them over its private socket. They are missing where the launcher cannot read them, and on Cloudflare.

import type { Gauge } from './exposition.ts'

/** Help of each measure, by the name of its gauge. */
export const MEASURES: Readonly<Record<string, string>> = {
  state_bytes: 'Space that STATE_DIR takes on its disk.',
  state_free_bytes: 'Space that is left on the disk of STATE_DIR.',
  process_resident_memory_bytes: 'Resident memory of workerd.',
  process_open_fds: 'Open file descriptors of workerd.',
  process_max_fds: 'Limit of file descriptors of workerd.',
}

let latest: Readonly<Record<string, number>> = {}

/** Stores the numbers of known measures, and forgets those before. Everything else is ignored. */
export function setProcessMeasures(measures: unknown): void {
  const entries = typeof measures === 'object' && measures !== null ? Object.entries(measures) : []
  latest = Object.fromEntries(
    entries.filter(([name, value]) => Object.hasOwn(MEASURES, name) && Number.isFinite(value)),
  )
}

/** Returns a gauge for each measure of the last call. */
export function processGauges(): readonly Gauge[] {
  return Object.entries(latest).map(([name, value]) => ({
    name,
    help: MEASURES[name] ?? '',
    samples: [{ labels: {}, value }],
  }))
}
