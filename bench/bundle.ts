// What is uploaded, and how long it takes to answer for the first time.

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { BUNDLE } from '../scripts/service/bundle.mjs'
import type { Server } from '../test/support/service/server.ts'
import { median, timed } from './measure.ts'
import { type Report, rounded } from './report.ts'

const ROUNDS = 5

/** For everything there is to be; what it was allowed on the way here: docs/decisions/bundle.md. */
const MOST_KB = 160

export function benchBundle(report: Report): void {
  report.heading('Bundle')
  const bundle = readFileSync(BUNDLE)
  const zipped = gzipSync(bundle, { level: 9 }).length / 1024
  report.line(`minified, as deployed: ${rounded(bundle.length / 1024)} KB`)
  report.target('bundle, gz', zipped, { most: MOST_KB }, ' KB')
}

/** From the launcher's start to its "Ready", on state that is there already. */
export async function benchStart(server: Server, report: Report): Promise<void> {
  report.heading('Start (milliseconds)')
  const starts: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await server.kill9()
    starts.push(await timed(() => server.restart()))
  }
  report.line(`launcher, workerd, first answer of /healthz and /readyz: ${rounded(median(starts))}`)
}
