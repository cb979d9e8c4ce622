// The published catalogue of reasons (api/errors), stable within /v1. If another folder adds a reason to its
// union type, the code compiles only with a row for this reason here. Advice about each reason is in
// scripts/documents/reason-advice.ts.

import type { TerminalStatus } from '../../api/values.ts'
import type { EvaluationReason } from '../../exchange/unchecked.ts'

/** Reasons for which a response is refused and stored as an attempt. */
export type RefusalReason = EvaluationReason | 'evidence_unavailable' | 'response_too_large'

/** Every reason of an attempt or of a session's end. */
export type ReasonCode =
  | RefusalReason
  | 'wallet_error'
  | 'access_denied'
  | 'declined_on_page'
  | 'session_expired'
  | 'canceled_by_relying_party'
  | 'same_device_return_missing'

export type ReasonFamily = 'envelope' | 'credential' | 'holder' | 'trust' | 'status' | 'policy' | 'flow'

/**
 * Error that a wallet gets for a refused response. The status and the code of the error are in routes/wallet.
 * The text of the error is in assets/oauth-errors.json.
 */
type WalletErrorKind =
  | 'form'
  | 'state'
  | 'superseded'
  | 'encryption'
  | 'plain'
  | 'query'
  | 'transaction'
  | 'presentation'
  | 'unavailable'

/** One row of the catalogue. */
export type Reason = {
  readonly family: ReasonFamily
  /** Null if no response is refused for this reason. */
  readonly wallet: WalletErrorKind | null
  readonly message: string
  /** True if the same person may succeed with another try. */
  readonly retryable: boolean
  /** The status of a session that ends for this reason; absent for the reason of an attempt. */
  readonly ends?: TerminalStatus
}

/** Returns a reason as the API sends it. `type`: address of the page about this reason. */
export function describeReason(code: ReasonCode, baseUrl: string) {
  const { message, retryable } = REASONS[code]
  return { code, message, retryable, type: `${baseUrl}/problems/${code}` }
}

/**
 * Returns a function that creates the rows of one family (kind of reasons). `wallet`: default wallet error.
 */
const attempt =
  (family: ReasonFamily, wallet: WalletErrorKind = 'presentation') =>
  (message: string, error = wallet) =>
    ({ family, message, wallet: error, retryable: true }) as const

/**
 * Returns a function that creates the rows of reasons for a rejection. A retry cannot help, because the same
 * credential is rejected again.
 */
const rejection =
  (family: ReasonFamily, wallet: WalletErrorKind = 'presentation') =>
  (message: string) =>
    ({ family, message, wallet, retryable: false, ends: 'rejected' }) as const

const flow = (message: string, ends?: TerminalStatus) =>
  ({ family: 'flow', message, wallet: null, retryable: true, ...(ends && { ends }) }) as const

const form = attempt('envelope', 'form')
const state = attempt('envelope', 'state')
const encryption = attempt('envelope', 'encryption')
const envelope = attempt('envelope')
const credential = attempt('credential')
const holder = attempt('holder')
const trust = attempt('trust')
const status = attempt('status', 'unavailable')
const revocation = rejection('status')
const validity = rejection('policy')
const value = rejection('policy', 'query')

