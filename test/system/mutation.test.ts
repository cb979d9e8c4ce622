// The smallest group of mutation testing, as `npm run mutation` runs it, and the tests of the largest one
// without a change. docs/decisions/mutation.md has the scores of all groups.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Results that a later run would use again. */
const forget = () => rmSync('reports/mutation/state.incremental.json', { force: true })
beforeAll(forget)
afterAll(forget)

it('every change of the states of a session is noticed', async () => {
  const { code, output } = await ended(['scripts/mutation.mjs', 'state'])
  expect(output).toContain('state: 100 %, 0 unexplained')
  expect(code, output).toBe(0)
}, 180_000)

it('the tests of responses pass without a change, on objects in one process', async () => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config=test/mutation/vitest.config.ts']
  const { code, output } = await ended([...vitest, '--reporter=dot'], { MUTATION_GROUP: 'response' })
  expect(code, output).toBe(0)
}, 180_000)

async function ended(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  // Without the variables of this run, whose runner would be mistaken for that of the changes.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const run = spawn(process.execPath, args, {
    env: { ...Object.fromEntries(own), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')])
  return { code, output }
}
