// A disk without space for one more byte: no acknowledged outcome is lost, and work continues when there is
// space again. In CI a limit on workerd's files is the full disk; FAULTS=full mounts a real one.

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeAuthority, makePerson } from '../support/people/person.ts'
import { callEvidence, fetchEvidence, type Keeper, newKeeper } from '../support/service/evidence.ts'
import { startReceiver } from '../support/service/receiver.ts'
import { runLauncher } from '../support/service/server.ts'
import { OVER_18, startService } from '../support/service/service.ts'
import { begin, finish, type OwnStage, relyingPartyOf, respondWithAge } from '../support/service/stage.ts'
import { HANG_MS, WAIT } from '../support/wait.ts'
import { type Disk, limitedDisk, mountDisk } from './disk.ts'
import { probeHealth, sleepUntil } from './load.ts'

const IS_FULL = process.env.FAULTS === 'full'
const DISK_MIB = 32
const SESSIONS = IS_FULL ? 20 : 4
const KEPT = { ...OVER_18, evidence: true }
/** An alarm that fails for so long is repeated by the platform minutes later. */
const FULL_MS = IS_FULL ? 300_000 : 45_000
const MONITOR_MS = 1_000

const stage = {} as OwnStage
/** The relying party, which keeps evidence of every session. */
let keeper: Keeper
let disk: Disk
beforeAll(async () => {
  disk = IS_FULL ? mountDisk(DISK_MIB) : limitedDisk()
  const { stateDir, launcher } = disk
  const authority = await makeAuthority()
  Object.assign(stage, {
    service: await startService({ STATE_DIR: stateDir }, launcher === undefined ? {} : { launcher }),
    receiver: await startReceiver(),
    authority,
    person: await makePerson(authority),
  })
  keeper = await newKeeper(stage.service, (settings) => relyingPartyOf(stage, settings))
  stage.rp = keeper.rp
})
afterAll(async () => {
  await stage.receiver?.close()
  await stage.service?.stop()
  disk?.remove()
})

it(
  'findings 6 and 10: on a full disk no acknowledged outcome or evidence is lost, and /readyz warns; events are sent afterwards without a restart',
  async () => {
    const { service, receiver, rp } = stage
    const { server } = service
    const pid = server.pid()
    receiver.answer({ status: 503 })
    const erasedId = (await finish(stage, {}, KEPT)).session.verification_id
    const ended = await times(() => finish(stage, {}, KEPT))
    const pending = await times(() => begin(stage, KEPT))
    // They expire while the disk is full. In CI that would take longer than the rest.
    const expiring = IS_FULL ? await times(() => rp.create({ ...OVER_18, expires_in: 60 })) : []
    await receiver.received(SESSIONS + 1)
    disk.fill(pid)
    const filledAt = Date.now()
    const probes = probeHealth(server.origin)

    const refused = await Promise.all([
      ...pending.map(({ request }) => respondWithAge(stage, request)),
      ...(await times(() => rp.call('POST', '/v1/verify', { body: OVER_18 }))),
      rp.call('POST', '/v1/verify', { body: KEPT }),
      callEvidence(keeper, erasedId, 'DELETE'),
    ])
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503))
    // workerd removes an object from memory 10 s after its last request, and cannot open it on a full disk.
    for (const { session } of ended) {
      const response = await rp.call('GET', `/v1/verify/${session.verification_id}`)
      const { status, code } = (await response.json()) as { status: unknown; code?: string }
      expect(['verified', 'temporarily_unavailable']).toContain(code ?? status)
    }
    await vi.waitFor(async () => expect(await isWritable()).toBe(false), WAIT)
    const knownAfter = Date.now() - filledAt
    await sleepUntil(filledAt + FULL_MS)

    const sent = receiver.requests.length
    receiver.answer({ status: 204 })
    disk.free(pid)
    const freedAt = Date.now()
    await vi.waitFor(async () => expect(await isWritable()).toBe(true), WAIT)
    const writableAfter = Date.now() - freedAt
    const [idsEnded, idsExpiring] = [ended.map(({ session }) => session), expiring].map((sessions) =>
      sessions.map(({ verification_id }) => verification_id).sort(),
    )
    // A monitor requests /readyz, which resumes the alarms that could not be written.
    const expectSent = async (ids: readonly string[]) => {
      await isWritable()
      const posts = receiver.requests.slice(sent)
      expect(posts.map(({ body }) => JSON.parse(body.toString()).verification_id)).toEqual(
        expect.arrayContaining([...ids]),
      )
    }
    await vi.waitFor(() => expectSent(idsEnded!), { ...WAIT, interval: MONITOR_MS })
    console.info(
      `full for ${freedAt - filledAt} ms, known after ${knownAfter} ms; writable again after ${writableAfter} ms, all queued events after ${Date.now() - freedAt} ms`,
    )
    for (const { request } of pending) expect((await respondWithAge(stage, request)).status).toBe(200)
    await vi.waitFor(() => expectSent(idsExpiring!), { ...WAIT, interval: MONITOR_MS })
    const { failures } = await probes.end()
    expect(failures).toEqual([])
    for (const { session } of [...ended, ...pending]) {
      const { status, evidence } = await rp.poll(session.verification_id)
      const { envelope } = await fetchEvidence(keeper, session.verification_id)
      expect([status, evidence]).toMatchObject(['verified', { manifest_sha256: envelope.manifest_sha256 }])
    }
    expect((await callEvidence(keeper, erasedId)).status).toBe(200)
    expect((await callEvidence(keeper, erasedId, 'DELETE')).status).toBe(204)
    expect((await callEvidence(keeper, erasedId)).status).toBe(410)
    expect(server.pid()).toBe(pid)
  },
  FULL_MS + 2 * HANG_MS,
)

if (IS_FULL) {
  it('a service does not start on a full disk and prints the reason; with free space it starts with the earlier outcome', async () => {
    const { server } = stage.service
    const { session } = await finish(stage)
    disk.fill(server.pid())
    await server.kill9()
    const { exitCode, output } = await runLauncher({ STATE_DIR: disk.stateDir })
    expect([exitCode, output]).toEqual([1, expect.stringContaining('the disk of STATE_DIR is full')])
    disk.free(server.pid())
    await server.restart()
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })
}

function times<T>(work: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: SESSIONS }, work))
}

/** Returns what `/readyz` reports. */
async function isWritable(): Promise<boolean> {
  const response = await stage.service.fetch('/readyz')
  const { warnings } = (await response.json()) as { warnings: readonly { code: string }[] }
  return warnings.every(({ code }) => code !== 'storage_not_writable')
}
