// Sessions whose events wait until the disabled webhook of their relying party is enabled.

import type { Env } from '../../env.ts'

const PREFIX = 'parked/'
/** Sessions released by one alarm. The object of each session stays in memory for about ten seconds. */
const RELEASED_AT_A_TIME = 25

/** Stores the id of a session's object. */
export function parkSession({ kv }: DurableObjectStorage, sessionId: string): void {
  kv.put(PREFIX + sessionId, true)
}

/** Releases events of some sessions. Sets the next alarm if other sessions still wait. */
export async function releaseParked(storage: DurableObjectStorage, env: Env): Promise<void> {
  const { kv } = storage
  const parked = [...kv.list({ prefix: PREFIX, limit: RELEASED_AT_A_TIME + 1 })].map(([key]) => key)
  if (parked.length === 0) return
  // The next alarm is set first, because the platform drops an alarm that throws too often.
  await storage.setAlarm(Date.now() + 60_000)
  const { VERIFICATION_SESSION } = env
  for (const key of parked.slice(0, RELEASED_AT_A_TIME)) {
    const id = VERIFICATION_SESSION.idFromString(key.slice(PREFIX.length))
    await VERIFICATION_SESSION.get(id).releaseEvents()
    kv.delete(key)
  }
  // If no session is left, the alarm that was set above stays. After a crash at this point, stored names need
  // it.
  if (parked.length > RELEASED_AT_A_TIME) await storage.setAlarm(Date.now() + 1_000)
}
