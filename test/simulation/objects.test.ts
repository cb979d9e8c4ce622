// The simulated namespaces and sockets behave as those of the platform do.

import { expect, it } from 'vitest'
import { openFaults } from './platform/faults.ts'
import { openObjects, WORLD } from './platform/objects.ts'
import { openRandom } from './platform/random.ts'
import { openScheduler } from './platform/scheduler.ts'
import { openPair, type SimulatedSocket } from './platform/sockets.ts'

it('a namespace accepts only ids that it has made', () => {
  const objects = openWorld()
  const [own, other] = [objects.namespace('OWN'), objects.namespace('OTHER')]
  for (const id of [own.newUniqueId(), own.idFromName('one')]) {
    expect(String(own.idFromString(String(id)))).toBe(String(id))
    expect(() => other.idFromString(String(id))).toThrow(TypeError)
    expect(() => other.get(id)).toThrow(TypeError)
  }
  expect(() => own.idFromString('00'.repeat(32))).toThrow(TypeError)
  expect(objects.all()).toEqual([])
})

it('an object finds its sockets by their tag', async () => {
  const objects = openWorld()
  type Context = {
    readonly acceptWebSocket: (socket: SimulatedSocket, tags?: string[]) => void
    readonly getWebSockets: (tag?: string) => readonly SimulatedSocket[]
  }
  const contexts: Context[] = []
  objects.register(
    'OWN',
    class {
      constructor(ctx: never) {
        contexts.push(ctx)
      }
    },
  )
  objects.touch(objects.objectOf('OWN', 'id'))
  const [context] = contexts
  const [one, other, plain] = [openPair()[1], openPair()[1], openPair()[1]]
  context?.acceptWebSocket(one, ['a'])
  context?.acceptWebSocket(other, ['b'])
  context?.acceptWebSocket(plain)
  expect(context?.getWebSockets('a')).toEqual([one])
  expect(context?.getWebSockets()).toHaveLength(3)
})

function openWorld() {
  const scheduler = openScheduler(openRandom(1, 'scheduler'), 0)
  const faults = openFaults({} as never, openRandom(1, 'faults'))
  faults.stop()
  const nothing = () => {}
  const events = { committed: nothing, noted: nothing, interrupted: nothing, crashed: nothing }
  return scheduler.as(WORLD, () => openObjects({ scheduler, faults, random: openRandom(1, 'ids'), events }))
}
