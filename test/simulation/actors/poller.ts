// Pollers: the relying party's server, and a kiosk with a `client_token`.

import { storedOf } from '../form.ts'
import type { Actor } from '../world.ts'
import { ask, pause } from '../world.ts'

export const poller: Actor = {
  name: 'poller',
  act: async (world, session) => {
    const { random } = world
    if (!(await pause(world, random.below(60_000)))) return
    const tempo = random.pick([1_000, 20_000, 120_000])
    for (let left = random.between(2, 10); left > 0; left--) {
      const [created] = session.created
      if (created !== undefined && random.chance(0.3)) {
        const stored = storedOf(session) as { readonly created_at?: number } | undefined
        await ask(world, session, 'readPublic', {
          createdAt: stored?.created_at ?? 0,
          login: session.input.login?.browser,
        })
      } else await ask(world, session, 'read', session.party.id)
      if (!(await pause(world, random.below(tempo) + 1))) return
    }
  },
}
