// A wallet that follows the protocol. It may be slow, may be used twice, and repeats a response whose answer
// was lost.

import type { Actor } from '../world.ts'
import { ask, pause, type ResponseKind, type Session, type World } from '../world.ts'
import { fetchRequest, makeResponse, postResponse } from './requests.ts'

const KINDS: readonly ResponseKind[] = [
  ...(['adult', 'adult', 'adult', 'adult', 'adult', 'adult'] as const),
  ...(['minor', 'denied', 'wallet_error', 'junk', 'junk'] as const),
]
const REPEATS = 5

export const wallet: Actor = {
  name: 'wallet',
  act: async (world, session) => {
    const { random } = world
    for (let left = random.between(1, 4); left > 0; left--) {
      if (!(await pause(world, random.between(100, random.pick([5_000, 60_000, 500_000]))))) return
      const uri = uriOf(world, session)
      if (uri !== undefined) await useRequest(world, session, uri)
    }
  },
}

function uriOf({ random }: World, { links, uris }: Session): string | undefined {
  const link = links[links.length - 1]
  if (link !== undefined && (uris.length === 0 || random.chance(0.6))) return link
  return uris.length === 0 ? undefined : random.pick(uris)
}

async function useRequest(world: World, session: Session, uri: string): Promise<void> {
  const { random } = world
  const request = await fetchRequest(world, session, uri)
  if (request === undefined) return
  if (random.chance(0.2))
    await ask(
      world,
      session,
      'readPage',
      { relyingPartyId: session.party.id },
      { named: null, mayLower: true },
    )
  if (!(await pause(world, random.below(random.pick([1_000, 20_000, 200_000]))))) return
  const made = await makeResponse(world, request, random.pick(KINDS))
  // A person may press twice: the same bytes arrive at the same time.
  const times = random.chance(0.2) ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => persist(world, session, made)))
}

async function persist(
  world: World,
  session: Session,
  made: Awaited<ReturnType<typeof makeResponse>>,
): Promise<void> {
  for (let left = REPEATS; left > 0; left--) {
    const answer = await postResponse(world, session, made)
    if (answer !== undefined && answer.error !== 'settings_unavailable') {
      if (!world.random.chance(0.1)) return
    }
    if (!(await pause(world, world.random.between(50, 8_000)))) return
  }
}
