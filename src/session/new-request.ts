// One more request of a running session (CONTRACT 3): a new generation in one write, shown as wallets are shown it.

import { configOf } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import type { SessionDocument } from './document.ts'
import { type NewGeneration, newGeneration, openGeneration } from './generation-keys.ts'
import { addGeneration } from './generations.ts'
import type { Courtroom } from './judge.ts'
import { sealingKeyOf } from './random.ts'
import { type WalletRequest, walletRequest } from './requests.ts'
import type { SessionFault } from './results.ts'
import type { SessionStore } from './store.ts'

/** Makes the request. `now` in Unix milliseconds. */
export async function addRequest(
  { store, env }: Pick<Courtroom, 'store' | 'env'>,
  asked: Pick<NewGeneration, 'verificationId' | 'channel' | 'browser'>,
  now: number,
): Promise<Result<{ document: SessionDocument; request: WalletRequest }, SessionFault>> {
  const config = configOf(env)
  const number = nextNumber(store)
  const generation = await newGeneration(await sealingKeyOf(config), { ...asked, number }, now)
  const current = store.session()
  if (current === undefined) return err('not_found')
  if (current.status !== 'pending') return err('ended')
  const document = { ...current, generations: addGeneration(current.generations, generation) }
  store.commit(document)
  const request = walletRequest(document, await openGeneration(document, generation), config.baseUrl)
  return ok({ document, request })
}

/** Reserves the number at once, in memory, so that requests made at the same time never share one. */
function nextNumber(store: SessionStore): number {
  const document = store.session()
  const number = (document?.generation_count ?? 0) + 1
  if (document !== undefined) store.remember({ ...document, generation_count: number })
  return number
}
