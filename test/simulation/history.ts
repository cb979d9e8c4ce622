// One history: a seed decides the faults, the relying parties, the sessions, what actors do, and the order of
// all steps. After a time of faults everything is repaired, and the clock runs until all data is erased.

import { ACTORS } from './actors/index.ts'
import type { ServiceCode } from './build.ts'
import type { Credentials } from './credentials.ts'
import { changedRows, changedSessions, FORMS, type Form, rowsOf, storedOf } from './form.ts'
import { documentOf, openLedger, type Stored, type Violation } from './ledger.ts'
import { forgetNotes, listedParties, readNumbers } from './numbers.ts'
import { openCrypto } from './platform/crypto.ts'
import { calmPlan, drawFaults, type FaultPlan, openFaults } from './platform/faults.ts'
import type { Platform } from './platform/globals.ts'
import { isList, openObjects, WORLD } from './platform/objects.ts'
import { openRandom, type Random } from './platform/random.ts'
import { openScheduler } from './platform/scheduler.ts'
import { type Draws, populate } from './populate.ts'
import { PROPERTIES } from './properties/index.ts'
import { openReceivers } from './receiver.ts'
import { environmentOf, type Party, reportUnlessFault, type Session, type World } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Time of faults at most. */
const FAULTS_MS = 25 * MINUTE
/** Spread of expiries, the wait for responses in time, the delay of a watchdog, and a margin. */
const AFTER_LIFETIME_MS = 60_000 + 15_000 + 60_000 + 15_000
/** Longest time of an event: six attempts with the longest wait that a receiver may request. */
const EVENTS_MS = 8 * DAY
/** The days that entries of the list are stored, less the time of events, and a margin. */
const LISTED_MS = 30 * DAY
/** The days that entries of the audit log are stored, which is longest, and a margin. */
const RETENTIONS_MS = 402 * DAY
/** Share of histories without faults of the platform. Calls may be slow in them, and receivers may fail. */
const CALM_SHARE = 0.15
/** Share of histories with the directory and the gauges of a service that is one process. */
const ONE_PROCESS_SHARE = 0.3
/** Numbers of objects that the sessions of a history share. Few, so that most sessions have neighbours. */
const SHARED_OBJECTS = [1, 1, 2] as const

export type HistoryResult = {
  readonly seed: number
  readonly violation: Violation | undefined
  readonly steps: number
  /** Equal for two runs of one seed. */
  readonly digest: string
}

/** Where the service's code finds the platform of the running history. */
export type Stage = { platform: Platform | undefined }

export function platformOf(stage: Stage): Platform {
  if (stage.platform === undefined) throw new Error('no history runs')
  return stage.platform
}

type Input = {
  readonly stage: Stage
  readonly code: ServiceCode
  readonly credentials: Credentials
  readonly seed: number
  /** Receives a line for each thing that happens. */
  readonly trace?: (line: string) => void
  readonly focus?: Focus | undefined
  /** The form of all sessions, instead of the one that the seed draws. */
  readonly form?: Form | undefined
  /** True if every session has evidence, false if none has; `undefined`: the seed draws it. */
  readonly hasEvidence?: boolean | undefined
}

/** Faults that occur in any case, instead of those that the seed draws. */
export type Focus = Partial<FaultPlan> & { readonly atMidnight?: boolean; readonly isCalm?: boolean }

/** Runs a history. */
export async function runHistory(input: Input): Promise<HistoryResult> {
  const { seed } = input
  const world = openWorld(input)
  const { scheduler, ledger, faults } = world
  const isOver = () => ledger.violation() !== undefined || world.isCutShort
  try {
    const plan = faults.state.plan
    faults.stop()
    await populate(world, input.hasEvidence)
    faults.state.plan = plan
    scheduler.hooks.beforeStep = () => injectFaults(world)
    planJumps(world)
    const acting = startActors(world, seed)
    await scheduler.run(scheduler.state.time + FAULTS_MS, () => isOver() || acting.count === 0)
    if (!isOver()) await outlive(world, isOver)
  } catch (error) {
    ledger.report('no unexpected error')(error instanceof Error ? (error.stack ?? '') : String(error))
  }
  return {
    seed,
    violation: ledger.violation(),
    steps: scheduler.state.step,
    digest: world.digest(),
  }
}

/** Starts every actor on every session. `count`: those that still act. */
function startActors(world: RunningWorld, seed: number): { count: number } {
  const acting = { count: world.sessions.length * ACTORS.length }
  for (const session of world.sessions) {
    for (const actor of ACTORS) {
      const own = withRandom(world, openRandom(seed, `${actor.name} ${session.name}`))
      world.scheduler.as(WORLD, async () => {
        try {
          await actor.act(own, session)
        } catch (error) {
          reportUnlessFault(world, `the ${actor.name}`, error)
        }
        acting.count--
      })
    }
  }
  return acting
}

