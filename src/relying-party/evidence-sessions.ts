// Sessions of one relying party that may have sealed evidence (api/evidence). The deletion of the relying
// party erases the evidence of each of these sessions. The id of the relying party is the name of the object.
// The platform cannot reopen an object whose write failed on a full disk. The settings must stay available
// then, so they are in another object.

import { DurableObject } from 'cloudflare:workers'
import { type Env, withJurisdiction } from '../env.ts'
import { mayBegin } from '../metrics/capacity.ts'
import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'
import { sessionStub } from './document/session-stub.ts'
import { forgetSettings } from './settings/settings-cache.ts'
import { pruneByAlarm, writeWithAlarm } from './wake-up.ts'

const PREFIX = 'evidence_session/'
/** Storage key of the relying party's id, which is stored when the relying party is deleted. */
const DELETED = 'deleted'
/** Number of sessions that are called at the same time. */
const AT_ONCE = 25
/** Time after which calls that failed are repeated. */
const AGAIN_MS = 60_000
/** Limit of rows that one alarm removes. */
const PRUNED_AT_ONCE = 1_000

export class EvidenceSessions extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
  }

  /** Stores the id of a session that may have evidence until a time (Unix milliseconds). */
  async note(verificationId: string, until: number): Promise<void> {
    await writeWithAlarm(this.ctx.storage, until, () =>
      this.ctx.storage.kv.put(`${PREFIX}${String(until).padStart(15, '0')}/${verificationId}`, true),
    )
  }

  /** Erases the evidence of all sessions of the deleted relying party. Alarms repeat calls that failed. */
  async eraseAll(relyingPartyId: string): Promise<void> {
    const { storage } = this.ctx
    if (this.#keysAfter(PREFIX, 1).length > 0) {
      // The work may throw, and the platform drops an alarm that throws too often. So the next alarm is set
      // before the work.
      void storage.setAlarm(Date.now() + AGAIN_MS)
      if (storage.kv.get(DELETED) === undefined) storage.kv.put(DELETED, relyingPartyId)
      for (let keys = this.#keysAfter(PREFIX, AT_ONCE); keys.length > 0; ) {
        await Promise.all(keys.map((key) => this.#erase(relyingPartyId, key)))
        keys = this.#keysAfter(keys.at(-1) ?? '', AT_ONCE)
      }
    }
    if (this.#keysAfter(PREFIX, 1).length === 0) await storage.deleteAll()
    else void storage.setAlarm(Date.now() + AGAIN_MS) // a call meanwhile may have set a later alarm
  }

  /** Repeats the erasure for a deleted relying party. Otherwise removes ids whose `until` has passed. */
  override async alarm(): Promise<void> {
    const relyingPartyId = this.ctx.storage.kv.get<string>(DELETED)
    if (relyingPartyId !== undefined) return this.eraseAll(relyingPartyId)
    await pruneByAlarm(this.ctx.storage, [{ prune: (now) => this.#prune(now) }])
  }

  /** Removes ids whose `until` has passed. Returns the time of the next removal; null if no id is left. */
  #prune(now: number): number | null {
    for (const key of this.#keysAfter(PREFIX, PRUNED_AT_ONCE)) {
      if (readUntil(key) > now) return readUntil(key)
      this.ctx.storage.kv.delete(key)
    }
    return this.#keysAfter(PREFIX, 1).length === 0 ? null : now
  }

  #keysAfter(startAfter: string, limit: number): readonly string[] {
    return [...this.ctx.storage.kv.list({ prefix: PREFIX, startAfter, limit })].map(([key]) => key)
  }

  async #erase(relyingPartyId: string, key: string): Promise<void> {
    if (await isErased(this.env, relyingPartyId, key)) this.ctx.storage.kv.delete(key)
  }
}

/** Stores the id of a session that may have evidence until a time (Unix milliseconds). */
export async function noteEvidence(env: Env, relyingPartyId: string, id: string, until: number) {
  await env.EVIDENCE_SESSIONS.getByName(relyingPartyId).note(id, until)
}

/**
 * Erases the evidence of all sessions of a deleted relying party. Returns false if the Durable Object could
 * not be called: repeat the call. The object itself repeats its calls to sessions. Never rejects.
 */
export async function eraseEvidence(env: Env, relyingPartyId: string): Promise<boolean> {
  forgetSettings(relyingPartyId)
  try {
    await env.EVIDENCE_SESSIONS.getByName(relyingPartyId).eraseAll(relyingPartyId)
    return true
  } catch (error) {
    logLine('error', 'evidence_not_erased', loggedError(error))
    return false
  }
}

/** Erases the evidence of a session. Returns false if this function must be called again. Never rejects. */
async function isErased(env: Env, relyingPartyId: string, key: string): Promise<boolean> {
  const session = sessionStub(env, key.slice(key.lastIndexOf('/') + 1))
  if (session === undefined || readUntil(key) <= Date.now()) return true // this session no longer exists
  if (!mayBegin('begun', Date.now())) return false
  try {
    const erased = await session.evidence(relyingPartyId, 'erase')
    if (erased.ok || erased.error !== 'not_ended') return true
    // The session is canceled, so that a response that is being verified cannot end it with evidence. The
    // session may have ended before this call, so the erasure is repeated.
    await session.cancel(relyingPartyId)
    const again = await session.evidence(relyingPartyId, 'erase')
    return again.ok || again.error !== 'not_ended'
  } catch (error) {
    logLine('error', 'evidence_not_erased', loggedError(error))
    return false
  }
}

function readUntil(key: string): number {
  return Number(key.split('/')[1])
}