/** The catalogue, by family. */
export const REASONS = {
  malformed_response: form('The wallet sent something that is not a response of the protocol.'),
  limit_exceeded: form('The response exceeds a limit of size, depth or count.'),
  response_too_large: form('The response is too large for the evidence of the verification.'),
  missing_state: state('The response has no state, so it belongs to no request.'),
  unknown_state: state('The response names a request that this verification never made.'),
  request_superseded: envelope(
    'The response is for a QR code that was replaced by a newer one.',
    'superseded',
  ),
  state_mismatch: state('State and encryption key belong to different requests.'),
  encryption_required: encryption('The request requires an encrypted response.'),
  unexpected_encryption: envelope('The request requires a plain response.', 'plain'),
  unknown_encryption_key: encryption('This verification never made the encryption key.'),
  unsupported_encryption: encryption('The encryption algorithm was not offered.'),
  decryption_failed: encryption('The response cannot be decrypted.'),
  invalid_vp_token: form('The VP Token does not have the form of OpenID4VP 1.0.'),
  invalid_presentation_submission: form('The presentation submission is missing or invalid.'),
  unknown_credential_query: form('The response has a presentation that no credential query requested.'),
  wrong_presentation_count: form('The response has too many or too few presentations.'),
  query_not_satisfied: envelope('The presented credentials do not satisfy the query.', 'query'),
  transaction_data_missing: envelope(
    'The presentation does not confirm the transaction data.',
    'transaction',
  ),
  malformed_credential: credential('The credential is not well-formed.'),
  document_not_returned: credential('The wallet returned no document.'),
  unsupported_algorithm: credential('The signature algorithm is not accepted.'),
  unsupported_critical_header: credential('A required extension is not supported.'),
  wrong_token_type: credential('The type header is not that of the format.'),
  unknown_credential_type: credential('The credential has a type that was not requested.'),
  invalid_issuer_signature: credential('The signature of the issuer is not valid.'),
  malformed_disclosure: credential('A disclosure is not well-formed.'),
  unreferenced_disclosure: credential('The issuer did not sign a presented disclosure.'),
  duplicate_digest: credential('A digest occurs twice in the credential.'),
  unsupported_hash_algorithm: credential('The hash algorithm of the digests is not accepted.'),
  forbidden_disclosure: credential('A disclosed claim must be in the signed part, or is there already.'),
  invalid_claim: credential('A claim of the format is missing or has the wrong type.'),
  holder_binding_missing: holder('The presenter did not prove possession of the credential.'),
  holder_key_missing: holder('The credential names no key of its holder.'),
  holder_key_unavailable: holder('The key of the holder could not be fetched.', 'unavailable'),
  malformed_holder_binding: holder('The proof of possession is not well-formed.'),
  invalid_holder_signature: holder('The signature of the proof of possession is not valid.'),
  nonce_mismatch: holder('The presentation was made for another request.'),
  audience_mismatch: holder('The presentation was made for another verifier.'),
  sd_hash_mismatch: holder('The proof of possession covers other disclosures.'),
  holder_binding_not_current: holder('The proof of possession was not made during this request.'),
  transaction_data_mismatch: holder(
    'The person confirmed other transaction data than that of this request.',
    'transaction',
  ),
  untrusted_issuer: trust('No trust anchor for this credential type covers the issuer.'),
  malformed_certificate_chain: trust("The issuer's certificate chain is not well-formed."),
  invalid_certificate_path: trust("The issuer's certificates do not form a valid path to a trust anchor."),
  certificate_expired: trust('A certificate of the issuer has expired.'),
  certificate_not_yet_valid: trust('A certificate of the issuer is not valid yet.'),
  certificate_profile_violation: trust('A certificate of the issuer must not be used to sign credentials.'),
  certificate_revoked: trust('A certificate of the issuer was revoked.'),
  certificate_status_unavailable: trust(
    'The revocation of a certificate of the issuer could not be checked.',
    'unavailable',
  ),
  trust_anchor_in_chain: trust("The issuer's certificate chain contains the trust anchor itself."),
  self_signed_certificate: trust("The issuer's certificate is self-signed."),
  issuer_key_not_found: trust('The issuer has no key for this signature.'),
  issuer_metadata_invalid: trust("The issuer's metadata is not valid."),
  issuer_metadata_unavailable: trust("The issuer's metadata could not be fetched.", 'unavailable'),
  trust_list_unavailable: trust('A list of trusted issuers is unavailable or stale.', 'unavailable'),
  status_unavailable: status('The revocation of the credential could not be checked.'),
  credential_revoked: revocation('The issuer has revoked the credential.'),
  credential_suspended: revocation('The issuer has suspended the credential.'),
  predicate_false: value('The credential does not prove what was requested.'),
  value_mismatch: value('A claim has another value than the requested one.'),
  holder_key_mismatch: value('The credentials are not all bound to the same key of their holder.'),
  assurance_level_too_low: validity('The assurance level of the credential is lower than the required one.'),
  credential_expired: validity('The credential has expired.'),
  credential_not_yet_valid: validity('The credential is not valid yet.'),
  wallet_error: flow('The wallet reported an error of its own.'),
  access_denied: flow('The person declined, or the wallet has no matching credential.', 'declined'),
  declined_on_page: flow('The person declined on the page, without a wallet.', 'declined'),
  same_device_return_missing: flow(
    'The wallet responded, but the person did not return to the browser where they began.',
  ),
  evidence_unavailable: {
    family: 'flow',
    message: 'The evidence of the verification could not be sealed.',
    wallet: 'unavailable',
    retryable: true,
  },
  session_expired: flow('No valid response arrived in time.', 'expired'),
  canceled_by_relying_party: flow('The relying party canceled the verification.', 'canceled'),
} as const satisfies Readonly<Record<ReasonCode, Reason>>
