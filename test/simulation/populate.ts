// Relying parties and sessions of a history. They are drawn and created before the faults begin.

import type { Env } from '../../src/env.ts'
import { EVENT_TYPES, type EventType, STEP_EVENT_TYPES } from '../../src/relying-party/document/settings.ts'
import { toDay } from '../../src/relying-party/events/event-days.ts'
import { placeOf } from './form.ts'
import { WORLD } from './platform/objects.ts'
import type { Random } from './platform/random.ts'
import { createInput, settingsInput, type World } from './world.ts'

/** Share of sessions that are logins by OpenID Connect. */
const LOGIN_SHARE = 0.25
/** Shares of relying parties with a list of verifications, and with events of steps. */
const LIST_SHARE = 0.85
const STEPS_SHARE = 0.4
/** Share of relying parties for which an earlier build has begun the list of the day. */
const OLD_LIST_SHARE = 0.15

/** Share of sessions with evidence, and the outcomes of which it is kept. */
const EVIDENCE_SHARE = 0.3
const KEPT_OUTCOMES = [['verified'], ['verified', 'rejected']] as const

const SOME_EVENTS = ['verification.verified', 'verification.canceled'] as const

/**
 * `logins`, `lists`: decide which sessions are logins, and which relying parties have lists and steps.
 * `oldLists`: decide which lists an earlier build has begun. `evidence`: decides which sessions have
 * evidence.
 */
export type Draws = Readonly<Record<'logins' | 'lists' | 'oldLists' | 'evidence', Random>>

/**
 * Creates relying parties, without faults, and draws the sessions. `hasEvidence`: true if every session has
 * evidence, false if none has.
 */
export async function populate(world: World & Draws, hasEvidence?: boolean): Promise<void> {
  const { random, logins, evidence, parties, sessions } = world
  const retention = random.pick([3_600, 7_200, 172_800])
  const count = random.chance(0.3) ? 2 : 1
  for (let i = 0; i < count; i++) await createParty(world, `party-${i}`, retention)
  const bindings = random.pick([
    ['none', 'none', 'page', 'relying_party'],
    ['page'],
    ['relying_party'],
  ] as const)
  for (let i = random.between(1, 3); i > 0; i--) {
    const party = random.pick(parties)
    const isKeyed = random.chance(0.5)
    const input = createInput(party, {
      binding: random.pick(bindings),
      expiresIn: random.pick([60, 120, 300, 900]),
      encrypted: random.chance(0.25),
      retention,
      bodyDigest: isKeyed ? 'digest-of-the-body' : null,
      isLogin: logins.chance(LOGIN_SHARE),
      evidence: (hasEvidence ?? evidence.chance(EVIDENCE_SHARE)) ? evidence.pick(KEPT_OUTCOMES) : null,
    })
    sessions.push({
      name: `session ${'ABC'[sessions.length]}`,
      ...placeOf(world),
      ...{ party, input, isKeyed },
      ...{ created: [], uris: [], requests: [], responses: [], links: [], secrets: [], returnCodes: [] },
      beganAt: undefined,
      isKeyLost: false,
    })
  }
}

async function createParty(world: World & Draws, name: string, retention: number): Promise<void> {
  const { random, lists, scheduler, objects, code, credentials, parties } = world
  const namespace = objects.namespace('RELYING_PARTY')
  const outcomes = random.pick([EVENT_TYPES, EVENT_TYPES, EVENT_TYPES, SOME_EVENTS, null])
  const [isIndexed, hasStepEvents] = [lists.chance(LIST_SHARE), lists.chance(STEPS_SHARE)]
  const events: readonly EventType[] | null =
    outcomes && (hasStepEvents ? [...outcomes, ...STEP_EVENT_TYPES] : outcomes)
  const input = settingsInput(credentials, name, { retention, events, isIndexed })
  const known = new Set(objects.all())
  scheduler.as(WORLD, () => {
    if (world.isOneProcess) return void code.createRelyingParty(world.env as Env, input, scheduler.wall())
    const stub = namespace.get(namespace.newIdOfRun()) as unknown as {
      create: (input: unknown, now: number) => Promise<unknown>
    }
    void stub.create(input, scheduler.wall())
  })
  await scheduler.run(scheduler.state.time + 1_000)
  const object = objects.all().find((one) => one.kind === 'RELYING_PARTY' && !known.has(one))
  if (object === undefined) throw new Error('no relying party was created')
  if (world.oldLists.chance(OLD_LIST_SHARE)) object.durable.data.set('index_days', [toDay(scheduler.wall())])
  const relyingPartyId = code.toRelyingPartyId({ toString: () => object.id } as never)
  parties.push({
    name,
    id: relyingPartyId,
    object,
    isIndexed,
    hasStepEvents: hasStepEvents && events !== null,
    isErased: false,
    isErasureConfirmed: false,
  })
}
