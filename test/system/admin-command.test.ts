// The operator's command line with a running service.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Server, startServer } from '../support/service/server.ts'

const COMMAND = fileURLToPath(new URL('../../scripts/admin.mjs', import.meta.url).href)

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { ALLOW_LOOPBACK: '0' } }) // as for a hosted service
})
afterAll(() => server?.stop())

/** Runs `npm run admin -- …` with the service's own state. */
function admin(args: readonly string[], { input = '', env = {} } = {}) {
  const local = { STATE_DIR: server.stateDir, PORT: new URL(server.origin).port, ...env }
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...local } })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  child.stdin.end(input)
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...texts })),
  )
}

it('creates, changes, shows and deletes a relying party and its keys', async () => {
  const created = await admin(
    ['relying-parties', 'create', '--json', '-', '--livemode', 'false', '--json-output'],
    {
      input: JSON.stringify({ name: 'Shop' }),
    },
  )
  expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('api_key, webhook_secret')])
  const { relying_party_id: id } = JSON.parse(created.stdout)

  expect((await admin(['relying-parties', 'list'])).stdout).toContain(id)
  const changed = await admin(['relying-parties', 'update', id, '--origins', 'https://shop.org'])
  expect(changed.stdout).toContain('origins:\n  - https://shop.org')
  expect((await admin(['relying-parties', 'show', id])).stdout).toBe(changed.stdout)

  const key = await admin(['api-keys', 'create', id, '--scopes', 'verify:read', '--json-output'])
  expect(key.stderr).toContain('Shown this once: api_key')
  const revoked = await admin(['api-keys', 'revoke', id, JSON.parse(key.stdout).key_id])
  expect([revoked.code, revoked.stdout, revoked.stderr]).toEqual([0, '', 'Done.\n'])

  expect((await admin(['webhook', 'rotate-secret', id])).stdout).toMatch(/^webhook_secret: whsec_/)
  expect((await admin(['relying-parties', 'delete', id, '--yes'])).code).toBe(0)
  expect((await admin(['relying-parties', 'show', id])).code).toBe(1)
})

it('prints the error of the service with its pointer', async () => {
  const refused = await admin([
    'relying-parties',
    'create',
    '--name',
    'Shop',
    '--webhook-url',
    'ftp://shop.org',
  ])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/\(400 invalid_request\)/)
  expect(refused.stderr).toMatch(/^ {2}\/webhook\/url: /m)
  expect(refused.stderr).toMatch(/^ {2}req_/m)
})

it('hosted, the service creates no relying party by itself and prints no key', () => {
  expect(existsSync(join(server.stateDir, 'demo-relying-party.json'))).toBe(false)
  expect(server.output()).not.toMatch(/wv_(test|live)_/)
})

it('exits with 2 for an invalid command, and with 3 without a response', async () => {
  expect((await admin(['relying-parties', 'create', '--nmae', 'Shop'])).code).toBe(2)
  const unanswered = await admin(['relying-parties', 'list'], { env: { BASE_URL: 'http://127.0.0.1:1' } })
  expect([unanswered.code, unanswered.stderr]).toEqual([3, expect.stringContaining('did not answer')])
})
