// Alarms that began and did not end, because storage could not be written. The platform repeats a failed
// alarm after waits that double up to 17 minutes. Once storage can be written again, these alarms are resumed
// without that wait. The list of these alarms is only in the memory of this isolate: after a restart, the
// platform starts every overdue alarm at once.

import { waitUntil } from 'cloudflare:workers'
import type { Env } from '../../env.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { inBackground } from '../store/background.ts'

/** Age from which an alarm is treated as interrupted. Even an alarm that delivers an event ends earlier. */
const INTERRUPTED_MS = 30_000
/**
 * Number of alarms that are resumed at a time, and the pause after each batch. Both limit the objects in
 * memory: a resumed alarm keeps its object there for ten seconds.
 */
const BATCH = 10
const PAUSE_MS = 500
/**
 * `CALL`: limit of alarms that one call of `resumeAlarms` resumes. `CALL_MS`: pause after a failed call.
 * `LIMIT`: limit of alarms in the list.
 */
const CALL = 500
const CALL_MS = 60_000
const LIMIT = 50_000

/** Start of each alarm that has not ended, by the id of its session. Unix milliseconds. */
const begun = new Map<string, number>()
let calledAt = Number.NEGATIVE_INFINITY

/** Notes the start of an alarm. */
export function alarmBegan(verificationId: string, now: number): void {
  begun.delete(verificationId) // a Map keeps the order of insertion
  if (begun.size < LIMIT) begun.set(verificationId, now)
}

/** Notes the end of an alarm. */
export function alarmEnded(verificationId: string): void {
  begun.delete(verificationId)
}

/** Resumes interrupted alarms in the background. Called when storage can probably be written again. */
export function resumeAlarms(env: Env, now: number): void {
  if (begun.size === 0 || Math.abs(now - calledAt) < CALL_MS) return
  const interrupted = [...begun].filter(([, start]) => Math.abs(now - start) >= INTERRUPTED_MS)
  if (interrupted.length === 0) return
  calledAt = now
  const ids = interrupted.slice(0, CALL).map(([id]) => id)
  const resumeAll = async () => {
    for (let i = 0; i < ids.length; i += BATCH) {
      await Promise.all(ids.slice(i, i + BATCH).map((id) => sessionStub(env, id)?.resumeAlarm()))
      await scheduler.wait(PAUSE_MS)
    }
    calledAt = Number.NEGATIVE_INFINITY
  }
  // The first failure stops `resumeAll`: storage still cannot be written, or objects are unreachable.
  waitUntil(inBackground(resumeAll))
}
