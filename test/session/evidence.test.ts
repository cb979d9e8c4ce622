// Sealed evidence in the storage of sessions (api/evidence), alone in an object and in a shared object.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, withEnv } from 'cloudflare:workers'
import { exportJWK, type GeneralJWE, generalDecrypt, generateKeyPair } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { EVIDENCE } from '../../src/evidence/limits.ts'
import { relyingPartyStub } from '../../src/relying-party/document/identifier.ts'
import { sharedObjectName } from '../../src/relying-party/document/session-stub.ts'
import { EvidenceSessions } from '../../src/relying-party/evidence-sessions.ts'
import { RelyingParty } from '../../src/relying-party/relying-party.ts'
import { createApp } from '../../src/routes/app.ts'
import { VerificationSession } from '../../src/session/verification-session.ts'
import { ADMIN, call, json } from '../routes/edge/edge-app.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  postIntoFault,
  type Setting,
  setUp,
  stubOf,
} from './driver.ts'

const app = createApp()
const HOUR = 3_600_000
const SHARED: Env = { ...env, SHARE_SESSIONS: '1' }
const recipient = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true })
const key = { ...(await exportJWK(recipient.publicKey)), kid: 'archive' }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Keeper = Setting & { readonly reader: { readonly Authorization: string } }

async function setUpKeeper(): Promise<Keeper> {
  const evidence = { jwks: { keys: [key] }, for: 'all' }
  const setting = await setUp({ evidence, retention_seconds: 3_600 })
  const path = `/v1/admin/relying_parties/${setting.relyingPartyId}/api_keys`
  const body = { scopes: ['evidence:read'] }
  const { api_key } = await json(call(app, 'POST', path, { headers: ADMIN, body }))
  return { ...setting, reader: { Authorization: `Bearer ${api_key}` } }
}

const evidenceOf = ({ reader }: Keeper, id: string, method = 'GET') =>
  call(app, method, `/v1/verify/${id}/evidence`, { headers: reader })

/** A pending session, and its good response. */
async function answered(keeper: Keeper) {
  const { verification_id: id, wallet_request } = await createSession(keeper)
  const request = await fetchRequest(wallet_request.request_uri)
  return { id, response: await goodResponse(keeper, request) }
}

const isSealed = (part: Uint8Array) => part.some((byte) => byte !== 0)

/** Number of stored parts in a session's own object that are not overwritten. */
const ownParts = (id: string) =>
  runInDurableObject(stubOf(id), (_, { storage }) => {
    const parts = [...storage.kv.list<Uint8Array>({ prefix: 'evidence/' })].map(([, part]) => part)
    return parts.filter(isSealed).length
  })

const sharedObject = () => {
  const { SHARED_SESSIONS } = SHARED
  if (SHARED_SESSIONS === undefined) throw new Error('no binding SHARED_SESSIONS')
  return SHARED_SESSIONS.getByName(sharedObjectName(0))
}

/** Stored parts in the shared object, and those that are not overwritten; null before the first. */
const sharedParts = () =>
  runInDurableObject(sharedObject(), (_, { storage }) => {
    const tables = "SELECT name FROM sqlite_master WHERE name = 'evidence'"
    if (storage.sql.exec(tables).toArray().length === 0) return null
    const parts = [...storage.sql.exec<{ data: ArrayBuffer }>('SELECT data FROM evidence')]
    const sealed = parts.filter(({ data }) => isSealed(new Uint8Array(data))).length
    return { rows: parts.length, sealed }
  })

