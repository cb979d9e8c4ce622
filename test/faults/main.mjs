// `npm run proof -- faults [--busy N] [part-of-a-name …]`: the tests of test/faults at full size. They need a
// hard limit of 20,000 file descriptors, and root for a disk of their own. `--busy`: beside so many processes
// that use all processor time that they get.

import { spawn, spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'

const { values, positionals: names } = parseArgs({
  options: { busy: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const filters = (names.length === 0 ? [''] : names).map((name) => `test/faults/${name}`)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', ...filters]
const env = { ...process.env, FAULTS: 'full' }
const loops = Array.from({ length: Number(values.busy) }, () => spawn(NODE, ['--eval', 'for (;;);']))
process.exitCode = spawnSync(NODE, vitest, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
for (const loop of loops) loop.kill()
