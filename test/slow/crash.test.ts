// Durability of acknowledged outcomes (api/outcome, api/webhooks). The service is killed repeatedly under
// load, while its receiver fails a third of the time. CRASH_OUTCOMES, CRASH_KILLS and CRASH_SEED change the
// run.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACKNOWLEDGE_THEN_COMMIT } from './crash/acknowledge-then-commit.ts'
import { COMMIT_THEN_SEND } from './crash/commit-then-send.ts'
import type { DeletedSession } from './crash/deletions.ts'
import type { Receipt } from './crash/failing-receiver.ts'
import { canMoveClock, type Faults, KILLS, prepareFaults } from './crash/faults.ts'
import { type Evidence, type Findings, findingsOf } from './crash/findings.ts'
import { addLedgers, ledgerOf, tableOf } from './crash/ledger.ts'
import { type Plan, type Run, runCrashes } from './crash/run.ts'
import { openTurns } from './crash/turns.ts'

const OUTCOMES = Number(process.env.CRASH_OUTCOMES ?? 400)
const KILL_COUNT = Number(process.env.CRASH_KILLS ?? 40)
const SEED = Number(process.env.CRASH_SEED ?? 1)
/** Sessions of the large run that get no response. */
const SILENT = 20
/**
 * Returns how long to wait for the last event. An attempt that a kill cut off is repeated after 25 s. If the
 * next attempt is cut off as well, another follows after 80 s. A third follows after more than ten minutes.
 * Kills over less than the first two waits cannot cut off a third attempt.
 */
const patience = (killedForMs: number) => (killedForMs < 80_000 ? 210_000 : 960_000)

const NO_ERRORS: Findings = {
  forgotten: [],
  undelivered: [],
  notLoggedOnce: [],
  notListedOnce: [],
  listedOtherwise: [],
  doubled: [],
  contradicted: [],
  oversent: [],
  uncounted: [],
  altered: [],
  unknown: [],
  unredeemed: [],
  redeemedTwice: [],
  misjudged: [],
  unproven: [],
  overproven: [],
  undeleted: [],
  misdeleted: [],
  keyLost: [],
}

const EVENT = { event_type: 'verification.verified', status: 'verified', sequence: 1 }
const RECEIPT: Receipt = {
  verificationId: 'v_1',
  eventId: 'evt_1',
  event: EVENT,
  digest: 'same',
  accepted: true,
  respondedAt: 0,
}
const ATTEMPTS = [1, 2].map((attempt) => ({ attempt, manual: false }))
const LOGIN = { verificationId: 'v_1', end: 'redeemed', again: [200, 400, 401], subject: 'v_1' } as const
const SESSION = { number: 1, verificationId: 'v_1', end: 'verified' } as const
const ANSWER = { status: 'verified', deliveries: [{ event_id: 'evt_1', attempts: ATTEMPTS }] }
const DELETED: DeletedSession = {
  verificationId: 'v_3',
  marker: 'one',
  tries: 1,
  status: 204,
  listed: false,
  read: 404,
  again: 404,
  recreated: 410,
}
const GOOD: Evidence = {
  sessions: [SESSION],
  answers: new Map([['v_1', ANSWER]]),
  sealed: new Map([['v_1', { status: 404, digest: null }]]),
  receipts: [{ ...RECEIPT, accepted: false }, RECEIPT],
  logged: ['v_1'],
  listed: [{ verification_id: 'v_1', status: 'verified' }],
  unlistable: new Set(),
  deleted: [DELETED],
  readable: new Set(),
}

/** A session whose evidence is kept. */
const PROVEN: Pick<Evidence, 'sessions' | 'answers' | 'sealed'> = {
  sessions: [{ ...SESSION, evidence: 'kept' }],
  answers: new Map([['v_1', { ...ANSWER, evidence: { manifest_sha256: 'one' } }]]),
  sealed: new Map([['v_1', { status: 200, digest: 'one' }]]),
}

/** Two runs kill at a time. The planted service is killed while the large runs wait for their last events. */
const turns = openTurns(2)
let faults: Faults
let planted: Faults
let runs: readonly Run[]
let plantedRuns: { readonly unkilled: Run; readonly killed: Run }
let executed: Promise<void> | undefined

/** Executes all runs once, for the tests that need one of them. */
function execute(): Promise<void> {
  executed ??= executeAll()
  return executed
}