describe('a session with an object of its own', () => {
  it('stores the sealed evidence with its outcome; a DELETE of the evidence keeps the outcome', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    expect(await ownParts(id)).toBe(0)
    expect((await post(id, response)).status).toBe(200)
    expect(await ownParts(id)).toBe(1)
    await evictDurableObject(stubOf(id))
    const { sealed } = await json(evidenceOf(keeper, id))
    const { plaintext } = await generalDecrypt(sealed as GeneralJWE, recipient.privateKey)
    expect(new TextDecoder('latin1').decode(plaintext)).toContain('mimetypeapplication/vnd.etsi.asic-e+zip')
    expect((await evidenceOf(keeper, id, 'DELETE')).status).toBe(204)
    expect(await ownParts(id)).toBe(0)
    await evictDurableObject(stubOf(id))
    expect((await evidenceOf(keeper, id)).status).toBe(410)
    expect((await poll(keeper, id)).status).toBe('verified')
  })

  it('erases the evidence with the session, after the retention and on request', async () => {
    const keeper = await setUpKeeper()
    const [kept, erased] = [await answered(keeper), await answered(keeper)]
    for (const { id, response } of [kept, erased]) await post(id, response)
    expect((await ask(keeper, 'DELETE', erased.id)).status).toBe(204)
    expect(await ownParts(erased.id)).toBe(0)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 200 * HOUR })
    await runDurableObjectAlarm(stubOf(kept.id))
    expect(await ownParts(kept.id)).toBe(0)
  })

  it('has no outcome if the evidence cannot be sealed, and accepts a later response', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt').mockRejectedValue(new Error('no entropy'))
    const refused = await post(id, response)
    expect(encrypt).toHaveBeenCalled()
    expect(refused.status).toBe(503)
    encrypt.mockRestore()
    const { status, attempts, evidence } = await poll(keeper, id)
    expect({ status, evidence }).toEqual({ status: 'pending', evidence: null })
    expect(attempts).toMatchObject([{ reason: { code: 'evidence_unavailable', retryable: true } }])
    expect(await ownParts(id)).toBe(0)
    expect((await post(id, response)).status).toBe(200)
    expect((await poll(keeper, id)).status).toBe('verified')
    expect(await ownParts(id)).toBe(1)
  })

  it('refuses a response whose evidence would be too large, and accepts a later response', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    const limits = EVIDENCE as { containerBytes: number } // readonly outside of this test
    const { containerBytes } = limits
    limits.containerBytes = 1_000
    const refused = await post(id, response).finally(() => {
      limits.containerBytes = containerBytes
    })
    expect(refused.status).toBe(400)
    const { status, attempts, evidence } = await poll(keeper, id)
    expect({ status, evidence }).toEqual({ status: 'pending', evidence: null })
    expect(attempts).toMatchObject([{ reason: { code: 'response_too_large' } }])
    expect(await ownParts(id)).toBe(0)
    expect((await post(id, response)).status).toBe(200)
    expect((await poll(keeper, id)).status).toBe('verified')
  })

  it('has no outcome if the evidence cannot be stored', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    await runInDurableObject(stubOf(id), (_, { storage }) => {
      const kv = Object.getPrototypeOf(storage.kv)
      const { put } = kv
      vi.spyOn(kv, 'put').mockImplementation(function (this: SyncKvStorage, ...args: unknown[]) {
        if (String(args[0]).startsWith('evidence/')) throw new Error('database or disk is full: SQLITE_FULL')
        return Reflect.apply(put, this, args)
      })
    })
    expect((await postIntoFault(id, response)).status).toBeGreaterThanOrEqual(500)
    vi.restoreAllMocks()
    expect((await poll(keeper, id)).status).toBe('pending')
    expect(await ownParts(id)).toBe(0)
    expect((await post(id, response)).status).toBe(200)
    expect(await ownParts(id)).toBe(1)
  })

  it('stores no member and no part for evidence if it keeps no evidence', async () => {
    const setting = await setUp()
    const { verification_id: id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    await post(id, await goodResponse(setting, request))
    const document = await runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get('session'))
    expect((await poll(setting, id)).status).toBe('verified')
    expect(JSON.stringify(document)).not.toMatch(/evidence|sealed_requests|fetches/)
    expect(await ownParts(id)).toBe(0)
  })
})

describe('sessions that share an object', () => {
  it('store evidence beside each other, and each erasure erases the evidence of one session', async () => {
    await withEnv(SHARED, async () => {
      const plain = await setUp()
      const { verification_id, wallet_request } = await createSession(plain)
      const asked = await fetchRequest(wallet_request.request_uri)
      await post(verification_id, await goodResponse(plain, asked))
      expect(await sharedParts()).toBe(null)
      const keeper = await setUpKeeper()
      const sessions = [await answered(keeper), await answered(keeper), await answered(keeper)]
      for (const { id, response } of sessions) expect((await post(id, response)).status).toBe(200)
      expect(await sharedParts()).toEqual({ rows: 3, sealed: 3 })
      const [one, two, three] = sessions.map(({ id }) => id)
      if (one === undefined || two === undefined || three === undefined) throw new Error('no sessions')
      await evictDurableObject(sharedObject())
      const opened = await json(evidenceOf(keeper, two))
      expect(opened).toMatchObject({ verification_id: two })
      await generalDecrypt(opened.sealed as GeneralJWE, recipient.privateKey)
      expect((await evidenceOf(keeper, one, 'DELETE')).status).toBe(204)
      expect(await sharedParts()).toEqual({ rows: 3, sealed: 2 })
      expect((await ask(keeper, 'DELETE', two)).status).toBe(204)
      expect(await sharedParts()).toEqual({ rows: 2, sealed: 1 })
      expect((await evidenceOf(keeper, one)).status).toBe(410)
      expect((await ask(keeper, 'DELETE', one)).status).toBe(204)
      expect(await sharedParts()).toEqual({ rows: 1, sealed: 1 })
      expect((await evidenceOf(keeper, two)).status).toBe(404)
      expect((await evidenceOf(keeper, three)).status).toBe(200)
    })
  })
})

