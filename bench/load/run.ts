// Runs load on a target: arrivals at a rate (OpenCred's profile), or as many callers as keep it busy. Every
// session is created, its request fetched, answered with an encrypted SD-JWT VC, and polled until it ends.

import { setTimeout as sleep } from 'node:timers/promises'
import { encryptResponse } from '../../test/support/people/wallet.ts'
import { formPost, type LeanWallet, readRequestObject } from '../../test/support/wallets/lean-wallet.ts'
import { percentile } from '../measure.ts'
import type { Session, Target } from './target.ts'

export const STEPS = ['create', 'request', 'response', 'poll'] as const
export type Step = (typeof STEPS)[number]

export type Measured = {
  readonly sessions: number
  readonly perSecond: number
  readonly errors: Readonly<Record<string, number>>
  /** p50, p95 and p99 in milliseconds. */
  readonly times: Readonly<Record<Step, readonly [number, number, number]>>
  /** Milliseconds of CPU of the verifier for each session. */
  readonly cpuMs: number
  /** The same of the callers and wallets, which share the machine. */
  readonly callersCpuMs: number
  readonly memoryMiB: number
}

/** Interval of polls, and the time that a person takes before the wallet responds. */
const POLL_MS = 5_000
const PERSON_MS = 1_000
const POLLS = 12

/** Starts `perSecond` sessions a second for some seconds, with people and polls every five seconds. */
export async function runArrivals(
  target: Target,
  wallet: LeanWallet,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Measured> {
  return measure(target, async (note) => {
    const under: Promise<void>[] = []
    const begun = Date.now()
    for (let i = 0; i < perSecond * seconds; i++) {
      await sleep(Math.max(0, begun + (i * 1000) / perSecond - Date.now()))
      under.push(one(target, wallet, note, { person: PERSON_MS, poll: POLL_MS }))
    }
    await Promise.all(under)
  })
}

/** Has `callers` work without a pause for some seconds. */
export async function runSaturated(
  target: Target,
  wallet: LeanWallet,
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<Measured> {
  const until = Date.now() + seconds * 1000
  return measure(target, async (note) => {
    const caller = async () => {
      while (Date.now() < until) await one(target, wallet, note, { person: 0, poll: 0 })
    }
    await Promise.all(Array.from({ length: callers }, caller))
  })
}

/** Has each of `callers` repeat one call: a creation, or the request or a poll of a session of its own. */
export async function runRepeated(
  target: Target,
  step: Exclude<Step, 'response'>,
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<Measured> {
  const sessions = await Promise.all(Array.from({ length: callers }, () => target.create()))
  const callOnce = {
    create: () => target.create().then(() => true),
    request: ({ requestUri }: Session) => target.call(requestUri).then(({ status }) => status === 200),
    poll: (session: Session) => target.poll(session).then((status) => status === 'pending'),
  }[step]
  await Promise.all(sessions.map(callOnce)) // the first fetch of a request is a write
  const until = Date.now() + seconds * 1000
  return measure(target, async ({ timed, ended }) => {
    const repeat = async (session: Session) => {
      while (Date.now() < until) {
        const isGood = await timed(step, () => callOnce(session)).catch(() => false)
        ended(isGood ? undefined : new Error(`${step}: another answer`))
      }
    }
    await Promise.all(sessions.map(repeat))
  })
}

/** Throws if the target verifies a credential of an issuer that it does not trust. */
export async function assertTrusts(target: Target, stranger: LeanWallet): Promise<void> {
  const session = await target.create()
  const timed = <T>(_step: Step, work: () => Promise<T>) => work()
  const answered = await answer(target, stranger, session, { timed, person: 0 }).then(
    () => true,
    () => false,
  )
  const status = await target.poll(session)
  if (answered || status === 'verified') throw new Error(`${target.name} verifies any issuer: ${status}`)
}

type Note = {
  readonly timed: <T>(step: Step, work: () => Promise<T>) => Promise<T>
  readonly ended: (error?: unknown) => void
}

async function one(
  target: Target,
  wallet: LeanWallet,
  { timed, ended }: Note,
  wait: { readonly person: number; readonly poll: number },
): Promise<void> {
  try {
    const session = await timed('create', target.create)
    const answered = answer(target, wallet, session, { timed, person: wait.person })
    if (wait.poll === 0) await answered
    await Promise.all([answered, pollUntilEnd(target, session, { timed, every: wait.poll })])
    ended()
  } catch (error) {
    ended(error)
  }
}

async function answer(
  target: Target,
  wallet: LeanWallet,
  { requestUri }: Session,
  { timed, person }: Pick<Note, 'timed'> & { readonly person: number },
): Promise<void> {
  const fetched = await timed('request', () => target.call(requestUri))
  if (fetched.status !== 200) throw new Error(`request: HTTP ${fetched.status}`)
  const request = readRequestObject(fetched.text)
  await sleep(person)
  const { vp_token, state } = wallet.present(request)
  const [jwk] = request.client_metadata?.jwks?.keys ?? []
  const jwe = await encryptResponse({ vp_token: JSON.parse(vp_token), ...(state && { state }) }, jwk as never)
  const body = new URLSearchParams({ response: jwe, ...(state && { state }) }).toString()
  const { pathname, search } = new URL(request.response_uri)
  const sent = await timed('response', () => target.call(pathname + search, formPost(body)))
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

async function measure(target: Target, work: (note: Note) => Promise<void>): Promise<Measured> {
  const times: Record<Step, number[]> = { create: [], request: [], response: [], poll: [] }
  const errors: Record<string, number> = {}
  let sessions = 0
  const before = target.usage()
  const begun = performance.now()
  const own = process.cpuUsage()
  await work({
    timed: async (step, task) => {
      const start = performance.now()
      const result = await task()
      times[step].push(performance.now() - start)
      return result
    },
    ended: (error) => {
      if (error === undefined) sessions++
      else errors[nameOf(error)] = (errors[nameOf(error)] ?? 0) + 1
    },
  })
  const seconds = (performance.now() - begun) / 1000
  const after = target.usage()
  const { user, system } = process.cpuUsage(own)
  const spread = (values: readonly number[]) =>
    [50, 95, 99].map((percent) => percentile(values, percent)) as [number, number, number]
  return {
    sessions,
    perSecond: sessions / seconds,
    errors,
    times: {
      create: spread(times.create),
      request: spread(times.request),
      response: spread(times.response),
      poll: spread(times.poll),
    },
    cpuMs: (after.cpuMs - before.cpuMs) / Math.max(1, sessions),
    callersCpuMs: (user + system) / 1000 / Math.max(1, sessions),
    memoryMiB: after.memoryMiB,
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
