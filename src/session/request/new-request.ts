// A new request of a pending session (CONTRACT 3): a new generation in one write.

import { configOf } from '../../config.ts'
import type { Generation } from '../../openid4vp/request/generation.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionContext } from '../context.ts'
import { passesByValue, type SessionDocument } from '../document.ts'
import type { SessionError } from '../results.ts'
import { newAnnexC, requestedDocuments } from './annex-c.ts'
import { type NewGeneration, newGeneration, openGeneration } from './generation-keys.ts'
import { addGeneration, type StoredGeneration } from './generations.ts'

/** Creates the request. `now` in Unix milliseconds. */
export async function addRequest(
  { store, env }: SessionContext,
  input: Omit<NewGeneration, 'number' | 'verificationId' | 'annex_c'>,
  now: number,
): Promise<
  Result<{ document: SessionDocument; generation: Generation; stored: StoredGeneration }, SessionError>
> {
  const before = store.session()
  if (before === undefined) return err('not_found')
  // Reserved in memory at once, so that simultaneous requests never have the same number.
  const number = before.generation_count + 1
  store.remember({ ...before, generation_count: number })
  const names = { verificationId: before.verification_id, number }
  const config = configOf(env)
  const hasAnnexC = input.channel === 'dc_api' && requestedDocuments(before) !== undefined
  const half = hasAnnexC ? { annex_c: await newAnnexC(config, names) } : {}
  const created = await newGeneration(config, { ...input, ...names, ...half }, now)
  const current = store.session()
  if (current === undefined) return err('not_found')
  if (current.status !== 'pending') return err('ended')
  // The browser's API, or a request by value, hands the whole request out at once.
  const isHandedOut = input.channel === 'dc_api' || passesByValue(current)
  const generation = isHandedOut ? { ...created, handed_out_at: now } : created
  const document = { ...current, generations: addGeneration(current.generations, generation) }
  store.commit(document)
  return ok({ document, generation: await openGeneration(document, generation), stored: generation })
}
