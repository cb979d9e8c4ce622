// Sessions whose events wait until the disabled webhook of their relying party is enabled.

import type { Env } from '../../env.ts'
import { type SessionStub, sessionStub } from '../document/session-stub.ts'

const PREFIX = 'parked/'
/**
 * Number of sessions whose waiting events one alarm releases for sending. The number is small, because the
 * alarm loads the object of each session, and the object stays in memory for about ten seconds.
 */
const RELEASED_AT_A_TIME = 25

/** Stores the id of a session whose events wait until the webhook is enabled. */
export function parkSession({ kv }: DurableObjectStorage, verificationId: string): void {
  kv.put(PREFIX + verificationId, true)
}

/** Releases events of some sessions. Sets the next alarm if other sessions still wait. */
export async function releaseParked(storage: DurableObjectStorage, env: Env): Promise<void> {
  const { kv } = storage
  const parked = [...kv.list({ prefix: PREFIX, limit: RELEASED_AT_A_TIME + 1 })].map(([key]) => key)
  if (parked.length === 0) return
  // The next alarm is set first, because the platform drops an alarm that throws too often.
  await storage.setAlarm(Date.now() + 60_000)
  for (const key of parked.slice(0, RELEASED_AT_A_TIME)) {
    await findSession(env, key.slice(PREFIX.length))?.releaseEvents()
    kv.delete(key)
  }
  // If no session is left, the alarm that was set above stays. A crash at this point can undo the last
  // deletions. The ids are then still stored, and need this alarm.
  if (parked.length > RELEASED_AT_A_TIME) await storage.setAlarm(Date.now() + 1_000)
}

/** Version 0.2.0 stored the id of the session's object instead of the `verification_id`. */
function findSession(env: Env, id: string): SessionStub | undefined {
  const { VERIFICATION_SESSION: own } = env
  return /^[0-9a-f]{64}$/.test(id) ? own.get(own.idFromString(id)) : sessionStub(env, id)
}
