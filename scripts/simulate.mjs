// `npm run simulate -- --seed N --histories N [--mutant NAME]`: the service's objects over a simulated
// platform (docs/decisions/proofs.md). Prints the trace of the first history that breaks a property.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
const program = join(ROOT, 'test', 'simulation', 'main.ts')
const run = spawnSync(NODE, [program, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
