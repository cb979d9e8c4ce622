// `npm run openapi`: writes the API description (assets/openapi.json) and the client's types from the
// schemas that validate. Both are committed: a clone builds and deploys without this step. test/openapi
// fails when they are not current.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const PRINT = `import { generatedFiles } from './files.ts'; console.log(JSON.stringify(generatedFiles()))`

ensureInstalled()
const printed = spawnSync(NODE, ['--input-type=module', '--eval', PRINT], {
  cwd: join(ROOT, 'openapi'),
  encoding: 'utf8',
  maxBuffer: 2 ** 24,
})
if (printed.status !== 0) throw new Error(`The description could not be generated:\n${printed.stderr}`)
for (const [path, content] of Object.entries(JSON.parse(printed.stdout))) {
  writeFileSync(join(ROOT, path), content)
  console.log(`${path} is written.`)
}