describe('the deletion of a relying party', () => {
  const partyOf = ({ relyingPartyId }: Keeper) => {
    const stub = relyingPartyStub(env, relyingPartyId)
    if (stub === undefined) throw new Error('not an id of a relying party')
    return stub
  }
  const deleteParty = ({ relyingPartyId }: Keeper) =>
    call(app, 'DELETE', `/v1/admin/relying_parties/${relyingPartyId}`, { headers: ADMIN })
  const notesOf = ({ relyingPartyId }: Keeper) => env.EVIDENCE_SESSIONS.getByName(relyingPartyId)
  const storedIn = (object: DurableObjectStub) =>
    runInDurableObject(object, (_, { storage }) => [...storage.kv.list()].map(([key]) => key))
  const documentOf = (id: string) =>
    runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get('session'))

  it('erases the evidence of each session of this relying party at once, and no other evidence', async () => {
    const [keeper, other] = [await setUpKeeper(), await setUpKeeper()]
    const sessions = [await answered(keeper), await answered(keeper), await answered(other)]
    for (const { id, response } of sessions) await post(id, response)
    const [one, two, kept] = sessions.map(({ id }) => id)
    if (one === undefined || two === undefined || kept === undefined) throw new Error('no sessions')
    expect((await deleteParty(keeper)).status).toBe(204)
    expect([await ownParts(one), await ownParts(two), await ownParts(kept)]).toEqual([0, 0, 1])
    expect([await storedIn(partyOf(keeper)), await storedIn(notesOf(keeper))]).toEqual([[], []])
    expect((await evidenceOf(keeper, one)).status).toBe(401)
    expect(await documentOf(one)).toMatchObject({
      status: 'verified',
      evidence: { erased_at: expect.any(Number) },
    })
    expect((await evidenceOf(other, kept)).status).toBe(200)
  })

  it('cancels a pending session, so that a response that is being verified leaves no evidence', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    const { encrypt } = crypto.subtle
    const sealing = Promise.withResolvers<void>()
    const deleted = Promise.withResolvers<void>()
    vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(async (...args) => {
      sealing.resolve()
      await deleted.promise
      return Reflect.apply(encrypt, crypto.subtle, args)
    })
    const posted = post(id, response)
    await sealing.promise
    expect((await deleteParty(keeper)).status).toBe(204)
    deleted.resolve()
    expect((await posted).status).toBeGreaterThanOrEqual(400)
    expect(await ownParts(id)).toBe(0)
    const document = await documentOf(id)
    expect(document).toMatchObject({ status: 'canceled' })
    expect(document).not.toHaveProperty('evidence')
  })

  it('is repeated until each session has erased its evidence, also after a crash', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    await post(id, response)
    vi.spyOn(VerificationSession.prototype, 'evidence').mockRejectedValue(new Error('unreachable'))
    expect((await deleteParty(keeper)).status).toBe(204)
    expect(await storedIn(partyOf(keeper))).toEqual([])
    expect(await storedIn(notesOf(keeper))).toContainEqual(expect.stringContaining(id))
    expect(await ownParts(id)).toBe(1)
    expect((await evidenceOf(keeper, id)).status).toBe(401)
    await evictDurableObject(notesOf(keeper))
    expect(await runDurableObjectAlarm(notesOf(keeper))).toBe(true)
    expect(await ownParts(id)).toBe(1)
    vi.restoreAllMocks()
    expect(await runDurableObjectAlarm(notesOf(keeper))).toBe(true)
    expect(await ownParts(id)).toBe(0)
    expect(await storedIn(notesOf(keeper))).toEqual([])
  })

  it('is repeated until it has reached the object that lists the sessions with evidence', async () => {
    const keeper = await setUpKeeper()
    const { id, response } = await answered(keeper)
    await post(id, response)
    vi.spyOn(EvidenceSessions.prototype, 'eraseAll').mockRejectedValue(new Error('unreachable'))
    expect((await deleteParty(keeper)).status).toBe(204)
    expect(await storedIn(partyOf(keeper))).not.toContain('document')
    expect(await ownParts(id)).toBe(1)
    await evictDurableObject(partyOf(keeper))
    expect(await runDurableObjectAlarm(partyOf(keeper))).toBe(true)
    expect(await ownParts(id)).toBe(1)
    vi.restoreAllMocks()
    expect(await runDurableObjectAlarm(partyOf(keeper))).toBe(true)
    expect([await ownParts(id), await storedIn(notesOf(keeper))]).toEqual([0, []])
  })

  it('prevents the creation of a session with evidence, even if the create request uses an older copy of the settings', async () => {
    const keeper = await setUpKeeper()
    vi.spyOn(RelyingParty.prototype, 'exists').mockReturnValue(false)
    const body = { credential_types: ['age_attestation'], scope: ['age_over_18'], formats: ['dc+sd-jwt'] }
    const refused = await call(app, 'POST', '/v1/verify', { headers: keeper.headers, body })
    expect([refused.status, (await json(refused)).code]).toEqual([401, 'invalid_token'])
    vi.restoreAllMocks()
    expect(await partyOf(keeper).exists()).toBe(true)
    expect((await deleteParty(keeper)).status).toBe(204)
    expect(await partyOf(keeper).exists()).toBe(false)
  })

  it('uses a record of each session, which an alarm removes some days after the retention of the session', async () => {
    const keeper = await setUpKeeper()
    const { id } = await answered(keeper)
    expect(await storedIn(notesOf(keeper))).toContainEqual(expect.stringContaining(id))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 24 * HOUR })
    await runDurableObjectAlarm(notesOf(keeper))
    expect(await storedIn(notesOf(keeper))).not.toContainEqual(expect.stringContaining(id))
  })
})
