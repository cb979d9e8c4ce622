// `npm run proof -- faults [part-of-a-name …]`: the tests of test/faults at full size. They need a
// hard limit of 20,000 file descriptors, and root for a disk of their own.

import { spawnSync } from 'node:child_process'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'

const names = process.argv.slice(2)
const filters = (names.length === 0 ? [''] : names).map((name) => `test/faults/${name}`)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', ...filters]
const env = { ...process.env, FAULTS: 'full' }
process.exitCode = spawnSync(NODE, vitest, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
