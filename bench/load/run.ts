// Runs load on a target: arrivals at a rate (OpenCred's profile), or as many callers as keep it busy. Every
// session is created, its request fetched, answered with an encrypted SD-JWT VC, and polled until it ends.

import { setTimeout as sleep } from 'node:timers/promises'
import { encryptResponse } from '../../test/support/people/wallet.ts'
import { formPost, type LeanWallet, readRequestObject } from '../../test/support/wallets/lean-wallet.ts'
import { percentile } from '../measure.ts'
import type { Session, Target } from './target.ts'

export const STEPS = ['create', 'request', 'response', 'poll', 'picture'] as const
export type Step = (typeof STEPS)[number]

export type Measured = {
  readonly sessions: number
  readonly perSecond: number
  readonly errors: Readonly<Record<string, number>>
  /** p50, p95 and p99 in milliseconds, of the steps that were called. */
  readonly times: Readonly<Partial<Record<Step, readonly [number, number, number]>>>
  /** Milliseconds of CPU of all processes of the verifier for each session, until objects are put away. */
  readonly cpuMs: number
  /** The part of the launcher. */
  readonly launcherCpuMs: number
  /** The same of the callers and wallets, which share the machine. */
  readonly callersCpuMs: number
  readonly memoryMiB: number
  /** Open files of the verifier after the last request. */
  readonly descriptors: number
}

/** Work whose requests are over. `measured` resolves once all objects are put away. */
export type Done = { readonly measured: Promise<Measured> }

/** Answers a fetched request: the path and the form of the response. */
export type Answer = (
  session: Session,
  fetched: string,
) => Promise<{ readonly path: string; readonly form: string }>

/** A verifier that runs, and the wallet of its sessions. */
export type Running = { readonly target: Target; readonly answer: Answer }

/** Interval of polls, and the time that a person takes before the wallet responds. */
const POLL_MS = 5_000
const PERSON_MS = 1_000
const POLLS = 12
/** A session may be rendered 60 times at once, and no service renders so often in a second. */
const SESSIONS_OF_PICTURES = 40

