// Last use of each API key. Each key has its own row in the relying party's object, so that a use does not
// rewrite the document of the settings.

import { waitUntil } from 'cloudflare:workers'
import type { Env } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'
import { relyingPartyStub } from '../document/identifier.ts'

const PREFIX = 'key_used/'
const HOUR_MS = 3_600_000
/** Milliseconds after which a use that could not be stored is noted again. */
const RETRY_MS = 60_000
/** Limit of keys in memory. Uses of dropped keys are sent again, but stored only once an hour. */
const MAXIMUM_KEYS = 1_000

/** Returns functions that read and change the rows. Times are Unix milliseconds. */
export function openKeyUses({ kv }: Pick<DurableObjectStorage, 'kv'>) {
  return {
    /** Stores the hour of a use. A key has one write an hour at most. */
    note: (keyId: string, now: number): void => {
      const hour = now - (now % HOUR_MS)
      if ((kv.get<number>(PREFIX + keyId) ?? 0) < hour) kv.put(PREFIX + keyId, hour)
    },
    /** Returns the hour in which each key was last used, by the id of the key. */
    read: (): ReadonlyMap<string, number> =>
      new Map(
        [...kv.list<number>({ prefix: PREFIX })].map(([key, hour]) => [key.slice(PREFIX.length), hour]),
      ),
    remove: (keyId: string): void => {
      kv.delete(PREFIX + keyId)
    },
  }
}

/** Time until which further uses of a key are not noted, by the id of the key. */
const nextNotes = new Map<string, number>()

/**
 * Records the use of a key in the background, at most once an hour in each isolate. No request waits for the
 * record, and a failure does not reach the caller. `now` is Unix milliseconds.
 */
export function noteKeyUse(
  env: Pick<Env, 'RELYING_PARTY'>,
  { relyingPartyId, keyId }: { readonly relyingPartyId: string; readonly keyId: string },
  now: number,
): void {
  if (now < (nextNotes.get(keyId) ?? 0)) return
  if (nextNotes.size >= MAXIMUM_KEYS) nextNotes.clear()
  nextNotes.set(keyId, now - (now % HOUR_MS) + HOUR_MS)
  const note = async () => {
    try {
      await relyingPartyStub(env, relyingPartyId)?.noteKeyUse(keyId, now)
    } catch (error) {
      nextNotes.set(keyId, now + RETRY_MS)
      logLine('error', 'key_use_not_stored', loggedError(error))
    }
  }
  waitUntil(note())
}
