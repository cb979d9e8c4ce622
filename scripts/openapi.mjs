// `npm run openapi`: writes what is served at /openapi.json, from the schemas that validate. It is committed, so that a clone builds
// and deploys without this step; test/routes/openapi tells when it is not current.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const ROOM = join(ROOT, 'src', 'routes', 'openapi')
const PRINT = `import { describe } from './describe.ts'; console.log(JSON.stringify(describe(), null, 1))`

ensureInstalled()
const printed = spawnSync(NODE, ['--input-type=module', '--eval', PRINT], {
  cwd: ROOM,
  encoding: 'utf8',
  maxBuffer: 2 ** 24,
})
if (printed.status !== 0) throw new Error(`the description was not made:\n${printed.stderr}`)
writeFileSync(join(ROOM, 'description.json'), printed.stdout)
console.log('src/routes/openapi/description.json is written.')
