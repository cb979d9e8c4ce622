// `node scripts/run.mjs [--bundled] <program> [arguments]`: installs missing packages, then runs a program of
// the project under the installed Node. The machine's own Node may be too old for TypeScript.
// With `--bundled` the program is one file, and any Node runs it with the packages of `npm start`.

import { spawnSync } from 'node:child_process'
import { ensureInstalled, FOR_START } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { runProgram } from './service/programs.mjs'

const { error, status } = run(process.argv.slice(2))
if (error) throw error
process.exitCode = status ?? 1

function run([program, ...args]) {
  const options = { cwd: ROOT, stdio: 'inherit' }
  if (program === '--bundled') {
    ensureInstalled(FOR_START)
    return runProgram(args[0], args.slice(1), options)
  }
  ensureInstalled()
  return spawnSync(NODE, [program, ...args], options)
}
