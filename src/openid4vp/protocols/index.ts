// The registry of protocols: one line each.

import type { ProtocolId } from '../generation.ts'
import { haip10 } from './haip-1.0.ts'
import { openid4vp10 } from './openid4vp-1.0.ts'
import type { Protocol } from './protocol.ts'

/** Every protocol of the redirect flow (CONTRACT 5), the default first. */
export const PROTOCOLS: Readonly<Record<ProtocolId, Protocol>> = {
  'openid4vp-1.0': openid4vp10,
  'haip-1.0': haip10,
}

/** The protocols a session may have. */
export const PROTOCOL_IDS = Object.keys(PROTOCOLS) as readonly ProtocolId[]
