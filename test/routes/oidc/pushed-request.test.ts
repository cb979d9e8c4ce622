// Pushed authorization requests at rest (RFC 9126).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { setUp } from '../../session/driver.ts'
import { authorize, newClient, push } from './login-world.ts'

it('a pushed request can be used once, and leaves no value of its claims parameter in storage', async () => {
  const setting = await setUp()
  const client = await newClient(setting)
  const claims = JSON.stringify({ id_token: { family_name: { value: 'Mustermann' } } })
  const request_uri = await push(client, { claims })
  const [, relyingPartyId = ''] = /\/oidc\/(rp_[\w-]+)/.exec(client.issuer) ?? []
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) throw new Error('the issuer has no relying party')
  const stored = await runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(storage.sql.exec("SELECT * FROM oidc_once WHERE name LIKE 'par/%'").toArray()),
  )
  expect(stored).toContain(client.client_id)
  expect(stored).not.toMatch(/Mustermann|family_name|https:/)
  expect((await authorize(client, { request_uri })).status).toBe(303)
  expect((await authorize(client, { request_uri })).headers.get('Location') ?? '').not.toMatch(/\/s\//)
})
