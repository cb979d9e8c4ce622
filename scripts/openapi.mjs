// `npm run openapi`: writes the client's types from the schemas that validate, and the API description. The
// types are in git: test/openapi fails when they are not current. Every build writes the description.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDescription, generated } from './service/description.mjs'
import { ensureInstalled } from './service/install.mjs'
import { ASSETS, ROOT } from './service/paths.mjs'

const TYPES = 'packages/client/src/wire.ts'

ensureInstalled()
writeFileSync(join(ROOT, TYPES), generated('clientTypesFile'))
buildDescription(ASSETS)
console.log(`${TYPES} and assets/openapi.json are written.`)
