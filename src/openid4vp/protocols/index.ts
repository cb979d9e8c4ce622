// The registry of protocols, with one line for each protocol.

import type { ProtocolId } from '../request/generation.ts'
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
