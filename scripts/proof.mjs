// `npm run proof -- NAME [arguments]`: runs one proof. `all [--small]` runs everything that docs/proof.md
// names, at full size (hours) or at the size of CI, also after a failure. Without a name, prints the names.

import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { PROOFS, proofSteps } from './service/proofs.mjs'

const [name, ...args] = process.argv.slice(2)
if (name === 'all' && args.every((arg) => arg === '--small')) process.exitCode = runAll(args.length > 0)
else if (Object.hasOwn(PROOFS, name ?? '')) process.exitCode = runOne(PROOFS[name])
else {
  const rows = Object.entries(PROOFS).map(([proof, { shows }]) => `  ${proof.padEnd(12)} ${shows}`)
  console.log(['npm run proof -- NAME [arguments]', '', ...rows].join('\n'))
  console.log('  all          every proof, after check and test; with --small at the sizes of CI')
  process.exitCode = name === undefined ? 0 : 2
}

function runOne({ program }) {
  ensureInstalled()
  ensureBundle()
  const { error, status } = spawnSync(NODE, [program, ...args], { cwd: ROOT, stdio: 'inherit' })
  if (error) throw error
  return status ?? 1
}

/**
 * Prints a table with the exit code of each step. A step that was ended by a signal has no exit code. Returns
 * 0 if every step ended with 0.
 */
function runAll(small) {
  // With these set, a skipped test fails its run, and mutation reuses no earlier result.
  const env = { ...process.env, CI: 'true', CI_FULL: '1' }
  const results = proofSteps({ small }).map((step) => {
    console.log(`\n> npm ${step}`)
    const begun = Date.now()
    const { status } = spawnSync('npm', step.split(' '), { cwd: ROOT, stdio: 'inherit', env })
    return {
      step: `npm ${step}`,
      'exit code': status,
      minutes: Math.round((Date.now() - begun) / 6_000) / 10,
    }
  })
  const memory = Math.round(totalmem() / 2 ** 30)
  console.log(`\n${availableParallelism()} × ${cpus()[0]?.model}, ${memory} GiB, Linux ${release()}`)
  console.table(results)
  return results.every((result) => result['exit code'] === 0) ? 0 : 1
}
