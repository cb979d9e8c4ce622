// National lists that a list of lists follows. Each national list has its own object and its own alarm, so
// that no list waits for another.

import type { Env } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'
import type { TlPointer } from '../../trust/lists/tl-pointers.ts'
import { NATIONAL_LIST_TYPE } from '../../trust/lists/tl-presets.ts'
import type { FollowedView } from './trust-list-record.ts'
import type { TrustListConfig } from './trust-list-schema.ts'

/**
 * Time between the first fetches of two followed lists. The objects may share one isolate, and a large list
 * takes 50 MB of memory while the list is read.
 */
const SPREAD_MS = 1000

type LotlConfig = Extract<TrustListConfig, { kind: 'eu_lotl' }>

/**
 * Returns the name of the object of a national list. No list of the operator has this name, because their
 * names contain no slash.
 */
export function followedName(name: string, territory: string): string {
  return `${name}/${territory}`
}

/** Returns the object of a national list. */
export function followedStub(env: Env, name: string, territory: string) {
  return env.TRUST_LIST.getByName(followedName(name, territory))
}

/**
 * Gives each followed list its address and its signers. A call that fails is made again at the next fetch.
 */
export async function updateFollowed(
  env: Env,
  config: LotlConfig,
  pointers: readonly TlPointer[],
): Promise<void> {
  await attemptEach(config.name, pointers, (pointer) =>
    followedStub(env, config.name, pointer.territory).follow(nationalConfig(config, pointer), {
      followed: { url: config.url, territory: pointer.territory },
      wait: pointers.indexOf(pointer) * SPREAD_MS,
    }),
  )
}

/** Erases lists that are no longer followed. Returns the territories whose lists could not be erased. */
export function eraseFollowed(
  env: Env,
  { name }: LotlConfig,
  territories: readonly string[],
): Promise<readonly string[]> {
  return attemptEach(name, territories, (territory) => followedStub(env, name, territory).erase())
}

/** Fetches every followed list now, two at a time. */
export async function refreshFollowed(
  env: Env,
  { name }: LotlConfig,
  pointers: readonly TlPointer[],
): Promise<void> {
  await attemptEach(name, pointers, ({ territory }) => followedStub(env, name, territory).refresh(), 2)
}

/** Returns the followed lists as the operator sees them. A list that cannot be read is `unavailable`. */
export function viewFollowed(
  env: Env,
  { name }: LotlConfig,
  pointers: readonly TlPointer[],
): Promise<readonly FollowedView[]> {
  return Promise.all(
    pointers.map(async ({ territory, url }) => {
      const unknown = { sequence: null, next_update: null, anchors: 0, left_out: 0, trust_as_of: null }
      try {
        const view = await followedStub(env, name, territory).view()
        if (!view.ok) return { territory, url, ...unknown, fault: 'unavailable' as const }
        const { sequence, next_update, anchors, left_out, trust_as_of, last_attempt } = view.value
        const fault = last_attempt?.fault ?? null
        return { territory, url, sequence, next_update, anchors, left_out, trust_as_of, fault }
      } catch (error) {
        logLine('error', 'trust_list_unreadable', {
          list: followedName(name, territory),
          ...loggedError(error),
        })
        return { territory, url, ...unknown, fault: 'unavailable' as const }
      }
    }),
  )
}

/** Calls `work` for each item, `atOnce` at a time. Logs each failure, and returns the failed items. */
async function attemptEach<T>(
  name: string,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  atOnce = items.length,
): Promise<readonly T[]> {
  const failed = new Set<T>()
  const queue = items.values()
  const workOff = async () => {
    for (const item of queue) {
      try {
        await work(item)
      } catch (error) {
        logLine('error', 'trust_list_unreadable', { list: name, ...loggedError(error) })
        failed.add(item)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
  return items.filter((item) => failed.has(item))
}

/** Returns the configuration of a national list. The pointer gives its address and its signers. */
function nationalConfig(config: LotlConfig, { url, territory, signers }: TlPointer): TrustListConfig {
  const { name, livemode, services, refresh_seconds, stale_after_seconds } = config
  return {
    name,
    livemode,
    services,
    refresh_seconds,
    stale_after_seconds,
    kind: 'etsi_tl',
    url,
    territory,
    list_type: NATIONAL_LIST_TYPE,
    signers: signers.map((x509_certificate_pem) => ({ x509_certificate_pem })),
  }
}
