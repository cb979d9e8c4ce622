// `deleteAll` of the platform. The simulated storage behaves the same (test/simulation/storage.test.ts).

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

describe('deleteAll', () => {
  it('deletes the data even if the process ends in the same step, and the other writes of the step are lost', async () => {
    const id = env.VERIFICATION_SESSION.newUniqueId()
    await runInDurableObject(env.VERIFICATION_SESSION.get(id), async (_, { storage }) => {
      storage.kv.put('one', 1)
      await storage.setAlarm(Date.now() + 3_600_000)
      await storage.sync()
    })
    const lost = runInDurableObject(env.VERIFICATION_SESSION.get(id), (_, state) => {
      state.storage.kv.put('two', 2)
      void state.storage.deleteAll().catch(() => undefined)
      state.storage.kv.put('three', 3)
      state.abort('the process ends')
    })
    await expect(lost).rejects.toThrow('the process ends')
    const left = await runInDurableObject(env.VERIFICATION_SESSION.get(id), async (_, { storage }) => [
      [...storage.kv.list()],
      await storage.getAlarm(),
    ])
    expect(left).toEqual([[], null])
  })

  it('removes earlier writes of the same step, and keeps later writes', async () => {
    const stub = env.VERIFICATION_SESSION.get(env.VERIFICATION_SESSION.newUniqueId())
    await runInDurableObject(stub, async (_, { storage }) => {
      storage.kv.put('one', 1)
      void storage.deleteAll()
      storage.kv.put('two', 2)
      await storage.sync()
    })
    await evictDurableObject(stub)
    expect(await runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()])).toEqual([['two', 2]])
  })
})
