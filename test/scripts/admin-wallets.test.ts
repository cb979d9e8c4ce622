// `npm run admin -- wallets`: which wallets can answer a request, without a service.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-wallets-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function run(body: object, ...flags: readonly string[]) {
  const path = join(folder, 'policy.json')
  writeFileSync(path, JSON.stringify(body))
  const args = ['scripts/admin.mjs', 'wallets', '--policy', path, ...flags]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

it('the command prints each wallet with its result, and each finding about the wallet as a sentence', () => {
  const { stdout, status } = run({ credential_types: ['pid'], scope: ['age_over_18'], allow_derived: true })
  expect(status).toBe(0)
  expect(stdout).toContain('lowered  EUDI reference wallet (Android) (eudi-android)\n')
  expect(stdout).toContain(
    '         /dcql_query/credentials/0/claim_sets: the lowered request asks for one set of claims only\n',
  )
})

it('the command prints the member `wallets` in the response to a create request as JSON', () => {
  const { stdout } = run({ credential_types: ['mdl'], scope: ['family_name'] }, '--json-output')
  expect(JSON.parse(stdout)).toContainEqual({ id: 'credo', result: 'works', browser: 'if_chosen' })
})

it.each([
  [{ credential_types: ['pid'] }, '/scope: This member is required'],
  [{ credential_types: ['pid'], scope: ['x'] }, '/scope/0: must be a scope of a credential type'],
])('the command refuses %j', (body, message) => {
  const { stderr, status } = run(body)
  expect(status).toBe(1)
  expect(stderr).toContain(message)
})
