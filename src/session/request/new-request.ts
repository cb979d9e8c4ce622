// One more request of a running session (CONTRACT 3): a new generation in one write.

import { configOf } from '../../config.ts'
import type { Generation } from '../../openid4vp/request/generation.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionContext } from '../context.ts'
import { passesByValue, type SessionDocument } from '../document.ts'
import { sealingKeyOf } from '../random.ts'
import type { SessionError } from '../results.ts'
import type { SessionStore } from '../store.ts'
import { type NewGeneration, newGeneration, openGeneration } from './generation-keys.ts'
import { addGeneration } from './generations.ts'

/** Makes the request. Who is given it by a browser's own API, or by value, needs nothing more. `now` in Unix milliseconds. */
export async function addRequest(
  { store, env }: Pick<SessionContext, 'store' | 'env'>,
  asked: Omit<NewGeneration, 'number'>,
  now: number,
): Promise<Result<{ document: SessionDocument; generation: Generation }, SessionError>> {
  const sealingKey = await sealingKeyOf(configOf(env))
  const number = nextNumber(store)
  const made = await newGeneration(sealingKey, { ...asked, number }, now)
  const current = store.session()
  if (current === undefined) return err('not_found')
  if (current.status !== 'pending') return err('ended')
  const isHandedOut = asked.channel === 'dc_api' || passesByValue(current)
  const generation = isHandedOut ? { ...made, handed_out_at: now } : made
  const document = { ...current, generations: addGeneration(current.generations, generation) }
  store.commit(document)
  return ok({ document, generation: await openGeneration(document, generation) })
}

/** Reserves the number at once, in memory, so that requests made at the same time never share one. */
function nextNumber(store: SessionStore): number {
  const document = store.session()
  const number = (document?.generation_count ?? 0) + 1
  if (document !== undefined) store.remember({ ...document, generation_count: number })
  return number
}
