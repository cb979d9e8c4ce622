// `node scripts/run.mjs <program> [arguments]`: installs missing packages, then runs a program of the project
// under the installed Node. The machine's own Node may be too old for TypeScript.

import { spawnSync } from 'node:child_process'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
const { error, status } = spawnSync(NODE, process.argv.slice(2), { cwd: ROOT, stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
