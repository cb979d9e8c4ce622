// The published catalogue of reasons (CONTRACT 9), stable within /v1. One row says all there is about a
// reason. A reason that another room adds to its union does not compile until it has a row here.

import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import type { PolicyReason } from '../../policy/policy.ts'
import type { TerminalStatus } from '../state.ts'

/** Reasons of a response that is refused: an attempt. */
export type RefusalReason = ResponseRefusal['reason'] | PolicyReason | 'trust_list_unavailable'

/** Every reason of an attempt or of a session's end. */
export type ReasonCode =
  | RefusalReason
  | 'wallet_error'
  | 'access_denied'
  | 'session_expired'
  | 'canceled_by_relying_party'
  | 'same_device_return_missing'

export type ReasonFamily = 'envelope' | 'credential' | 'holder' | 'trust' | 'status' | 'policy' | 'flow'

/** The error that a wallet gets for a refused response. Its text is in routes/wallet. */
type WalletErrorKind =
  | 'form'
  | 'state'
  | 'superseded'
  | 'encryption'
  | 'query'
  | 'transaction'
  | 'presentation'
  | 'unavailable'

/** One row of the catalogue. */
export type Reason = {
  readonly family: ReasonFamily
  /** Null where no response is refused for this reason. */
  readonly wallet: WalletErrorKind | null
  /**
   * Advice for the relying party, printed in docs/statuses-and-reasons.md. It costs 0.5 KB of the bundle,
   * gzipped.
   */
  readonly advice: string
  readonly message: string
  /** True if the same person may succeed with another try. */
  readonly retryable: boolean
  /** The status of a session that ends for this reason; absent for the reason of an attempt. */
  readonly ends?: TerminalStatus
}

/** The wire form of a reason. `type` is the address of its page, as for a problem. */
export function describeReason(code: ReasonCode, baseUrl: string) {
  const { message, retryable } = REASONS[code]
  return { code, message, retryable, type: `${baseUrl}/problems/${code}` }
}

// The advice for most reasons. docs/statuses-and-reasons.md explains the words.
const WALLET = '*wallet*'
const ISSUER = '*issuer*'
const TAMPERING = '*tampering*'
const LATER = '*later*'
const REFUSE = 'Refuse. The same credential leads to the same result.'

/** Returns the rows of one family. The wallet error is a default. */
const attempt =
  (family: ReasonFamily, wallet: WalletErrorKind = 'presentation') =>
  (advice: string, message: string, error = wallet) =>
    ({ family, advice, message, wallet: error, retryable: true }) as const

/** Returns the rows of rejections. The same credential leads to the same rejection. */
const rejection =
  (family: ReasonFamily, wallet: WalletErrorKind = 'presentation') =>
  (advice: string, message: string) =>
    ({ family, advice, message, wallet, retryable: false, ends: 'rejected' }) as const

