// The command `npm run wallet`: what it says about itself.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
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

it('the command escapes control characters of the verifier, and prints one line for each text', async () => {
  const hostile = '\u009b31m\u202e\u001b]0;x\u0007\nverifier  HTTP 200'
  const server = createServer((_, response) => response.writeHead(400).end(hostile))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const query = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eu.europa.ec.av:1'] } }
  const byValue = {
    ...{
      client_id: hostile,
      nonce: 'n',
      response_mode: 'direct_post',
      response_uri: `${address}?${hostile}`,
    },
    dcql_query: JSON.stringify({ credentials: [{ ...query, claims: [{ path: ['age_over_18'] }] }] }),
  }
  try {
    for (const [parameters, exitCode] of [
      [byValue, 2],
      [{ client_id: 'x', request_uri: address }, 1],
    ] as const) {
      const uri = `openid4vp://?${new URLSearchParams(parameters)}`
      const command = spawn(process.execPath, ['scripts/wallet/command.mjs', uri])
      const closed = once(command, 'close')
      const [stdout, stderr] = await Promise.all([text(command.stdout), text(command.stderr)])
      expect([await closed, stdout + stderr]).toEqual([
        [exitCode, null],
        expect.stringContaining(String.raw`\u{9b}31m\u{202e}\u{1b}]0;x\u{7}\u{a}verifier`),
      ])
      expect(stdout + stderr).not.toMatch(/[^\P{C}\n]/u)
      expect(stdout + stderr).not.toMatch(/^verifier {2}HTTP 200/m)
    }
  } finally {
    server.close()
  }
})
