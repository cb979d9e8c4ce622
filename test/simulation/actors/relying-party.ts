// A relying party: creates the session, repeats lost creations, and later cancels, erases, redeems return
// codes or sends events again.

import type { CreatedSession } from '../../../src/session/document/results.ts'
import type { CreateInput } from '../../../src/session/request/creation.ts'
import type { Actor } from '../world.ts'
import { ask, pause, type Session, type World } from '../world.ts'

const CREATIONS = 6

export const relyingParty: Actor = {
  name: 'relying party',
  act: async (world, session) => {
    const { random } = world
    if (!(await pause(world, random.below(20_000)))) return
    // Two callers may create the same session at once.
    const callers = session.isKeyed && random.chance(0.3) ? 2 : 1
    await Promise.all(Array.from({ length: callers }, () => create(world, session)))
    for (let left = random.between(1, 6); left > 0; left--) {
      if (!(await pause(world, random.between(500, 150_000)))) return
      await ACTIONS[random.pick(MIX)](world, session)
    }
  },
}

async function create(world: World, session: Session): Promise<void> {
  for (let left = session.isKeyed ? CREATIONS : 1; left > 0; left--) {
    const input = inputOf(world, session)
    if (input === undefined) return
    const answer = await ask(world, session, 'create', input)
    if (answer?.ok) {
      const { session: created } = answer.value as { readonly session: CreatedSession }
      session.created.push(created)
      if (created.wallet_request !== null) session.uris.push(created.wallet_request.uri)
    }
    if (answer !== undefined) return
    if (!(await pause(world, world.random.between(100, 10_000)))) return
  }
}

/** The creation counts from the beginning of a login. The edge creates no session of a login that is over. */
function inputOf({ scheduler }: World, session: Session): CreateInput | undefined {
  const { input } = session
  if (input.login === undefined) return input
  session.beganAt ??= scheduler.wall()
  // A clock that is set back begins no login again, which was erased at its expiry.
  const latest = scheduler.wall() + scheduler.state.setBack
  const isOver = latest >= session.beganAt + input.request.expires_in * 1_000
  return isOver ? undefined : { ...input, createdAt: session.beganAt }
}

type Action = (world: World, session: Session) => Promise<void>

const ACTIONS = {
  cancel: async (world, session) => void (await ask(world, session, 'cancel', session.party.id)),
  erase: async (world, session) => {
    // A client repeats a `DELETE` that is 503.
    for (let i = 0; i < 3; i++) {
      const answer = await ask(world, session, 'erase', session.party.id)
      if (answer?.error !== 'unavailable') return
    }
  },
  expire: async (world, session) => void (await ask(world, session, 'expireNow', session.party.id)),
  recreate: async (world, session) => {
    // Without a key the edge makes another object.
    if (session.isKeyed) await create(world, session)
  },
  redeem: async (world, session) => {
    const codes = world.sessions.flatMap(({ returnCodes }) => returnCodes)
    const own = session.returnCodes
    const chosen = own.length > 0 && world.random.chance(0.6) ? own : codes
    if (chosen.length === 0) return
    const code = world.random.pick(chosen)
    const times = world.random.between(1, 3)
    for (let i = 0; i < times; i++) {
      await ask(world, session, 'redeem', session.party.id, code)
      if (!(await pause(world, world.random.between(1, 20_000)))) return
    }
  },
  receipt: async (world, session) => void (await ask(world, session, 'readReceipt', session.party.id)),
  timeline: async (world, session) =>
    void (await ask(world, session, 'readCourse', session.party.id, 'timeline')),
  redeliver: async (world, session) => {
    const answer = await ask(world, session, 'readCourse', session.party.id, 'deliveries')
    if (!answer?.ok) return
    const { json } = answer.value as { readonly json: string }
    const [delivery] = (JSON.parse(json) as { deliveries: { delivery_id: string }[] }).deliveries
    if (delivery !== undefined) await ask(world, session, 'redeliver', session.party.id, delivery.delivery_id)
  },
} satisfies Readonly<Record<string, Action>>

const MIX: readonly (keyof typeof ACTIONS)[] = [
  ...(['redeem', 'redeem', 'redeem', 'redeem', 'redeem', 'recreate', 'recreate'] as const),
  ...(['cancel', 'erase', 'expire', 'receipt', 'redeliver', 'timeline'] as const),
]
