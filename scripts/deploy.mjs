// `npm run deploy [-- --dry-run]`: looks for everything that would keep the service from its work, and uploads it where nothing does.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
// The rules are the service's own, in TypeScript: they need the Node that was just installed.
const main = join(ROOT, 'scripts', 'deploy', 'main.mjs')
const run = spawnSync(NODE, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
if (run.error) throw run.error
process.exitCode = run.status ?? 1
