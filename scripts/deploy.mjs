// `npm run deploy [-- --dry-run]`: checks the deployment, and uploads it if there is no error.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
// The checks use the service's own TypeScript, so they need the installed Node.
const main = join(ROOT, 'scripts', 'deploy', 'main.mjs')
const run = spawnSync(NODE, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
if (run.error) throw run.error
process.exitCode = run.status ?? 1
