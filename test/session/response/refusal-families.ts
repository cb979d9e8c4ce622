// The family that people at the page see, for each reason of an attempt: written by hand, apart from
// the code.

import type { AttemptReason, RefusalFamily } from '../../../src/session/document/refusal-family.ts'

const REASONS_BY_FAMILY: Readonly<Record<RefusalFamily, readonly AttemptReason[]>> = {
  response: [
    ...([
      'malformed_response',
      'limit_exceeded',
      'response_too_large',
      'missing_state',
      'unknown_state',
      'state_mismatch',
    ] as const),
    ...(['encryption_required', 'unexpected_encryption', 'unknown_encryption_key'] as const),
    ...(['unsupported_encryption', 'decryption_failed', 'invalid_vp_token'] as const),
    ...(['invalid_presentation_submission', 'unknown_credential_query'] as const),
    ...(['wrong_presentation_count', 'request_superseded'] as const),
  ],
  incomplete: [
    ...(['query_not_satisfied', 'document_not_returned'] as const),
    ...(['transaction_data_missing', 'transaction_data_mismatch'] as const),
  ],
  credential: [
    ...(['malformed_credential', 'unsupported_algorithm', 'unsupported_critical_header'] as const),
    ...(['wrong_token_type', 'unknown_credential_type', 'invalid_issuer_signature'] as const),
    ...(['malformed_disclosure', 'unreferenced_disclosure', 'duplicate_digest'] as const),
    ...(['unsupported_hash_algorithm', 'forbidden_disclosure', 'invalid_claim'] as const),
  ],
  holder: [
    ...(['holder_binding_missing', 'holder_key_missing', 'malformed_holder_binding'] as const),
    ...(['invalid_holder_signature', 'nonce_mismatch', 'audience_mismatch', 'sd_hash_mismatch'] as const),
    'holder_binding_not_current',
  ],
  issuer: [
    ...(['untrusted_issuer', 'malformed_certificate_chain', 'invalid_certificate_path'] as const),
    ...(['certificate_expired', 'certificate_not_yet_valid', 'certificate_profile_violation'] as const),
    ...(['certificate_revoked', 'trust_anchor_in_chain', 'self_signed_certificate'] as const),
    ...(['issuer_key_not_found', 'issuer_metadata_invalid'] as const),
  ],
  not_valid: [
    ...(['credential_revoked', 'credential_suspended', 'credential_expired'] as const),
    ...(['credential_not_yet_valid', 'predicate_false', 'value_mismatch'] as const),
    ...(['holder_key_mismatch', 'assurance_level_too_low'] as const),
  ],
  unavailable: [
    ...(['holder_key_unavailable', 'certificate_status_unavailable'] as const),
    ...(['issuer_metadata_unavailable', 'trust_list_unavailable', 'status_unavailable'] as const),
    ...(['evidence_unavailable'] as const),
  ],
  wallet: ['wallet_error'],
  browser: ['same_device_return_missing'],
}

export const FAMILY_OF: ReadonlyMap<string, RefusalFamily> = new Map(
  Object.entries(REASONS_BY_FAMILY).flatMap(([family, reasons]) =>
    reasons.map((reason) => [reason, family as RefusalFamily] as const),
  ),
)
