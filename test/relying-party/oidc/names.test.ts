// Names that work once, in the object of their relying party.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { SettingsInput } from '../../../src/relying-party/document/settings.ts'
import { err, ok } from '../../../src/result.ts'

const INPUT: SettingsInput = {
  name: 'Shop',
  livemode: false,
  webhook: null,
  trust_anchors: [],
  anchor_sets: [],
  credential_types: [],
  transaction_data_types: [],
  formats: null,
  request_options: {},
  by_value: true,
  status_unavailable: 'refuse',
  certificate_revocation: 'off',
  return_urls: [],
  origins: [],
  branding: null,
  retention_seconds: 3600,
  claims_encryption_jwk: null,
  verifier: null,
}

async function createParty() {
  const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  await stub.create(INPUT, Date.now())
  return stub
}

it('an assertion is refused if it has already expired when its name is stored, because an earlier use may no longer be stored', async () => {
  const stub = await createParty()
  const use = { isAuthenticated: true, expiresAt: Date.now() + 60_000 }
  expect(await stub.storeOnce('jti/in-time', '', use)).toEqual(ok(null))
  expect(await stub.storeOnce('jti/late', '', { ...use, expiresAt: Date.now() })).toEqual(err('expired'))
})

it('if the erasure of names fails in the alarm, the alarm is set again, to a minute later or more', async () => {
  const stub = await createParty()
  await runInDurableObject(stub, async (instance, { storage }) => {
    // A table without the column of the expiry: its names cannot be erased.
    storage.sql.exec('CREATE TABLE oidc_once (name TEXT)')
    const now = Date.now()
    await expect(instance.alarm()).rejects.toThrow()
    expect(await storage.getAlarm()).toBeGreaterThanOrEqual(now + 60_000)
  })
})

it('the alarm is set again for a stored name after it has released the events of a disabled webhook', async () => {
  const stub = await createParty()
  const expiresAt = Date.now() + 300_000
  await stub.storeOnce('jti/stored', '', { isAuthenticated: true, expiresAt })
  await runInDurableObject(stub, async (instance, { storage }) => {
    storage.kv.put(`parked/${env.VERIFICATION_SESSION.newUniqueId()}`, true)
    await storage.deleteAlarm() // the platform does this when it runs the handler
    await instance.alarm()
    expect([...storage.kv.list({ prefix: 'parked/' })]).toEqual([])
    expect(await storage.getAlarm()).toBeLessThanOrEqual(expiresAt + 601_000)
    await storage.deleteAlarm()
    await instance.alarm()
    expect(await storage.getAlarm()).toBe(expiresAt + 1_000)
  })
})
