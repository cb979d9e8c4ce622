// The smallest group of mutation testing, as `npm run proof -- mutation` runs it, and the tests of the group
// that needs a platform in Node. docs/decisions/proofs.md has the scores of all groups.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HANG_MS } from '../support/wait.ts'

/** Limit for a hang of a whole run of the tests, which a busy machine runs for five minutes. */
const WHOLE_RUN_MS = 4 * HANG_MS

/** Results that a later run would use again. */
const forget = () => rmSync('reports/mutation/state.incremental.json', { force: true })
beforeAll(forget)
afterAll(forget)

async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  // Without the variables of this run, whose runner would be mistaken for the runner of the changes.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const child = spawn(process.execPath, args, {
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { output, code }
}

it('a test fails for every mutation of the session states', async () => {
  const { output, code } = await run(['test/mutation/main.mjs', 'state'])
  expect(output).toContain('state: 100 %, 0 unexplained')
  expect(code, output).toBe(0)
})

it(
  'a quarter of the response tests also pass on the platform of mutation testing, which is Node',
  async () => {
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--silent',
      '--shard=1/4',
      '-c',
      'test/mutation/vitest.config.ts',
    ]
    const { output, code } = await run(vitest, { MUTATION_GROUP: 'response', NO_COLOR: '1' })
    expect(output).toMatch(/Tests {2}\d{3,} passed/)
    expect(code, output).toBe(0)
  },
  WHOLE_RUN_MS,
)
