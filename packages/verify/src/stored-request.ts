// The request as the caller stores it: one text with the nonce, the keys, the policy and the expiry. It is
// made here, so only its version is checked.

import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import type { ResponseMode } from '../../../src/openid4vp/response/response-mode.ts'
import type { RequiredPolicy } from '../../../src/policy/decide.ts'
import type { CredentialTypeDefinition } from '../../../src/policy/policy.ts'
import { inputError } from './faults.ts'
import type { ProtocolId } from './types.ts'

/** A stored request. Times are Unix seconds. */
export type StoredRequest = {
  readonly version: typeof VERSION
  readonly protocol: ProtocolId
  readonly channel: RedirectChannel | DcApiChannel
  readonly policy: RequiredPolicy
  readonly anchorSets?: readonly string[]
  readonly credentialTypes: readonly CredentialTypeDefinition[]
  readonly createdAt: number
  readonly expiresAt: number
  /** Absent in `iso-18013-7-c`. */
  readonly openid4vp?: StoredKeys & { readonly responseMode: ResponseMode }
  /** The request of `org-iso-mdoc`. Absent if documents alone cannot satisfy the policy. */
  readonly annexC?: Pick<StoredKeys, 'nonce' | 'key'>
}

/** A request by a QR code or a link. `isSigned`: false if any person may have answered. */
export type RedirectChannel = {
  readonly kind: 'redirect'
  readonly responseUri: string
  readonly clientId: string
  readonly isSigned: boolean
}

/** A request in the Digital Credentials API. */
export type DcApiChannel = { readonly kind: 'dc_api'; readonly origin: string }

/** Nonce, names and key of one request. */
export type StoredKeys = {
  readonly nonce: string
  readonly state: string
  readonly kid: string
  readonly key: PrivateJwk
}

export const VERSION = 1

/** Most characters of a stored request. */
const LIMIT = 256 * 1024

/** The query of a request. */
export const queryOf = ({ policy }: StoredRequest): DcqlQuery => policy.query

/** Writes a request as text. */
export function writeRequest(request: StoredRequest): string {
  return JSON.stringify(request)
}

/** Reads the text of a request. Throws an `InputError` for any other text. */
export function readRequest(text: unknown): StoredRequest {
  const isText = typeof text === 'string' && text.length <= LIMIT
  const value = isText ? parseJson(text) : undefined
  if (value?.version === VERSION) return value
  throw inputError('/request', 'must be the `request` that createRequest returned')
}

/** Parses our own text. */
function parseJson(text: string): StoredRequest | undefined {
  try {
    return JSON.parse(text) as StoredRequest
  } catch {
    return undefined
  }
}
