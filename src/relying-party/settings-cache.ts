// Settings in the isolate's memory, so that a request costs no hop to the relying party's object. They are never served
// older than 60 s, which is what makes revocation take effect (CONTRACT 8): unreachable and nothing fresh is "unavailable".

import { waitUntil } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { err, type Result } from '../result.ts'
import { relyingPartyStub } from './identifier.ts'
import type { Settings } from './settings.ts'

/** Milliseconds for which a copy may be served, counted from before it was asked for. */
export const SETTINGS_LIFETIME = 60_000

/** Milliseconds after which an object that has not answered counts as unreachable. */
const FETCH_TIMEOUT = 5_000

/** Relying parties kept at most; the least recently used goes first. */
const CAPACITY = 500

type Answer = Result<Settings, 'not_found'>
type Found = Result<Settings, 'not_found' | 'unavailable'>
type Kept = { readonly startedAt: number; readonly answer: Answer }
type Pending = { readonly startedAt: number; readonly found: Promise<Found> }

const kept = new Map<string, Kept>()
const pending = new Map<string, Pending>()

/**
 * The settings of a relying party, at most 60 s old. `now` is Unix milliseconds. An id this service did not issue is
 * `not_found` and creates no object; `unavailable` is worth another try.
 */
export async function settingsOf(
  env: Pick<Env, 'RELYING_PARTY'>,
  relyingPartyId: string,
  now: number,
): Promise<Found> {
  const copy = kept.get(relyingPartyId)
  if (copy !== undefined && isWithin(now - copy.startedAt, SETTINGS_LIFETIME)) {
    touch(relyingPartyId, copy)
    return copy.answer
  }
  const shared = pending.get(relyingPartyId)
  if (shared !== undefined && isWithin(now - shared.startedAt, FETCH_TIMEOUT)) return inTime(shared.found)
  const stub = relyingPartyStub(env.RELYING_PARTY, relyingPartyId)
  if (stub === undefined) return err('not_found')
  const started = { startedAt: now, found: fetchSettings(() => stub.settings()) }
  pending.set(relyingPartyId, started)
  // The fetch outlives the request that began it: others wait for it, and a cancelled request's promises never settle.
  waitUntil(started.found.then((found) => keep(relyingPartyId, started, found)))
  return inTime(started.found)
}

/** Drops this isolate's copy, after a change made through it. Other isolates follow within 60 s. */
export function forgetSettings(relyingPartyId: string): void {
  kept.delete(relyingPartyId)
  pending.delete(relyingPartyId)
}

async function fetchSettings(ask: () => Promise<Answer>): Promise<Found> {
  try {
    return await inTime(ask())
  } catch {
    return err('unavailable') // the object could not be reached, or could not read its document: either way, closed
  }
}

function keep(relyingPartyId: string, started: Pending, found: Found): void {
  if (pending.get(relyingPartyId) !== started) return // forgotten meanwhile: it may be older than the change
  pending.delete(relyingPartyId)
  if (!found.ok && found.error === 'unavailable') return
  touch(relyingPartyId, { startedAt: started.startedAt, answer: found as Answer }) // just told apart
}

/** Makes an entry the most recently used one (a Map keeps the order of insertion). */
function touch(relyingPartyId: string, copy: Kept): void {
  kept.delete(relyingPartyId)
  kept.set(relyingPartyId, copy)
  const oldest = kept.keys().next().value
  if (kept.size > CAPACITY && oldest !== undefined) kept.delete(oldest)
}

/** A clock that ran backwards must not keep a copy alive either. */
function isWithin(age: number, limit: number): boolean {
  return Math.abs(age) < limit
}

/** Waits in the caller's own request: another request's promise may never settle. */
async function inTime(answer: Promise<Found>): Promise<Found> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Found>((resolve) => {
    timer = setTimeout(() => resolve(err('unavailable')), FETCH_TIMEOUT)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
