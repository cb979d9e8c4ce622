// The Authorization Response (OpenID4VP 1.0 §8): the form of a posted body, and its content. Unknown
// parameters are ignored (§8.1).

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { EnvelopeRefusal } from './refusal.ts'
import {
  decryptJwe,
  type EncryptedJwe,
  type EncryptionRules,
  parseEncryptedJwe,
} from './response-encryption.ts'
import type { ResponseMode } from './response-mode.ts'

/** An encrypted response, or a plain response. */
export type AuthorizationResponse = EncryptedResponse | OpenResponse

/** A plain response, or a decrypted response. */
export type OpenResponse = PresentationResponse | WalletErrorResponse

/** An encrypted response (`direct_post.jwt`). `decryptResponse` returns the content. */
export type EncryptedResponse = EncryptedJwe & {
  readonly kind: 'encrypted'
  /**
   * Some wallets repeat `state` beside the JWE. A `state` that is present must be the `state` of the request.
   */
  readonly state: string | undefined
}

/** A VP Token, not parsed yet. */
export type PresentationResponse = {
  readonly kind: 'presentation'
  /** Undefined if absent, as in the Digital Credentials API. */
  readonly state: string | undefined
  /**
   * True if the parameters are JSON values: in a decrypted response (§8.3), and in a plain response of the
   * Digital Credentials API. False if the parameters are text.
   */
  readonly hasJsonValues: boolean
  readonly vpToken: Json
  /** Used by the drafts with Presentation Exchange. Other protocols ignore the submission (§8.1). */
  readonly presentationSubmission: Json | undefined
}

/** An error of the wallet (§8.5). Anyone who knows `state` can send it. */
export type WalletErrorResponse = {
  readonly kind: 'wallet_error'
  readonly state: string | undefined
  readonly error: WalletErrorCode
  /** Untrusted text: printable ASCII, cut to a limit. Must be escaped for display. */
  readonly errorDescription: string | undefined
}

/** Error codes of wallets (§8.5, RFC 6749 §4.1.2.1). */
export const WALLET_ERROR_CODES = [
  'invalid_request',
  'invalid_client',
  'access_denied',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
  'server_error',
  'temporarily_unavailable',
  'vp_formats_not_supported',
  'invalid_request_uri_method',
  'invalid_transaction_data',
  'wallet_unavailable',
] as const

/** A known code, or `unknown_error` for any other. */
type WalletErrorCode = (typeof WALLET_ERROR_CODES)[number] | 'unknown_error'

/**
 * Parses a posted response. With `direct_post.jwt`, a VP Token must be encrypted, but an error may be plain
 * (§8.3.1). `parameters` has no repeated names. An empty value is treated as absent (RFC 6749 §3.1).
 */
export function parseAuthorizationResponse(
  parameters: ReadonlyMap<string, string>,
  { responseMode, ...rules }: EncryptionRules & { readonly responseMode: ResponseMode },
): Result<AuthorizationResponse, EnvelopeRefusal> {
  const names = FORMS.filter((name) => isPresent(parameters.get(name)))
  const form = names[0]
  // Exactly one of the three forms must be present, because two forms at once would be ambiguous.
  if (names.length !== 1 || form === undefined) return err({ reason: 'malformed_response' })
  if (form === 'vp_token' && responseMode !== 'direct_post') return err({ reason: 'encryption_required' })
  if (form !== 'response') return requireState(parseOpenResponse(Object.fromEntries(parameters), false))
  if (responseMode !== 'direct_post.jwt') return err({ reason: 'unexpected_encryption' })
  const parsed = parseEncryptedJwe(parameters.get('response') ?? '', rules)
  if (!parsed.ok) return parsed
  const state = parameters.get('state')
  if (isPresent(state) && state.length > STATE_LIMIT) return err({ reason: 'limit_exceeded' })
  return ok({ kind: 'encrypted', ...parsed.value, state: isPresent(state) ? state : undefined })
}

/**
 * Decrypts a response. If the response has a `kid`, this must be the `kid` of the key. The content is a VP
 * Token or an error, because wallets encrypt both.
 */
export async function decryptResponse(
  response: EncryptedJwe,
  key: { readonly kid: string; readonly privateJwk: PrivateJwk },
): Promise<Result<OpenResponse, EnvelopeRefusal>> {
  const parameters = await decryptJwe(response, key)
  if (!parameters.ok) return parameters
  const vpToken = member(parameters.value, 'vp_token')
  const error = member(parameters.value, 'error')
  if ((vpToken === undefined) === (error === undefined)) return err({ reason: 'malformed_response' })
  return parseOpenResponse(parameters.value, true)
}

/**
 * Rejects a response without `state`. Every request of the redirect flow has a `state`, which the response
 * must repeat (§5.3, §14.3.2).
 */
export function requireState(
  response: Result<OpenResponse, EnvelopeRefusal>,
): Result<OpenResponse, EnvelopeRefusal> {
  return response.ok && response.value.state === undefined ? err({ reason: 'missing_state' }) : response
}

const FORMS = ['response', 'vp_token', 'error'] as const
const STATE_LIMIT = 512
const ERROR_DESCRIPTION_LIMIT = 200

function isPresent(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** Parses response parameters. `hasJsonValues`: see `PresentationResponse`. */
export function parseOpenResponse(
  parameters: JsonObject,
  hasJsonValues: boolean,
): Result<OpenResponse, EnvelopeRefusal> {
  const vpToken = member(parameters, 'vp_token')
  const stated = member(parameters, 'state')
  const state = typeof stated === 'string' && stated !== '' ? stated : undefined
  if (state !== undefined && state.length > STATE_LIMIT) return err({ reason: 'limit_exceeded' })
  if (vpToken !== undefined && vpToken !== '') {
    const presentationSubmission = member(parameters, 'presentation_submission')
    return ok({ kind: 'presentation', state, hasJsonValues, vpToken, presentationSubmission })
  }
  const error = member(parameters, 'error')
  if (typeof error !== 'string') return err({ reason: 'malformed_response' })
  const description = member(parameters, 'error_description')
  return ok({
    kind: 'wallet_error',
    state,
    error: toErrorCode(error),
    errorDescription: typeof description === 'string' ? toPrintable(description) : undefined,
  })
}

function toErrorCode(error: string): WalletErrorCode {
  return WALLET_ERROR_CODES.find((code) => code === error) ?? 'unknown_error'
}

// RFC 6749 §4.1.2.1 allows no other characters in a description.
function toPrintable(text: string): string {
  return text.slice(0, ERROR_DESCRIPTION_LIMIT).replace(/[^\x20-\x7e]/g, '?')
}
