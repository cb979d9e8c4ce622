// Builds assets/openapi.json, the API description. It is generated from the schemas of the sources and not in
// git (docs/decisions/documentation.md).

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE, ROOT } from './paths.mjs'

/** The only statement of a process of its own, because launchers run on older Node. */
const PROGRAM = `import { descriptionFile } from './files.ts'; process.stdout.write(descriptionFile())`

/** Writes `openapi.json` into the directory `out`. */
export function buildDescription(out) {
  const { status, stdout, stderr, error } = spawnSync(NODE, ['--input-type=module', '--eval', PROGRAM], {
    cwd: join(ROOT, 'openapi'),
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`the API description could not be generated:\n${stderr}`)
  writeFileSync(join(out, 'openapi.json'), stdout)
}
