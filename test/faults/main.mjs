// `npm run proof -- faults [--busy N] [--times N] [part-of-a-name …]`: the tests of test/faults at full size.
// They need a hard limit of 20,000 file descriptors, and root for a disk of their own. Options:
//   --busy   beside so many processes that use all processor time that they get
//   --times  runs the tests so often, at the size of CI, and prints only the runs that failed

import { spawn, spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'

/** Repeated runs at a time: they mostly wait. */
const AT_A_TIME = 5

const { values, positionals: names } = parseArgs({
  options: { busy: { type: 'string', default: '0' }, times: { type: 'string' } },
  allowPositionals: true,
})
const filters = (names.length === 0 ? [''] : names).map((name) => `test/faults/${name}`)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', ...filters]
const loops = Array.from({ length: Number(values.busy) }, () => spawn(NODE, ['--eval', 'for (;;);']))
process.exitCode = values.times === undefined ? runOnce() : await runTimes(Number(values.times))
for (const loop of loops) loop.kill()

function runOnce() {
  const env = { ...process.env, FAULTS: 'full' }
  return spawnSync(NODE, vitest, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
}

async function runTimes(times) {
  const numbers = Array.from({ length: times }, (_, i) => i + 1).values()
  let passed = 0
  const runNext = async () => {
    for (const number of numbers) {
      const { status, output } = await capture()
      if (status === 0) passed++
      else console.error(`Run ${number} of ${times} failed:\n${output}`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, runNext))
  console.log(`${passed} of ${times} runs passed`)
  return passed === times && times > 0 ? 0 : 1
}

/** Runs the tests and returns their exit code and output. */
function capture() {
  const tests = spawn(NODE, vitest, { cwd: ROOT })
  const parts = []
  for (const stream of [tests.stdout, tests.stderr]) stream.on('data', (part) => parts.push(part))
  return new Promise((resolve) => {
    tests.on('close', (status) => resolve({ status, output: Buffer.concat(parts).toString() }))
  })
}