async function executeAll(): Promise<void> {
  faults = prepareFaults()
  planted = prepareFaults([ACKNOWLEDGE_THEN_COMMIT, COMMIT_THEN_SEND])
  const size = { outcomes: OUTCOMES / 2, silent: SILENT / 2, kills: KILL_COUNT / 2 }
  const half = { ...size, patience, faults, turns, keepsBroken: true }
  const large = Promise.all([
    runCrashes({ ...half, deletions: KILL_COUNT / 5, lives: 'clocks', form: 'shared', seed: SEED }),
    runCrashes({ ...half, deletions: 0, lives: 'builds', form: 'own', seed: SEED + 1 }),
  ])
  const [killed, unkilled] = await Promise.all([
    runPlanted({ outcomes: 200, kills: 6, keepsBroken: true }),
    runPlanted({ outcomes: 60, kills: 0 }),
  ])
  plantedRuns = { killed, unkilled }
  runs = await large
  console.info(tableOf(runs.map(ledgerOf).reduce(addLedgers)))
}

afterAll(() => {
  for (const made of [faults, planted]) made?.remove()
  const { keptIn } = plantedRuns?.killed ?? {}
  if (keptIn) rmSync(keptIn, { recursive: true })
})

/** Runs the planted service. Ten seconds after its last start it has nothing left to send. */
function runPlanted(size: Pick<Plan, 'outcomes' | 'kills' | 'keepsBroken'>): Promise<Run> {
  const plan = { ...size, silent: 0, deletions: 0, seed: SEED, patience: () => 10_000 }
  return runCrashes({ ...plan, form: 'shared', faults: planted, lives: 'usual', turns })
}

describe(`the service, killed ${KILL_COUNT} times while it acknowledges ${OUTCOMES} outcomes`, () => {
  beforeAll(execute, 1_800_000)

  it('loses no outcome or event, sends each event at most six times, and continues its work without a request', () => {
    expect(runs.flatMap(({ sessions }) => sessions)).toHaveLength(OUTCOMES + SILENT)
    for (const run of runs) expect(findingsOf(run)).toEqual(NO_ERRORS)
  })

  it('was killed during deliveries and requests, by every kind of kill and in every possible condition', () => {
    const kills = runs.flatMap((run) => run.kills)
    expect(kills).toHaveLength(KILL_COUNT)
    expect(kills.filter(({ open }) => open > 0).length).toBeGreaterThan(KILL_COUNT / 4)
    expect(runs.every(({ brokenOff }) => brokenOff > 0)).toBe(true)
    expect(new Set(kills.map(({ kill }) => kill))).toEqual(new Set(KILLS))
    const lives = [...faults.livesOf('clocks'), ...faults.livesOf('builds')]
    expect(new Set(kills.map(({ life }) => life))).toEqual(new Set(lives))
  })

  it('was killed while sessions were deleted', () => {
    const deleted = runs.flatMap((run) => run.deleted)
    expect(deleted.filter(({ tries }) => tries > 1).length).toBeGreaterThan(0)
    expect(deleted.length).toBeGreaterThan(KILL_COUNT)
  })

  it.skipIf(!canMoveClock())(
    'ran with its clock ahead and with its clock behind, if a C compiler is installed',
    () => {
      expect(runs.flatMap(({ leftOut }) => leftOut)).toEqual([])
    },
  )

  it('ran out of file descriptors', () => {
    const refused = runs.flatMap((run) => run.kills.map((kill) => kill.refused))
    expect(Math.max(...refused)).toBeGreaterThan(0)
  })

  it('logged people in, and lost tokens only if a connection broke', () => {
    const logins = runs.flatMap(({ sessions }) => sessions.flatMap(({ login }) => login ?? []))
    const consumed = logins.filter(({ end }) => end === 'consumed')
    expect(logins.filter(({ end }) => end === 'redeemed').length).toBeGreaterThan(OUTCOMES / 20)
    expect(consumed.length).toBeLessThanOrEqual(runs.reduce((sum, run) => sum + run.brokenOff, 0))
  })

  it('kept evidence of outcomes and of logins, and erased some of it', () => {
    const { proven, evidenceErased } = runs.map(ledgerOf).reduce(addLedgers)
    expect(proven).toBeGreaterThan(OUTCOMES / 20)
    expect(evidenceErased).toBeGreaterThan(OUTCOMES / 40)
  })

  it('had a receiver that often failed', () => {
    const receipts = runs.flatMap((run) => run.receipts)
    const failed = receipts.filter(({ accepted }) => !accepted)
    expect(failed.length / receipts.length).toBeGreaterThan(0.2)
  })
})

