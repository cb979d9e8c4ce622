// One run: load on the service, SIGKILLs at random moments of it and one more at its end, then silence until every event has
// arrived, and only then questions.

import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../formats/sd-jwt-vc/random.ts'
import { makeAuthority } from '../../support/people/person.ts'
import { type Server, startServer } from '../../support/service/server.ts'
import { BASE_URL } from '../../support/service/service.ts'
import { leanSettings, makeLeanWallet } from '../lean-wallet.ts'
import { type FailingReceiver, startFailingReceiver } from './failing-receiver.ts'
import type { Evidence, Told } from './findings.ts'
import { type Ask, authorized, drive, type End, type Known, persistentCaller, planOf } from './load.ts'

export type Plan = {
  /** Sessions whose outcome is acknowledged to someone. */
  readonly outcomes: number
  /** Sessions that are left to expire. */
  readonly silent: number
  readonly kills: number
  readonly seed: number
  /** The launcher of the project to run. */
  readonly launcher: string
  /** How long after the last start the last event may arrive, given how long the kills went on (milliseconds). */
  readonly patience: (killedForMs: number) => number
}

export type Run = Evidence & {
  /** For each kill, how many POSTs to the receiver had no answer yet. */
  readonly openAtKills: readonly number[]
  /** Requests of callers that a kill broke off. */
  readonly brokenOff: number
}

const CALLERS = 24

/** Carries it out. */
export async function runCrashes(plan: Plan): Promise<Run> {
  const receiver = await startFailingReceiver(plan.seed)
  const authority = await makeAuthority()
  const wallet = await makeLeanWallet(authority)
  const server = await startServer({ launcher: plan.launcher, env: { BASE_URL } })
  const gate = openGate()
  try {
    const { api_key: apiKey } = await server.createRelyingParty(leanSettings(authority, receiver.url))
    const { ask, brokenOff } = persistentCaller(server.origin, gate.passed)
    const sessions: Known[] = []
    const load = underLoad(plan, sessions, (number, end) => drive(number, end, { ask, wallet, apiKey }))
    const begun = Date.now()
    const openAtKills = await killAtRandom({ plan, server, gate, receiver, sessions, load })
    await untilTaken(sessions, receiver, plan.patience(Date.now() - begun))
    // Taken down before anything is asked: what arrives later may not be in the log that was read.
    const receipts = [...receiver.receipts]
    const told = await eachOf(sessions, async ({ verificationId: id }) => [
      id,
      await askAbout(id, ask, apiKey),
    ])
    return { sessions, receipts, told: new Map(told), openAtKills, brokenOff: brokenOff() }
  } finally {
    gate.close() // callers that are still asking after a fault wait here for good
    await server.stop()
    await receiver.close()
  }
}

type Gate = ReturnType<typeof openGate>

/** Closed while the service is down. */
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

/** Drives every session of the plan, a few at a time; `sessions` grows with each that is done. */
async function underLoad(
  plan: Plan,
  sessions: Known[],
  driveOne: (number: number, end: End) => Promise<Known>,
): Promise<void> {
  const ends = [...planOf(plan.outcomes, plan.silent).entries()]
  await eachOf(ends, async ([number, end]) => sessions.push(await driveOne(number, end)))
}

type Scene = {
  readonly plan: Plan
  readonly server: Server
  readonly gate: Gate
  readonly receiver: FailingReceiver
  readonly sessions: readonly Known[]
  readonly load: Promise<void>
}

/**
 * Kills workerd, and every second time the launcher with it, and starts it again on the same state. Chance says how many more
 * sessions come to their end before each kill; the last one falls when all have.
 */
async function killAtRandom({ plan, server, gate, receiver, sessions, load }: Scene): Promise<number[]> {
  const random = seededRandom(plan.seed)
  const all = plan.outcomes + plan.silent
  const open: number[] = []
  let broken = false
  load.catch(() => {
    broken = true
  })
  for (let killsLeft = plan.kills; killsLeft > 0; killsLeft--) {
    const share = (all - sessions.length) / killsLeft
    const target = killsLeft === 1 ? all : sessions.length + random.below(Math.ceil(2 * share) + 1)
    await until(() => broken || sessions.length >= target)
    if (broken) break
    await sleep(random.below(30))
    open.push(receiver.open())
    gate.close()
    if (killsLeft % 2 === 0) await server.kill9()
    else server.killWorkerd()
    await server.restart()
    gate.open()
  }
  await load
  return open
}

/** Waits without a word to the service. What is missing afterwards is for the findings to say. */
async function untilTaken(
  sessions: readonly Known[],
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

async function askAbout(verificationId: string, ask: Ask, apiKey: string): Promise<Told> {
  const session = await ask(`/v1/verify/${verificationId}`, authorized(apiKey))
  const log = await ask(`/v1/verify/${verificationId}/deliveries`, authorized(apiKey))
  if (session.status !== 200 || log.status !== 200) return null
  return { status: JSON.parse(session.text).status, deliveries: JSON.parse(log.text).deliveries }
}

async function until(isTrue: () => boolean, everyMs = 2): Promise<void> {
  while (!isTrue()) await sleep(everyMs)
}

/** Works on all, a few at a time. Results come in the order in which they were reached. */
async function eachOf<T, const R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = all.values()
  const worker = async () => {
    for (const one of rest) results.push(await work(one))
  }
  await Promise.all(Array.from({ length: CALLERS }, worker))
  return results
}
