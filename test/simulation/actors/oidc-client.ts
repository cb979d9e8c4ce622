// A client of OpenID Connect that pushes requests and sends assertions, and the browsers that open its pushed
// requests. Some come twice, late, or with the request of another client. Some keep it for their login.

import type { Use } from '../../../src/relying-party/oidc/once.ts'
import type { Actor } from '../world.ts'
import { askParty, pause, type Session, type World } from '../world.ts'

const SHARE = 0.3
const CLIENT = 'oc_client'
/** Lives of a pushed request, and the longest one of an assertion (api/logins). */
const PUSHED_MS = 60_000
/** Time for which a login keeps its pushed request. */
const KEPT_MS = 600_000
const ASSERTION_MS = 300_000

export const oidcClient: Actor = {
  name: 'client of OpenID Connect',
  act: async (world, session) => {
    const { random } = world
    if (!random.chance(SHARE)) return
    for (let left = random.between(1, 5); left > 0; left--) {
      if (!(await pause(world, random.between(100, 120_000)))) return
      await (random.chance(0.5) ? push : assert)(world, session)
    }
  },
}

async function push(world: World, session: Session): Promise<void> {
  const { random, scheduler } = world
  const name = `par/${random.next()}`
  const expiresAt = scheduler.wall() + PUSHED_MS
  await store(world, session, { name, value: `${CLIENT} sealed-request`, expiresAt })
  for (let left = random.between(1, 4); left > 0; left--) {
    if (!(await pause(world, random.below(random.pick([1_000, 20_000, 2 * PUSHED_MS, KEPT_MS]))))) return
    const client = random.chance(0.2) ? 'oc_other' : CLIENT
    if (!(await open(world, session, name, client)) || random.chance(0.5)) continue
    await askParty(world, session.party, 'keepPushedRequest', name, scheduler.wall() + KEPT_MS)
  }
}

async function assert(world: World, session: Session): Promise<void> {
  const { random, scheduler } = world
  const expiresAt = scheduler.wall() + random.between(1_000, ASSERTION_MS)
  const assertion = { name: `jti/${random.next()}`, value: '', expiresAt }
  const times = random.chance(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => store(world, session, assertion)))
  for (let left = random.between(0, 2); left > 0; left--) {
    if (!(await pause(world, random.below(ASSERTION_MS)))) return
    await store(world, session, assertion)
  }
}

type Name = { readonly name: string; readonly value: string; readonly expiresAt: number }

async function store(world: World, { party }: Session, { name, value, expiresAt }: Name): Promise<void> {
  if (world.scheduler.wall() >= expiresAt) return // the edge refuses an assertion that has expired
  const use: Use = { isAuthenticated: true, expiresAt }
  await askParty(world, party, 'storeOnce', name, value, use)
}

async function open(world: World, { party }: Session, name: string, client: string): Promise<boolean> {
  return Boolean(await askParty(world, party, 'pushedRequest', name, client))
}
