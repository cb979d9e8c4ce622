// Builds assets/openapi.json, the API description. It is generated from the schemas of the sources and not in
// git (docs/decisions/documentation.md).

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE, ROOT } from './paths.mjs'

/** Writes `openapi.json` into the directory `out`. */
export function buildDescription(out) {
  writeFileSync(join(out, 'openapi.json'), generated('descriptionFile'))
}

/** Returns a file that openapi/files.ts generates. `name`: the function that returns its content. */
export function generated(name) {
  const program = `import { ${name} } from './files.ts'; process.stdout.write(${name}())`
  const { status, stdout, stderr, error } = spawnSync(NODE, ['--input-type=module', '--eval', program], {
    cwd: join(ROOT, 'openapi'),
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`the API description could not be generated:\n${stderr}`)
  return stdout
}
