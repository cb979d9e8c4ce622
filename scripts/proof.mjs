// `npm run proof [-- --small]`: every run that docs/proof.md names, one after the other, at full size (hours)
// or at that of CI. Ends with one table; exit code 1 where one of them failed.

import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { ROOT } from './service/paths.mjs'
import { proofSteps, proofSummary, runSteps } from './service/proof-steps.mjs'

const options = process.argv.slice(2)
if (options.some((option) => option !== '--small')) {
  console.error('npm run proof [-- --small]')
  process.exit(2)
}
const small = options.length > 0

// With these set, a skipped test fails its run.
const env = { ...process.env, CI: 'true', CI_FULL: '1' }
const results = runSteps(proofSteps({ small }), (args) => {
  console.log(`\n> npm ${args.join(' ')}`)
  return spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit', env }).status
})
const { table, exitCode } = proofSummary(results)
const memory = Math.round(totalmem() / 2 ** 30)
console.log(
  `\n${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${memory} GiB, Linux ${release()}`,
)
console.log(`${small ? 'Sizes of CI' : 'Full sizes'}\n\n${table}`)
process.exitCode = exitCode
