// Trust lists of the operator: creates and erases them, and returns their anchors for response processing.

import type { Env } from '../../env.ts'
import { err, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { directoryStub } from '../directory.ts'
import { createObjectCache } from '../document/object-cache.ts'
import type { TrustListEntry } from '../document/settings.ts'
import type { TrustList, TrustListCopy, TrustListView } from './trust-list.ts'
import { LIST_NAME, type TrustListConfig } from './trust-list-schema.ts'

/** Creates a list and fetches it at once. `now` is Unix milliseconds. */
export async function createTrustList(
  env: Env,
  config: TrustListConfig,
  now: number,
): Promise<Result<TrustListView, 'exists' | 'too_many' | 'not_found'>> {
  // The name is added first, because a name without a list is visible and can be erased. A list without a
  // name is not visible.
  if (!(await directoryStub(env).addTrustList(config))) return err('too_many')
  const created = await trustListStub(env, config.name).create(config, now)
  cache.forget(config.name)
  return created
}

/**
 * Returns a list as its operator sees it. Reads only listed names, because any other name would create an
 * object.
 */
export async function viewTrustList(env: Env, name: string): Promise<Result<TrustListView, 'not_found'>> {
  return (await isKept(env, name)) ? trustListStub(env, name).view() : err('not_found')
}

/** Fetches a list now. */
export async function refreshTrustList(env: Env, name: string): Promise<Result<TrustListView, 'not_found'>> {
  if (!(await isKept(env, name))) return err('not_found')
  const refreshed = await trustListStub(env, name).refresh()
  cache.forget(name)
  return refreshed
}

/** Erases a list. Returns false if there was no such list. */
export async function eraseTrustList(env: Env, name: string): Promise<boolean> {
  if (!(await isKept(env, name))) return false
  await trustListStub(env, name).erase()
  cache.forget(name)
  return directoryStub(env).removeTrustList(name)
}

/**
 * Returns for each list if it can be used at `now`, and until when. Times are Unix milliseconds.
 * `usableUntil` is `null` without a limit, and 0 if the list could not be read or was never fetched.
 */
export function trustListHealth(env: Env, entries: readonly TrustListEntry[], now: number) {
  return Promise.all(
    entries.map(async ({ name }) => {
      const copy = await loadCopy(env, name, now)
      return { name, isUsable: isUsable(copy, now), usableUntil: copy.ok ? copy.value.usable_until : 0 }
    }),
  )
}

/** Anchors of a relying party's subscriptions. */
export type SubscribedAnchors = {
  readonly anchors: readonly TrustAnchor[]
  /** True if a subscribed list is unavailable or stale. An issuer without an anchor may be on that list. */
  readonly incomplete: boolean
}

/**
 * Returns the anchors of a relying party's lists, at most 60 s old. An erased list has no anchors. A
 * test-mode list has no anchors for a live-mode relying party. `now` is Unix milliseconds.
 */
export async function subscribedAnchors(
  env: Env,
  { anchor_sets, livemode }: { readonly anchor_sets: readonly string[]; readonly livemode: boolean },
  now: number,
): Promise<SubscribedAnchors> {
  const copies = await Promise.all(anchor_sets.map((name) => loadCopy(env, name, now)))
  const kept = copies.filter((copy) => copy.ok || copy.error !== 'not_found')
  const fitting = kept.filter((copy) => !copy.ok || copy.value.livemode || !livemode)
  const usable = fitting.filter((copy) => isUsable(copy, now))
  return {
    anchors: usable.flatMap((copy) => (copy.ok ? copy.value.anchors : [])),
    incomplete: usable.length < fitting.length,
  }
}

type Copy = Result<TrustListCopy, 'not_found' | 'unavailable'>

const cache = createObjectCache<TrustListCopy, 'not_found'>(100)

async function loadCopy(env: Env, name: string, now: number): Promise<Copy> {
  return (await cache.get(name, now, () => trustListStub(env, name).copy())) ?? err('unavailable')
}

function isUsable(copy: Copy, now: number): boolean {
  if (!copy.ok) return false
  const { usable_until } = copy.value
  return usable_until === null || now < usable_until
}

async function isKept(env: Env, name: string): Promise<boolean> {
  if (!LIST_NAME.test(name)) return false
  return (await directoryStub(env).trustLists()).some((entry) => entry.name === name)
}

function trustListStub(env: Env, name: string): DurableObjectStub<TrustList> {
  return env.TRUST_LIST.getByName(name)
}
