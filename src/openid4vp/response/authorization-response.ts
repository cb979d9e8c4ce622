// The Authorization Response (OpenID4VP 1.0 §8): which of its three forms a posted body has, and what it carries.
// Parameters we do not know are ignored (§8.1).

import { type Json, type JsonObject, member } from '../../codec/json.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ResponseMode } from '../request/generation.ts'
import type { EnvelopeRefusal } from './refusal.ts'
import {
  decryptJwe,
  type EncryptedJwe,
  type EncryptionRules,
  parseEncryptedJwe,
} from './response-encryption.ts'

/** A response in one of its forms. */
export type AuthorizationResponse = EncryptedResponse | OpenResponse

/** A response in the clear, or decrypted. */
export type OpenResponse = PresentationResponse | WalletErrorResponse

/** `direct_post.jwt`: what it carries is known after `decryptResponse`. */
export type EncryptedResponse = EncryptedJwe & {
  readonly kind: 'encrypted'
  /** Some wallets repeat `state` beside the JWE; where it is present it must be the request's own. */
  readonly state: string | undefined
}

/** A VP Token, not looked into yet. */
export type PresentationResponse = {
  readonly kind: 'presentation'
  /** Undefined where there is none: the Digital Credentials API has no use for it. */
  readonly state: string | undefined
  /** In a decrypted response parameters are JSON values (§8.3), in a plain one all of them are text. */
  readonly encrypted: boolean
  readonly vpToken: Json
  /** Of the drafts with Presentation Exchange; every other protocol passes it over (§8.1). */
  readonly presentationSubmission: Json | undefined
}

/** The wallet says why there is no VP Token (§8.5). Anyone who knows `state` can say so. */
export type WalletErrorResponse = {
  readonly kind: 'wallet_error'
  readonly state: string | undefined
  readonly error: WalletErrorCode
  /** A stranger's text: printable ASCII, cut. Escape it where it is shown. */
  readonly errorDescription: string | undefined
}

/** Error codes a wallet may answer with (§8.5, RFC 6749 §4.1.2.1). */
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

/** A known code, or `unknown_error` for every other one. */
export type WalletErrorCode = (typeof WALLET_ERROR_CODES)[number] | 'unknown_error'

/**
 * Tells the form of a posted response. In `direct_post.jwt` an error may come in the clear (§8.3.1), a VP Token may not.
 * `parameters` has no name twice; an empty value counts as absent (RFC 6749 §3.1).
 */
export function parseAuthorizationResponse(
  parameters: ReadonlyMap<string, string>,
  { responseMode, ...rules }: EncryptionRules & { readonly responseMode: ResponseMode },
): Result<AuthorizationResponse, EnvelopeRefusal> {
  const names = FORMS.filter((name) => isGiven(parameters.get(name)))
  const form = names[0]
  // More than one form would mean different things to different readers.
  if (names.length !== 1 || form === undefined) return err({ reason: 'malformed_response' })
  if (form === 'vp_token' && responseMode !== 'direct_post') return err({ reason: 'encryption_required' })
  if (form !== 'response') return requireState(parseOpenResponse(Object.fromEntries(parameters), false))
  if (responseMode !== 'direct_post.jwt') return err({ reason: 'unexpected_encryption' })
  const parsed = parseEncryptedJwe(parameters.get('response') ?? '', rules)
  if (!parsed.ok) return parsed
  const state = parameters.get('state')
  if (isGiven(state) && state.length > STATE_LIMIT) return err({ reason: 'limit_exceeded' })
  return ok({ kind: 'encrypted', ...parsed.value, state: isGiven(state) ? state : undefined })
}

/** Decrypts a response with the key its `kid` names. What it carries is a VP Token or an error (wallets encrypt both). */
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

/** §5.3, §14.3.2: in the redirect flow we always send a `state`, so every answer carries it. */
export function requireState(
  response: Result<OpenResponse, EnvelopeRefusal>,
): Result<OpenResponse, EnvelopeRefusal> {
  return response.ok && response.value.state === undefined ? err({ reason: 'missing_state' }) : response
}

const FORMS = ['response', 'vp_token', 'error'] as const
const STATE_LIMIT = 512
const ERROR_DESCRIPTION_LIMIT = 200

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** Reads response parameters that are there: `encrypted` ones are JSON values, the others text. */
export function parseOpenResponse(
  parameters: JsonObject,
  encrypted: boolean,
): Result<OpenResponse, EnvelopeRefusal> {
  const vpToken = member(parameters, 'vp_token')
  const given = member(parameters, 'state')
  const state = typeof given === 'string' && given !== '' ? given : undefined
  if (state !== undefined && state.length > STATE_LIMIT) return err({ reason: 'limit_exceeded' })
  if (vpToken !== undefined && vpToken !== '') {
    const presentationSubmission = member(parameters, 'presentation_submission')
    return ok({ kind: 'presentation', state, encrypted, vpToken, presentationSubmission })
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
