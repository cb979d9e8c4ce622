// docs/storage.md and docs/storage-operator.md against stored objects: each example has exactly the members
// of a stored object. Each member is explained.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import RELYING_PARTY_PAGE from '../../docs/storage.md?raw'
import OPERATOR_PAGE from '../../docs/storage-operator.md?raw'
import { directoryStub } from '../../src/relying-party/directory.ts'
import { relyingPartyStub } from '../../src/relying-party/document/identifier.ts'
import { eventLogStub, toDay } from '../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../src/relying-party/index/index-days.ts'
import type { RelyingParty } from '../../src/relying-party/relying-party.ts'
import { buildTombstone } from '../../src/session/document/document.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { LIST_NOW, mintListSigner, signLote } from '../support/certificates/trust-lists.ts'
import { WAIT } from '../support/wait.ts'
import { createSession, fetchRequest, goodResponse, post, type Setting, setUp, stubOf } from './driver.ts'

const PAGE = RELYING_PARTY_PAGE + OPERATOR_PAGE

/** The examples of the pages, in their order. */
const [
  SESSION,
  GENERATION,
  TOMBSTONE,
  EVENT,
  ENTRY,
  RELYING_PARTY,
  SIGN_OUTS,
  AUDIT,
  LIST,
  ANCHOR,
  ROW,
  DATES,
  NOTE,
] = [...PAGE.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => JSON.parse(String(json)))

// biome-ignore lint/suspicious/noExplicitAny: tests look into stored documents freely
type Stored = any

let setting: Setting
let pending: Stored
let verified: Stored

