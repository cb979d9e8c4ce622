// `npm run build`: builds the bundle of a deployment (dist/worker.js) the client
// (packages/client/dist) and the library (packages/verify/dist).
// `npm run build -- python go java`: packs the clients of these languages instead (dist/packages).

import { spawnSync } from 'node:child_process'
import { ensureBundle } from './service/bundle.mjs'
import { buildClient } from './service/client-package.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { buildVerify } from './service/verify-package.mjs'

const languages = process.argv.slice(2)
ensureInstalled()
if (languages.length > 0) {
  const options = { cwd: ROOT, stdio: 'inherit' }
  process.exitCode = spawnSync(NODE, ['scripts/clients/pack.ts', ...languages], options).status ?? 1
} else {
  ensureBundle()
  buildClient()
  buildVerify()
}