/** Ends faults and actors, and lets every lifetime, every event and every retention end. */
async function outlive(world: RunningWorld, isOver: () => boolean): Promise<void> {
  const { scheduler, ledger, sessions } = world
  stopFaults(world)
  // The success of a login is held for its browser, also past the expiry.
  const ends = sessions.map((session) => {
    const { expires_at = 0, held } = documentOf(storedOf(session)) ?? {}
    return Math.max(expires_at, held?.until ?? 0)
  })
  // An alarm that was set before the clock was set back comes that much later.
  const late = scheduler.state.setBack + AFTER_LIFETIME_MS
  const phases = [
    [Math.max(0, Math.max(...ends) - scheduler.wall()) + late, 'lifetimesOver'],
    [EVENTS_MS, 'eventsOver'],
    [LISTED_MS, 'listsOver'],
    [RETENTIONS_MS, 'retentionsOver'],
  ] as const
  for (const [length, end] of phases) {
    await scheduler.run(scheduler.state.time + length, isOver)
    if (isOver()) return
    ledger.add(end)
    await readNumbers(world)
  }
}

let runs = 0

type RunningWorld = World & Draws & { readonly digest: () => string }

function openWorld({ stage, code, credentials, seed, trace, focus = {}, ...input }: Input): RunningWorld {
  const random = (name: string): Random => openRandom(seed, name)
  const forms = random('form')
  const [drawn, shared] = [forms.pick(FORMS), forms.pick(SHARED_OBJECTS)]
  const form = input.form ?? drawn
  const actors = random('actors')
  // Close to the end of a day in some histories: the event log has an object for each day.
  const isLate = actors.chance(0.3) || focus.atMidnight === true
  const beginning = Date.UTC(2026, 10, 22) + (isLate ? DAY - actors.below(30 * MINUTE) : actors.below(DAY))
  const scheduler = openScheduler(random('scheduler'), beginning)
  const isCalm = focus.isCalm ?? (Object.keys(focus).length === 0 && random('calm').chance(CALM_SHARE))
  scheduler.state.isCalm = isCalm
  const plan = { ...drawFaults(random('plan')), ...focus }
  const faults = openFaults(isCalm ? calmPlan(plan) : plan, random('faults'))
  const sessions: Session[] = []
  const parties: Party[] = []
  let digest = 0x811c9dc5
  const note = (text: string) => {
    const line = `${scheduler.state.step} ${new Date(scheduler.wall()).toISOString()} ${text}`
    for (let i = 0; i < line.length; i++) digest = Math.imul(digest ^ line.charCodeAt(i), 0x01000193)
    trace?.(line)
  }
  const objects = openObjects({
    scheduler,
    faults,
    random: random('ids'),
    events: {
      noted: note,
      interrupted: (object) => {
        for (const session of sessions) if (session.object === object) ledger.add('interrupted', session)
      },
      crashed: () => {
        forgetNotes(code)
        ledger.add('crashed')
      },
      committed: (object, before) => {
        const own = sessions.filter((session) => session.object === object)
        const rows = object.kind === 'SHARED_SESSIONS' ? rowsOf(object) : undefined
        const changed = rows === undefined ? changedSessions(own, before) : changedRows(own, rows)
        for (const { session, old } of changed) {
          note(`${session.name} is written: ${describe(storedOf(session))}`)
          if (session.isKeyLost && documentOf(storedOf(session)) !== undefined) world.isCutShort = true
          if (world.isCutShort) return
          ledger.add('committed', session, old, storedOf(session))
        }
        if (rows !== undefined) ledger.add('rowsCommitted', object, rows)
        for (const [key, old] of before) {
          ledger.add('objectCommitted', object, key, object.durable.data.get(key), old)
        }
      },
    },
  })
  const ledger = openLedger(PROPERTIES, {
    sessions,
    parties,
    wall: scheduler.wall,
    latest: () => scheduler.wall() + scheduler.state.setBack,
    jumped: () => scheduler.state.jumped,
    step: () => scheduler.state.step,
    durable: storedOf,
    isCalm,
    hasSlowCalls: faults.state.plan.slowCall > 0,
    indexes: () => objects.all().filter(isList),
    evidenceSessions: () => objects.all().filter(({ kind }) => kind === 'EVIDENCE_SESSIONS'),
    directory: () => (isOneProcess ? listedParties(objects.all()) : undefined),
    hasLostAlarm: (object) => objects.alarms.lost.has(object),
    alarms: () =>
      objects
        .all()
        .filter(({ durable }) => durable.alarm !== null)
        .map(({ name }) => name),
  })
  forgetNotes(code)
  const isOneProcess = random('process').chance(ONE_PROCESS_SHARE)
  const env = environmentOf(objects, { isOneProcess, shared: form === 'own' ? null : shared })
  objects.shared.env = env
  objects.register('VERIFICATION_SESSION', code.VerificationSession)
  objects.register('SHARED_SESSIONS', code.SharedSessions)
  objects.register('RELYING_PARTY', code.RelyingParty)
  objects.register('DIRECTORY', code.Directory)
  objects.register('EVENT_LOG', code.EventLog)
  objects.register('VERIFICATION_INDEX', code.VerificationIndex)
  objects.register('EVIDENCE_SESSIONS', code.EvidenceSessions)
  stage.platform = {
    scheduler,
    // Random bytes decide nothing. They differ in each run, because the service's caches outlive a history.
    crypto: openCrypto(scheduler, random(`bytes ${++runs}`)),
    random: random('service'),
    env,
    fetch: openReceivers({
      scheduler,
      faults,
      random: random('receivers'),
      posted: (post) => {
        const session = sessions.find((one) => one.verificationId === post.verificationId)
        note(`POST for ${session?.name} -> ${post.status ?? 'no status'}`)
        ledger.add('posted', post)
      },
    }),
    log: (line) => {
      note(`log ${line.replace(/^.*"event":/, '')}`)
      if (/"event":"(background_fault|evidence_not_sealed)","error":"(?!Fault")/.test(line))
        ledger.report('no unexpected error')(line)
    },
  }
  const world: RunningWorld = {
    ...{
      scheduler,
      faults,
      objects,
      code,
      credentials,
      ledger,
      parties,
      sessions,
      note,
      isOneProcess,
      form,
      env,
    },
    random: actors,
    logins: random('logins'),
    lists: random('lists'),
    oldLists: random('old lists'),
    evidence: random('evidence'),
    redirects: new Map(),
    isActive: true,
    isCutShort: false,
    digest: () => (digest >>> 0).toString(16),
  }
  return world
}

