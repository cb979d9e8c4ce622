// Measures the time from the wallet's response to the webhook of its outcome, with events of steps and
// without. Both take turns, so that their ratio holds on a busy machine, too.

import { EVENT_TYPES, isStepEvent, WEBHOOK_EVENT_TYPES } from '../src/relying-party/document/settings.ts'
import { makeAuthority } from '../test/support/people/person.ts'
import { startReceiver } from '../test/support/service/receiver.ts'
import type { Server } from '../test/support/service/server.ts'
import { leanSettings, makeLeanWallet } from '../test/support/wallets/lean-wallet.ts'
import { percentile } from './measure.ts'
import { caller } from './rate.ts'
import { type Report, rounded } from './report.ts'
import { answer, create, type Stage } from './service.ts'

const WARM_UP_ROUNDS = 20
/** Path of a receiver that responds with 500 to events of steps. */
const FAILING = '/failing'

/** `personMs`: time between the fetch of the request and the response. */
const COMPARISONS = [
  { name: 'on, response 50 ms after the fetch', personMs: 50, path: '' },
  { name: 'on, response at once', personMs: 0, path: '' },
  { name: 'on, response after 50 ms, each event of a step gets 500', personMs: 50, path: FAILING },
] as const

/** Measures `rounds` of verifications with each setting. */
export async function benchStepEvents(server: Server, report: Report, rounds: number): Promise<void> {
  report.heading(`Wallet's response to the outcome's webhook, events of steps (milliseconds, ${rounds} each)`)
  const authority = await makeAuthority()
  const wallet = await makeLeanWallet(authority)
  const receiver = await startReceiver()
  const port = Number(new URL(server.origin).port)
  const { ask, close } = await caller(port)
  let arrived: (at: number) => void = () => undefined
  receiver.answer(({ path, body }) => {
    const isStep = isStepEvent(JSON.parse(body.toString()))
    if (!isStep) arrived(performance.now())
    return { status: isStep && path.endsWith(FAILING) ? 500 : 204 }
  })
  const stageOf = async (events: readonly string[], path: string): Promise<Stage> => {
    const webhook = { url: receiver.url + path, events }
    const relyingParty = await server.createRelyingParty({ ...leanSettings(authority), webhook })
    return { port, wallet, relyingParties: [relyingParty] }
  }
  for (const { name, personMs, path } of COMPARISONS) {
    const off = { stage: await stageOf(EVENT_TYPES, path), waits: [] as number[] }
    const on = { stage: await stageOf(WEBHOOK_EVENT_TYPES, path), waits: [] as number[] }
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (const { stage, waits } of round % 2 === 0 ? [off, on] : [on, off]) {
        const arrival = new Promise<number>((resolve) => {
          arrived = resolve
        })
        const sentAt = await answer(ask, stage, await create(ask, stage, 0), personMs)
        const wait = (await arrival) - sentAt
        if (round >= 0) waits.push(wait)
      }
    }
    const [p50, p95] = [50, 95].map((percent) => {
      const [without, within] = [percentile(off.waits, percent), percentile(on.waits, percent)]
      return `p${percent} ${rounded(within)} against ${rounded(without)}: ${rounded(within / without)} ×`
    })
    report.line(`${name}: ${p50}; ${p95}`)
  }
  close()
  await receiver.close()
}
