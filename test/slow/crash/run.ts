// One run: load on the service, with a SIGKILL at random moments and one at the end. After that it waits
// without a request until every event has arrived. Only then it reads the sessions, and judges every rule.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../formats/sd-jwt-vc/random.ts'
import type { Form } from '../../simulation/form.ts'
import { makeAuthority } from '../../support/people/person.ts'
import { type Server, startServer } from '../../support/service/server.ts'
import { BASE_URL } from '../../support/service/service.ts'
import { leanSettings, makeLeanWallet } from '../../support/wallets/lean-wallet.ts'
import { type Archive, archiveSettings, newArchiveRecipient, openArchive, readSealed } from './archive.ts'
import { type Deletions, openDeletions, staysReadableIn } from './deletions.ts'
import { type FailingReceiver, startFailingReceiver } from './failing-receiver.ts'
import { type Faults, fillDisk, KILLS, type Kill, type Life, type Lives, refusalsIn } from './faults.ts'
import { type Evidence, findingsOf, type ListedSession, type ServiceResponse } from './findings.ts'
import {
  type Ask,
  authorized,
  drive,
  type End,
  type FinishedSession,
  persistentCaller,
  planOf,
  readList,
} from './load.ts'
import { registerLoginClient } from './logins.ts'
import type { Turns } from './turns.ts'
import { SHOP } from './ways.ts'

export type Plan = {
  /** Number of sessions whose outcome is acknowledged. */
  readonly outcomes: number
  /** Number of sessions that expire. */
  readonly silent: number
  readonly kills: number
  /** Number of these kills that fall while sessions are deleted. 0 beside the previous build. */
  readonly deletions: number
  readonly seed: number
  /** `own`: each session has its own object, as the previous build needs. */
  readonly form: Form
  readonly faults: Faults
  /** Lives after the kills. Where there are several, the disk is full before a third of the kills. */
  readonly lives: Lives
  /**
   * Returns how long after the last start the last event may arrive, from the duration of the kills
   * (milliseconds).
   */
  readonly patience: (killedForMs: number) => number
  /** The run has a turn from its start until its last kill. */
  readonly turns: Turns
  /** True: if a rule is broken or the run fails, the state directory stays. */
  readonly keepsBroken?: boolean
}

export type Run = Evidence & {
  /** The kills in their order, and the life after each. */
  readonly kills: readonly {
    readonly kill: Kill
    readonly life: Life
    /** Number of POSTs to the receiver without a response. */
    readonly open: number
    /** Number of `DELETE`s without a response. */
    readonly deleting: number
    /** Number of files that workerd could not open before, if it had few descriptors. */
    readonly refused: number
    /** Number of times that workerd ended by itself before, for want of descriptors. */
    readonly ended: number
  }[]
  /** Lives of the plan that this machine cannot show. */
  readonly leftOut: readonly Life[]
  /** Number of requests of callers that a kill broke off. */
  readonly brokenOff: number
  /** Time from the start of the load until the service runs after the last kill, in milliseconds. */
  readonly killedForMs: number
  /** State directory of a broken run, with `evidence.json`; null if it is removed. */
  readonly keptIn: string | null
}

const CALLERS = 24
/** Time for entries of the list whose call a kill cut off. */
const LISTED_WITHIN_MS = 60_000
/** Longest time for which the disk is full before a kill. */
const FULL_MS = 1_000
/** Longest time between two kills, if few sessions end. A `DELETE` at a kill takes further time. */
const LONGEST_LIFE_MS = 6_000

/** Executes a plan. */
export async function runCrashes(plan: Plan): Promise<Run> {
  const giveBack = await plan.turns.take()
  try {
    return await runInTurn(plan, giveBack)
  } finally {
    giveBack()
  }
}