/** The world for one actor. Its choices do not depend on the choices of other actors. */
function withRandom(world: World, random: Random): World {
  return Object.assign(Object.create(world) as World, { random })
}

function describe(stored: Stored): string {
  if (stored === undefined) return 'nothing'
  if (stored.erased) return 'a tombstone'
  const { status, version, held, generations, deliveries } = stored
  const [delivery] = deliveries
  const event = delivery && `, event ${delivery.state} after ${delivery.attempts.length}`
  return `${status}, version ${version}, requests ${generations.map(({ number }) => number)}${held ? ', held' : ''}${event ?? ''}`
}

function injectFaults({ faults, objects, parties, code }: World): void {
  if (faults.happens('eviction')) {
    const living = objects.living()
    if (living.length > 0) objects.evict(faults.random.pick(living), 'it was evicted')
  }
  if (faults.happens('crash')) {
    objects.crash('the process ended')
    for (const { id } of parties) code.forgetSettings(id)
  }
}

/** Plans jumps of the clock, and times without a place for writes. */
function planJumps({ faults, scheduler, objects, random, note }: World): void {
  const { clockJumps, fullDisks } = faults.state.plan
  const soon = () => random.below(FAULTS_MS / 2)
  for (let i = 0; i < clockJumps; i++) {
    const by = random.pick([-600_000, -600_000, -30_000, 1_000, 600_000, 7_200_000, 7_200_000])
    const jump = () => {
      if (faults.state.plan.clockJumps === 0) return
      scheduler.state.offset += by
      scheduler.state.setBack += Math.max(0, -by)
      scheduler.state.jumped += Math.abs(by)
      note(`the clock jumps by ${by} ms`)
      // Some platforms wait for alarms by a clock that does not jump.
      if (random.chance(0.5)) objects.alarms.reset()
    }
    scheduler.after(soon(), jump, WORLD)
  }
  for (let i = 0; i < fullDisks; i++) {
    const length = random.pick([1_000, 60_000, 600_000, 600_000])
    const begin = () => {
      faults.state.isDiskFull = faults.state.plan.fullDisks > 0
      if (faults.state.isDiskFull) note('writes fail from now on')
      const end = () => {
        faults.state.isDiskFull = false
      }
      scheduler.after(length, end, WORLD)
    }
    scheduler.after(soon(), begin, WORLD)
  }
}

/** Ends all faults. Objects whose alarm was lost get a call, as after a restart of a repaired service. */
function stopFaults(world: World): void {
  const { faults, objects, random } = world
  world.note('faults stop')
  world.isActive = false
  world.scheduler.state.longestStep = MINUTE
  faults.stop(random.chance(0.3) ? faults.state.plan.badReceiver : 0)
  world.ledger.add('repaired')
  objects.alarms.reset()
  if (random.chance(0.5) && !world.scheduler.state.isCalm) objects.crash('the process ended')
  for (const object of objects.alarms.lost) {
    objects.evict(object, 'its alarm was lost')
    objects.touch(object)
  }
}
