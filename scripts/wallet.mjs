// `npm run wallet -- '<openid4vp uri>' [--format …] [--type …] [--reason …]`: the test wallet responds to a
// request over HTTP and prints each step. It presents credentials of the sandbox issuer, which only test mode
// accepts.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
const command = [join(ROOT, 'scripts', 'wallet', 'command.mjs'), ...process.argv.slice(2)]
const run = spawnSync(NODE, command, { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
