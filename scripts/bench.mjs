// `npm run bench`: measures the cost of the service and compares it with libraries, on workerd.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const run = spawnSync(NODE, [join(ROOT, 'bench', 'main.ts'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
})
process.exitCode = run.status ?? 1
