// Last use of API keys: to the hour, in the background, and never in the way of a request.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { relyingPartyStub } from '../../src/relying-party/document/identifier.ts'
import type { RelyingParty } from '../../src/relying-party/relying-party.ts'
import { createApp } from '../../src/routes/app.ts'
import { call, createRelyingParty, json } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import { at, NOON, startAtNoon } from '../workerd/clock.ts'

const HOUR = 3_600_000
const app = createApp()

startAtNoon()

async function create() {
  const { relying_party_id, api_key, api_keys } = await createRelyingParty()
  const stub = relyingPartyStub(env, relying_party_id) as DurableObjectStub<RelyingParty>
  return { stub, keyId: api_keys[0].key_id as string, headers: { Authorization: `Bearer ${api_key}` } }
}

const rowsOf = (stub: DurableObjectStub<RelyingParty>) =>
  runInDurableObject(stub, (_, { storage }) => [...storage.kv.list({ prefix: 'key_used/' })])

it('the use of a key is stored at most once an hour, outside of the settings; the list of keys shows this hour', async () => {
  const { stub, keyId, headers } = await create()
  const document = await runInDurableObject(stub, (_, { storage }) => storage.kv.get('document'))
  at(NOON + 90_000)
  for (let i = 0; i < 3; i++) expect((await call(app, 'GET', '/v1/verify', { headers })).status).toBe(200)
  await vi.waitFor(async () => expect(await rowsOf(stub)).toEqual([[`key_used/${keyId}`, NOON]]), WAIT)
  at(NOON + HOUR)
  await call(app, 'GET', '/v1/verify', { headers })
  await vi.waitFor(async () => expect(await rowsOf(stub)).toEqual([[`key_used/${keyId}`, NOON + HOUR]]), WAIT)
  const { api_keys } = await json(call(app, 'GET', '/v1/api_keys', { headers }))
  expect(api_keys).toMatchObject([{ key_id: keyId, last_used_at: '2046-06-15T13:00:00.000Z' }])
  expect(await runInDurableObject(stub, (_, { storage }) => storage.kv.get('document'))).toEqual(document)
})

it('another use in the same hour, a use at an earlier time, and a use of an unknown key write nothing', async () => {
  const { stub, keyId } = await create()
  await stub.noteKeyUse(keyId, NOON + 1)
  await runInDurableObject(stub, (object, { storage }) => {
    const put = vi.spyOn(storage.kv, 'put')
    for (const now of [NOON + HOUR - 1, NOON - HOUR]) object.noteKeyUse(keyId, now)
    object.noteKeyUse('ffffffffffffffff', NOON + HOUR)
    expect(put).not.toHaveBeenCalled()
    object.noteKeyUse(keyId, NOON + HOUR)
    expect(put).toHaveBeenCalledOnce()
  })
})

it('a deleted key leaves no row', async () => {
  const { stub, keyId } = await create()
  await stub.noteKeyUse(keyId, NOON)
  await stub.deleteApiKey(keyId)
  expect(await rowsOf(stub)).toEqual([])
})

it('a request does not wait for the record of its key use, and succeeds if the record fails; the next attempt is a minute later', async () => {
  const { keyId, headers } = await create()
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { RELYING_PARTY } = env
  const noteKeyUse = vi.fn((_: string, __: number): Promise<void> => new Promise(() => undefined))
  const get = (id: DurableObjectId) => ({ settings: () => RELYING_PARTY.get(id).settings(), noteKeyUse })
  const parties = { get, idFromString: (id: string) => RELYING_PARTY.idFromString(id) }
  const world = { ...env, RELYING_PARTY: parties } as unknown as Env
  const read = () => call(app, 'GET', '/v1/wallets', { headers, env: world })
  expect((await read()).status).toBe(200)
  expect(noteKeyUse.mock.calls).toEqual([[keyId, NOON]])
  noteKeyUse.mockRejectedValue(new Error('unreachable'))
  at(NOON + HOUR)
  expect((await read()).status).toBe(200)
  expect((await read()).status).toBe(200)
  expect(noteKeyUse).toHaveBeenCalledTimes(2)
  at(NOON + HOUR + 60_000)
  expect((await read()).status).toBe(200)
  expect(noteKeyUse).toHaveBeenCalledTimes(3)
})
