// The registry of protocols: one line each.

import type { ProtocolId, QueryLanguage } from '../request/generation.ts'
import { draft18 } from './draft18.ts'
import { draft24 } from './draft24.ts'
import { haip10 } from './haip-1.0.ts'
import { iso180137c } from './iso-18013-7-c.ts'
import { openid4vp10 } from './openid4vp-1.0.ts'
import type { Protocol } from './protocol.ts'

/** Every protocol (api/protocols), the default first. */
export const PROTOCOLS: Readonly<Record<ProtocolId, Protocol>> = {
  'openid4vp-1.0': openid4vp10,
  'haip-1.0': haip10,
  'openid4vp-draft24': draft24,
  'openid4vp-draft18': draft18,
  'iso-18013-7-c': iso180137c,
}

/** Protocols that a session may have. */
export const PROTOCOL_IDS = Object.keys(PROTOCOLS) as readonly ProtocolId[]

/**
 * Returns the language of the request: DCQL for a relying party's own query, else the first language of the
 * protocol. `scope` is empty for an own query.
 */
export function queryLanguage(
  { queryLanguages }: Protocol,
  { scope }: { readonly scope: readonly string[] },
): QueryLanguage {
  return scope.length === 0 ? 'dcql' : queryLanguages[0]
}
