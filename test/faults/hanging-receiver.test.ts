// The receiver of one relying party accepts every event and never responds. Few descriptors are left then,
// and the other relying parties need them. At a size that CI carries; FAULTS=full takes longer.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../support/service/receiver.ts'
import { type OwnService, startService } from '../support/service/service.ts'
import { HANG_MS } from '../support/wait.ts'
import { callerOf, HEALTHY_WITHIN_MS, probeHealth, repeat } from './load.ts'

const DESCRIPTORS = 1_024
/** New sessions in a second whose receiver hangs, and sessions of another relying party. */
const HANGING_PER_SECOND = 12
const OTHER_PER_SECOND = 2
const IS_FULL = process.env.FAULTS === 'full'
/** Without a limit, 12 attempts a second take the last descriptor after 14 s. */
const SECONDS = IS_FULL ? 300 : 25
/** Time at the beginning in which descriptors are left also without a limit. */
const ENOUGH_MS = 12_000
/** Shortest delay of an event that waits for its turn. */
const IN_TIME_MS = 5_000

let service: OwnService
let hanging: Receiver
let answering: Receiver
beforeAll(async () => {
  service = await startService({}, { descriptors: DESCRIPTORS })
  ;[hanging, answering] = await Promise.all([startReceiver(), startReceiver()])
  hanging.answer({ act: 'hang' })
})
afterAll(async () => {
  await Promise.all([hanging.close(), answering.close()])
  await service.stop()
})

it(
  `finding 5: another relying party’s events are sent in time while one receiver hangs, at ${HANGING_PER_SECOND} sessions a second and ${DESCRIPTORS} descriptors`,
  async () => {
    const { server } = service
    const pid = server.pid()
    const arrivals = new Map<string, number>()
    answering.answer(({ at, body }) => {
      arrivals.set(JSON.parse(body.toString()).verification_id, at)
      return { status: 204 }
    })
    const probes = probeHealth(server.origin, pid)
    const [, canceled] = await Promise.all([
      endMany(hanging, HANGING_PER_SECOND),
      endMany(answering, OTHER_PER_SECOND),
    ])
    while (canceled.some(({ id }) => !arrivals.has(id))) await sleep(100)
    const { failures, slowestMs, mostDescriptors } = await probes.end()
    const delays = canceled.map(({ id, at }) => ({ at, delay: (arrivals.get(id) ?? 0) - at }))
    const enoughUntil = Math.min(...canceled.map(({ at }) => at)) + ENOUGH_MS
    const longest = (some: typeof delays) => Math.max(...some.map(({ delay }) => delay))
    const before = longest(delays.filter(({ at }) => at < enoughUntil))
    const after = longest(delays.filter(({ at }) => at >= enoughUntil))
    console.info(
      `${hanging.requests.length} attempts hung; ${delays.length} other events after ${before} ms at most at first and ${after} ms later; slowest /healthz ${slowestMs} ms, ${mostDescriptors} descriptors`,
    )
    // A machine under load delays both, and an event takes several steps. A probe takes one.
    expect(after - before).toBeLessThan(IN_TIME_MS + 4 * slowestMs)
    expect(failures).toEqual([])
    if (IS_FULL) expect(slowestMs).toBeLessThan(HEALTHY_WITHIN_MS)
    expect(server.pid()).toBe(pid)
  },
  SECONDS * 4_000 + HANG_MS,
)

/** Creates and cancels sessions. Returns the time of each call that canceled. */
async function endMany(receiver: Receiver, perSecond: number) {
  const rp = await service.relyingParty({ webhook: { url: receiver.url } })
  const { create, cancel } = callerOf(service.server.origin, rp)
  return repeat({ count: SECONDS * perSecond, perSecond }, async () => {
    const id = await create()
    const at = Date.now()
    await cancel(id)
    return { id, at }
  })
}
