// The operator's command line with a running service.

import { createPrivateKey } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runAdmin } from '../../support/service/admin-command.ts'
import { type Server, startServer } from '../../support/service/server.ts'

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { ALLOW_LOOPBACK: '0' } }) // as for a hosted service
})
afterAll(() => server?.stop())

const admin = (args: readonly string[], options: Parameters<typeof runAdmin>[2] = {}) =>
  runAdmin(server, args, options)

it('the command creates, changes, shows and deletes a relying party and its keys', async () => {
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
  expect(changed.stdout).toMatch(/^origins +https:\/\/shop\.org$/m)
  expect((await admin(['relying-parties', 'show', id])).stdout).toBe(changed.stdout)

  const key = await admin(['api-keys', 'create', id, '--scopes', 'verify:read', '--json-output'])
  expect(key.stderr).toContain('Shown this once: api_key')
  const revoked = await admin(['api-keys', 'revoke', id, JSON.parse(key.stdout).key_id])
  expect([revoked.code, revoked.stdout, revoked.stderr]).toEqual([0, '', 'Done.\n'])

  expect((await admin(['webhook', 'rotate-secret', id])).stdout).toMatch(/^webhook_secret +whsec_/)
  expect((await admin(['relying-parties', 'delete', id, '--yes'])).code).toBe(0)
  expect((await admin(['relying-parties', 'show', id])).code).toBe(1)
  const changes = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"event":"operator_change"') && line.includes(id))
  expect(JSON.parse(changes.at(-1) ?? '')).toMatchObject({
    action: 'DELETE /v1/admin/relying_parties/:rp',
    actor: userInfo().username,
  })
})

it('the command calls the service on its own machine if it has the variables of the service, even if BASE_URL is a public address', async () => {
  const { code, stderr } = await admin(['relying-parties', 'list'], {
    env: { BASE_URL: 'https://verifier.invalid' },
  })
  expect([code, stderr]).toEqual([0, ''])
})

it('the command shows the steps of a verification', async () => {
  const { api_key } = await server.createRelyingParty()
  const created = await fetch(`${server.origin}/v1/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ credential_types: ['age_attestation'], scope: ['age_over_18'] }),
  })
  const { verification_id: id } = (await created.json()) as { verification_id: string }
  const { code, stdout } = await admin(['verifications', 'show', id])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^status +pending$/m)
  expect(stdout).toMatch(/^timeline\n {2}at +event +detail\n {2}\S+Z +created +none$/m)
  expect((await admin(['verifications', 'show', 'v_unknown'])).stderr).toContain('404 verification_not_found')
})

it('the command uses https for a service with TLS_CERT', async () => {
  const { signing_jwk, certificate_chain_pem } = JSON.parse(
    readFileSync(join(server.stateDir, 'keys', 'verifier-localhost.json'), 'utf8'),
  )
  const key = createPrivateKey({ key: signing_jwk, format: 'jwk' })
  const files = { TLS_CERT: join(server.stateDir, 'tls.crt'), TLS_KEY: join(server.stateDir, 'tls.key') }
  writeFileSync(files.TLS_CERT, certificate_chain_pem)
  writeFileSync(files.TLS_KEY, key.export({ type: 'pkcs8', format: 'pem' }))
  const secure = await startServer({ env: files })
  const env = { ...files, STATE_DIR: secure.stateDir, PORT: new URL(secure.origin).port }
  const { code, stdout } = await admin(
    ['relying-parties', 'create', '--name', 'Shop', '--livemode', 'false'],
    {
      env,
    },
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^relying_party_id +rp_/m)])
  await secure.stop()
})

it('the command warns of a live relying party that trusts no issuer', async () => {
  const created = await admin(['relying-parties', 'create', '--name', 'Shop', '--livemode', 'true'])
  expect([created.code, created.stdout]).toEqual([0, expect.stringContaining('no_trust_anchor')])
  expect(created.stderr).toContain('Warning: No trust anchor or list can vouch for any credential type')
  const shown = await admin(['relying-parties', 'create', '--name', 'Shop', '--livemode', 'false'])
  expect(shown.stderr).not.toContain('Warning')
})

it('the command prints an error of the service with its pointer', async () => {
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

it('a hosted service creates no relying party at its start and prints no key', () => {
  expect(existsSync(join(server.stateDir, 'demo-relying-party.json'))).toBe(false)
  expect(server.output()).not.toMatch(/wv_(test|live)_/)
})

it('the command exits with 2 if its arguments are invalid, and with 3 if it gets no response', async () => {
  expect((await admin(['relying-parties', 'create', '--nmae', 'Shop'])).code).toBe(2)
  const unanswered = await admin(['relying-parties', 'list'], { env: { PORT: '1' } })
  expect([unanswered.code, unanswered.stderr]).toEqual([3, expect.stringContaining('did not answer')])
})