/** Executes a plan. Calls `onKilled` after the last kill. */
async function runInTurn(plan: Plan, onKilled: () => void): Promise<Run> {
  const receiver = await startFailingReceiver(plan.seed)
  const authority = await makeAuthority()
  const wallet = await makeLeanWallet(authority)
  const { launcher } = plan.faults
  const env = { BASE_URL, ALLOW_LOOPBACK: '1', SESSION_OBJECTS: plan.form === 'own' ? '0' : '64' }
  const server = await startServer({ launcher, env })
  const gate = openGate()
  let isKept = plan.keepsBroken === true
  try {
    // The previous build has no logins and no evidence.
    const recipient = plan.lives === 'clocks' ? await newArchiveRecipient() : undefined
    const { api_key: apiKey, relying_party_id } = await server.createRelyingParty({
      ...leanSettings(authority, receiver.url),
      origins: [SHOP],
      ...(recipient && { evidence: archiveSettings(recipient) }),
    })
    const archive = recipient && (await openArchive(server, relying_party_id, recipient))
    const { ask, brokenOff } = persistentCaller(server.origin, gate.passed)
    const sessions: FinishedSession[] = []
    const client = archive && (await registerLoginClient(ask, apiKey, {}, { evidence: true }))
    const callers = { ask, wallet, apiKey, client, archive }
    /** Number of sessions that began before the last life of the previous build ended. */
    const begun = { sessions: 0, underPrevious: 0 }
    const deletions = openDeletions(ask, apiKey)
    const load = underLoad(plan, sessions, (number, end) => {
      begun.sessions++
      return drive(number, end, callers)
    })
    const start = Date.now()
    const ended = () => {
      begun.underPrevious = begun.sessions
    }
    const scene = { plan, server, gate, receiver, sessions, load, deletions, previousEnded: ended }
    const kills = await killAtRandom(scene)
    const deleted = await deletions.all()
    onKilled()
    const killedForMs = Date.now() - start
    const patienceMs = plan.patience(killedForMs)
    await untilTaken(sessions, receiver, patienceMs)
    const deletedIds = new Set(deleted.map(({ verificationId }) => verificationId))
    // Copied before the sessions are read: later receipts may be missing in the log.
    const receipts = receiver.receipts.filter(({ verificationId }) => !deletedIds.has(verificationId))
    const [older, listable] = splitAt(sessions, begun.underPrevious)
    // Reading the list wakes no session.
    const listed = await readWholeList(listable, ask, apiKey, Math.min(LISTED_WITHIN_MS, patienceMs))
    const unlistable = new Set(older.map(({ verificationId }) => verificationId))
    const answers = await eachOf(sessions, async ({ verificationId: id }) => [
      id,
      await readResponse(id, ask, apiKey),
    ])
    const sealed = await eachOf(archive ? sessions : [], async ({ verificationId: id }) => [
      id,
      await readSealed(ask, archive as Archive, id),
    ])
    const logged = await readLog(ask, apiKey)
    const leftOut = plan.faults.livesOf(plan.lives, 'left_out')
    const readable = await staysReadableIn(server.stateDir, deleted)
    const answered = { answers: new Map(answers), sealed: new Map(sealed) }
    const past = { ...answered, logged, listed, unlistable, deleted, readable }
    const run = { sessions, receipts, ...past, kills, leftOut, brokenOff: brokenOff(), killedForMs }
    if (isKept) isKept = writeIfBroken(run, server.stateDir)
    return { ...run, keptIn: isKept ? server.stateDir : null }
  } finally {
    gate.close() // callers that still retry after an error wait here forever
    if (isKept) {
      console.error(`The state directory stays: ${server.stateDir}`)
      await server.end('SIGTERM')
    } else await server.stop()
    await receiver.close()
  }
}

