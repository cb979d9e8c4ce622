// `npm run build`: builds the bundle of a deployment (dist/worker.js) and the client (packages/client/dist).

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const compiled = spawnSync(NODE, [compiler, '-p', 'packages/client'], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = compiled.status ?? 1
