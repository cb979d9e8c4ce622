// Limit of automatic delivery attempts that are under way for one relying party. An attempt that hangs keeps
// its object and several file descriptors for 20 s. Without a limit, one receiver that hangs uses up the
// descriptors of all relying parties. Each isolate has its own count. Times are Unix milliseconds.

import type { Env } from '../../env.ts'
import { sharesObjects } from '../../relying-party/document/session-stub.ts'
import { ATTEMPT_TIMEOUT_MS } from '../../webhook/delivery.ts'

/** Limit of attempts under way at the same time for one relying party. */
export const ATTEMPTS_UNDER_WAY = 32

/** Shortest delay of an attempt that the limit postpones. */
const SHORTEST_DELAY_MS = 5_000
/**
 * Longest delay of a postponed attempt. If the turn of an attempt would come later, the attempt gets a random
 * delay below this limit. A shorter limit would wake many objects before their turn. Each object that wakes
 * keeps four file descriptors open for ten seconds.
 */
const LONGEST_DELAY_MS = 7_200_000
/**
 * Age at which an attempt is no longer counted. An object that was stopped does not report the end of its
 * attempt.
 */
const LOST_MS = ATTEMPT_TIMEOUT_MS + 5_000
/** Limit of relying parties whose load is kept in memory. */
const RELYING_PARTIES = 1_000
/**
 * Assumed duration of an attempt before the first attempt has ended, if sessions share objects. A shared
 * object is in memory anyway, so a turn that comes too early costs only one more write. If sessions do not
 * share objects, the time limit of an attempt is assumed instead.
 */
const ASSUMED_SHARED_MS = 500
/** Weight of the newest attempt in the moving average `usualMs`. */
const NEWEST_SHARE = 0.2

type Load = {
  readonly starts: number[]
  /** Moving average of the duration of an attempt; `undefined` until the first one has ended. */
  usualMs: number | undefined
  /** Time of the latest turn that `nextTurn` has reserved. */
  lastTurn: number
}

const loads = new Map<string, Load>()

/** Returns true if one more attempt may start. */
export function mayAttempt(relyingPartyId: string, now: number): boolean {
  const starts = loads.get(relyingPartyId)?.starts ?? []
  return starts.filter((start) => Math.abs(now - start) < LOST_MS).length < ATTEMPTS_UNDER_WAY
}

/**
 * Returns the time at which a postponed attempt has its turn. Turns follow each other at the rate at which
 * attempts usually end. `random`: a random number from 0 to 1.
 */
export function nextTurn(env: Env, relyingPartyId: string, now: number, random: number): number {
  const load = readLoad(relyingPartyId)
  const usualMs = load.usualMs ?? (sharesObjects(env) ? ASSUMED_SHARED_MS : ATTEMPT_TIMEOUT_MS)
  const turn = Math.max(now + SHORTEST_DELAY_MS, load.lastTurn + usualMs / ATTEMPTS_UNDER_WAY)
  if (turn > now + LONGEST_DELAY_MS) {
    return Math.ceil(now + SHORTEST_DELAY_MS + random * (LONGEST_DELAY_MS - SHORTEST_DELAY_MS))
  }
  load.lastTurn = turn
  return Math.ceil(turn)
}

/** Runs `work`, and counts it as an attempt under way until it ends. */
export async function underWay<T>(relyingPartyId: string, work: () => Promise<T>): Promise<T> {
  const start = Date.now()
  const load = readLoad(relyingPartyId)
  load.starts.push(start)
  try {
    return await work()
  } finally {
    const now = Date.now()
    const took = Math.abs(now - start)
    load.usualMs = load.usualMs === undefined ? took : load.usualMs + NEWEST_SHARE * (took - load.usualMs)
    const index = load.starts.indexOf(start)
    if (index >= 0) load.starts.splice(index, 1)
    while ((load.starts[0] ?? now) < now - LOST_MS) load.starts.shift()
  }
}

function readLoad(relyingPartyId: string): Load {
  const load = loads.get(relyingPartyId) ?? { starts: [], usualMs: undefined, lastTurn: 0 }
  loads.delete(relyingPartyId)
  loads.set(relyingPartyId, load) // a Map keeps the order of insertion
  for (const [oldest, { starts }] of loads) {
    if (loads.size <= RELYING_PARTIES) break
    if (starts.length === 0) loads.delete(oldest)
  }
  return load
}
