// Measures throughput: a few callers send requests, each one after the other.

import { openLine, type RawAnswer, type RawRequest, timed } from './measure.ts'

/** Sends one request. Throws unless the response has `status`. */
export type Ask = (request: RawRequest, status: number) => Promise<RawAnswer>

/**
 * Repeats `work` with `callers` for some `milliseconds`. Returns how often a second it was done. `turn`
 * counts all repetitions.
 */
export async function perSecond(port: number, work: Work, size: Size = {}): Promise<number> {
  const { times, seconds } = await repeat(port, work, size)
  return times.length / seconds
}

/** Returns the milliseconds of each repetition of `work`, as `perSecond` repeats it. */
export async function timesOf(port: number, work: Work, size: Size = {}): Promise<readonly number[]> {
  return (await repeat(port, work, size)).times
}

type Work = (ask: Ask, turn: number) => Promise<unknown>
type Size = { readonly callers?: number; readonly milliseconds?: number }

async function repeat(port: number, work: Work, { callers = 8, milliseconds = 1_000 }: Size) {
  const lines = await Promise.all(Array.from({ length: callers }, () => openLine(port)))
  const times: number[] = []
  let turn = 0
  const begun = performance.now()
  await Promise.all(
    lines.map(async ({ ask }) => {
      const insist: Ask = async (request, status) => expectStatus(await ask(request), status, request)
      while (performance.now() - begun < milliseconds) {
        times.push(await timed(async () => work(insist, turn++)))
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  for (const { close } of lines) close()
  return { times, seconds }
}

/** Returns an `Ask` over its own connection. */
export async function caller(port: number): Promise<{ readonly ask: Ask; readonly close: () => void }> {
  const { ask, close } = await openLine(port)
  return { ask: async (request, status) => expectStatus(await ask(request), status, request), close }
}

function expectStatus(answer: RawAnswer, status: number, { method, path }: RawRequest): RawAnswer {
  if (answer.status === status) return answer
  throw new Error(`${method ?? 'GET'} ${path}: HTTP ${answer.status} ${answer.body}`)
}
