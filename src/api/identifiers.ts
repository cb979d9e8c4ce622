// Patterns of the identifiers that the service issues, for paths and responses.

import { ID_LENGTH } from '../relying-party/document/identifier.ts'
import { CLIENT_ID } from '../relying-party/oidc/client.ts'
import { LIST_NAME } from '../relying-party/trust-lists/trust-list-schema.ts'

/** Id of a Durable Object: 32 bytes in base64url. */
const OBJECT = `[A-Za-z0-9_-]{${ID_LENGTH}}`
/** 16 random bytes in base64url. */
const RANDOM = '[A-Za-z0-9_-]{22}'

export const VERIFICATION_ID = new RegExp(`^v_${OBJECT}$`)
export const RELYING_PARTY_ID = new RegExp(`^rp_${OBJECT}$`)
export const EVENT_ID = new RegExp(`^evt_${RANDOM}$`)
export const DELIVERY_ID = new RegExp(`^dlv_${RANDOM}$`)
export const KEY_ID = /^[0-9a-f]{16}$/

/** Patterns of path parameters, by the name of the parameter. */
export const PATH_PATTERNS: Readonly<Record<string, RegExp>> = {
  id: VERIFICATION_ID,
  delivery: DELIVERY_ID,
  key: KEY_ID,
  rp: RELYING_PARTY_ID,
  list: LIST_NAME,
  client: CLIENT_ID,
}