beforeAll(async () => {
  const { sealed_client_secret: _, ...people } = RELYING_PARTY.console_sign_in
  setting = await setUp({
    webhook: { url: 'http://127.0.0.1:9/hook' },
    console_sign_in: { ...people, client_secret: 'secret' },
  })
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
  const body = { metadata: { context: 'checkout' } }
  const session = await createSession(setting, body, { 'Idempotency-Key': 'storage-page' })
  const request = await fetchRequest(session.wallet_request.request_uri)
  pending = await stored(stubOf(session.verification_id), 'session')
  expect((await post(session.verification_id, await goodResponse(setting, request))).status).toBe(200)
  await vi.waitFor(async () => {
    verified = await stored(stubOf(session.verification_id), 'session')
    expect(verified).toMatchObject({ pending_log_entry: null, deliveries: [{ state: 'delivered' }] })
  }, WAIT)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function stored(stub: DurableObjectStub, key: string): Promise<Stored> {
  return runInDurableObject(stub, (_, state) => state.storage.kv.get(key))
}

/** Returns the members at every depth, with types instead of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}

it('docs/storage.md shows a session, one of its requests and its erased state exactly as stored', () => {
  expect(shapeOf(SESSION)).toEqual(shapeOf(verified))
  expect(shapeOf(GENERATION)).toEqual(shapeOf(pending.generations[0]))
  expect(shapeOf(TOMBSTONE)).toEqual(shapeOf(buildTombstone(verified, 0)))
})

it('docs/storage.md shows an event of the log exactly as stored', async () => {
  const log = eventLogStub(env, setting.relyingPartyId, toDay(verified.ended_at))
  expect(shapeOf(EVENT)).toEqual(shapeOf(await stored(log, 'event/0000000001')))
})

it('docs/storage.md shows an entry of the list exactly as stored', async () => {
  const day = indexStub(env, setting.relyingPartyId, toDay(verified.created_at))
  const [entry] = await runInDurableObject(day, (_, state) => [
    ...state.storage.kv.list<Stored>({ prefix: 'entry/' }),
  ])
  expect(shapeOf(ENTRY)).toEqual(shapeOf(entry?.[1]))
})

it('docs/storage.md shows ended sign-ins of the console as stored', async () => {
  const stub = relyingPartyStub(env, setting.relyingPartyId)
  const [id = ''] = Object.keys(SIGN_OUTS.ended)
  const signed_in_at = Date.now()
  await stub?.endSignIn({ id, signed_in_at, expires_at: signed_in_at + 1_000 }, signed_in_at)
  expect(shapeOf(SIGN_OUTS)).toEqual(shapeOf(await stored(stub as DurableObjectStub, 'console_sign_outs')))
})

it('docs/storage.md shows an entry of the audit log as stored', async () => {
  const stub = relyingPartyStub(env, setting.relyingPartyId) as DurableObjectStub<RelyingParty>
  const actor = { kind: 'api_key', key_id: AUDIT.actor_id, name: AUDIT.actor_name } as const
  const origin = { actor, channel: AUDIT.channel, address: AUDIT.address }
  await stub.audit(origin, { action: AUDIT.action, members: JSON.parse(AUDIT.members) })
  const rows = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec('SELECT * FROM audit ORDER BY number DESC LIMIT 1').toArray(),
  )
  expect(rows).toEqual([{ ...AUDIT, number: expect.any(Number), at: expect.any(Number) }])
})

it('the storage page shows a relying party exactly as stored', async () => {
  const stub = relyingPartyStub(env, setting.relyingPartyId)
  const { webhook, ...document } = await stored(stub as DurableObjectStub, 'document')
  const { webhook: shown, ...example } = RELYING_PARTY
  expect(shapeOf(example)).toEqual(shapeOf(document))
  expect(Object.keys(shown)).toEqual(Object.keys(webhook))
})

it('docs/storage.md shows a trust list, and one of its anchors, exactly as stored', async () => {
  const signer = await mintListSigner()
  const { root } = await mintIssuerPki()
  const list = await signLote(signer, { services: [{ certificates: [root.x5c] }] })
  vi.useFakeTimers({ toFake: ['Date'], now: LIST_NOW * 1000 })
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    async () => new Response(list, { headers: { ETag: '"7"' } }),
  )
  const stub = env.TRUST_LIST.getByName('storage-page')
  await stub.create({ ...LIST.config, signers: [{ x509_certificate_pem: signer.pem }] }, Date.now())
  expect(shapeOf(LIST)).toEqual(shapeOf(await stored(stub, 'document')))
  expect(shapeOf(ANCHOR)).toEqual(shapeOf((await stored(stub, 'anchors'))[0]))
})

it('docs/storage.md shows a row of the directory exactly as stored', async () => {
  const rows = await runInDurableObject(directoryStub(env), (_, state) =>
    state.storage.sql.exec('SELECT * FROM relying_parties').toArray(),
  )
  expect(shapeOf(ROW)).toEqual(shapeOf(rows[0]))
})

it('docs/storage.md shows the dates of a certificate exactly as stored', async () => {
  const directory = env.DIRECTORY.getByName('storage-page')
  const { relying_party_id, expires_at: expiresAt, renew_from: renewFrom } = DATES
  await directory.add({ relying_party_id, name: 'Shop', livemode: false, created_at: 0 })
  await directory.noteCertificate(relying_party_id, { validFrom: 0, expiresAt, renewFrom })
  const rows = await runInDurableObject(directory, (_, { storage }) =>
    storage.sql.exec('SELECT * FROM verifier_certificates').toArray(),
  )
  expect(rows).toEqual([DATES])
})

it('docs/storage.md shows the note about a pending session exactly as stored', async () => {
  const directory = env.DIRECTORY.getByName('storage-page-notes')
  await directory.noteSessions([{ ...NOTE, livemode: NOTE.livemode === 1 }])
  const rows = await runInDurableObject(directory, (_, { storage }) =>
    storage.sql.exec('SELECT * FROM session_notes').toArray(),
  )
  expect(rows).toEqual([NOTE])
})

it('docs/storage.md explains every member of a session', () => {
  const { policy: _, ...explained } = verified
  const names = [explained, pending.generations[0]].flatMap(namesIn)
  const unexplained = new Set(names.filter((name) => !PAGE.includes(`\`${name}\``)))
  expect([...unexplained]).toEqual([])
})

/**
 * Returns the names of all members that are ours. Those of `checks` and `metadata` belong to the relying
 * party.
 */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'checks' || name === 'metadata' ? [name] : [name, ...namesIn(member)],
  )
}
