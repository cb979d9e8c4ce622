// `npm run clients [-- name …]`: generates a client with each generator and runs a session with it, and runs
// the shops of examples/. Everything talks to a service of its own on loopback.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { buildClient } from './service/client-package.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
buildClient()
const run = spawnSync(NODE, [join(ROOT, 'scripts', 'clients', 'main.ts'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
})
if (run.error) throw run.error
process.exitCode = run.status ?? 1
