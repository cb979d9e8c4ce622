// What is uploaded, and how long it takes to answer for the first time: the service's bundle as it is deployed, and minified.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from '../scripts/service/bundle.mjs'
import type { Server } from '../test/support/server.ts'
import { median, timed } from './measure.ts'
import { type Report, rounded } from './report.ts'

const ROUNDS = 5

export async function benchBundle(report: Report): Promise<void> {
  report.heading('Bundle')
  for (const [name, options] of [
    ['as deployed', []],
    ['minified', ['--minify']],
  ] as const) {
    const bundle = bundleWith(options)
    const zipped = gzipSync(bundle, { level: 9 }).length / 1024
    report.line(`${name}: ${rounded(bundle.length / 1024)} KB, ${rounded(zipped)} KB gz`)
    if (name === 'minified') report.target('bundle, minified, gz', zipped, { most: 100 }, ' KB')
  }
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

function bundleWith(options: readonly string[]): Buffer {
  const out = mkdtempSync(join(tmpdir(), 'bundle-'))
  try {
    build(out, [...options])
    return readFileSync(join(out, 'worker.js'))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