/** Returns true if a rule is broken. Writes the evidence into the state directory then. */
function writeIfBroken(run: Evidence, stateDir: string): boolean {
  const findings = findingsOf(run)
  if (Object.values(findings).every((found) => found.length === 0)) return false
  const { answers, sealed, unlistable, readable, ...lists } = run
  const maps = { answers: [...answers], sealed: [...sealed] }
  const sets = { ...maps, unlistable: [...unlistable], readable: [...readable] }
  writeFileSync(join(stateDir, 'evidence.json'), JSON.stringify({ findings, ...lists, ...sets }, null, 2))
  return true
}

/** Splits sessions by their number: those below `number`, and the others. */
function splitAt(sessions: readonly FinishedSession[], number: number) {
  const isBelow = (one: FinishedSession) => one.number < number
  return [sessions.filter(isBelow), sessions.filter((one) => !isBelow(one))] as const
}

type Gate = ReturnType<typeof openGate>

/** A gate that is closed while the service is down. */
function openGate() {
  let way = Promise.resolve()
  let open = () => {}
  return {
    passed: () => way,
    open: () => open(),
    close: () => {
      way = new Promise((resolve) => {
        open = resolve
      })
    },
  }
}

/** Drives every session of the plan, a few at a time. Adds each finished one to `sessions`. */
async function underLoad(
  plan: Plan,
  sessions: FinishedSession[],
  driveOne: (number: number, end: End) => Promise<FinishedSession>,
): Promise<void> {
  const ends = [...planOf(plan.outcomes, plan.silent).entries()]
  await eachOf(ends, async ([number, end]) => sessions.push(await driveOne(number, end)))
}

type Scene = {
  readonly plan: Plan
  readonly server: Server
  readonly gate: Gate
  readonly receiver: FailingReceiver
  readonly sessions: readonly FinishedSession[]
  readonly load: Promise<void>
  readonly deletions: Deletions
  /** The life of the previous build ends. */
  readonly previousEnded: () => void
}

/**
 * Kills workerd, alone or together with the launcher, and starts it again on the same state. A random number
 * of sessions ends before each kill, or six seconds pass. The last kill follows the last session, and the
 * usual life follows it.
 */
async function killAtRandom(scene: Scene): Promise<Run['kills']> {
  const { plan, server, gate, receiver, sessions, load, deletions } = scene
  const random = seededRandom(plan.seed)
  const all = plan.outcomes + plan.silent
  const kills: Run['kills'][number][] = []
  const lives = plan.faults.livesOf(plan.lives)
  let broken = false
  load.catch(() => {
    broken = true
  })
  let life: Life = 'usual'
  for (let killsLeft = plan.kills; killsLeft > 0; killsLeft--) {
    const share = (all - sessions.length) / killsLeft
    const target = killsLeft === 1 ? all : sessions.length + random.below(Math.ceil(2 * share) + 1)
    const latest = killsLeft === 1 ? Number.POSITIVE_INFINITY : Date.now() + LONGEST_LIFE_MS
    const isTime = () => broken || sessions.length >= target || Date.now() >= latest
    const lack = await liveUntil(isTime, life, scene)
    if (broken) break
    const isDeleting = partOf(killsLeft, plan) > partOf(killsLeft - 1, plan)
    const kinds = lives.length > 1 && !isDeleting ? KILLS : KILLS.slice(0, 2)
    const kill = kinds[killsLeft % kinds.length] as Kill
    if (isDeleting) {
      const beginning = { isOver: false }
      deletions.begin().then(
        () => {
          beginning.isOver = true
        },
        () => {
          broken = true
        },
      )
      await liveUntil(() => broken || beginning.isOver, life, scene)
      const still = random.below(deletions.open() + 1)
      await liveUntil(() => broken || deletions.open() <= still, life, scene)
    }
    life = killsLeft > 1 ? (lives[killsLeft % lives.length] as Life) : 'usual'
    if (kill === 'disk_full') fillDisk(server.pid())
    await sleep(random.below(kill === 'disk_full' ? FULL_MS : isDeleting ? 5 : 30))
    kills.push({ kill, life, open: receiver.open(), deleting: deletions.open(), ...lack })
    gate.close()
    if (kills.at(-2)?.life === 'previous_build') scene.previousEnded()
    if (kill === 'launcher') await server.kill9()
    else server.killWorkerd()
    await plan.faults.restart(server, life)
    gate.open()
  }
  await load
  return kills
}

