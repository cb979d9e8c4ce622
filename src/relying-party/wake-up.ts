// The alarm of a Durable Object. Parts of one object share its only alarm.

/**
 * An existing alarm stays if it is later than needed by at most this time, so that few alarms are written.
 */
const SLACK_MS = 10 * 60_000
/** Delay of an alarm after the expiry for which the alarm is set. */
const AFTER_EXPIRY_MS = 1_000
/** Time after which an alarm that failed, or ended with a crash, is repeated. */
const REPEATED_MS = 60_000

type Alarm = Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>

/** Sets the alarm, unless an alarm is set that is at most `SLACK_MS` later. `at` is Unix milliseconds. */
export async function wakeUpBy(storage: Alarm, at: number): Promise<void> {
  await writeWithAlarm(storage, at, () => undefined)
}

/**
 * Sets the alarm like `wakeUpBy`, and writes data that this alarm removes. Both happen in one step, so in one
 * transaction. No alarm can run between them, find nothing to remove, and leave the data without an alarm.
 */
export async function writeWithAlarm<Value>(storage: Alarm, at: number, write: () => Value): Promise<Value> {
  const set = await storage.getAlarm()
  const alarm = set === null || set > at + SLACK_MS ? storage.setAlarm(at) : undefined
  const value = write()
  await alarm
  return value
}

/**
 * Removes the expired data of each part when the alarm runs, and sets the alarm of the next expiry. `prune`
 * gets the time, and returns the next expiry; null if there is none.
 */
export async function pruneByAlarm(
  storage: Alarm & Pick<DurableObjectStorage, 'deleteAlarm'>,
  parts: readonly { readonly prune: (now: number) => number | null }[],
): Promise<void> {
  const again = Date.now() + REPEATED_MS
  const earlier = storage.getAlarm()
  // This alarm is set before the first `await`. While an alarm runs, `getAlarm` returns null to other calls.
  // They would set a later alarm, and after a crash only that alarm would be left. The platform also drops an
  // alarm that throws too often.
  const guard = storage.setAlarm(again)
  const times = [await earlier, await storage.getAlarm()].filter((at) => at !== again)
  const expiries = parts.map(({ prune }) => prune(Date.now()))
  const next = Math.min(
    ...times.map((at) => at ?? Infinity),
    ...expiries.map((at) => (at === null ? Infinity : at + AFTER_EXPIRY_MS)),
  )
  await (next === Infinity ? storage.deleteAlarm() : storage.setAlarm(next))
  await guard
}
