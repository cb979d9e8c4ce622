// Sessions of many simulated days on the real service.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { callerOf, repeat } from '../../faults/load.ts'
import { buildClock } from '../../support/service/clock.ts'
import { PASS_LIBRARY } from '../../support/service/library.ts'
import { copyProject } from '../../support/service/project-copy.ts'
import type { Server } from '../../support/service/server.ts'
import { startService } from '../../support/service/service.ts'

const DAY_SECONDS = 86_400
/** One session in so many is left to expire. The others are canceled, which ends them as a response does. */
const EXPIRING = 3
const PER_SECOND = 200

export type Plan = {
  /** Simulated time in days. */
  readonly days: number
  /** Sessions created on each day. */
  readonly perDay: number
  /** Days from one start of the service to the next. */
  readonly step: number
  /** Starts from one measurement to the next. Each measurement waits until all objects are put away. */
  readonly every: number
}

/** The service after a start at the end of some days, before the sessions of the next days. */
export type Measurement = {
  readonly day: number
  /** Sessions created so far. */
  readonly sessions: number
  /** Files of the state directory: their sizes, and their number. */
  readonly megabytes: number
  readonly files: number
  /** From the start of the launcher until it says `Ready`. */
  readonly startMs: number
  /** Resident memory of workerd, some seconds after the start. */
  readonly memoryMiB: number
  /** Events that the receiver has accepted so far. */
  readonly events: number
}

/** Runs a plan. Calls `report` after each measured start and the last. Each step waits for all its events. */
export async function liveThrough(plan: Plan, report: (measured: Measurement) => void): Promise<void> {
  const clock = buildClock()
  if (clock === undefined)
    throw new Error('This machine has no C compiler (cc), so the clock cannot be moved.')
  const project = copyProject([PASS_LIBRARY])
  const receiver = await startCounter()
  const variables = { WORKERD_LIBRARY: clock.path, LIBRARY_CLOCK: '0', LOG_REQUESTS: 'problems' }
  const service = await startService(variables, { launcher: project.launcher })
  try {
    const { server } = service
    const rp = await service.relyingParty({ webhook: { url: receiver.url } })
    const { create, cancel } = callerOf(server.origin, rp)
    let sessions = 0
    for (let [day, start] = [0, 1]; day < plan.days; day += plan.step, start++) {
      let events = sessions
      await repeat({ count: plan.perDay * plan.step, perSecond: PER_SECOND }, async () => {
        const id = await create()
        if (sessions++ % EXPIRING === 0) return
        await cancel(id)
        events++
      })
      // An event that waits would be erased with its session, because the clock moves past the retention.
      await receiver.counted(events)
      await server.end('SIGTERM')
      const begun = Date.now()
      await server.restart({ LIBRARY_CLOCK: String((day + plan.step) * DAY_SECONDS) })
      const startMs = Date.now() - begun
      await receiver.counted(sessions)
      if (start % plan.every !== 0 && day + plan.step < plan.days) continue
      report({ day: day + plan.step, sessions, startMs, ...(await settle(server)), events: receiver.count() })
    }
  } finally {
    await service.stop()
    await receiver.close()
    for (const made of [project, clock]) made.remove()
  }
}

/** Returns the sizes once all objects are put away, and so no log of writes is left. */
async function settle(server: Server): Promise<Pick<Measurement, 'megabytes' | 'files' | 'memoryMiB'>> {
  for (let calm = 0; ; ) {
    const { bytes, files, isOpen } = measure(server.stateDir)
    calm = isOpen ? 0 : calm + 1
    if (calm === CALM)
      return { megabytes: Math.round(bytes / 1e5) / 10, files, memoryMiB: residentMiB(server.pid()) }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

/** Looks, one a second, in which no object may be in use: an alarm may open one between two looks. */
const CALM = 3

type Sizes = { readonly bytes: number; readonly files: number; readonly isOpen: boolean }

function measure(directory: string): Sizes {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  // workerd removes the log of an object when it puts the object away.
  const isOpen = paths.some((path) => /[0-9a-f]{64}\.sqlite-wal$/.test(path))
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: paths.length, isOpen }
}

/** Returns the resident memory of a process. */
export function residentMiB(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** A webhook receiver that accepts every event, and keeps only the number of different ones. */
async function startCounter() {
  const ids = new Set<unknown>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ids.add(request.headers['webhook-id'])
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => ids.size,
    /** Resolves when this number of events has arrived. */
    counted: async (count: number) => {
      while (ids.size < count) await new Promise((resolve) => setTimeout(resolve, 100))
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
