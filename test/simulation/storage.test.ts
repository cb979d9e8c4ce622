// The simulated storage behaves as that of workerd does (test/workerd/delete-all.test.ts, sql.test.ts).

import { expect, it } from 'vitest'
import { openFaults } from './platform/faults.ts'
import { openRandom } from './platform/random.ts'
import { type Owner, openScheduler } from './platform/scheduler.ts'
import { RESULTS_OF_SQL, runSql } from './platform/sql-contract.ts'
import { emptyDurable, openStorage } from './platform/storage.ts'

const HOUR = 3_600_000

it('after a crash, deleteAll can be durable although the other writes of the same step are lost', async () => {
  const states = new Set<string>()
  for (let seed = 1; seed <= 50; seed++) {
    const { api, lose, durable } = await openWithOne(seed)
    api.kv.put('two', 2)
    void api.deleteAll()
    api.kv.put('three', 3)
    lose()
    states.add(JSON.stringify([...durable.data, durable.alarm]))
  }
  expect([...states].sort()).toEqual(['["one",1],3600000', '', '["three",3],null'].map(toState).sort())
})

it('deleteAll drops a write before it in the same step, and keeps a write after it', async () => {
  const { api, settle, durable } = await openWithOne(1)
  api.kv.put('two', 2)
  void api.deleteAll()
  api.kv.put('three', 3)
  await settle()
  expect([...durable.data]).toEqual([['three', 3]])
})

it('SQL in the simulation returns the same as in workerd', async () => {
  const { storage, step } = await openWithOne(1)
  expect(await runSql({ storage: storage as never, step })).toEqual(RESULTS_OF_SQL)
})

it('the SQL and the other writes of one step are durable together or not at all, and a new instance reads only durable data', async () => {
  const states = new Set<string>()
  for (let seed = 1; seed <= 50; seed++) {
    const { storage, step, lose, reopen } = await openWithOne(seed)
    await step(() => storage.sql.exec('CREATE TABLE names (name TEXT)'))
    storage.kv.put('two', 2)
    storage.sql.exec('INSERT INTO names VALUES (?)', 'a')
    lose()
    const next = reopen().api
    states.add(JSON.stringify([next.kv.get('two') ?? null, next.sql.exec('SELECT * FROM names').toArray()]))
  }
  expect([...states].sort()).toEqual(['[2,[{"name":"a"}]]', '[null,[]]'])
})

/** Text of a state of the first test. */
function toState(members: string): string {
  return members === '' ? '[null]' : `[${members}]`
}

/** Opens storage with the key `one` and an alarm, which are durable. */
async function openWithOne(seed: number) {
  const scheduler = openScheduler(openRandom(seed, 'scheduler'), 0)
  const faults = openFaults({} as never, openRandom(seed, 'faults'))
  faults.stop()
  const owner: Owner = { name: 'object', alive: true }
  const durable = emptyDurable()
  const nothing = () => {}
  const events = { committed: nothing, alarmChanged: nothing, broken: nothing, refused: nothing }
  const reopen = () => openStorage(durable, owner, { scheduler, faults, events })
  const { api, lose } = reopen()
  const inObject = <T>(work: () => T): T => scheduler.as(owner, work)
  const settle = () => scheduler.run(scheduler.state.time + 1)
  inObject(() => {
    api.kv.put('one', 1)
    void api.setAlarm(HOUR)
  })
  await settle()
  const deleteAll = () => inObject(() => api.deleteAll())
  const storage = { ...api, deleteAll }
  const step = async <T>(work: () => T): Promise<T> => {
    const result = inObject(work)
    await settle()
    return result
  }
  return { api: storage, storage, step, reopen, lose, durable, settle }
}
