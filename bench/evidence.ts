// Measures the wallet's response with evidence and without. Both take turns, so that their difference holds
// on a busy machine, too.

import { makeAuthority } from '../test/support/people/person.ts'
import { newRecipient } from '../test/support/service/evidence.ts'
import type { Server } from '../test/support/service/server.ts'
import { leanSettings, makeLeanWallet } from '../test/support/wallets/lean-wallet.ts'
import { percentile } from './measure.ts'
import { caller } from './rate.ts'
import { type Report, rounded } from './report.ts'
import { answer, create, type Stage } from './service.ts'

const WARM_UP_ROUNDS = 20

/** Measures `rounds` of verifications with each setting. */
export async function benchEvidence(server: Server, report: Report, rounds: number): Promise<void> {
  report.heading(`Wallet's response, age check with evidence (milliseconds, ${rounds} each)`)
  const authority = await makeAuthority()
  const wallet = await makeLeanWallet(authority)
  const port = Number(new URL(server.origin).port)
  const { ask, close } = await caller(port)
  const stageOf = async (settings: object): Promise<Stage> => {
    const relyingParty = await server.createRelyingParty({ ...leanSettings(authority), ...settings })
    return { port, wallet, relyingParties: [relyingParty] }
  }
  const { publicKey } = await newRecipient('archive')
  const evidence = { jwks: { keys: [publicKey] }, for: 'all' }
  const off = { stage: await stageOf({}), waits: [] as number[] }
  const on = { stage: await stageOf({ evidence }), waits: [] as number[] }
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const { stage, waits } of round % 2 === 0 ? [off, on] : [on, off]) {
      const sentAt = await answer(ask, stage, await create(ask, stage, 0))
      const wait = performance.now() - sentAt
      if (round >= 0) waits.push(wait)
    }
  }
  const [p50, p95] = [50, 95].map((percent) => [
    percentile(on.waits, percent),
    percentile(off.waits, percent),
  ])
  const [within = 0, without = 0] = p50 ?? []
  report.line(
    `p50 ${rounded(within)} against ${rounded(without)}; p95 ${p95?.map(rounded).join(' against ')}`,
  )
  report.target('later with evidence, p50', within - without, { most: 10 }, ' ms')
  close()
}
