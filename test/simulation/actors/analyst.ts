// Reads the counters of the days of a list, as `GET /v1/insights` does.

import type { HourCounts } from '../../../src/relying-party/index/counters.ts'
import { isList, type SimulatedObject } from '../platform/objects.ts'
import type { Actor } from '../world.ts'
import { pause, reportUnlessFault, type World } from '../world.ts'

const SHARE = 0.3

export const analyst: Actor = {
  name: 'analyst',
  act: async (world, { party }) => {
    const { random, objects } = world
    if (!random.chance(SHARE)) return
    for (let left = random.between(1, 6); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, 200_000)))) return
      const days = daysOf(objects.all()).filter(({ label }) => label?.startsWith(`${party.id}/`))
      if (days.length > 0) await readCounters(world, random.pick(days))
    }
  },
}

/**
 * Days of all lists: objects that have, or had, a list. The counters of a day that is over have an object of
 * their own, with another name.
 */
export function daysOf(objects: readonly SimulatedObject[]): readonly SimulatedObject[] {
  const kept = new Set(objects.map(({ label }) => label))
  const hasList = ({ id, durable }: SimulatedObject) => durable.data.has('day') || kept.has(`${id}/counts`)
  return objects.filter((one) => isList(one) && !one.label?.endsWith('/counts') && hasList(one))
}

/** Reads the counters of one day, and reports them if nothing was written in that day meanwhile. */
export async function readCounters(world: World, list: SimulatedObject): Promise<void> {
  const { ledger, objects } = world
  const { durable } = list
  const before = durable.version
  try {
    const stub = objects.namespace(list.kind).getByName(list.label ?? '') as unknown as {
      counts: () => Promise<readonly HourCounts[] | null>
    }
    for (;;) {
      const hours = await stub.counts()
      world.note(`counters of ${list.name}: ${hours?.length ?? 'more'}`)
      if (hours === null) continue
      if (durable.version === before) ledger.add('counted', list, hours)
      return
    }
  } catch (error) {
    reportUnlessFault(world, `the counters of ${list.name}`, error)
  }
}
