// Measures the size of the deployed bundle and the time of a start.

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { BUNDLE } from '../scripts/service/bundle.mjs'
import type { Server } from '../test/support/service/server.ts'
import { median, timed } from './measure.ts'
import { type Report, rounded } from './report.ts'

const ROUNDS = 5

/** Limit for the whole service; docs/decisions/bundle.md has the history of this limit. */
const MOST_KB = 252

export function benchBundle(report: Report): void {
  report.heading('Bundle')
  const bundle = readFileSync(BUNDLE)
  const zipped = gzipSync(bundle, { level: 9 }).length / 1024
  report.line(`minified, as deployed: ${rounded(bundle.length / 1024)} KB`)
  report.target('bundle, gz', zipped, { most: MOST_KB }, ' KB')
}

/** Measures the time from the launcher's start to its "Ready", with existing state. */
export async function benchStart(server: Server, report: Report): Promise<void> {
  report.heading('Start (milliseconds)')
  const starts: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await server.kill9()
    starts.push(await timed(() => server.restart()))
  }
  report.line(`launcher, workerd, first response of /healthz and /readyz: ${rounded(median(starts))}`)
}