/** Starts `perSecond` sessions a second for some seconds, with people and polls every five seconds. */
export async function runArrivals(
  running: Running,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Done> {
  return measure(running.target, running.target.putAwayMs, async (note) => {
    const under: Promise<void>[] = []
    const begun = Date.now()
    for (let i = 0; i < perSecond * seconds; i++) {
      await sleep(Math.max(0, begun + (i * 1000) / perSecond - Date.now()))
      under.push(verify(running, note, { person: PERSON_MS, poll: POLL_MS }))
    }
    await Promise.all(under)
  })
}

type Size = { readonly callers: number; readonly seconds: number }

/** Has `callers` verify without a pause for some seconds. */
export async function runSaturated(
  running: Running,
  { callers, seconds }: Size,
  putAwayMs = running.target.putAwayMs,
): Promise<Done> {
  return measure(running.target, putAwayMs, async (note) => {
    const until = Date.now() + seconds * 1000
    const caller = async () => {
      while (Date.now() < until) await verify(running, note, { person: 0, poll: 0 })
    }
    await Promise.all(Array.from({ length: callers }, caller))
  })
}

/** Has `callers` repeat one call: a creation, or the request, a poll or a picture of existing sessions. */
export async function runRepeated(
  { target }: Running,
  step: Exclude<Step, 'response'>,
  { callers, seconds }: Size,
): Promise<Done> {
  const count = step === 'picture' ? Math.ceil(seconds * SESSIONS_OF_PICTURES) : callers
  const sessions: Session[] = []
  for (let i = 0; i < count; i++) sessions.push(await target.create())
  const callOnce = {
    create: () => target.create().then(() => true),
    request: ({ requestUri }: Session) => target.call(requestUri).then(({ status }) => status === 200),
    poll: (session: Session) => target.poll(session).then((status) => status === 'pending'),
    picture: async (session: Session) => (await target.picture?.(session))?.status === 200,
  }[step]
  await Promise.all(sessions.map(callOnce)) // the first fetch of a request is a write
  return measure(target, step === 'create' ? target.putAwayMs : 0, async ({ timed, ended }) => {
    const until = Date.now() + seconds * 1000
    let turn = 0
    const repeat = async () => {
      while (Date.now() < until) {
        const session = sessions[turn++ % sessions.length] as Session
        const isGood = await timed(step, () => callOnce(session)).catch(() => false)
        ended(isGood ? undefined : new Error(`${step}: another answer`))
      }
    }
    await Promise.all(Array.from({ length: callers }, repeat))
  })
}

/** Does a number of verifications, with `callers` at a time. Throws if one fails. */
export async function verifyAll(running: Running, count: number, callers: number): Promise<void> {
  let left = count
  const note: Note = {
    timed: (_step, work) => work(),
    ended: (error) => {
      if (error !== undefined) throw error
    },
  }
  const caller = async () => {
    while (left-- > 0) await verify(running, note, { person: 0, poll: 0 })
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Throws if the target verifies a credential of an issuer that it does not trust. */
export async function assertTrusts(target: Target, stranger: LeanWallet): Promise<void> {
  const session = await target.create()
  const timed = <T>(_step: Step, work: () => Promise<T>) => work()
  const answered = await respond({ target, answer: answerWith(stranger) }, session, {
    timed,
    person: 0,
  }).then(
    () => true,
    () => false,
  )
  const status = await target.poll(session)
  if (answered || status === 'verified') throw new Error(`it verifies any issuer: ${status}`)
}

/** Answers with an encrypted presentation. */
export function answerWith(wallet: LeanWallet): Answer {
  return async (_session, fetched) => {
    const request = readRequestObject(fetched)
    const { vp_token, state } = wallet.present(request)
    const [jwk] = request.client_metadata?.jwks?.keys ?? []
    const answer = { vp_token: JSON.parse(vp_token), ...(state && { state }) }
    const response = await encryptResponse(answer, jwk as never)
    const { pathname, search } = new URL(request.response_uri)
    const form = new URLSearchParams({ response, ...(state && { state }) }).toString()
    return { path: pathname + search, form }
  }
}

type Note = {
  readonly timed: <T>(step: Step, work: () => Promise<T>) => Promise<T>
  readonly ended: (error?: unknown) => void
}

async function verify(
  running: Running,
  { timed, ended }: Note,
  wait: { readonly person: number; readonly poll: number },
): Promise<void> {
  let failure: unknown
  try {
    const session = await timed('create', running.target.create)
    const responded = respond(running, session, { timed, person: wait.person })
    if (wait.poll === 0) await responded
    await Promise.all([responded, pollUntilEnd(running.target, session, { timed, every: wait.poll })])
  } catch (error) {
    failure = error
  }
  ended(failure)
}

async function respond(
  { target, answer }: Running,
  session: Session,
  { timed, person }: Pick<Note, 'timed'> & { readonly person: number },
): Promise<void> {
  const fetched = await timed('request', () => target.call(session.requestUri))
  if (fetched.status !== 200) throw new Error(`request: HTTP ${fetched.status}`)
  await sleep(person)
  const { path, form } = await answer(session, fetched.text)
  const sent = await timed('response', () => target.call(path, formPost(form)))
  if (sent.status !== 200) throw new Error(`response: HTTP ${sent.status}`)
}

async function pollUntilEnd(
  target: Target,
  session: Session,
  { timed, every }: Pick<Note, 'timed'> & { readonly every: number },
): Promise<void> {
  for (let polls = 0; polls < POLLS; polls++) {
    await sleep(every)
    const status = await timed('poll', () => target.poll(session))
    if (status === 'verified') return
    if (status !== 'pending') throw new Error(`the session is ${status}`)
  }
  throw new Error('the session did not end')
}

/**
 * Measures the work, and the CPU of the verifier until `putAwayMs` after its end. Resolves when the work is
 * done.
 */
async function measure(
  target: Target,
  putAwayMs: number,
  work: (note: Note) => Promise<void>,
): Promise<Done> {
  const times: Partial<Record<Step, number[]>> = {}
  const errors: Record<string, number> = {}
  let sessions = 0
  const before = target.usage()
  const begun = performance.now()
  const own = process.cpuUsage()
  await work({
    timed: async (step, task) => {
      const start = performance.now()
      const result = await task()
      times[step] ??= []
      times[step].push(performance.now() - start)
      return result
    },
    ended: (error) => {
      if (error === undefined) sessions++
      else errors[nameOf(error)] = (errors[nameOf(error)] ?? 0) + 1
    },
  })
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(own)
  const { memoryMiB, descriptors } = target.usage()
  const each = (ms: number) => ms / Math.max(1, sessions)
  const finish = async (): Promise<Measured> => {
    await sleep(putAwayMs)
    const after = target.usage()
    const launcherCpuMs = after.launcherCpuMs - before.launcherCpuMs
    return {
      sessions,
      perSecond: sessions / seconds,
      errors,
      times: percentilesOf(times),
      cpuMs: each(after.cpuMs - before.cpuMs + launcherCpuMs),
      launcherCpuMs: each(launcherCpuMs),
      callersCpuMs: each((user + system) / 1000),
      memoryMiB,
      descriptors,
    }
  }
  const measured = finish()
  measured.catch(() => undefined) // reported to whoever awaits it
  return { measured }
}

function percentilesOf(times: Readonly<Partial<Record<Step, readonly number[]>>>): Measured['times'] {
  return Object.fromEntries(
    Object.entries(times).map(([step, values]) => [
      step,
      [50, 95, 99].map((percent) => percentile(values, percent)),
    ]),
  )
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
