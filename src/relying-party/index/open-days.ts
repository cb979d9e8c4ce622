// Opens the days of a list once after a change of build. Each day then checks its entries (entry-check.ts).
// The days are opened one by one, and only while the process has capacity.

import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { mayBegin } from '../../metrics/capacity.ts'
import { type ListedDay, listStub, unlistedAt } from './index-days.ts'

/** Storage key of the id of the build that has opened the days. */
const CHECKED_BY = 'checked_by'
/** Storage key of the days that a build has not opened yet. */
const LEFT = 'days_to_open'

type Left = { readonly build: string; readonly days: readonly number[] }

/**
 * Returns a function that opens the days in the background, if this build has not opened the days yet. A
 * later call opens the days for which there was no capacity.
 */
export function openDayOpener(ctx: DurableObjectState, env: Env) {
  const { kv } = ctx.storage
  let opened: string | undefined
  return (relyingPartyId: string, days: readonly ListedDay[]): void => {
    const { buildId } = loadConfig(env)
    if (opened === buildId) return
    opened = buildId
    if (kv.get(CHECKED_BY) === buildId) return
    const stored = kv.get<Left>(LEFT)
    const isLeft = ({ day }: ListedDay) => stored?.build !== buildId || stored.days.includes(day)
    const openAll = async () => {
      const left: number[] = []
      let hasCapacity = true
      const toOpen = days.filter((listed) => isLeft(listed) && Date.now() < unlistedAt(listed.day))
      for (const listed of toOpen.toReversed()) {
        hasCapacity &&= mayBegin('new', Date.now())
        if (!hasCapacity || !(await isOpened(env, relyingPartyId, listed))) left.push(listed.day)
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

async function isOpened(env: Env, relyingPartyId: string, day: ListedDay): Promise<boolean> {
  try {
    await listStub(env, relyingPartyId, day).open()
    return true
  } catch {
    return false
  }
}
