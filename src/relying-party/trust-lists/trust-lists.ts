// Trust lists of the operator: creates and erases them, and returns their anchors for response processing.

import { waitUntil } from 'cloudflare:workers'
import type { Env } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ListReference, TrustAnchor } from '../../trust/anchors/anchor.ts'
import { TL } from '../../trust/lists/tl-limits.ts'
import { directoryStub } from '../directory.ts'
import { createObjectCache } from '../document/object-cache.ts'
import type { TrustListEntry } from '../document/settings.ts'
import { keepDaily } from '../materials/keep-material.ts'
import { followedName, followedStub } from './followed-lists.ts'
import type { TrustList } from './trust-list.ts'
import type { TrustListCopy, TrustListView } from './trust-list-record.ts'
import { LIST_NAME, type TrustListConfig } from './trust-list-schema.ts'

/** Creates a list and fetches the list at once. `now` is Unix milliseconds. */
export async function createTrustList(
  env: Env,
  config: TrustListConfig,
  now: number,
): Promise<Result<TrustListView, 'exists' | 'too_many' | 'not_found'>> {
  // The name is added to the directory first, because a name without a list is visible and can be erased. A
  // list that is not in the directory is not visible.
  if (!(await directoryStub(env).addTrustList(config))) return err('too_many')
  const created = await trustListStub(env, config.name).create(config, now)
  cache.forget(config.name)
  return created
}

/**
 * Returns a list as the operator of this service sees it. Reads only lists that are in the directory, because
 * a call with any other name would create an object.
 */
export async function viewTrustList(env: Env, name: string): Promise<Result<TrustListView, 'not_found'>> {
  return (await isKept(env, name)) ? trustListStub(env, name).view() : err('not_found')
}

