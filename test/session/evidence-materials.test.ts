// Lists that evidence names (api/evidence): stored before they are named, fetched by the relying party whose
// evidence names them, and erased 35 days after the last naming.

import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EvidenceMaterials } from '../../src/relying-party/materials/evidence-materials.ts'
import { createApp } from '../../src/routes/app.ts'
import { ADMIN, call, json } from '../routes/edge/edge-app.ts'
import { signJwt } from '../support/people/issuer.ts'
import {
  createSession,
  fetchRequest,
  goodResponse,
  ISSUER,
  post,
  type Setting,
  setUp,
  stubOf,
} from './driver.ts'

const app = createApp()
const DAY = 86_400_000
const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true })
const key = { ...(await exportJWK(publicKey)), kid: 'archive' }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Keeper = Setting & { readonly reader: { readonly Authorization: string } }

async function setUpKeeper(settings: object = {}): Promise<Keeper> {
  const setting = await setUp({ evidence: { jwks: { keys: [key] } }, ...settings })
  const path = `/v1/admin/relying_parties/${setting.relyingPartyId}/api_keys`
  const { api_key } = await json(
    call(app, 'POST', path, { headers: ADMIN, body: { scopes: ['evidence:read'] } }),
  )
  return { ...setting, reader: { Authorization: `Bearer ${api_key}` } }
}

/** Publishes a status list of the issuer, whose one entry is valid. Returns its address. */
async function publishList({ issuer }: Setting): Promise<string> {
  const uri = `https://status.example.com/${crypto.randomUUID()}`
  const stream = new Blob([new Uint8Array([0])]).stream().pipeThrough(new CompressionStream('deflate'))
  const lst = Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: ISSUER, sub: uri, iat, ttl: 600, status_list: { bits: 1, lst } }
  const body = signJwt({ alg: issuer.alg, typ: 'statuslist+jwt' }, claims, issuer)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) =>
    String(input) === uri ? new Response(body) : new Response(null, { status: 404 }),
  )
  return uri
}

/** Responds to a new session with a credential on the list. Returns the session's id. */
async function verify(setting: Setting, uri: string, evidence = true, send = post): Promise<string> {
  const { verification_id: id, wallet_request } = await createSession(setting, evidence ? { evidence } : {})
  const request = await fetchRequest(wallet_request.request_uri)
  const claims = { age_over_18: true, status: { status_list: { idx: 0, uri } } }
  const response = await send(id, await goodResponse(setting, request, claims))
  if (send === post) expect(response.status).toBe(200)
  return id
}

/** Returns the digests that the envelope of a session names. */
async function namedBy({ reader }: Keeper, id: string): Promise<readonly string[]> {
  const { materials } = await json(call(app, 'GET', `/v1/verify/${id}/evidence`, { headers: reader }))
  return materials.map(({ sha256 }: { readonly sha256: string }) => sha256)
}

const fetchMaterial = ({ reader }: Keeper, digest: string) =>
  call(app, 'GET', `/v1/evidence/materials/${digest}`, { headers: reader })

const objectOf = (digest: string) => env.EVIDENCE_MATERIALS.getByName(digest[0]!)

/** Number of stored rows in the object of a material, and in that of a session. */
const rowsOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length)

