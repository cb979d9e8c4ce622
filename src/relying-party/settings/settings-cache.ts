// Settings in the isolate's memory. They are never served older than 60 s, which is what makes revocation take effect (CONTRACT 8).

import type { Env } from '../../env.ts'
import { err, type Result } from '../../result.ts'
import { relyingPartyStub } from '../identifier.ts'
import { COPY_LIFETIME, createObjectCache } from '../object-cache.ts'
import type { Settings } from './settings.ts'

/** Milliseconds for which a copy may be served, counted from before it was asked for. */
export const SETTINGS_LIFETIME = COPY_LIFETIME

const cache = createObjectCache<Settings, 'not_found'>(500)

/**
 * The settings of a relying party, at most 60 s old. `now` is Unix milliseconds. An id this service did not issue is
 * `not_found` and creates no object; `unavailable` is worth another try.
 */
export async function settingsOf(
  env: Pick<Env, 'RELYING_PARTY'>,
  relyingPartyId: string,
  now: number,
): Promise<Result<Settings, 'not_found' | 'unavailable'>> {
  const found = await cache.get(relyingPartyId, now, () => relyingPartyStub(env, relyingPartyId)?.settings())
  return found ?? err('not_found')
}

/** Drops this isolate's copy, after a change made through it. Other isolates follow within 60 s. */
export function forgetSettings(relyingPartyId: string): void {
  cache.forget(relyingPartyId)
}
