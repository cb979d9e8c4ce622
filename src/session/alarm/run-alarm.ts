// The work of a session's alarm: expiry, deliveries, erasure.

import { deliverDue } from '../delivery/delivering.ts'
import { publishDue, publishStepsDue } from '../delivery/publishing.ts'
import { eraseDue, expireDue } from '../end/timeouts.ts'
import { indexDue } from '../listing/indexing.ts'
import { remainderDue } from '../listing/remainder.ts'
import type { SessionContext } from '../store/context.ts'
import { isOnlyErasureDue } from '../store/wake-up.ts'

/** Delay of the next alarm while an alarm is at work: a crash in its middle repeats the work. */
const WATCHDOG_MS = 60_000
/** Delay before another try to read unavailable settings. */
const POSTPONED_MS = 10_000

/**
 * Does the work that is due. The watchdog is set first: the platform drops an alarm that throws too often.
 * Erasure alone is one write: its watchdog is set only if that write throws. `now` is Unix milliseconds.
 */
export async function runAlarm(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  // If the clock was set back, the alarm comes before its work is due. It is set again to the same time.
  store.forgetAlarm()
  const document = store.session()
  const isErasure = document !== undefined && isOnlyErasureDue(document, now)
  if (!isErasure) store.arm(now + WATCHDOG_MS)
  try {
    await work(context, now)
  } catch (error) {
    if (isErasure) store.arm(now + WATCHDOG_MS)
    throw error
  }
}

async function work(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  await remainderDue(context, now)
  await expireDue(context, now)
  // Runs beside the deliveries, so that the log delays no delivery.
  const [round] = await Promise.all([deliverDue(context, now), publishDue(context, now)])
  // Runs after the log, so that the log receives each event before its removal.
  await eraseDue(context, now)
  // Steps and list come last, because they must delay no outcome. Erasure waits for the steps only.
  await publishStepsDue(context, now)
  await indexDue(context, now)
  store.save() // what an earlier write could not
  store.arm(round === 'postponed' ? Date.now() + POSTPONED_MS : 0)
}
