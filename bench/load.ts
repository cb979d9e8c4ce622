// As many requests as a few callers get answered, one after the other each.

import { openLine, type RawAnswer, type RawRequest } from './measure.ts'

/** Sends one request; throws unless it is answered with `status`. */
export type Ask = (request: RawRequest, status: number) => Promise<RawAnswer>

/** Work done over and over by each of `callers` for `milliseconds`; how often a second it was done. `turn` counts them all. */
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

/** An `Ask` over a connection of its own. */
export async function caller(port: number): Promise<{ readonly ask: Ask; readonly close: () => void }> {
  const { ask, close } = await openLine(port)
  return { ask: async (request, status) => expectStatus(await ask(request), status, request), close }
}

function expectStatus(answer: RawAnswer, status: number, { method, path }: RawRequest): RawAnswer {
  if (answer.status === status) return answer
  throw new Error(`${method ?? 'GET'} ${path}: HTTP ${answer.status} ${answer.body}`)
}
