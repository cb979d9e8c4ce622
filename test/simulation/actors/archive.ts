// The archive of a relying party: fetches evidence, and erases it. It may erase again, or never.

import type { Actor } from '../world.ts'
import { ask, pause } from '../world.ts'

export const archive: Actor = {
  name: 'archive',
  act: async (world, session) => {
    const { random } = world
    const { party, input } = session
    if (input.evidence === undefined) return
    for (let left = random.between(1, 6); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, random.pick([20_000, 300_000]))))) return
      const act = random.chance(0.3) ? 'erase' : 'read'
      await ask(world, session, 'evidence', party.id, act)
    }
  },
}
