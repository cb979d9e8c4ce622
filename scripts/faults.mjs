// `npm run faults [-- part-of-a-name …]`: the tests of test/slow/faults at full size. They take up to an
// hour and a half. They need a hard limit of 20,000 file descriptors, and root for a disk of their own.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
const names = process.argv.slice(2)
const filters = names.length === 0 ? ['test/slow/faults'] : names.map((name) => `test/slow/faults/${name}`)
const run = spawnSync(
  NODE,
  [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'slow', ...filters],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, FAULTS: 'full' } },
)
process.exitCode = run.status ?? 1
