// `npm test`: every test except the tests of `slow` and `faults`, which `npm test -- --all` runs too. With
// parts of paths as arguments, runs the files whose path has one of these parts. Other options are passed to
// vitest. `npm test -- --watch [part-of-a-path …]`: runs tests again whenever a file that they use changes.
// Without a path, runs the tests of `core`.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const args = process.argv.slice(2).filter((arg) => arg !== '--all')
const isWhole = args.every((arg) => arg.startsWith('--project='))
if (process.argv.length === 2) args.push('--project=!slow', '--project=!faults')
if (args.join() === '--watch') args.push('--project=core')

ensureInstalled()
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(NODE, [vitest, ...(args.includes('--watch') ? [] : ['run']), ...args], {
  cwd: ROOT,
  stdio: 'inherit',
  env: {
    ...process.env,
    // Workers and services load the same modules.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'node'),
    ...(isWhole && { EVERY_PROJECT: '1' }), // in a whole run every project must have a test
  },
})
process.exitCode = status ?? 1
