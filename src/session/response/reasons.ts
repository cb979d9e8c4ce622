// The published catalogue of reasons (CONTRACT 9): one exhaustive union, stable within /v1, in families. A reason that a
// lower room adds to its union does not compile until it has its line here.

import type { ReasonCode, ReasonDescription } from './reason-code.ts'

/** The wire form of a reason. `type`: the address of its page, as of a problem. */
export function describeReason(code: ReasonCode, baseUrl: string) {
  const { message, retryable } = REASONS[code]
  return { code, message, retryable, type: `${baseUrl}/problems/${code}` }
}

/** The catalogue, by family. */
export const REASONS: Readonly<Record<ReasonCode, ReasonDescription>> = {
  malformed_response: {
    family: 'envelope',
    message: 'The wallet sent something that is not an OpenID4VP response.',
    retryable: true,
  },
  limit_exceeded: {
    family: 'envelope',
    message: 'The response exceeds a limit of size, depth or count.',
    retryable: true,
  },
  missing_state: {
    family: 'envelope',
    message: 'The response names no request: its state is missing.',
    retryable: true,
  },
  unknown_state: {
    family: 'envelope',
    message: 'The response names a request that this verification never made.',
    retryable: true,
  },
  request_superseded: {
    family: 'envelope',
    message: 'The response answers a QR that was replaced by a newer one.',
    retryable: true,
  },
  state_mismatch: {
    family: 'envelope',
    message: 'State and encryption key of the response belong to different requests.',
    retryable: true,
  },
  encryption_required: {
    family: 'envelope',
    message: 'The wallet sent in the clear what it was asked to encrypt.',
    retryable: true,
  },
  unexpected_encryption: {
    family: 'envelope',
    message: 'The wallet encrypted a response that was asked for in the clear.',
    retryable: true,
  },
  unknown_encryption_key: {
    family: 'envelope',
    message: 'The response is encrypted for a key that this verification never made.',
    retryable: true,
  },
  unsupported_encryption: {
    family: 'envelope',
    message: 'The response is encrypted in a way that was not offered.',
    retryable: true,
  },
  decryption_failed: { family: 'envelope', message: 'The response does not decrypt.', retryable: true },
  invalid_vp_token: {
    family: 'envelope',
    message: 'The VP Token does not have the form of OpenID4VP 1.0.',
    retryable: true,
  },
  invalid_presentation_submission: {
    family: 'envelope',
    message: 'The response does not say, in the form that was asked for, what it presents.',
    retryable: true,
  },
  unknown_credential_query: {
    family: 'envelope',
    message: 'The VP Token answers a query that was not asked.',
    retryable: true,
  },
  wrong_presentation_count: {
    family: 'envelope',
    message: 'The VP Token holds more or fewer presentations than were asked for.',
    retryable: true,
  },
  query_not_satisfied: {
    family: 'envelope',
    message: 'What was presented does not answer the query.',
    retryable: true,
  },
  transaction_data_missing: {
    family: 'envelope',
    message: 'What was presented does not confirm the transaction data.',
    retryable: true,
  },
  malformed_credential: {
    family: 'credential',
    message: 'The credential is not well-formed.',
    retryable: true,
  },
  unsupported_algorithm: {
    family: 'credential',
    message: 'The credential is signed with an algorithm that is not accepted.',
    retryable: true,
  },
  unsupported_critical_header: {
    family: 'credential',
    message: 'The credential demands an extension that is not understood.',
    retryable: true,
  },
  wrong_token_type: {
    family: 'credential',
    message: 'The credential does not have the type header of its format.',
    retryable: true,
  },
  unknown_credential_type: {
    family: 'credential',
    message: 'The credential is of a type that was not asked for.',
    retryable: true,
  },
  invalid_issuer_signature: {
    family: 'credential',
    message: "The issuer's signature does not verify.",
    retryable: true,
  },
  malformed_disclosure: {
    family: 'credential',
    message: 'A disclosure is not well-formed.',
    retryable: true,
  },
  unreferenced_disclosure: {
    family: 'credential',
    message: 'A disclosure was presented that the issuer never signed.',
    retryable: true,
  },
  duplicate_digest: {
    family: 'credential',
    message: 'A digest occurs twice in the credential.',
    retryable: true,
  },
  unsupported_hash_algorithm: {
    family: 'credential',
    message: "The credential's digests use a hash that is not accepted.",
    retryable: true,
  },
  forbidden_disclosure: {
    family: 'credential',
    message: 'A disclosure brings a claim that must stand in the signed part, or one that is there already.',
    retryable: true,
  },
  invalid_claim: {
    family: 'credential',
    message: 'A claim that the format defines is missing or of the wrong type.',
    retryable: true,
  },
  holder_binding_missing: {
    family: 'holder',
    message: 'The presentation does not prove that the presenter holds the credential.',
    retryable: true,
  },
  holder_key_missing: {
    family: 'holder',
    message: 'The credential names no key that its holder could prove.',
    retryable: true,
  },
  holder_key_unavailable: {
    family: 'holder',
    message: "The holder's key could not be fetched from where the credential says it stands.",
    retryable: true,
  },
  malformed_holder_binding: {
    family: 'holder',
    message: 'The proof of possession is not well-formed.',
    retryable: true,
  },
  invalid_holder_signature: {
    family: 'holder',
    message: 'The proof of possession does not verify.',
    retryable: true,
  },
  nonce_mismatch: {
    family: 'holder',
    message: 'The presentation was made for another request.',
    retryable: true,
  },
  audience_mismatch: {
    family: 'holder',
    message: 'The presentation was made for another verifier.',
    retryable: true,
  },
  sd_hash_mismatch: {
    family: 'holder',
    message: 'The proof of possession covers other disclosures than were presented.',
    retryable: true,
  },
  holder_binding_not_current: {
    family: 'holder',
    message: 'The proof of possession was not made at the time of this request.',
    retryable: true,
  },
  transaction_data_mismatch: {
    family: 'holder',
    message: 'The person confirmed something other than the transaction data of this request.',
    retryable: true,
  },
  untrusted_issuer: {
    family: 'trust',
    message: 'No trust anchor for this credential type vouches for the issuer.',
    retryable: true,
  },
  malformed_certificate_chain: {
    family: 'trust',
    message: "The issuer's certificate chain is not well-formed.",
    retryable: true,
  },
  invalid_certificate_path: {
    family: 'trust',
    message: "The issuer's certificates do not form a valid path to a trust anchor.",
    retryable: true,
  },
  certificate_expired: {
    family: 'trust',
    message: 'A certificate of the issuer has expired.',
    retryable: true,
  },
  certificate_not_yet_valid: {
    family: 'trust',
    message: 'A certificate of the issuer is not valid yet.',
    retryable: true,
  },
  certificate_profile_violation: {
    family: 'trust',
    message: 'A certificate of the issuer may not be used for signing credentials.',
    retryable: true,
  },
  certificate_revoked: {
    family: 'trust',
    message: 'A certificate of the issuer was revoked.',
    retryable: true,
  },
  certificate_status_unavailable: {
    family: 'trust',
    message: 'Whether a certificate of the issuer was revoked could not be checked.',
    retryable: true,
  },
  trust_anchor_in_chain: {
    family: 'trust',
    message: "The issuer's certificate chain contains the trust anchor itself.",
    retryable: true,
  },
  self_signed_certificate: {
    family: 'trust',
    message: "The issuer's certificate is self-signed.",
    retryable: true,
  },
  issuer_key_not_found: {
    family: 'trust',
    message: 'The issuer has no key that this signature could have been made with.',
    retryable: true,
  },
  issuer_metadata_invalid: {
    family: 'trust',
    message: "The issuer's metadata is not acceptable.",
    retryable: true,
  },
  issuer_metadata_unavailable: {
    family: 'trust',
    message: "The issuer's metadata could not be fetched.",
    retryable: true,
  },
  trust_list_unavailable: {
    family: 'trust',
    message: 'A list that may name the issuer is not to be had, or too old to be used.',
    retryable: true,
  },
  status_unavailable: {
    family: 'status',
    message: 'Whether the credential was revoked could not be checked.',
    retryable: true,
  },
  credential_revoked: {
    family: 'status',
    message: 'The issuer has revoked the credential.',
    retryable: false,
  },
  credential_suspended: {
    family: 'status',
    message: 'The issuer has suspended the credential.',
    retryable: false,
  },
  predicate_false: {
    family: 'policy',
    message: 'The credential does not prove what was asked.',
    retryable: false,
  },
  value_mismatch: {
    family: 'policy',
    message: 'A claim has another value than was asked for.',
    retryable: false,
  },
  assurance_level_too_low: {
    family: 'policy',
    message: "The credential's assurance level is lower than the required one.",
    retryable: false,
  },
  credential_expired: { family: 'policy', message: 'The credential has expired.', retryable: false },
  credential_not_yet_valid: {
    family: 'policy',
    message: 'The credential is not valid yet.',
    retryable: false,
  },
  wallet_error: { family: 'flow', message: 'The wallet reported an error of its own.', retryable: true },
  access_denied: {
    family: 'flow',
    message: 'The person declined, or the wallet has nothing that fits.',
    retryable: true,
  },
  same_device_return_missing: {
    family: 'flow',
    message: 'The wallet answered, but the person did not come back to the browser where they began.',
    retryable: true,
  },
  session_expired: { family: 'flow', message: 'Nobody answered in time.', retryable: true },
  canceled_by_relying_party: {
    family: 'flow',
    message: 'The relying party canceled the verification.',
    retryable: true,
  },
}
