// DELETE of a session whose day of the list is damaged, or has rows that cannot be decoded (api/lists).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { dayOf } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { NOON, startAtNoon } from '../../workerd/clock.ts'
import { ask, createSession, type Setting, setUp } from '../driver.ts'

const app = createApp()
const DAY = dayOf(NOON)

startAtNoon()

const read = ({ headers }: Setting) => json(call(app, 'GET', '/v1/verify', { headers }))
const dayStub = ({ relyingPartyId }: Setting) => indexStub(env, relyingPartyId, DAY)
const throwing = (error: Error) => () => {
  throw error
}

/** Creates sessions, and waits until they are listed. Returns their ids. */
async function createListed(setting: Setting, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await createSession(setting)).verification_id)
  await vi.waitFor(async () => expect((await read(setting)).verifications).toHaveLength(count), WAIT)
  return ids
}

it('it is 204 only if its own call finds the damage, and 503 if that call cannot reach the day', async () => {
  const setting = await setUp()
  const [id = ''] = await createListed(setting, 1)
  const damage = new TypeError('cannot be decoded')
  vi.spyOn(VerificationIndex.prototype, 'read').mockImplementationOnce(throwing(damage))
  expect(await read(setting)).toMatchObject({ verifications: [], incomplete: ['2046-06-15'] })
  const remove = vi.spyOn(VerificationIndex.prototype, 'remove')
  remove.mockImplementation(throwing(new Error('the day is unreachable')))
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  remove.mockImplementation(throwing(damage))
  expect((await ask(setting, 'DELETE', id)).status).toBe(204)
})

it('it overwrites the id of an entry whose row cannot be decoded', async () => {
  const setting = await setUp()
  const ids = await createListed(setting, 3)
  const [, deleted = ''] = ids
  const kept = await runInDurableObject(dayStub(setting), async (_, { storage }) => {
    const kv = Object.getPrototypeOf(storage.kv) as SyncKvStorage
    const get = kv.get
    const broken = vi.spyOn(kv, 'get').mockImplementation(function (this: SyncKvStorage, key: string) {
      if (key.startsWith('entry/')) throw new TypeError('cannot be decoded')
      return get.call(this, key)
    })
    expect((await ask(setting, 'DELETE', deleted)).status).toBe(204)
    broken.mockRestore()
    const rows = [...storage.kv.list<Uint8Array>({ prefix: 'ids/' })]
    const text = rows.map(([, bytes]) => new TextDecoder().decode(bytes)).join()
    return ids.filter((id) => text.includes(id))
  })
  expect(kept).toEqual(ids.filter((id) => id !== deleted))
})
