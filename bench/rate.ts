// Measures throughput: a few callers send requests, each one after the other.

import { openLine, type RawAnswer, type RawRequest } from './measure.ts'

/** Sends one request. Throws unless the response has `status`. */
export type Ask = (request: RawRequest, status: number) => Promise<RawAnswer>

/**
 * Repeats `work` with `callers` for some `milliseconds`. Returns how often a second it was done. `turn`
 * counts all repetitions.
 */
export async function perSecond(
  port: number,
  work: (ask: Ask, turn: number) => Promise<unknown>,
  { callers = 8, milliseconds = 1_000 } = {},
): Promise<number> {
  const lines = await Promise.all(Array.from({ length: callers }, () => openLine(port)))
  let done = 0
  let turn = 0
  const begun = performance.now()
  await Promise.all(
    lines.map(async ({ ask }) => {
      const insist: Ask = async (request, status) => expectStatus(await ask(request), status, request)
      while (performance.now() - begun < milliseconds) {
        await work(insist, turn++)
        done++
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  for (const { close } of lines) close()
  return done / seconds
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