const flow = (advice: string, message: string, ends?: TerminalStatus) =>
  ({ family: 'flow', advice, message, wallet: null, retryable: true, ...(ends && { ends }) }) as const

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
  malformed_response: form(WALLET, 'The wallet sent something that is not a response of the protocol.'),
  limit_exceeded: form(WALLET, 'The response exceeds a limit of size, depth or count.'),
  missing_state: state(WALLET, 'The response has no state, so it belongs to no request.'),
  unknown_state: state(TAMPERING, 'The response names a request that this verification never made.'),
  request_superseded: envelope(
    'None: the person scans again. If it is frequent, draw the QR code later or renew it more often.',
    'The response is for a QR code that was replaced by a newer one.',
    'superseded',
  ),
  state_mismatch: state(TAMPERING, 'State and encryption key belong to different requests.'),
  encryption_required: encryption(WALLET, 'The request requires an encrypted response.'),
  unexpected_encryption: encryption(WALLET, 'The request requires a plain response.'),
  unknown_encryption_key: encryption(TAMPERING, 'This verification never made the encryption key.'),
  unsupported_encryption: encryption(WALLET, 'The encryption algorithm was not offered.'),
  decryption_failed: encryption(WALLET, 'The response cannot be decrypted.'),
  invalid_vp_token: form(WALLET, 'The VP Token does not have the form of OpenID4VP 1.0.'),
  invalid_presentation_submission: form(WALLET, 'The presentation submission is missing or invalid.'),
  unknown_credential_query: form(
    WALLET,
    'The response has a presentation that no credential query requested.',
  ),
  wrong_presentation_count: form(WALLET, 'The response has too many or too few presentations.'),
  query_not_satisfied: envelope(
    'None: the wallet left out something you requested. If it is frequent, request less.',
    'The presented credentials do not satisfy the query.',
    'query',
  ),
  transaction_data_missing: envelope(
    'Do not act on the transaction. The wallet may not know its type.',
    'The presentation does not confirm the transaction data.',
    'transaction',
  ),
  malformed_credential: credential(ISSUER, 'The credential is not well-formed.'),
  document_not_returned: credential(
    "None: the wallet did not return the document. The attempt's `document_errors` has the wallet's codes.",
    'The wallet returned no document.',
  ),
  unsupported_algorithm: credential(ISSUER, 'The signature algorithm is not accepted.'),
  unsupported_critical_header: credential(ISSUER, 'A required extension is not supported.'),
  wrong_token_type: credential(ISSUER, 'The type header is not that of the format.'),
  unknown_credential_type: credential(WALLET, 'The credential has a type that was not requested.'),
  invalid_issuer_signature: credential(TAMPERING, 'The signature of the issuer is not valid.'),
  malformed_disclosure: credential(WALLET, 'A disclosure is not well-formed.'),
  unreferenced_disclosure: credential(TAMPERING, 'The issuer did not sign a presented disclosure.'),
  duplicate_digest: credential(ISSUER, 'A digest occurs twice in the credential.'),
  unsupported_hash_algorithm: credential(ISSUER, 'The hash algorithm of the digests is not accepted.'),
  forbidden_disclosure: credential(
    ISSUER,
    'A disclosed claim must be in the signed part, or is there already.',
  ),
  invalid_claim: credential(ISSUER, 'A claim of the format is missing or has the wrong type.'),
  holder_binding_missing: holder(WALLET, 'The presenter did not prove possession of the credential.'),
  holder_key_missing: holder(ISSUER, 'The credential names no key of its holder.'),
  holder_key_unavailable: holder(LATER, 'The key of the holder could not be fetched.', 'unavailable'),
  malformed_holder_binding: holder(WALLET, 'The proof of possession is not well-formed.'),
  invalid_holder_signature: holder(TAMPERING, 'The signature of the proof of possession is not valid.'),
  nonce_mismatch: holder(TAMPERING, 'The presentation was made for another request.'),
  audience_mismatch: holder(TAMPERING, 'The presentation was made for another verifier.'),
  sd_hash_mismatch: holder(TAMPERING, 'The proof of possession covers other disclosures.'),
  holder_binding_not_current: holder(
    'None: the clock of the phone may be wrong.',
    'The proof of possession was not made during this request.',
  ),
  transaction_data_mismatch: holder(
    'Do not act on the transaction.',
    'The person confirmed other transaction data than that of this request.',
    'transaction',
  ),
  untrusted_issuer: trust(
    'Add a trust anchor for the issuer, if you trust it.',
    'No trust anchor for this credential type covers the issuer.',
  ),
  malformed_certificate_chain: trust(ISSUER, "The issuer's certificate chain is not well-formed."),
  invalid_certificate_path: trust(
    'Compare your anchor with the authority that the issuer uses now.',
    "The issuer's certificates do not form a valid path to a trust anchor.",
  ),
  certificate_expired: trust(ISSUER, 'A certificate of the issuer has expired.'),
  certificate_not_yet_valid: trust(ISSUER, 'A certificate of the issuer is not valid yet.'),
  certificate_profile_violation: trust(
    "Tell the issuer: the attempt's `detail` names the rule that a certificate violates.",
    'A certificate of the issuer must not be used to sign credentials.',
  ),
  certificate_revoked: trust(ISSUER, 'A certificate of the issuer was revoked.'),
  certificate_status_unavailable: trust(
    'None: the wallet may try again. To accept unchecked certificates as `low`, set `certificate_revocation: "accept_unknown"`.',
    'The revocation of a certificate of the issuer could not be checked.',
    'unavailable',
  ),
  trust_anchor_in_chain: trust(ISSUER, "The issuer's certificate chain contains the trust anchor itself."),
  self_signed_certificate: trust(
    'If you trust exactly this certificate, pin it as `x509_certificate_pem`. For SD-JWT VCs, use another protocol than `haip-1.0`, which accepts no self-signed signer, pinned or not.',
    "The issuer's certificate is self-signed.",
  ),
  issuer_key_not_found: trust(
    'If the issuer changed its keys, put the new ones into its anchor.',
    'The issuer has no key for this signature.',
  ),
  issuer_metadata_invalid: trust(ISSUER, "The issuer's metadata is not valid."),
  issuer_metadata_unavailable: trust(LATER, "The issuer's metadata could not be fetched.", 'unavailable'),
  trust_list_unavailable: trust(
    'None: the wallet may try again. `/readyz` names the list, and `last_attempt` says what failed.',
    'A list of trusted issuers is unavailable or stale.',
    'unavailable',
  ),
  status_unavailable: status(
    'None: the wallet may try again. To accept unchecked credentials as `low`, set `status_unavailable: "accept"`.',
    'The revocation of the credential could not be checked.',
  ),
  credential_revoked: revocation(REFUSE, 'The issuer has revoked the credential.'),
  credential_suspended: revocation(
    'Refuse. The issuer may lift the suspension: the person asks the issuer.',
    'The issuer has suspended the credential.',
  ),
  predicate_false: value(REFUSE, 'The credential does not prove what was requested.'),
  value_mismatch: value(REFUSE, 'A claim has another value than the requested one.'),
  holder_key_mismatch: value(
    'Refuse, or do not require one key: many wallets have a key for each credential.',
    'The credentials are not all bound to the same key of their holder.',
  ),
  assurance_level_too_low: validity(
    'Refuse, or require less: `assurance_derivation` shows the step that lowered the level.',
    'The assurance level of the credential is lower than the required one.',
  ),
  credential_expired: validity(
    'Refuse. The person gets a new credential from the issuer.',
    'The credential has expired.',
  ),
  credential_not_yet_valid: validity(
    'Refuse. The credential will be valid later.',
    'The credential is not valid yet.',
  ),
  wallet_error: flow('None: the person can try again.', 'The wallet reported an error of its own.'),
  access_denied: flow(
    'Offer another way, or the same again.',
    'The person declined, or the wallet has no matching credential.',
    'declined',
  ),
  same_device_return_missing: flow(
    'None: the person opens the wallet from the page again. Someone else may have used a link that was passed on.',
    'The wallet responded, but the person did not return to the browser where they began.',
  ),
  session_expired: flow('Offer to start again.', 'No valid response arrived in time.', 'expired'),
  canceled_by_relying_party: flow(
    'None: you canceled it.',
    'The relying party canceled the verification.',
    'canceled',
  ),
} as const satisfies Readonly<Record<ReasonCode, Reason>>
