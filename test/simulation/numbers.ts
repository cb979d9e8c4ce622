// Directory, gauges and counters: what the service knows beside its sessions.

import type { Env } from '../../src/env.ts'
import { daysOf, readCounters } from './actors/analyst.ts'
import type { ServiceCode } from './build.ts'
import { type SimulatedObject, WORLD } from './platform/objects.ts'
import { reportUnlessFault, type World } from './world.ts'

/** Time in which all numbers are read. */
const READ_MS = 60_000

/** Reads the gauges, and the counters of all lists that exist, while nothing else happens. */
export async function readNumbers(world: World): Promise<void> {
  const { scheduler, ledger, objects, code, isOneProcess } = world
  const env = world.env as Env
  scheduler.as(WORLD, async () => {
    try {
      for (const list of daysOf(objects.all())) {
        const isCounted = list.durable.data.size > 0 || objects.all().some(isCountsOf(list))
        if (isCounted) await readCounters(world, list)
      }
      if (!isOneProcess) return
      const { step } = scheduler.state
      await code.storeNotes(env)
      ledger.add('gauged', await code.sessionCountsStub(env).sessionCounts(scheduler.wall()), step)
    } catch (error) {
      reportUnlessFault(world, 'the reader of the gauges', error)
    }
  })
  await scheduler.run(scheduler.state.time + READ_MS)
}

/** The object that has the counters of a day whose entries are erased. */
function isCountsOf({ id }: SimulatedObject) {
  return ({ label, durable }: SimulatedObject) => label === `${id}/counts` && durable.data.size > 0
}

/**
 * The memory of the process is lost, also what the modules of the service have: notes for the gauges, the
 * last turn of a check of entries, and the work that is counted.
 */
export function forgetNotes({ storeNotes, noteTurn, isFree }: ServiceCode): void {
  noteTurn(Number.NEGATIVE_INFINITY)
  isFree(Number.POSITIVE_INFINITY) // removes what is older than some seconds
  const nowhere = { getByName: () => ({ noteSessions: () => Promise.resolve() }) }
  void storeNotes({ DIRECTORY: nowhere } as never)
}

/** Ids in the directory, as they are stored. */
export function listedParties(objects: readonly SimulatedObject[]): readonly string[] {
  const directory = objects.find(({ kind, label }) => kind === 'DIRECTORY' && label === 'directory')
  const rows = directory?.durable.sql.rowsOf('relying_parties') ?? []
  return rows.map(({ relying_party_id }) => String(relying_party_id))
}