async function digestOf(bytes: ArrayBuffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

describe('a status list', () => {
  it('is stored once if evidence names it, and only its relying party can fetch the unchanged bytes', async () => {
    const keeper = await setUpKeeper()
    const uri = await publishList(keeper)
    const [first, second] = [await verify(keeper, uri), await verify(keeper, uri)]
    const [digest] = await namedBy(keeper, first)
    expect(await namedBy(keeper, second)).toEqual([digest])
    expect(fetch).toHaveBeenCalledTimes(1)
    const response = await fetchMaterial(keeper, digest!)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/octet-stream')
    expect(response.headers.get('Cache-Control')).toContain('immutable')
    expect(await digestOf(await response.arrayBuffer())).toBe(digest)
    const other = await setUpKeeper()
    expect((await fetchMaterial(other, digest!)).status).toBe(404)
    expect((await fetchMaterial(keeper, 'ab'.repeat(32))).status).toBe(404)
    expect((await fetchMaterial(keeper, '../x')).status).toBe(404)
    const path = `/v1/evidence/materials/${digest}`
    expect((await call(app, 'GET', path, { headers: keeper.headers })).status).toBe(403)
    expect((await call(app, 'GET', path, { headers: ADMIN })).status).toBe(401)
  })

  it('is kept for 35 days after evidence last named it, and is erased after 36 days', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const keeper = await setUpKeeper()
    const id = await verify(keeper, await publishList(keeper))
    const [digest] = await namedBy(keeper, id)
    const status = async (days: number) => {
      vi.setSystemTime(start + days * DAY)
      expect(await runDurableObjectAlarm(objectOf(digest!))).toBe(true)
      return (await fetchMaterial(keeper, digest!)).status
    }
    const start = Date.now()
    expect(await status(35)).toBe(200)
    expect(await status(36.1)).toBe(404)
    expect(await rowsOf(objectOf(digest!))).toBe(0)
  })

  it('is kept for 35 days more if evidence names it again', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const keeper = await setUpKeeper()
    const uri = await publishList(keeper)
    const [digest] = await namedBy(keeper, await verify(keeper, uri))
    const start = Date.now()
    vi.setSystemTime(start + 2 * DAY)
    expect(await namedBy(keeper, await verify(keeper, uri))).toEqual([digest])
    vi.setSystemTime(start + 37 * DAY)
    await runDurableObjectAlarm(objectOf(digest!))
    expect((await fetchMaterial(keeper, digest!)).status).toBe(200)
  })

  it('leaves the session pending, without evidence, if the list cannot be stored', async () => {
    const keeper = await setUpKeeper()
    const uri = await publishList(keeper)
    const failing = vi
      .spyOn(EvidenceMaterials.prototype, 'keep')
      .mockRejectedValue(new Error('database or disk is full: SQLITE_FULL'))
    const id = await verify(keeper, uri, true, postUnavailable)
    expect(failing).toHaveBeenCalled()
    const { status, evidence } = await json(call(app, 'GET', `/v1/verify/${id}`, { headers: keeper.headers }))
    expect({ status, evidence }).toEqual({ status: 'pending', evidence: null })
    failing.mockRestore()
    expect(await namedBy(keeper, await verify(keeper, uri))).toHaveLength(1)
  })

  it('is not stored in any object if no evidence names it', async () => {
    const setting = await setUp()
    const before = (await listDurableObjectIds(env.EVIDENCE_MATERIALS)).length
    const uri = await publishList(setting)
    await verify(setting, uri, false)
    await verify(setting, uri, false)
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(await listDurableObjectIds(env.EVIDENCE_MATERIALS)).toHaveLength(before)
  })
})

/** Posts a response that the service cannot process now. */
const postUnavailable: typeof post = async (id, parameters) => {
  const response = await post(id, parameters)
  expect(response.status).toBe(503)
  return response
}

describe('rows of a verification', () => {
  it('evidence adds one to three rows to a verification, and the evidence setting alone adds no row', async () => {
    const keeper = await setUpKeeper()
    const uri = await publishList(keeper)
    const without = await rowsOf(stubOf(await verify(keeper, uri, false)))
    const [digest] = await namedBy(keeper, await verify(keeper, uri))
    const materials = await rowsOf(objectOf(digest!))
    const withEvidence = await rowsOf(stubOf(await verify(keeper, uri)))
    const more = withEvidence - without + (await rowsOf(objectOf(digest!))) - materials
    expect(more).toBeGreaterThan(0)
    expect(more).toBeLessThanOrEqual(3)
    const plain = await setUp()
    const never = await rowsOf(stubOf(await verify(plain, await publishList(plain), false)))
    expect(never).toBe(without)
  })
})
