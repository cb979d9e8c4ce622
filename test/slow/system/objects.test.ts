// Effects of a start on the objects of the state directory, on files of workerd: erased objects, and a
// damaged or missing index of alarms.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, settledDelivery, useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage()

beforeEach(() => stage.receiver.answer({}))

it('the service removes the files of erased sessions, and keeps the files of other sessions', async () => {
  // Sessions of one machine share objects otherwise, and leave no files to remove.
  await stage.service.server.restart({ SESSION_OBJECTS: '0' })
  const before = sessionFiles().length
  const sessions = await Promise.all(Array.from({ length: 20 }, () => stage.rp.create()))
  const [kept = '', ...erased] = sessions.map(({ verification_id }) => verification_id)
  for (const id of erased) expect((await stage.rp.call('DELETE', `/v1/verify/${id}`)).status).toBe(204)
  await stage.service.server.kill9()
  expect(sessionFiles().length).toBeGreaterThanOrEqual(before + 20)
  await stage.service.server.restart()
  expect(stage.service.server.output()).toMatch(/^Files of erased objects removed: \d+\.$/m)
  expect(sessionFiles()).toHaveLength(before + 1)
  expect((await stage.rp.poll(kept)).status).toBe('pending')
  for (const id of erased) expect((await stage.rp.call('GET', `/v1/verify/${id}`)).status).toBe(404)
  await stage.service.server.restart({ SESSION_OBJECTS: '64' })
})

it.each([
  ['an object of its own', '0', '64'],
  ['a shared object', '64', '0'],
])(
  'the Idempotency-Key of a session in %s still leads to this session after SESSION_OBJECTS has changed',
  async (_, before, after) => {
    await stage.service.server.restart({ SESSION_OBJECTS: before })
    const headers = { 'idempotency-key': `order in ${before}` }
    const first = await stage.rp.create(OVER_18, headers)
    await stage.service.server.restart({ SESSION_OBJECTS: after })
    expect((await stage.rp.create(OVER_18, headers)).verification_id).toBe(first.verification_id)
    const other = { 'idempotency-key': `order in ${after}, after ${before}` }
    const created = await stage.rp.create(OVER_18, other)
    expect((await stage.rp.create(OVER_18, other)).verification_id).toBe(created.verification_id)
    await stage.service.server.restart({ SESSION_OBJECTS: '64' })
  },
)

it('an Idempotency-Key from before a change of SESSION_OBJECTS leads to a new session a day after the change', async () => {
  await stage.service.server.restart({ SESSION_OBJECTS: '0' })
  const headers = { 'idempotency-key': 'order of the day before' }
  const first = await stage.rp.create(OVER_18, headers)
  await stage.service.server.restart({ SESSION_OBJECTS: '64' })
  const path = join(stage.service.server.stateDir, 'session-form')
  expect(readFileSync(path, 'utf8')).toMatch(/^shared \d+$/)
  writeFileSync(path, `shared ${Date.now() - 86_400_000}`)
  await stage.service.server.restart()
  expect((await stage.rp.poll(first.verification_id)).status).toBe('pending')
  expect((await stage.rp.create(OVER_18, headers)).verification_id).not.toBe(first.verification_id)
})

describe.each([
  ['was removed', (path: string) => rmSync(path)],
  ['is garbage', (path: string) => writeFileSync(path, 'garbage'.repeat(2_000))],
])('an index of alarms that %s', (_, damage) => {
  it('is built again: an event is sent without a request, the log is kept, and /metrics counts the repair', async () => {
    // The first attempt fails, so that the event waits for its alarm.
    const rp = await relyingPartyOf(stage)
    stage.receiver.answer({ status: 500 })
    const { verification_id } = await rp.create()
    await rp.call('POST', `/v1/verify/${verification_id}/cancel`)
    await settledDelivery(rp, verification_id, 1)
    await stage.service.server.kill9()
    for (const className of ['SharedSessions', 'EventLog']) damageIndex(className, damage)
    stage.receiver.answer({ status: 204 })
    const sent = stage.receiver.requests.length
    await stage.service.server.restart()
    expect(stage.service.server.output()).toContain(
      'The index of alarms was missing or damaged (EventLog, SharedSessions)',
    )
    const posts = (await stage.receiver.received(sent + 1)).slice(sent)
    expect(posts.map(({ body }) => JSON.parse(body.toString()).verification_id)).toContain(verification_id)
    const log = (await (await rp.call('GET', '/v1/events')).json()) as { events: readonly object[] }
    expect(log.events).toEqual([expect.objectContaining({ verification_id })])
    expect(await repairedAlarms()).toBeGreaterThanOrEqual(2)
    await stage.service.server.restart()
    expect(await repairedAlarms()).toBe(0)
  })
})

function sessionFiles(): readonly string[] {
  return readdirSync(folderOf('VerificationSession')).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
}

function damageIndex(className: string, damage: (path: string) => void): void {
  const path = join(folderOf(className), 'metadata.sqlite')
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  expect(existsSync(path)).toBe(true)
  damage(path)
}

/** The folder of a class has its unique key as its name. */
function folderOf(className: string): string {
  const { stateDir } = stage.service.server
  const key = className === 'SharedSessions' ? 'shared-unique-key' : `unique-key-${className}`
  return join(stateDir, 'objects', readFileSync(join(stateDir, 'keys', key), 'utf8'))
}

async function repairedAlarms(): Promise<number> {
  const { origin, adminToken } = stage.service.server
  const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })
  return Number(/^wallet_verifier_alarms_repaired (\d+)$/m.exec(await response.text())?.[1])
}
