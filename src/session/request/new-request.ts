// A new request of a pending session (api/request): a new generation in one write.

import { loadConfig } from '../../config.ts'
import type { Generation } from '../../openid4vp/request/generation.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import { addGeneration, type StoredGeneration } from '../document/generations.ts'
import type { SessionError } from '../document/results.ts'
import { passesByValue, type StoredWallet } from '../document/stored-verifier.ts'
import { addStep } from '../document/timeline.ts'
import type { SessionContext } from '../store/context.ts'
import { newAnnexC, requestedDocuments, withRequestHash } from './annex-c.ts'
import { type NewGeneration, newGeneration, openGeneration } from './generation-keys.ts'
import { buildTerms, type RequestTerms, withWallet } from './terms.ts'

/** Channel of a new request, and its wallet; null for any wallet. */
export type RequestInput = Pick<NewGeneration, 'channel' | 'browser' | 'origin'> & {
  readonly wallet: StoredWallet | null
  /** Bytes of the registration certificate in the request of `org-iso-mdoc`. */
  readonly registration?: Uint8Array<ArrayBuffer> | undefined
}

/** A new request, and the document of its session. */
export type AddedRequest = {
  readonly document: SessionDocument
  readonly terms: RequestTerms
  readonly generation: Generation
  readonly stored: StoredGeneration
}

/**
 * Creates a request. If `check` returns an error, the request is refused and not stored. `now` in Unix
 * milliseconds.
 */
export async function addRequest(
  { store, env }: SessionContext,
  { wallet, registration, ...input }: RequestInput,
  now: number,
  check: (made: AddedRequest) => SessionError | undefined = () => undefined,
): Promise<Result<AddedRequest, SessionError>> {
  const before = store.session()
  if (before === undefined) return err('not_found')
  // The number is reserved in memory at once, so that simultaneous requests never have the same number.
  const number = before.generation_count + 1
  store.remember({ ...before, generation_count: number })
  const channel = { ...input, wallet: wallet?.id }
  const names = { verificationId: before.verification_id, number }
  const config = loadConfig(env)
  const hasAnnexC =
    input.channel === 'dc_api' &&
    requestedDocuments(buildTerms(withWallet(before, wallet), channel)) !== undefined
  const half = hasAnnexC ? { annex_c: await newAnnexC(config, names) } : {}
  const plain = await newGeneration(config, { ...channel, ...names, ...half }, now)
  const created = registration
    ? await withRequestHash(plain, buildTerms(withWallet(before, wallet), channel), registration)
    : plain
  const generation = await openGeneration(before, created)
  const latest = store.session()
  if (latest === undefined) return err('not_found')
  if (latest.status !== 'pending') return err('ended')
  const current = withWallet(latest, wallet)
  const terms = buildTerms(current, channel)
  // A request for the Digital Credentials API, or by value, is handed out when it is created.
  const isHandedOut = input.channel === 'dc_api' || passesByValue(terms)
  const stored = isHandedOut ? { ...created, handed_out_at: now } : created
  const added = { ...current, generations: addGeneration(current.generations, stored) }
  const step = {
    type: 'request_drawn',
    channel: input.channel,
    ...(wallet && { wallet: wallet.id }),
  } as const
  const document = addStep(added, step, now)
  const newRequest = { document, terms, generation, stored }
  const refusal = check(newRequest)
  if (refusal !== undefined) return err(refusal)
  store.commit(document)
  return ok(newRequest)
}
