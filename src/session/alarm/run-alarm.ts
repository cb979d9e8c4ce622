// The work of a session's alarm: expiry, deliveries, erasure.

import type { SessionContext } from '../context.ts'
import { deliverDue } from '../delivery/delivering.ts'
import { publishDue } from '../delivery/publishing.ts'
import { onAlarm } from '../timeouts.ts'
import { isOnlyErasureDue } from './wake-up.ts'

/** Delay of the next alarm while an alarm is at work: a crash in its middle repeats the work. */
const WATCHDOG_MS = 60_000
/** Delay before another try to read unavailable settings. */
const POSTPONED_MS = 10_000

/**
 * Does what is due. The watchdog is set first: the platform drops an alarm that throws too often. Erasure
 * alone needs none, because it is one write, which would undo the watchdog if it failed. `now` is Unix
 * milliseconds.
 */
export async function runAlarm(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const document = store.session()
  if (document === undefined || !isOnlyErasureDue(document, now)) store.arm(now + WATCHDOG_MS)
  const tombstone = store.tombstone()
  if (tombstone !== undefined && tombstone.keep_until <= now) await store.erase(undefined)
  // Before erasure, which must not remove an event that the log does not have yet.
  await publishDue(context, now)
  await onAlarm(context, now)
  const round = await deliverDue(context, now)
  store.arm(round === 'postponed' ? Date.now() + POSTPONED_MS : 0)
}
