// DELETE of a session whose day of the list is damaged, or has rows that cannot be decoded (api/lists).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ask, createSession, type Setting, setUp } from '../driver.ts'

const app = createApp()
const DAY = toDay(NOON)

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

it('a repeated DELETE gets 503 for ten minutes and then 204 if the day is damaged, and 503 if it is unreachable', async () => {
  const setting = await setUp()
  const [id = ''] = await createListed(setting, 1)
  const damage = new TypeError('cannot be decoded')
  vi.spyOn(VerificationIndex.prototype, 'page').mockImplementationOnce(throwing(damage))
  expect(await read(setting)).toMatchObject({ verifications: [], incomplete: ['2046-06-15'] })
  const remove = vi.spyOn(VerificationIndex.prototype, 'remove')
  remove.mockImplementation(throwing(new Error('the day is unreachable')))
  const erasedAt = Date.now()
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  remove.mockImplementation(throwing(damage))
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  at(erasedAt + 599_999)
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  at(erasedAt + 600_000)
  expect((await ask(setting, 'DELETE', id)).status).toBe(204)
  remove.mockImplementation(throwing(new Error('the day is unreachable')))
  expect((await ask(setting, 'DELETE', id)).status).toBe(503)
  // /readyz of other test files shows the mark of the day until a call succeeds.
  remove.mockRestore()
  expect((await ask(setting, 'DELETE', id)).status).toBe(204)
})

it('a DELETE erases the id of an entry whose row cannot be decoded, and no other id', async () => {
  const setting = await setUp()
  const ids = await createListed(setting, 3)
  const [, deleted = ''] = ids
  const isMasked = await runInDurableObject(dayStub(setting), async (_, { storage }) => {
    const kv = Object.getPrototypeOf(storage.kv) as SyncKvStorage
    const get = kv.get
    const broken = vi.spyOn(kv, 'get').mockImplementation(function (this: SyncKvStorage, key: string) {
      if (key.startsWith('entry/')) throw new TypeError('cannot be decoded')
      return get.call(this, key)
    })
    expect((await ask(setting, 'DELETE', deleted)).status).toBe(204)
    broken.mockRestore()
    const [[, row = new Uint8Array()] = []] = [...storage.kv.list<Uint8Array>({ prefix: 'id_masks/' })]
    return [0, 1, 2, 3].map((place) =>
      row
        .subarray(1_024 + place * 48)
        .subarray(0, 48)
        .some(Boolean),
    )
  })
  expect(isMasked).toEqual([true, false, true, true])
  const { verifications } = await read(setting)
  const listed = (verifications as readonly { verification_id: string }[]).map((one) => one.verification_id)
  expect(listed.toSorted()).toEqual(ids.filter((id) => id !== deleted).toSorted())
})