/** Fetches a list now, and the lists that it follows. */
export async function refreshTrustList(env: Env, name: string): Promise<Result<TrustListView, 'not_found'>> {
  if (!(await isKept(env, name))) return err('not_found')
  const refreshed = await trustListStub(env, name).refresh()
  cache.forget(name)
  const { lists = [] } = refreshed.ok ? refreshed.value : {}
  for (const { territory } of lists) cache.forget(followedName(name, territory))
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
 * `usableUntil` is `null` if there is no limit, and 0 if no usable copy could be read. A list of lists is
 * usable only if each list that it follows is usable, too.
 */
export function trustListHealth(
  env: Env,
  entries: readonly TrustListEntry[],
  now: number,
): Promise<readonly TrustListHealth[]> {
  return Promise.all(
    entries.map(async ({ name }) => {
      const copies = await loadCopies(env, name, now)
      const limits = copies.map((copy) => (copy.ok ? (copy.value.usable_until ?? Infinity) : 0))
      const usableUntil = Math.min(...limits)
      const kept = copies.flatMap((copy) => (copy.ok ? [copy.value] : []))
      return {
        name,
        isUsable: copies.every((copy) => isUsable(copy, now)),
        usableUntil: usableUntil === Infinity ? null : usableUntil,
        // A followed list that is closed needs no work, although the list of lists may name it for years.
        isRefused: copies.some(
          (copy, i) => copy.ok && ![null, 'unavailable', i > 0 ? 'closed' : null].includes(copy.value.fault),
        ),
        isEmpty: kept.length > 0 && kept.every(isEmptyCopy),
        announcesSigners: kept.some((copy) => copy.pinned_signers_announced === false),
      }
    }),
  )
}

/** Returns true if the list was read and has no anchors. */
function isEmptyCopy({ anchors, usable_until }: TrustListCopy): boolean {
  return anchors.length === 0 && usable_until !== 0
}

/** State of a list, for monitors. */
export type TrustListHealth = {
  readonly name: string
  readonly isUsable: boolean
  readonly usableUntil: number | null
  /**
   * True if the last fetch of the list, or of a followed list, had a fault other than `unavailable`. `closed`
   * of a followed list does not count.
   */
  readonly isRefused: boolean
  /** True if the list was read and gives no anchor. */
  readonly isEmpty: boolean
  /** True if the list of lists announces a set of its own signers that differs from the pinned set. */
  readonly announcesSigners: boolean
}

/** Anchors of a relying party's subscriptions. */
export type SubscribedAnchors = {
  readonly anchors: readonly TrustAnchor[]
  /** True if a subscribed list is unavailable or stale. An issuer without an anchor may be on that list. */
  readonly incomplete: boolean
}

/**
 * Returns the anchors of a relying party's lists, at most 60 s old. An erased list has no anchors. A
 * test-mode list has no anchors for a live-mode relying party. `now` is Unix milliseconds. `sets`: the names
 * of the lists that a verification is restricted to, by default all. Other lists are not read.
 */
export async function subscribedAnchors(
  env: Env,
  { anchor_sets, livemode }: { readonly anchor_sets: readonly string[]; readonly livemode: boolean },
  now: number,
  sets: readonly string[] = anchor_sets,
): Promise<SubscribedAnchors> {
  const names = anchor_sets.filter((name) => sets.includes(name))
  const copies = (await Promise.all(names.map((name) => loadCopies(env, name, now)))).flat()
  const kept = copies.filter((copy) => copy.ok || copy.error !== 'not_found')
  const fitting = kept.filter((copy) => !copy.ok || copy.value.livemode || !livemode)
  const usable = fitting.filter((copy) => isUsable(copy, now))
  return {
    anchors: usable.flatMap((copy) => (copy.ok ? copy.value.anchors : [])),
    incomplete: usable.length < fitting.length,
  }
}

/**
 * Makes a relying party's lists, and the lists that they follow, store each of their issues (published
 * versions). Call it when the relying party sets evidence, and at each creation with evidence. Then the
 * issues are stored before a wallet responds. Works in the background, and asks each list once a day. `now`
 * is Unix milliseconds.
 */
export function keepIssues(
  env: Env,
  { anchor_sets }: { readonly anchor_sets: readonly string[] },
  now: number,
): void {
  const keepAll = async (name: string) => {
    const copy = await loadCopy(env, name, now)
    if (!copy.ok && copy.error === 'not_found') return
    const follows = copy.ok ? copy.value.follows : []
    const names = follows.length === 0 ? [name] : follows.map((territory) => followedName(name, territory))
    await Promise.all(
      names.map((each) =>
        keepDaily(`${each} issues`, '', now, (naming) => trustListStub(env, each).keepIssues(naming)),
      ),
    )
  }
  // After a failure, `missing` of the evidence says that a trust list is not kept.
  const report = (error: unknown) => logLine('error', 'material_not_stored', loggedError(error))
  for (const name of anchor_sets) waitUntil(keepAll(name).catch(report))
}

/**
 * Stores one issue (published version) of a list for evidence, because an anchor of this list verified a
 * credential. Returns `undefined` if the bytes of this issue are not stored, for example because each fetch
 * for evidence has failed so far. `now` is Unix milliseconds.
 */
export function keepIssue(env: Env, list: ListReference, relyingPartyId: string, now: number) {
  const { name, territory, sequence } = list
  const objectName = territory === undefined ? name : followedName(name, territory)
  return keepDaily(`${objectName} ${sequence}`, relyingPartyId, now, (naming) =>
    trustListStub(env, objectName).keepIssue(sequence, naming),
  )
}

type Copy = Result<TrustListCopy, 'not_found' | 'unavailable'>

/** Copies in one isolate: the lists of the operator, and those that lists of lists follow. */
const cache = createObjectCache<TrustListCopy, 'not_found'>(300)

/**
 * Returns the copy of a list, and the copies of the lists that it follows. The copy of a followed list is not
 * used longer than the copy of the list of lists. Followed lists beyond the limit of anchors are unavailable.
 */
async function loadCopies(env: Env, name: string, now: number): Promise<readonly Copy[]> {
  const copy = await loadCopy(env, name, now)
  if (!copy.ok || copy.value.follows.length === 0) return [copy]
  const { follows, usable_until } = copy.value
  const followed = await Promise.all(
    follows.map(async (territory): Promise<Copy> => {
      const objectName = followedName(name, territory)
      const read = () => followedStub(env, name, territory).copy()
      const national = (await cache.get(objectName, now, read)) ?? err('unavailable')
      // A followed list that is not stored yet is `unavailable`, not empty, because it may name the issuer.
      return national.ok ? withinCopy(national.value, usable_until) : err('unavailable')
    }),
  )
  let anchors = 0
  return [
    copy,
    ...followed.map((national): Copy => {
      const more = national.ok ? national.value.anchors.length : 0
      if (anchors + more > TL.followedAnchors) return err('unavailable')
      anchors += more
      return national
    }),
  ]
}

function withinCopy(copy: TrustListCopy, until: number | null): Copy {
  return ok({ ...copy, usable_until: Math.min(copy.usable_until ?? Infinity, until ?? Infinity) })
}

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
