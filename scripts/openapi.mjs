// `npm run openapi`: writes what is served at /openapi.json and /docs, from the schemas that validate. It is committed, so that a clone
// builds and deploys without this step; test/openapi tells when it is not current.

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { ASSETS, NODE, ROOT } from './service/paths.mjs'

const PRINT = `import { documentationFiles } from './files.ts'; console.log(JSON.stringify(await documentationFiles()))`

ensureInstalled()
const printed = spawnSync(NODE, ['--input-type=module', '--eval', PRINT], {
  cwd: join(ROOT, 'openapi'),
  encoding: 'utf8',
  maxBuffer: 2 ** 24,
})
if (printed.status !== 0) throw new Error(`the description was not made:\n${printed.stderr}`)
mkdirSync(ASSETS, { recursive: true })
for (const [name, content] of Object.entries(JSON.parse(printed.stdout))) {
  writeFileSync(join(ASSETS, name), content)
  console.log(`assets/${name} is written.`)
}
