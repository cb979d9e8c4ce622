// `npm run load [-- --seconds N --rates 5,20,50 --callers N --peers --targets disk,memory --json FILE]`: load
// on the service and on other verifiers.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const main = join(ROOT, 'bench', 'load', 'main.ts')
const run = spawnSync(NODE, [main, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
