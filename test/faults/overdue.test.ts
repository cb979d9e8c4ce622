// Many sessions due at once, at the start of the service and while it runs: one process, and every event
// arrives. At a size that CI carries; `npm run proof -- faults` runs the full sizes, and moves the clock of
// workerd ahead where a C compiler is installed, so that it waits for no time to pass.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { buildClock } from '../support/service/clock.ts'
import { PASS_LIBRARY } from '../support/service/library.ts'
import { copyProject } from '../support/service/project-copy.ts'
import { type Receiver, startReceiver } from '../support/service/receiver.ts'
import { type OwnService, startService } from '../support/service/service.ts'
import { callerOf, HEALTHY_WITHIN_MS, probeHealth, repeat, sleepUntil } from './load.ts'

/**
 * Sessions that expire at the same time, or whose receiver delays their events to the same time.
 * `dueAfter`: seconds from the first creation, or from the first event. At least as long as the work before.
 */
type Crowd = {
  readonly count: number
  readonly descriptors: number
  readonly due: 'expiring' | 'delayed'
  readonly dueAfter: number
}

/** `some`: the service starts when the first ones are overdue, and the others are due within a minute. */
type Overdue = Crowd & { readonly overdue: 'all' | 'some' }

const IS_FULL = process.env.FAULTS === 'full'
const LARGE = { count: 10_000, descriptors: 20_000, dueAfter: 300 }
const SMALL = { count: 300, descriptors: 512 }
const FEW = { count: 1_500, descriptors: 1_024 }
const MANY_ON_FEW = { ...FEW, count: 10_000, dueAfter: 300 }
const OVERDUE: readonly Overdue[] = IS_FULL
  ? [
      { ...FEW, due: 'expiring', dueAfter: 200, overdue: 'all' },
      { ...FEW, due: 'expiring', dueAfter: 200, overdue: 'some' },
      { ...MANY_ON_FEW, due: 'expiring', overdue: 'all' },
      { ...LARGE, due: 'expiring', overdue: 'all' },
    ]
  : [{ ...SMALL, due: 'delayed', dueAfter: 25, overdue: 'all' }]
const TOGETHER: readonly Crowd[] = IS_FULL
  ? [
      { ...FEW, due: 'expiring', dueAfter: 300 },
      { ...MANY_ON_FEW, due: 'expiring' },
      { ...LARGE, due: 'expiring' },
      { ...LARGE, due: 'delayed' },
    ]
  : [{ ...SMALL, due: 'expiring', dueAfter: 60 }]

const SHORTEST_SESSION_S = 60
/** Time from a start with a moved clock until a crowd is due. */
const BEFORE_DUE_MS = 30_000
/** Five minutes; with more sessions, as long as an event may wait for its turn on a busy machine. */
const DELIVERED_WITHIN_MS = 300_000
const LARGE_DELIVERED_WITHIN_MS = 1_200_000
/** Time for the service to store the result of the last attempt. */
const SETTLED_MS = 1_000

const clock = IS_FULL ? buildClock() : undefined
const project = clock && copyProject([PASS_LIBRARY])
afterAll(() => {
  clock?.remove()
  project?.remove()
})

type Stage = { readonly service: OwnService; readonly receiver: Receiver }

const options = { concurrent: !IS_FULL, timeout: 2_400_000 }

describe('finding 1: sessions due at once', options, () => {
  it.each([...OVERDUE])(
    'every event is sent after one start with $overdue of $count sessions overdue ($due) and $descriptors file descriptors, and /healthz responds',
    (crowd) =>
      withService(async (stage) => {
        const { server } = stage.service
        const made = await createMany(stage, crowd)
        await server.kill9()
        const startAt = made.dueAt + (crowd.overdue === 'all' ? made.spreadMs : 0) + SETTLED_MS
        await restart(server, startAt, crowd)
        await expectEvents(stage.service, made)
      }),
  )

  it.each([...TOGETHER])(
    'every event is sent without a restart with $count sessions due together ($due) and $descriptors file descriptors, and /healthz responds',
    (crowd) =>
      withService(async (stage) => {
        const made = await createMany(stage, crowd)
        const { server } = stage.service
        if (clock) await restart(server, made.dueAt - BEFORE_DUE_MS, crowd)
        else {
          if (crowd.descriptors !== LARGE.descriptors) await restart(server, Date.now(), crowd)
          await sleepUntil(made.dueAt)
        }
        await expectEvents(stage.service, made)
      }),
  )
})

