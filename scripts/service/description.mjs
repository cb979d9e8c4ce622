// Builds assets/openapi.json, the API description. It is generated from the schemas of the sources and not in
// git (docs/decisions/documentation.md).

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './programs.mjs'

/** Writes `openapi.json` into the directory `out`. */
export function buildDescription(out) {
  const { status, stdout, stderr, error } = runProgram('openapi/print.ts', [], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`the API description could not be generated:\n${stderr}`)
  writeFileSync(join(out, 'openapi.json'), stdout)
}
