// SQL of the platform. The simulated storage returns the same (test/simulation/storage.test.ts).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { RESULTS_OF_SQL, runSql } from '../simulation/platform/sql-contract.ts'

it('SQL in workerd returns the same results as SQL in the simulated storage', async () => {
  const stub = env.VERIFICATION_SESSION.get(env.VERIFICATION_SESSION.newUniqueId())
  const results = await runInDurableObject(stub, (_, { storage }) => {
    const step = async <T>(work: () => T): Promise<T> => {
      const result = work()
      await storage.sync()
      return result
    }
    return runSql({ storage, step })
  })
  expect(results).toEqual(RESULTS_OF_SQL)
})

it('SQL of one step is lost together with the other writes of the step if the process ends', async () => {
  const id = env.VERIFICATION_SESSION.newUniqueId()
  const lost = runInDurableObject(env.VERIFICATION_SESSION.get(id), async (_, state) => {
    const { storage } = state
    storage.sql.exec('CREATE TABLE names (name TEXT)')
    await storage.sync()
    storage.kv.put('two', 2)
    storage.sql.exec('INSERT INTO names VALUES (?)', 'a')
    state.abort('the process ends')
  })
  await expect(lost).rejects.toThrow('the process ends')
  const left = await runInDurableObject(env.VERIFICATION_SESSION.get(id), (_, { storage }) => [
    storage.kv.get('two') ?? null,
    storage.sql.exec('SELECT * FROM names').toArray(),
  ])
  expect(left).toEqual([null, []])
})
