// Cache of OpenID Connect clients in the isolate's memory. A copy is at most 60 s old.

import type { Env } from '../../env.ts'
import { err, type Result } from '../../result.ts'
import { relyingPartyStub } from '../document/identifier.ts'
import { createObjectCache } from '../document/object-cache.ts'
import { CLIENT_ID, type OidcClient } from './client.ts'

const cache = createObjectCache<OidcClient, 'not_found'>(500)

/** Returns a client of a relying party, at most 60 s old. `now` is Unix milliseconds. */
export async function loadOidcClient(
  env: Pick<Env, 'RELYING_PARTY'>,
  relyingPartyId: string,
  clientId: string,
  now: number,
): Promise<Result<OidcClient, 'not_found' | 'unavailable'>> {
  if (!CLIENT_ID.test(clientId)) return err('not_found')
  const read = () => relyingPartyStub(env, relyingPartyId)?.oidcClient(clientId)
  return (await cache.get(`${relyingPartyId}/${clientId}`, now, read)) ?? err('not_found')
}

/** Drops the copy in this isolate after a change. Other isolates use their copies for at most 60 s more. */
export function forgetOidcClient(relyingPartyId: string, clientId: string): void {
  cache.forget(`${relyingPartyId}/${clientId}`)
}
