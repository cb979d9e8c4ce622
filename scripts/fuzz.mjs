// `npm run fuzz [-- --requests N --seed S --only INDEX --json FILE]`: generated requests, and good responses
// with one change, against a service of its own. Prints requests by route, changes by outcome, and memory.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const main = join(ROOT, 'test', 'system', 'fuzz', 'main.ts')
const run = spawnSync(NODE, [main, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
