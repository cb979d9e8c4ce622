// The work of a session's alarm: expiry, deliveries, time stamp, erasure.

import { mayBegin } from '../../metrics/capacity.ts'
import { deliverDue } from '../delivery/delivering.ts'
import { publishDue, publishStepsDue } from '../delivery/publishing.ts'
import { pushDue } from '../delivery/pushing.ts'
import { stampDue } from '../delivery/time-stamping.ts'
import { eraseDue, expireDue } from '../end/timeouts.ts'
import { indexDue } from '../listing/indexing.ts'
import { remainderDue } from '../listing/remainder.ts'
import type { SessionContext } from '../store/context.ts'
import { isOnlyErasureDue } from '../store/wake-up.ts'

/** Delay of the alarm that is set while the work runs. After a crash, this alarm repeats the work. */
const WATCHDOG_MS = 60_000
/** Delay until the alarm tries the deliveries again, if `deliverDue` returned `postponed`. */
const POSTPONED_MS = 10_000
/**
 * If the process has no capacity for the work, the work is delayed by a random time in this range. An unused
 * object closes its file descriptors after ten seconds, so a shorter delay would keep them open.
 */
const NO_CAPACITY_MS = { least: 10_000, most: 60_000 }

/**
 * Does the work that is due. A watchdog alarm is set first, because the platform drops an alarm that throws
 * too often. If erasure is the only work, the watchdog is set only if the erasure throws. If the process has
 * no capacity, the work is postponed. `now` is Unix milliseconds. `onWait` is called before the work waits
 * for a receiver, or for a response that is being verified. Only an object that sessions share passes
 * `onWait`. Such an object has already checked the capacity.
 */
export async function runAlarm(context: SessionContext, now: number, onWait?: () => void): Promise<void> {
  const { store } = context
  // If the clock was set back, the alarm runs before its work is due. The alarm must then be set to the same
  // time again. The store sets no alarm for a time that it remembers, so it forgets the time here.
  store.forgetAlarm()
  if (onWait === undefined && !mayBegin('begun', now)) {
    const { least, most } = NO_CAPACITY_MS
    store.arm(Math.ceil(now + least + Math.random() * (most - least)))
    return
  }
  const document = store.session()
  const isErasure = document !== undefined && isOnlyErasureDue(document, now)
  if (!isErasure) store.arm(now + WATCHDOG_MS)
  try {
    await work(context, now, onWait)
  } catch (error) {
    if (isErasure) store.arm(now + WATCHDOG_MS)
    throw error
  }
}

async function work(context: SessionContext, now: number, onWait?: () => void): Promise<void> {
  const { store } = context
  await remainderDue(context, now)
  await expireDue(context, now, onWait)
  // The log is called at the same time as the deliveries, so that the log delays no delivery.
  const [round] = await Promise.all([deliverDue(context, now, onWait), publishDue(context, now)])
  // Erasure comes after the log, so that the log receives each event before the event is erased.
  await eraseDue(context, now)
  // These two calls return before their requests end.
  stampDue(context, now)
  pushDue(context, now)
  // Step events and the list entry come last, so that they delay no outcome. `eraseDue` waits for queued step
  // events (for at most seven days). It does not wait for a queued list entry, which is kept after the
  // erasure.
  await publishStepsDue(context, now)
  await indexDue(context, now)
  store.save() // writes the changes that are only in memory
  store.arm(round === 'postponed' ? Date.now() + POSTPONED_MS : 0)
}
