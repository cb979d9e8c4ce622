// A hostile wallet: sends responses of one session to another, mixes requests, replays old responses, and
// declines requests that it was never given.

import { storedOf } from '../form.ts'
import type { Actor } from '../world.ts'
import { pause, type Session, type World } from '../world.ts'
import { fetchRequest, makeResponse, postResponse } from './requests.ts'

export const hostileWallet: Actor = {
  name: 'hostile wallet',
  act: async (world, session) => {
    const { random } = world
    for (let left = random.between(1, 5); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, 120_000)))) return
      await random.pick(ATTACKS)(world, session)
    }
  },
}

type Attack = (world: World, session: Session) => Promise<void>

const replay: Attack = async (world, session) => {
  const isOwn = world.random.chance(0.5)
  const made = isOwn ? session.responses : world.sessions.flatMap(({ responses }) => responses)
  if (made.length > 0) await postResponse(world, session, world.random.pick(made))
}

/** The state of one request, the nonce of another. */
const mix: Attack = async (world) => {
  const requests = world.sessions.flatMap((one) => one.requests)
  if (requests.length < 2) return
  const [one, other] = [world.random.pick(requests), world.random.pick(requests)]
  if (one.state === other.state) return
  await postResponse(world, one.session, await makeResponse(world, one, 'mixed', { nonce: other.nonce }))
}

/** A response to a request that may be over. */
const answerOld: Attack = async (world, session) => {
  const stored = storedOf(session)
  const alive = stored?.erased === false ? stored.generations.map(({ number }) => number) : []
  const over = session.requests.filter(({ number }) => !alive.includes(number))
  const requests = over.length > 0 && world.random.chance(0.7) ? over : session.requests
  if (requests.length === 0) return
  const kind = world.random.pick(['adult', 'denied'] as const)
  await postResponse(world, session, await makeResponse(world, world.random.pick(requests), kind))
}

const fetchOthers: Attack = async (world, session) => {
  const uris = world.sessions.flatMap((one) => one.uris)
  if (uris.length > 0) await fetchRequest(world, session, world.random.pick(uris))
}

const ATTACKS: readonly Attack[] = [replay, replay, mix, answerOld, answerOld, fetchOthers]
