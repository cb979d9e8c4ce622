// Opens the days of a list once after a change of build. Each day then checks its entries (entry-check.ts).

import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { indexStub, unlistedAt } from './index-days.ts'

/** Key of the build that has opened the days. */
const CHECKED_BY = 'checked_by'

/** Returns a function that opens the days in the background, if this build has not done it yet. */
export function openDayOpener(ctx: DurableObjectState, env: Env) {
  const { kv } = ctx.storage
  let opened: string | undefined
  return (relyingPartyId: string, days: readonly number[]): void => {
    const { buildId } = loadConfig(env)
    if (opened === buildId) return
    opened = buildId
    if (kv.get(CHECKED_BY) === buildId) return
    const now = Date.now()
    const listed = days.filter((day) => now < unlistedAt(day))
    if (listed.length === 0) return
    const openAll = async () => {
      const days = listed.map((day) => indexStub(env, relyingPartyId, day).open())
      const isOpened = (await Promise.allSettled(days)).every(({ status }) => status === 'fulfilled')
      // A day that cannot be opened is tried again when this object starts again.
      if (isOpened) kv.put(CHECKED_BY, buildId)
    }
    ctx.waitUntil(openAll())
  }
}