/**
 * Waits until `isOver`. Where workerd has no descriptor for the next connection, it ends; then it is started
 * again in the same life, as a service manager does. Throws if it ends in another life.
 */
async function liveUntil(isOver: () => boolean, life: Life, { plan, server, gate }: Scene) {
  const isFew = life === 'few_descriptors'
  let [refused, ended] = [0, 0]
  for (;;) {
    await until(() => isOver() || server.pid() === 0)
    const output = isFew ? server.takeOutput() : ''
    refused += refusalsIn(output)
    if (isOver()) return { refused, ended }
    if (!isFew) throw new Error(`workerd ended in the life ${life}:\n${server.output().slice(-2_000)}`)
    ended++
    gate.close()
    await plan.faults.restart(server, life)
    gate.open()
  }
}

/** Waits without a request to the service. The findings report what is missing afterwards. */
async function untilTaken(
  sessions: readonly FinishedSession[],
  { receipts }: FailingReceiver,
  patienceMs: number,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  const isTaken = () => {
    const taken = new Set(receipts.filter(({ accepted }) => accepted).map((one) => one.verificationId))
    return sessions.every(({ verificationId }) => taken.has(verificationId))
  }
  await until(() => Date.now() >= deadline || isTaken(), 250)
}

async function readResponse(verificationId: string, ask: Ask, apiKey: string): Promise<ServiceResponse> {
  const session = await ask(`/v1/verify/${verificationId}`, authorized(apiKey))
  const log = await ask(`/v1/verify/${verificationId}/deliveries`, authorized(apiKey))
  if (session.status !== 200 || log.status !== 200) return null
  const { status, session_binding, evidence } = JSON.parse(session.text)
  return { status, session_binding, evidence, deliveries: JSON.parse(log.text).deliveries }
}

/** Number of the last `killsLeft` kills that fall while sessions are deleted. */
function partOf(killsLeft: number, { kills, deletions }: Plan): number {
  return Math.floor((killsLeft * deletions) / kills)
}

/** Reads the list until it has each of these sessions with its status, or for `withinMs`. */
async function readWholeList(
  sessions: readonly FinishedSession[],
  ask: Ask,
  apiKey: string,
  withinMs: number,
): Promise<readonly ListedSession[]> {
  for (const deadline = Date.now() + withinMs; ; await sleep(1_000)) {
    const listed = await readList(ask, apiKey)
    const statuses = new Map(listed.map(({ verification_id, status }) => [verification_id, status]))
    const isWhole = sessions.every(({ verificationId, end }) => statuses.get(verificationId) === end)
    if (isWhole || Date.now() >= deadline) return listed
  }
}

/** Reads the sessions of all events in the log. */
async function readLog(ask: Ask, apiKey: string): Promise<readonly string[]> {
  const logged: string[] = []
  for (let after = '', hasMore = true; hasMore; ) {
    const page = JSON.parse((await ask(`/v1/events?limit=100&after=${after}`, authorized(apiKey))).text)
    for (const { verification_id } of page.events) logged.push(verification_id)
    after = page.next
    hasMore = page.has_more
  }
  return logged
}

async function until(isTrue: () => boolean, everyMs = 2): Promise<void> {
  while (!isTrue()) await sleep(everyMs)
}

/** Processes all items, a few at a time. Results are in the order of completion. */
async function eachOf<T, const R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = all.values()
  const worker = async () => {
    for (const one of rest) results.push(await work(one))
  }
  await Promise.all(Array.from({ length: CALLERS }, worker))
  return results
}
