// `npm run chaos [-- --kills N --seed S --json FILE]`: SIGKILLs at random moments under mixed load. Some come
// with a full disk, few file descriptors, a moved clock or the previous build. It ends with a ledger.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const main = join(ROOT, 'test', 'slow', 'crash', 'chaos.ts')
const run = spawnSync(NODE, [main, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