describe('a service that acknowledges an outcome, then commits it, and then sends the event', () => {
  beforeAll(execute, 1_800_000)

  it('loses nothing if it is not killed', () => {
    const { undelivered, forgotten } = findingsOf(plantedRuns.unkilled)
    expect(plantedRuns.unkilled.sessions).toHaveLength(60)
    expect([forgotten, undelivered]).toEqual([[], []])
  })

  it('loses acknowledged outcomes and the events of stored outcomes if it is killed', () => {
    const { undelivered, forgotten } = findingsOf(plantedRuns.killed)
    expect(plantedRuns.killed.sessions).toHaveLength(200)
    expect(forgotten.length).toBeGreaterThan(0)
    expect(undelivered.filter((id) => !forgotten.includes(id)).length).toBeGreaterThan(0)
  })

  it('leaves its state directory with a report of the losses if it is killed', () => {
    expect(existsSync(join(plantedRuns.killed.keptIn ?? '', 'evidence.json'))).toBe(true)
    expect(runs.map(({ keptIn }) => keptIn)).toEqual([null, null])
  })
})

describe('the turns of openTurns', () => {
  it('are given in the order of the calls, and a second return of the same turn has no effect', async () => {
    const { take } = openTurns(1)
    const taken: string[] = []
    const takeAs = async (name: string) => {
      const giveBack = await take()
      taken.push(name)
      return giveBack
    }
    const giveBack = await takeAs('first')
    const second = takeAs('second')
    const third = takeAs('third')
    giveBack()
    giveBack()
    const giveBackSecond = await second
    await Promise.resolve()
    expect(taken).toEqual(['first', 'second'])
    giveBackSecond()
    await third
    expect(taken).toEqual(['first', 'second', 'third'])
  })
})

describe('the summary of a run with kills', () => {
  it('lists the conditions that this machine cannot produce, and counts the failures that missing file descriptors caused', () => {
    const kill = {
      kill: 'workerd',
      life: 'few_descriptors',
      open: 0,
      deleting: 0,
      refused: 3,
      ended: 1,
    } as const
    const run: Run = {
      ...GOOD,
      brokenOff: 0,
      kills: [kill, kill],
      leftOut: ['clock_ahead'],
      killedForMs: 0,
      keptIn: null,
    }
    const rows = tableOf(addLedgers(ledgerOf(run), ledgerOf({ ...run, leftOut: [] }))).split('\n')
    expect(rows).toContain('| lives left out | clock_ahead 1: no C compiler (cc) |')
    expect(rows).toContain('| files not opened for want of descriptors | 12 |')
    expect(rows).toContain('| ends of workerd for want of descriptors | 4 |')
    expect(tableOf(ledgerOf({ ...run, leftOut: [] }))).toContain('| lives left out | none |')
  })
})

