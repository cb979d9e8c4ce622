// The operator and the relying party's administrator: secrets, the endpoint, releases and restarts.

import type { Env } from '../../../src/env.ts'
import { storedOf } from '../form.ts'
import { documentOf } from '../ledger.ts'
import type { Actor } from '../world.ts'
import { pause, reportUnlessFault, type Session, stubOf, type World } from '../world.ts'

export const operator: Actor = {
  name: 'operator',
  act: async (world, session) => {
    const { random } = world
    for (let left = random.between(0, 4); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, 300_000)))) return
      await random.pick(ACTIONS)(world, session)
    }
  },
}

type Action = (world: World, session: Session) => Promise<void>

const change =
  (method: string, ...parameters: readonly unknown[]): Action =>
  async (world, { party }) => {
    const stub = world.objects.namespace('RELYING_PARTY').get({ toString: () => party.object.id })
    try {
      await (stub as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[method]?.(
        ...parameters,
      )
      world.code.forgetSettings(party.id)
    } catch (error) {
      reportUnlessFault(world, `${party.name}.${method}`, error)
    }
  }

const disable: Action = (world, session) =>
  change('disableWebhook', `http://127.0.0.1:9/${session.party.name}`)(world, session)

/** Deletes the relying party. Its sessions end, and their events are not sent any more. */
const eraseParty: Action = async (world, session) => {
  if (world.random.chance(0.8)) return
  session.party.isErased = true
  if (!world.isOneProcess) return change('erase')(world, session)
  try {
    await world.code.eraseRelyingParty(world.env as Env, session.party.id)
    session.party.isErasureConfirmed = true
  } catch (error) {
    reportUnlessFault(world, `${session.party.name}.erase`, error)
  }
}

const redeliverDead: Action = async (world, session) => {
  const { deliveries = [] } = documentOf(storedOf(session)) ?? {}
  try {
    for (const { event_id } of deliveries) {
      await stubOf(world, session).redeliverDead(session.party.id, event_id)
    }
  } catch (error) {
    reportUnlessFault(world, `${session.name}.redeliverDead`, error)
  }
}

const resume: Action = async (world, session) => {
  try {
    await stubOf(world, session).resumeAlarm()
  } catch (error) {
    reportUnlessFault(world, `${session.name}.resumeAlarm`, error)
  }
}

const restart: Action = async ({ objects, parties, code, scheduler }) => {
  if (scheduler.state.isCalm) return
  objects.crash('a new version is deployed')
  for (const { id } of parties) code.forgetSettings(id)
}

const ACTIONS: readonly Action[] = [
  change('rotateWebhookSecret'),
  disable,
  change('enableWebhook'),
  change('enableWebhook'),
  change('view'),
  redeliverDead,
  resume,
  restart,
  eraseParty,
]
