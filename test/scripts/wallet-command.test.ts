// The command `npm run wallet`: what it says about itself.

import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/wallet/command.mjs', ...args], { encoding: 'utf8' })

it.each(['--help', '-h'])('the command prints its flags and exit codes for %s, and exits 0', (flag) => {
  const { status, stdout, stderr } = run(flag)
  expect([status, stderr]).toEqual([0, ''])
  for (const text of ['--format', '--type', '--reason', '--help', 'Exit codes'])
    expect(stdout).toContain(text)
})

it('the command prints its flags for a missing address, and exits 1', () => {
  const { status, stdout, stderr } = run()
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe(run('--help').stdout)
})
