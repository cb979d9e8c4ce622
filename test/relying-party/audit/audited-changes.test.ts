// A change of a relying party and its entry in the audit log are one write.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Origin } from '../../../src/relying-party/audit/actor.ts'
import { AUDIT_KEPT_MS } from '../../../src/relying-party/audit/audit-log.ts'
import type { SettingsInput } from '../../../src/relying-party/document/settings.ts'
import type { OidcClient } from '../../../src/relying-party/oidc/client.ts'
import type { RelyingParty } from '../../../src/relying-party/relying-party.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../../support/service/environment.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'

startAtNoon()

const INPUT: SettingsInput = {
  name: 'Shop',
  livemode: false,
  webhook: { url: 'https://hooks.shop.org/in', events: ['verification.verified'] },
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
const BY: Origin = {
  actor: { kind: 'api_key', key_id: '0011223344556677', name: 'Till' },
  channel: 'api',
  address: '203.0.113.7',
}
const CLIENT = { client_id: `oc_${'0'.repeat(32)}`, name: 'App', created_at: 1, secrets: [] }
const SIGN_IN = { id: 'one', signed_in_at: NOON, expires_at: NOON + 3_600_000 }
const GRANT = { name: 'New', scopes: ['verify:read'], expires_at: null } as const

let stub: DurableObjectStub<RelyingParty>
let keyId: string

beforeEach(async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
  stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  const created = await stub.create(INPUT, NOON, BY)
  keyId = created.ok ? (created.value.settings.api_keys[0]?.key_id ?? '') : ''
})

async function entries() {
  return (await stub.readAudit({ before: null, limit: 100, filter: {} })).entries
}

/** Every stored row except those of the audit log. */
function stored(): Promise<string> {
  return runInDurableObject(stub, (_, { storage }) => JSON.stringify([...storage.kv.list()]))
}

const client = CLIENT as unknown as OidcClient
const added = () => stub.addOidcClient(client, BY)

/** Each change, what must exist before it, and its entry. */
const CHANGES: readonly [string, () => Promise<unknown>, () => Promise<unknown>, object][] = [
  ['settings.changed', none, () => stub.update({ name: 'Other', by_value: true }, BY), { members: ['name'] }],
  ['api_key.created', none, () => stub.createApiKey(GRANT, BY), { target_name: 'New' }],
  ['api_key.deleted', none, () => stub.deleteApiKey(keyId, BY), { target_name: null }],
  ['webhook.secret_rotated', none, () => stub.rotateWebhookSecret(BY), {}],
  [
    'webhook.enabled',
    () => stub.disableWebhook('https://hooks.shop.org/in'),
    () => stub.enableWebhook(BY),
    {},
  ],
  ['oidc_client.created', none, added, { target: CLIENT.client_id }],
  [
    'oidc_client.changed',
    added,
    () => stub.replaceOidcClient(CLIENT.client_id, { ...client, name: 'Changed' }, BY),
    { target: CLIENT.client_id, members: ['name'] },
  ],
  ['oidc_client.secret_rotated', added, () => stub.addOidcSecret(CLIENT.client_id, 'hash', BY), {}],
  ['oidc_client.deleted', added, () => stub.deleteOidcClient(CLIENT.client_id, BY), {}],
  ['console.signed_out', none, () => stub.endSignIn(SIGN_IN, NOON, BY), {}],
]

async function none(): Promise<void> {}

it.each(CHANGES)(
  'change %s has one entry, which has the actor, the time and the origin',
  async (action, before, change, shown) => {
    await before()
    const earlier = (await entries()).length
    await change()
    const [entry, ...others] = await entries()
    expect(entry).toMatchObject({ action, at: NOON, ...BY, ...shown })
    expect(others).toHaveLength(earlier)
  },
)

it.each(CHANGES)('change %s is not stored if its entry cannot be stored', async (action, before, change) => {
  await before()
  await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec(
      "CREATE TRIGGER refused BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END",
    ),
  )
  const unchanged = await stored()
  await runInDurableObject(stub, async (object) => {
    const party = stub
    stub = object as unknown as DurableObjectStub<RelyingParty>
    // A method of the object may throw at once, or reject.
    await expect((async () => change())(), action).rejects.toThrow('refused')
    stub = party
  })
  expect(await stored()).toBe(unchanged)
})

