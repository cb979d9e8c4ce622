// Advice for the relying party about each reason, for docs/statuses-and-reasons.md and the console.

import { REASONS, type ReasonCode } from '../../src/session/document/reasons.ts'

/** Advice of many reasons, by a word that `REASON_ADVICE` has between asterisks. */
export const ADVICE_WORDS = {
  wallet: 'None. If one wallet repeats it, report it to the maker of the wallet.',
  issuer: 'None. If every credential of one issuer fails like this, report it to the issuer.',
  tampering: 'None. No correct wallet sends this.',
  later: 'None: the wallet may try again. If it lasts, check the source that is unavailable.',
}

const REFUSE = 'Refuse. The same credential leads to the same result.'

/** A reason without advice does not compile. */
export const REASON_ADVICE: Readonly<Record<ReasonCode, string>> = {
  malformed_response: '*wallet*',
  limit_exceeded: '*wallet*',
  missing_state: '*wallet*',
  unknown_state: '*tampering*',
  request_superseded:
    'None: the person scans again. If it is frequent, draw the QR code later or renew it more often.',
  state_mismatch: '*tampering*',
  encryption_required: '*wallet*',
  unexpected_encryption: '*wallet*',
  unknown_encryption_key: '*tampering*',
  unsupported_encryption: '*wallet*',
  decryption_failed: '*wallet*',
  invalid_vp_token: '*wallet*',
  invalid_presentation_submission: '*wallet*',
  unknown_credential_query: '*wallet*',
  wrong_presentation_count: '*wallet*',
  query_not_satisfied: 'None: the wallet left out something you requested. If it is frequent, request less.',
  transaction_data_missing: 'Do not act on the transaction. The wallet may not know its type.',
  malformed_credential: '*issuer*',
  document_not_returned:
    "None: the wallet did not return the document. The attempt's `document_errors` has the wallet's codes.",
  unsupported_algorithm: '*issuer*',
  unsupported_critical_header: '*issuer*',
  wrong_token_type: '*issuer*',
  unknown_credential_type: '*wallet*',
  invalid_issuer_signature: '*tampering*',
  malformed_disclosure: '*wallet*',
  unreferenced_disclosure: '*tampering*',
  duplicate_digest: '*issuer*',
  unsupported_hash_algorithm: '*issuer*',
  forbidden_disclosure: '*issuer*',
  invalid_claim: '*issuer*',
  holder_binding_missing: '*wallet*',
  holder_key_missing: '*issuer*',
  holder_key_unavailable: '*later*',
  malformed_holder_binding: '*wallet*',
  invalid_holder_signature: '*tampering*',
  nonce_mismatch: '*tampering*',
  audience_mismatch: '*tampering*',
  sd_hash_mismatch: '*tampering*',
  holder_binding_not_current: 'None: the clock of the phone may be wrong.',
  transaction_data_mismatch: 'Do not act on the transaction.',
  untrusted_issuer:
    'Add a trust anchor for the issuer, if you trust it. `claimed_issuer` of the attempt says which one it claims to be.',
  malformed_certificate_chain: '*issuer*',
  invalid_certificate_path: 'Compare your anchor with the authority that the issuer uses now.',
  certificate_expired: '*issuer*',
  certificate_not_yet_valid: '*issuer*',
  certificate_profile_violation:
    "Tell the issuer: the attempt's `detail` names the rule that a certificate violates.",
  certificate_revoked: '*issuer*',
  certificate_status_unavailable:
    'None: the wallet may try again. To accept unchecked certificates as `low`, set `certificate_revocation: "accept_unknown"`.',
  trust_anchor_in_chain:
    'If you entered the certificate that signs the credentials as `x509_ca_pem`, pin it as `x509_certificate_pem`. With `haip-1.0`, the issuer must leave the anchor out of its chain.',
  self_signed_certificate:
    'If you trust exactly this certificate, pin it as `x509_certificate_pem`. For SD-JWT VCs, use another protocol than `haip-1.0`, which accepts no self-signed signer, pinned or not.',
  issuer_key_not_found: 'If the issuer changed its keys, put the new ones into its anchor.',
  issuer_metadata_invalid: '*issuer*',
  issuer_metadata_unavailable: '*later*',
  trust_list_unavailable:
    'None: the wallet may try again. `/readyz` names the list, and `last_attempt` says what failed.',
  status_unavailable:
    'None: the wallet may try again. To accept unchecked credentials as `low`, set `status_unavailable: "accept"`.',
  credential_revoked: REFUSE,
  credential_suspended: 'Refuse. The issuer may lift the suspension: the person asks the issuer.',
  predicate_false: REFUSE,
  value_mismatch: REFUSE,
  holder_key_mismatch: 'Refuse, or do not require one key: many wallets have a key for each credential.',
  assurance_level_too_low:
    'Refuse, or require less: `assurance_derivation` shows the step that lowered the level.',
  credential_expired: 'Refuse. The person gets a new credential from the issuer.',
  credential_not_yet_valid: 'Refuse. The credential will be valid later.',
  wallet_error: 'None: the person can try again.',
  access_denied: 'Offer another way, or the same again.',
  declined_on_page: 'Offer another way at once: the person may have no wallet.',
  same_device_return_missing:
    'None: the person opens the wallet from the page again. Someone else may have used a link that was passed on.',
  response_too_large:
    'Ask for fewer or smaller claims, such as no portrait: the evidence would exceed 3 MiB.',
  evidence_unavailable: 'None: the wallet may try again. The log of the service says what failed.',
  session_expired: 'Offer to start again.',
  canceled_by_relying_party: 'None: you canceled it.',
}

/** Returns console/reasons.json: family and advice of each reason. */
export function describeReasons(): string {
  const words: Readonly<Record<string, string>> = ADVICE_WORDS
  const rows = Object.entries(REASON_ADVICE).map(([code, advice]) => {
    const { family } = REASONS[code as ReasonCode]
    return [code, { family, advice: words[/^\*(\w+)\*$/.exec(advice)?.[1] ?? ''] ?? advice }]
  })
  return JSON.stringify(Object.fromEntries(rows), null, 2)
}
