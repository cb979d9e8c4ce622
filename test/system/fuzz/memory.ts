// Memory of workerd over a run. A leak grows with every request; a heap that warms up does not.

import { readFileSync } from 'node:fs'
import { processMeasures } from '../../../scripts/service/measures.mjs'

const EVERY_MS = 500
const MIB = 1024 * 1024
/** The heap of V8 fills up to its limit before it is collected, whatever the load. */
const GROWTH_ALLOWED = 1.15
const LEAST_GROWTH_BYTES = 48 * MIB

export type Memory = {
  /** Resident memory of workerd in MiB: the medians of two quarters of the run, and the most. */
  readonly second_quarter: number
  readonly last_quarter: number
  readonly most: number
  readonly samples: number
}

/** Samples the resident memory until `stop`. */
export function sampleMemory(pid: () => number) {
  const samples: number[] = []
  const timer = setInterval(async () => {
    const { process_resident_memory_bytes: bytes } = await processMeasures(pid())
    if (bytes !== undefined) samples.push(bytes)
  }, EVERY_MS)
  return {
    stop: (): Memory => {
      clearInterval(timer)
      return memoryOf(samples)
    },
  }
}

/** Returns the measures of samples in their order. */
export function memoryOf(samples: readonly number[]): Memory {
  const quarter = samples.length / 4
  const inMiB = (bytes: number) => Math.round(bytes / MIB)
  return {
    second_quarter: inMiB(median(samples.slice(quarter, 2 * quarter))),
    last_quarter: inMiB(median(samples.slice(3 * quarter))),
    most: inMiB(Math.max(0, ...samples)),
    samples: samples.length,
  }
}

/** Returns `true` unless the last quarter needed clearly more than the second quarter. */
export function isFlat({ second_quarter, last_quarter }: Memory): boolean {
  const growth = (last_quarter - second_quarter) * MIB
  return growth < LEAST_GROWTH_BYTES || last_quarter < GROWTH_ALLOWED * second_quarter
}

/** Returns the seconds of processor time that a process has used, on Linux. */
export function cpuSecondsOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number)
  return (user + system) / 100
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
