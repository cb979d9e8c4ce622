// The smallest group of mutation testing, as `npm run mutation` runs it. docs/decisions/mutation.md has the
// scores of all groups.

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
  // Without the variables of this run, whose runner would be mistaken for that of the changes.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const run = spawn(process.execPath, ['scripts/mutation.mjs', 'state'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')])
  expect(output).toContain('state: 100 %, 0 unexplained')
  expect(code, output).toBe(0)
}, 180_000)