/** Starts a service with many descriptors, which the creations need. */
async function withService(run: (stage: Stage) => Promise<void>): Promise<void> {
  const variables = clock ? { WORKERD_LIBRARY: clock.path, LIBRARY_CLOCK: '0' } : {}
  const limit = IS_FULL ? { descriptors: LARGE.descriptors } : {}
  const options = project ? { ...limit, launcher: project.launcher } : limit
  const [service, receiver] = await Promise.all([startService(variables, options), startReceiver()])
  try {
    await run({ service, receiver })
  } finally {
    await receiver.close()
    await service.stop()
  }
}

/** Starts the service again at this time: with a moved clock, or after a wait. */
async function restart(server: OwnService['server'], at: number, { descriptors }: Crowd): Promise<void> {
  const ahead = Math.max(0, Math.ceil((at - Date.now()) / 1000))
  if (!clock) await sleepUntil(at)
  await server.restart(clock ? { LIBRARY_CLOCK: String(ahead) } : {}, { descriptors })
}

type Made = {
  readonly ids: readonly string[]
  /** When the last one is due, without the spread of the service. */
  readonly dueAt: number
  readonly spreadMs: number
  /** Sessions whose event the receiver has accepted. */
  readonly delivered: ReadonlySet<string>
}

/** Creates a crowd, and waits until the events of a delayed one are refused once. */
async function createMany({ service, receiver }: Stage, { count, due, dueAfter }: Crowd): Promise<Made> {
  const rp = await service.relyingParty({ webhook: { url: receiver.url } })
  const { create, cancel } = callerOf(service.server.origin, rp)
  const delivered = accepted(receiver)
  const [begun, isExpiring] = [Date.now(), due === 'expiring']
  const expiresAt = begun + dueAfter * 1000
  const ids = await repeat({ count, perSecond: 100 }, () =>
    create({ expires_in: isExpiring ? Math.max(SHORTEST_SESSION_S, secondsUntil(expiresAt)) : 1_800 }),
  )
  // On a busy machine the last sessions expire later.
  const lastExpiry = Math.max(expiresAt, Date.now() + SHORTEST_SESSION_S * 1000)
  if (isExpiring) return { ids, dueAt: lastExpiry, spreadMs: 60_000, delivered }
  // No event may be due before the last one was refused. That takes less time than the creations.
  const waitMs = Math.max(dueAfter * 1000, 2 * (Date.now() - begun))
  const dueAt = Date.now() + waitMs
  receiver.answer(() => ({ status: 503, headers: { 'retry-after': String(secondsUntil(dueAt)) } }))
  const rest = ids.values()
  await repeat({ count, perSecond: 100 }, async () => cancel(rest.next().value ?? ''))
  await receiver.received(count)
  await sleep(SETTLED_MS)
  return { ids, dueAt, spreadMs: Math.min(60_000, 0.2 * waitMs), delivered: accepted(receiver) }
}

function secondsUntil(at: number): number {
  return Math.max(1, Math.ceil((at - Date.now()) / 1000))
}

/** Lets the receiver accept events from now on. Returns their sessions. */
function accepted(receiver: Receiver): ReadonlySet<string> {
  const sessions = new Set<string>()
  receiver.answer(({ body }) => {
    sessions.add(JSON.parse(body.toString()).verification_id)
    return { status: 204 }
  })
  return sessions
}

/** Expects an event of each session, from the one process that runs now. */
async function expectEvents({ server }: OwnService, { ids, delivered }: Made): Promise<void> {
  const pid = server.pid()
  const within = ids.length > 1_500 ? LARGE_DELIVERED_WITHIN_MS : DELIVERED_WITHIN_MS
  const begun = Date.now()
  const probes = probeHealth(server.origin, pid)
  const isOpen = () => delivered.size < ids.length && server.pid() === pid && Date.now() - begun < within
  while (isOpen()) await sleep(100)
  const lasted = Date.now() - begun
  const { failures, slowestMs, mostDescriptors } = await probes.end()
  console.info(
    `${delivered.size} of ${ids.length} events in ${lasted} ms, slowest /healthz ${slowestMs} ms, ${mostDescriptors} descriptors`,
  )
  expect(ids.filter((id) => !delivered.has(id)).slice(0, 10)).toEqual([])
  expect(failures).toEqual([])
  if (IS_FULL) expect(slowestMs).toBeLessThan(HEALTHY_WITHIN_MS)
  expect(server.pid()).toBe(pid)
}
