// Opens the days of a list once after a change of build. Each day then checks its entries (entry-check.ts).
// The days are opened one by one, and only while the process has capacity.

import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { mayBegin } from '../../metrics/capacity.ts'
import { indexStub, unlistedAt } from './index-days.ts'

/** Key of the build that has opened the days. */
const CHECKED_BY = 'checked_by'
/** Key of the days that a build has not opened yet. */
const LEFT = 'days_to_open'

type Left = { readonly build: string; readonly days: readonly number[] }

/**
 * Returns a function that opens the days in the background, if this build has not done it yet. A later call
 * opens the days for which there was no capacity.
 */
export function openDayOpener(ctx: DurableObjectState, env: Env) {
  const { kv } = ctx.storage
  let opened: string | undefined
  return (relyingPartyId: string, days: readonly number[]): void => {
    const { buildId } = loadConfig(env)
    if (opened === buildId) return
    opened = buildId
    if (kv.get(CHECKED_BY) === buildId) return
    const stored = kv.get<Left>(LEFT)
    const toOpen = stored?.build === buildId ? stored.days : days
    const openAll = async () => {
      const left: number[] = []
      let hasCapacity = true
      const newestFirst = toOpen.filter((day) => Date.now() < unlistedAt(day)).sort((a, b) => b - a)
      for (const day of newestFirst) {
        hasCapacity &&= mayBegin('new', Date.now())
        if (!hasCapacity || !(await isOpened(env, relyingPartyId, day))) left.push(day)
      }
      // A day that cannot be opened is tried again when this object starts again.
      if (left.length > 0) kv.put<Left>(LEFT, { build: buildId, days: left })
      else {
        kv.put(CHECKED_BY, buildId)
        kv.delete(LEFT)
      }
      if (!hasCapacity) opened = undefined
    }
    if (days.length > 0) ctx.waitUntil(openAll())
  }
}

async function isOpened(env: Env, relyingPartyId: string, day: number): Promise<boolean> {
  try {
    await indexStub(env, relyingPartyId, day).open()
    return true
  } catch {
    return false
  }
}
