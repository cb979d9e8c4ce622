// Errors for wallets whose call is refused: OAuth errors (RFC 6749 §5.2, OpenID4VP 1.0 §8.5). They contain
// only what the person can use. The relying party reads the reason from the session.

import { REASONS, type RefusalReason } from '../../session/response/reasons.ts'
import type { RefusalCode, RequestRefusal } from '../../session/results.ts'
import type { FormError } from '../edge/form.ts'

/** Every reason for refusing the call of a wallet. */
export type WalletRefusal = RefusalReason | keyof typeof KINDS

/** Status, code and description of one refusal. */
export type WalletError = { readonly status: number; readonly error: string; readonly description: string }

/** Returns the OAuth error of a refusal. */
export function walletError(refusal: WalletRefusal): WalletError {
  return WALLET_ERRORS[isReason(refusal) ? REASONS[refusal].wallet : KINDS[refusal]]
}

/** Every error for a wallet. */
export const WALLET_ERRORS = {
  unknown: invalid(404, 'There is no such request.'),
  ended: invalid(409, 'This verification has already ended.'),
  awaited: invalid(409, 'This verification has a response and waits for its browser.'),
  gone: invalid(410, 'This request has expired: scan again.'),
  superseded: invalid(400, 'This request was replaced by a newer one: scan again.'),
  method: invalid(405, 'This method is not allowed here.'),
  timeout: invalid(408, 'The body took longer than 10 s: send it again.'),
  too_large: invalid(413, 'The body is too large.'),
  media_type: invalid(415, 'Send application/x-www-form-urlencoded.'),
  rate: { status: 429, error: 'temporarily_unavailable', description: 'Too many calls: try again shortly.' },
  unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    description: 'This cannot be checked now: try again.',
  },
  failed: { status: 500, error: 'server_error', description: 'The service failed: try again.' },
  parameters: invalid(400, 'The body must be a form without repeated parameters.'),
  wallet_nonce: invalid(400, 'wallet_nonce must be printable and short enough.'),
  wallet_metadata: invalid(
    400,
    'wallet_metadata must be a JSON object with members as OpenID4VP defines them.',
  ),
  prefix: invalid(400, 'The client_id has a prefix that wallet_metadata does not list.'),
  signing: invalid(400, 'The request is signed with ES256, which wallet_metadata does not list.'),
  response_mode: invalid(400, 'The request has a response_mode that wallet_metadata does not list.'),
  formats: invalid(400, 'The request needs a format that wallet_metadata does not list.'),
  request_encryption: invalid(
    400,
    'Requests are encrypted with ECDH-ES on P-256 and A128GCM or A256GCM only.',
  ),
  form: invalid(400, 'The response must have the form that the request requires.'),
  state: invalid(400, 'The response does not name a live request of this verification.'),
  encryption: invalid(400, 'The response must be encrypted as the request requires.'),
  query: invalid(400, 'The presentation does not satisfy the query.'),
  transaction: invalid(400, 'The presentation does not confirm the transaction data.'),
  presentation: invalid(400, 'The presentation was not accepted.'),
} as const satisfies Readonly<Record<string, WalletError>>

/** The errors that no reason of the catalogue leads to. */
const KINDS = {
  session_not_found: 'unknown',
  unknown_request: 'unknown',
  session_ended: 'ended',
  return_awaited: 'awaited',
  request_over: 'gone',
  method_not_allowed: 'method',
  rate_limited: 'rate',
  service_unavailable: 'unavailable',
  service_failed: 'failed',
  settings_unavailable: 'unavailable',
  request_timeout: 'timeout',
  overloaded: 'unavailable',
  too_large: 'too_large',
  unsupported_media_type: 'media_type',
  malformed: 'parameters',
  duplicate_parameter: 'parameters',
  wallet_nonce_invalid: 'wallet_nonce',
  wallet_metadata_invalid: 'wallet_metadata',
  client_id_prefix_not_supported: 'prefix',
  signing_algorithm_not_supported: 'signing',
  response_mode_not_supported: 'response_mode',
  no_format_in_common: 'formats',
  request_encryption_not_possible: 'request_encryption',
} as const satisfies Readonly<Record<string, keyof typeof WALLET_ERRORS>> &
  Readonly<Record<Exclude<RefusalCode | RequestRefusal | FormError, RefusalReason>, string>>

function isReason(refusal: WalletRefusal): refusal is RefusalReason {
  return Object.hasOwn(REASONS, refusal)
}

function invalid(status: number, description: string): WalletError {
  return { status, error: 'invalid_request', description }
}