it('a call that changes nothing has no entry, for example the deletion of an unknown key', async () => {
  const earlier = await entries()
  await stub.update({ name: 'Shop', webhook: INPUT.webhook }, BY)
  await stub.enableWebhook(BY)
  await stub.deleteApiKey('ffffffffffffffff', BY)
  await stub.addOidcSecret('oc_unknown', 'hash', BY)
  await stub.deleteOidcClient('oc_unknown', BY)
  expect(await entries()).toEqual(earlier)
})

it('a sign-out that is repeated has one entry', async () => {
  for (let i = 0; i < 2; i++) await stub.endSignIn(SIGN_IN, NOON, BY)
  expect((await entries()).filter(({ action }) => action === 'console.signed_out')).toHaveLength(1)
})

it('the creation of a relying party has an entry, and a test of its webhook has an entry', async () => {
  await stub.sendTestWebhook(BY)
  expect(await entries()).toMatchObject([
    { number: 2, action: 'webhook.tested', ...BY },
    { number: 1, action: 'relying_party.created', ...BY, target: keyId },
  ])
})

it('no value of a setting and no secret is in any row of the log', async () => {
  const verifier = {
    signing_jwk: JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK),
    certificate_chain_pem: VERIFIER_CERTIFICATE_PEM,
  }
  const secrets: string[] = [verifier.signing_jwk.d]
  const values = { name: 'CANARY name', privacy_policy_uri: 'https://canary.example/', verifier }
  const webhook = { url: 'https://canary.example/hook', events: ['verification.expired'] } as const
  await stub.update({ ...values, webhook, origins: ['https://canary.example'] }, BY)
  const created = await stub.createApiKey(GRANT, BY)
  if (created.ok) secrets.push(created.value.api_key, created.value.api_key.split('.')[2] ?? '')
  const rotated = await stub.rotateWebhookSecret(BY)
  if (rotated.ok) secrets.push(rotated.value.secret)
  await stub.addOidcClient({ ...client, name: 'CANARY app' }, BY)
  await stub.addOidcSecret(CLIENT.client_id, 'CANARY hash', BY)
  await stub.replaceOidcClient(CLIENT.client_id, { ...client, name: 'CANARY other' }, BY)
  const rows = await runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(storage.sql.exec('SELECT * FROM audit').toArray()),
  )
  expect(rows).toContain('privacy_policy_uri')
  expect(rows.toLowerCase()).not.toContain('canary')
  expect(secrets).toHaveLength(4)
  for (const secret of secrets) expect(rows).not.toContain(secret)
})

it('the log is erased with its relying party, and a later call stores no entry', async () => {
  await stub.erase()
  await stub.audit(BY, { action: 'console.signed_in' })
  await stub.endSignIn(SIGN_IN, NOON, BY)
  expect(await entries()).toEqual([])
})

it('an alarm erases entries after 400 days, even if no entry is added', async () => {
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBe(NOON + AUDIT_KEPT_MS)
  at(NOON + 1_000)
  await stub.update({ name: 'Later' }, BY)
  at(NOON + AUDIT_KEPT_MS)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  const rows = await runInDurableObject(stub, async (_, { storage }) => [
    storage.sql.exec('SELECT action FROM audit').toArray(),
    await storage.getAlarm(),
  ])
  expect(rows).toEqual([[{ action: 'settings.changed' }], NOON + 1_000 + AUDIT_KEPT_MS + 1_000])
})

it('enabling a webhook sets the alarm of the relying party to now, not to the time when the audit entry expires', async () => {
  await stub.disableWebhook('https://hooks.shop.org/in')
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm())
  await runInDurableObject(stub, async (object, { storage }) => {
    const set = vi.spyOn(storage, 'setAlarm')
    object.enableWebhook(BY)
    await storage.sync()
    expect(set.mock.calls).toEqual([[NOON]])
  })
})
