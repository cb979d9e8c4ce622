// What a wallet is told when its call is refused: OAuth errors (RFC 6749 §5.2, OpenID4VP 1.0 §8.5), never more than its person
// can use. The relying party learns the reason from the session.

import type { AnswerRefusal, RequestRefusal } from '../../session/results.ts'
import type { FormFault } from '../edge/form.ts'

/** Every reason a wallet's call is refused. */
export type WalletRefusal =
  | AnswerRefusal
  | RequestRefusal
  | FormFault
  | 'rate_limited'
  | 'method_not_allowed'
  | 'wallet_nonce_invalid'
  | 'wallet_metadata_invalid'
  | 'service_unavailable'
  | 'service_failed'

/** Status, code and description of one refusal. */
export type WalletError = { readonly status: number; readonly error: string; readonly description: string }

/** The OAuth error of a refusal. */
export function walletError(refusal: WalletRefusal): WalletError {
  return WALLET_ERRORS[KINDS[refusal]]
}

/** Every error that a wallet can be told. */
export const WALLET_ERRORS = {
  unknown: invalid(404, 'There is no such request.'),
  ended: invalid(409, 'This verification is already over.'),
  awaited: invalid(409, 'This verification has an answer and waits for its browser.'),
  gone: invalid(410, 'This request is over: scan again.'),
  superseded: invalid(400, 'This request was replaced by a newer one: scan again.'),
  method: invalid(405, 'This method is not allowed here.'),
  too_large: invalid(413, 'The body is too large.'),
  media_type: invalid(415, 'Send application/x-www-form-urlencoded.'),
  rate: { status: 429, error: 'temporarily_unavailable', description: 'Too many calls: try again shortly.' },
  unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    description: 'This could not be checked now: try again.',
  },
  failed: { status: 500, error: 'server_error', description: 'The service failed: try again.' },
  parameters: invalid(400, 'The body is not a form, or names a parameter twice.'),
  wallet_nonce: invalid(400, 'wallet_nonce is too long or not printable.'),
  wallet_metadata: invalid(
    400,
    'wallet_metadata is not a JSON object whose members are what OpenID4VP says.',
  ),
  prefix: invalid(400, 'The client_id has a prefix that wallet_metadata does not list.'),
  signing: invalid(400, 'The request is signed with ES256, which wallet_metadata does not list.'),
  response_mode: invalid(400, 'The request has a response_mode that wallet_metadata does not list.'),
  formats: invalid(400, 'The request asks for no format that wallet_metadata lists.'),
  request_encryption: invalid(
    400,
    'Requests are encrypted with ECDH-ES on P-256 and A128GCM or A256GCM only.',
  ),
  form: invalid(400, 'The response does not have the form that was asked for.'),
  state: invalid(400, 'The response does not name a live request of this verification.'),
  encryption: invalid(400, 'The response is not encrypted as the request asks.'),
  query: invalid(400, 'The presentation does not answer the query.'),
  transaction: invalid(400, 'The presentation does not confirm the transaction data.'),
  presentation: invalid(400, 'The presentation was not accepted.'),
} as const satisfies Readonly<Record<string, WalletError>>

const KINDS: Readonly<Record<WalletRefusal, keyof typeof WALLET_ERRORS>> = {
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
  trust_list_unavailable: 'unavailable',
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
  malformed_response: 'form',
  limit_exceeded: 'form',
  invalid_vp_token: 'form',
  invalid_presentation_submission: 'form',
  unknown_credential_query: 'form',
  wrong_presentation_count: 'form',
  missing_state: 'state',
  unknown_state: 'state',
  state_mismatch: 'state',
  request_superseded: 'superseded',
  encryption_required: 'encryption',
  unexpected_encryption: 'encryption',
  unsupported_encryption: 'encryption',
  unknown_encryption_key: 'encryption',
  decryption_failed: 'encryption',
  query_not_satisfied: 'query',
  transaction_data_missing: 'transaction',
  predicate_false: 'query',
  value_mismatch: 'query',
  assurance_level_too_low: 'presentation',
  credential_expired: 'presentation',
  credential_not_yet_valid: 'presentation',
  credential_revoked: 'presentation',
  credential_suspended: 'presentation',
  malformed_credential: 'presentation',
  unsupported_algorithm: 'presentation',
  unsupported_critical_header: 'presentation',
  wrong_token_type: 'presentation',
  unknown_credential_type: 'presentation',
  invalid_issuer_signature: 'presentation',
  malformed_disclosure: 'presentation',
  unreferenced_disclosure: 'presentation',
  duplicate_digest: 'presentation',
  unsupported_hash_algorithm: 'presentation',
  forbidden_disclosure: 'presentation',
  invalid_claim: 'presentation',
  holder_binding_missing: 'presentation',
  holder_key_missing: 'presentation',
  holder_key_unavailable: 'unavailable',
  malformed_holder_binding: 'presentation',
  invalid_holder_signature: 'presentation',
  nonce_mismatch: 'presentation',
  audience_mismatch: 'presentation',
  sd_hash_mismatch: 'presentation',
  holder_binding_not_current: 'presentation',
  transaction_data_mismatch: 'transaction',
  untrusted_issuer: 'presentation',
  malformed_certificate_chain: 'presentation',
  invalid_certificate_path: 'presentation',
  certificate_expired: 'presentation',
  certificate_not_yet_valid: 'presentation',
  certificate_profile_violation: 'presentation',
  certificate_revoked: 'presentation',
  certificate_status_unavailable: 'unavailable',
  trust_anchor_in_chain: 'presentation',
  self_signed_certificate: 'presentation',
  issuer_key_not_found: 'presentation',
  issuer_metadata_invalid: 'presentation',
  issuer_metadata_unavailable: 'unavailable',
  status_unavailable: 'unavailable',
}

function invalid(status: number, description: string): WalletError {
  return { status, error: 'invalid_request', description }
}
