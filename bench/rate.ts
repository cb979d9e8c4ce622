// Measures throughput: a few callers send requests, each one after the other.

import { openLine, type RawAnswer, type RawRequest } from './measure.ts'

/** Sends one request. Throws unless the response has `status`. */
export type Ask = (request: RawRequest, status: number) => Promise<RawAnswer>

const CALLERS = 8
const MILLISECONDS = 1_000

/** Has eight callers repeat `work` for a second. Returns how often a second it was done. */
export async function perSecond(port: number, work: Work): Promise<number> {
  const lines = await Promise.all(Array.from({ length: CALLERS }, () => openLine(port)))
  let turn = 0
  const begun = performance.now()
  await Promise.all(
    lines.map(async ({ ask }) => {
      const insist: Ask = async (request, status) => expectStatus(await ask(request), status, request)
      while (performance.now() - begun < MILLISECONDS) await work(insist, turn++)
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  for (const { close } of lines) close()
  return turn / seconds
}

type Work = (ask: Ask, turn: number) => Promise<unknown>

/** Returns an `Ask` over its own connection. */
export async function caller(port: number): Promise<{ readonly ask: Ask; readonly close: () => void }> {
  const { ask, close } = await openLine(port)
  return { ask: async (request, status) => expectStatus(await ask(request), status, request), close }
}

function expectStatus(answer: RawAnswer, status: number, { method, path }: RawRequest): RawAnswer {
  if (answer.status === status) return answer
  throw new Error(`${method ?? 'GET'} ${path}: HTTP ${answer.status} ${answer.body}`)
}
