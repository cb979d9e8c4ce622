// Cache of settings in the isolate's memory. A copy is at most 60 s old, so that a revoked API key stops
// working (api/settings).

import type { Env } from '../../env.ts'
import { err, type Result } from '../../result.ts'
import { relyingPartyStub } from '../document/identifier.ts'
import { COPY_LIFETIME, createObjectCache } from '../document/object-cache.ts'
import type { Settings } from '../document/settings.ts'

/** Milliseconds for which a copy is returned, counted from the start of its read. */
export const SETTINGS_LIFETIME = COPY_LIFETIME

const cache = createObjectCache<Settings, 'not_found'>(500)

/**
 * Returns the settings of a relying party, at most 60 s old. `now` is Unix milliseconds. An id that this
 * service did not issue is `not_found` and creates no object. After `unavailable`, another try may succeed.
 */
export async function loadSettings(
  env: Pick<Env, 'RELYING_PARTY'>,
  relyingPartyId: string,
  now: number,
): Promise<Result<Settings, 'not_found' | 'unavailable'>> {
  const settings = await cache.get(relyingPartyId, now, () =>
    relyingPartyStub(env, relyingPartyId)?.settings(),
  )
  return settings ?? err('not_found')
}

/** Drops the copy in this isolate after a change. Other isolates use their copies for at most 60 s more. */
export function forgetSettings(relyingPartyId: string): void {
  cache.forget(relyingPartyId)
}
