// Imports the compiled client by its package name, in plain Node without a loader.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'

const USE = `
  import { createClient } from '@wallet-verifier/client'
  import { verifyWebhook } from '@wallet-verifier/client/webhook'
  import { decryptClaims } from '@wallet-verifier/client/claims'
  import { verifyReceipt } from '@wallet-verifier/client/receipt'
  const client = createClient({ baseUrl: 'https://verifier.example', token: 'x', fetch: async () => new Response('{"status":"verified"}') })
  const found = await client.wait('v_1')
  console.log(found.value.status, typeof verifyWebhook, typeof decryptClaims)
`

it('imports by its subpaths in plain Node', () => {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = spawnSync(NODE, [compiler, '-p', 'packages/client'], { cwd: ROOT, encoding: 'utf8' })
  expect(compiled).toMatchObject({ status: 0, stdout: '' })
  const cwd = join(ROOT, 'packages', 'client')
  const used = spawnSync(NODE, ['--input-type=module', '-e', USE], { cwd, encoding: 'utf8' })
  expect(used).toMatchObject({ status: 0, stdout: 'verified function function\n' })
})
