// Limit of automatic attempts that are under way for one relying party. An attempt that hangs keeps its
// object and several descriptors for 20 s. Without a limit, one receiver that hangs uses up the descriptors
// of all relying parties. Each isolate counts for itself. Times are Unix milliseconds.

import { ATTEMPT_TIMEOUT_MS } from '../../webhook/delivery.ts'

/** Attempts of one relying party under way at a time. */
export const ATTEMPTS_UNDER_WAY = 32

/** Shortest delay of an attempt at the limit. */
const SHORTEST_DELAY_MS = 5_000
/**
 * Longer delays are spread below this delay. A shorter spread would wake objects before their turn. Each
 * object holds four descriptors for ten seconds, so some hundred objects use up a small limit.
 */
const LONGEST_DELAY_MS = 7_200_000
/** Age at which an attempt counts as over. An object that was stopped does not report its end. */
const LOST_MS = ATTEMPT_TIMEOUT_MS + 5_000
/** Most relying parties whose usual duration of an attempt is stored. */
const RELYING_PARTIES = 1_000
/** Share of the newest attempt in the usual duration. */
const NEWEST_SHARE = 0.2

type Load = {
  readonly starts: number[]
  /** Usual duration of an attempt. The receiver counts as slow until it has responded. */
  usualMs: number
  /** Time of the last turn that was given out. */
  lastTurn: number
}

const loads = new Map<string, Load>()

/** Returns true if one more attempt may start. */
export function mayAttempt(relyingPartyId: string, now: number): boolean {
  const starts = loads.get(relyingPartyId)?.starts ?? []
  return starts.filter((start) => Math.abs(now - start) < LOST_MS).length < ATTEMPTS_UNDER_WAY
}

/**
 * Returns when an attempt at the limit has its turn. Turns come as fast as attempts usually end. `random`: a
 * random number from 0 to 1.
 */
export function nextTurn(relyingPartyId: string, now: number, random: number): number {
  const load = loadOf(relyingPartyId)
  const turn = Math.max(now + SHORTEST_DELAY_MS, load.lastTurn + load.usualMs / ATTEMPTS_UNDER_WAY)
  if (turn > now + LONGEST_DELAY_MS) {
    return Math.ceil(now + SHORTEST_DELAY_MS + random * (LONGEST_DELAY_MS - SHORTEST_DELAY_MS))
  }
  load.lastTurn = turn
  return Math.ceil(turn)
}

/** Counts an attempt that starts now, while `work` runs. */
export async function underWay<T>(relyingPartyId: string, work: () => Promise<T>): Promise<T> {
  const start = Date.now()
  const load = loadOf(relyingPartyId)
  load.starts.push(start)
  try {
    return await work()
  } finally {
    const now = Date.now()
    load.usualMs += NEWEST_SHARE * (Math.abs(now - start) - load.usualMs)
    const own = load.starts.indexOf(start)
    if (own >= 0) load.starts.splice(own, 1)
    while ((load.starts[0] ?? now) < now - LOST_MS) load.starts.shift()
  }
}

function loadOf(relyingPartyId: string): Load {
  const load = loads.get(relyingPartyId) ?? { starts: [], usualMs: ATTEMPT_TIMEOUT_MS, lastTurn: 0 }
  loads.delete(relyingPartyId)
  loads.set(relyingPartyId, load) // a Map keeps the order of insertion
  for (const [oldest, { starts }] of loads) {
    if (loads.size <= RELYING_PARTIES) break
    if (starts.length === 0) loads.delete(oldest)
  }
  return load
}