describe('the errors found in a run with kills', () => {
  it('are empty for a session whose event arrived twice with the same bytes and was counted twice', () => {
    expect(findingsOf(GOOD)).toEqual(NO_ERRORS)
  })

  it('are empty for a session whose evidence can be opened, and for a session whose evidence was erased', () => {
    const erased = new Map([['v_1', { status: 410, digest: null }]])
    expect(findingsOf({ ...GOOD, ...PROVEN })).toEqual(NO_ERRORS)
    const sessions = [{ ...SESSION, evidence: 'erased' as const }]
    expect(findingsOf({ ...GOOD, sessions, sealed: erased })).toEqual(NO_ERRORS)
  })

  it('are empty if a DELETE was interrupted, its repetition got 404, and the Idempotency-Key was lost', () => {
    const cutOff = { ...DELETED, tries: 2, status: 404, recreated: 201 }
    expect(findingsOf({ ...GOOD, deleted: [cutOff] })).toEqual(NO_ERRORS)
  })

  it('are empty if a browser comes back from a verified login too late to get a code', () => {
    const sessions = [{ ...SESSION, login: { ...LOGIN, end: 'late' as const, again: [], subject: null } }]
    expect(findingsOf({ ...GOOD, sessions })).toEqual(NO_ERRORS)
  })

  it('are empty if the create request of a session got no response and the session expires', () => {
    const event = { event_type: 'verification.expired', status: 'expired', sequence: 1 }
    const expiry = { ...RECEIPT, verificationId: 'v_2', eventId: 'evt_2', event }
    expect(findingsOf({ ...GOOD, receipts: [...GOOD.receipts, expiry] })).toEqual(NO_ERRORS)
  })

  it.each<[keyof Findings, string, Partial<Evidence>]>([
    ['forgotten', 'v_1', { answers: new Map() }],
    ['forgotten', 'v_1', { answers: new Map([['v_1', { ...ANSWER, status: 'pending' }]]) }],
    ['undelivered', 'v_1', { receipts: [{ ...RECEIPT, accepted: false }] }],
    ['notLoggedOnce', 'v_1', { logged: [] }],
    ['notLoggedOnce', 'v_1', { logged: ['v_1', 'v_1'] }],
    ['notListedOnce', 'v_1', { listed: [] }],
    ['notListedOnce', 'v_1', { listed: [...GOOD.listed, ...GOOD.listed], unlistable: new Set(['v_1']) }],
    ['listedOtherwise', 'v_1', { listed: [{ verification_id: 'v_1', status: 'pending' }] }],
    ['contradicted', 'evt_1', { receipts: [{ ...RECEIPT, event: { ...EVENT, status: 'rejected' } }] }],
    ['contradicted', 'evt_1', { receipts: [{ ...RECEIPT, event: { ...EVENT, sequence: 2 } }] }],
    ['uncounted', 'evt_1', { receipts: [RECEIPT, RECEIPT, RECEIPT] }],
    ['altered', 'evt_1', { receipts: [RECEIPT, { ...RECEIPT, digest: 'other' }] }],
    ['unknown', 'evt_2', { receipts: [RECEIPT, { ...RECEIPT, verificationId: 'v_2', eventId: 'evt_2' }] }],
    ['doubled', 'v_1', { receipts: [RECEIPT, { ...RECEIPT, eventId: 'evt_2' }] }],
    ['unredeemed', 'v_1', { sessions: [{ ...SESSION, login: LOGIN }] }],
    ['redeemedTwice', 'v_1', { sessions: [{ ...SESSION, login: { ...LOGIN, again: [200, 200, 200] } }] }],
    ['redeemedTwice', 'v_1', { sessions: [{ ...SESSION, login: { ...LOGIN, again: [200, 400, 200] } }] }],
    ['misjudged', 'v_1', { sessions: [{ ...SESSION, login: { ...LOGIN, end: 'denied' } }] }],
    ['misjudged', 'v_1', { sessions: [{ ...SESSION, login: { ...LOGIN, subject: 'v_2' } }] }],
    ['misjudged', 'v_1', { sessions: [{ ...SESSION, end: 'rejected', login: { ...LOGIN, end: 'late' } }] }],
    ['unproven', 'v_1', { sessions: [{ ...SESSION, evidence: 'kept' }] }],
    ['unproven', 'v_1', { ...PROVEN, sealed: new Map([['v_1', { status: 410, digest: null }]]) }],
    ['unproven', 'v_1', { ...PROVEN, sealed: new Map([['v_1', { status: 200, digest: 'other' }]]) }],
    ['overproven', 'v_1', { sealed: new Map([['v_1', { status: 200, digest: 'one' }]]) }],
    ['overproven', 'v_1', { ...PROVEN, sessions: [{ ...SESSION, evidence: 'erased' }] }],
    ['undeleted', 'v_3: listed after its DELETE', { deleted: [{ ...DELETED, listed: true }] }],
    ['undeleted', 'v_3: GET 200', { deleted: [{ ...DELETED, read: 200 }] }],
    ['undeleted', 'v_3: DELETE 204', { deleted: [{ ...DELETED, again: 204 }] }],
    [
      'undeleted',
      'v_3: listed at the end',
      { listed: [...GOOD.listed, { verification_id: 'v_3', status: 'pending' }] },
    ],
    ['undeleted', 'v_3: in a file', { readable: new Set(['one']) }],
    ['misdeleted', 'v_3', { deleted: [{ ...DELETED, status: 404 }] }],
    ['keyLost', 'v_3', { deleted: [{ ...DELETED, recreated: 201 }] }],
    ['oversent', 'evt_1', { receipts: Array.from({ length: 7 }, () => RECEIPT) }],
  ])('contain the kind %s with the id %s for a run with this error', (finding, broken, change) => {
    expect(findingsOf({ ...GOOD, ...change })[finding]).toEqual([broken])
  })
})
