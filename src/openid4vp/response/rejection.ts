// Why an answer is refused before, around or instead of the verification of its presentations. None of these ends a
// session: the answer is an attempt and the session stays pending (CONTRACT 4).

import type { Rejection } from '../../formats/format.ts'

/** A fault of the answer as a whole: its form, its encryption, what it answers. */
export type EnvelopeRejection =
  /** Not one of the three forms of OpenID4VP 1.0 §8 (vp_token, response, error), or two of them at once. */
  | { readonly reason: 'malformed_response' }
  | { readonly reason: 'limit_exceeded' }
  /** We always send a `state`, so every answer carries it (§5.3, §14.3.2). */
  | { readonly reason: 'missing_state' }
  | { readonly reason: 'unknown_state' }
  /** Names a request that was alive once (CONTRACT 3). */
  | { readonly reason: 'request_superseded' }
  /** `state` and encryption key belong to different requests. */
  | { readonly reason: 'state_mismatch' }
  /** A plain `vp_token` where `direct_post.jwt` was asked for would be a silent downgrade (§8.3.1). */
  | { readonly reason: 'encryption_required' }
  | { readonly reason: 'unexpected_encryption' }
  /** `kid` is absent or names no key of ours (§8.3). */
  | { readonly reason: 'unknown_encryption_key' }
  /** `alg` or `enc` was not offered, or the header asks for `zip` or a critical extension. */
  | { readonly reason: 'unsupported_encryption' }
  | { readonly reason: 'decryption_failed' }
  /** Not an object of non-empty arrays of strings or objects (§8.1). */
  | { readonly reason: 'invalid_vp_token' }
  /** Not a submission to our presentation definition (DIF Presentation Exchange 2.1 §6), or none where one is due. */
  | { readonly reason: 'invalid_presentation_submission' }
  | { readonly reason: 'unknown_credential_query' }
  /** No presentation, or several where the query is not `multiple` (§8.1). */
  | { readonly reason: 'wrong_presentation_count' }
  /** Authentic, as far as it goes, but not an answer to the query (§6.4, §8.6). */
  | { readonly reason: 'query_not_satisfied' }
  /** No credential that counts confirms the transaction data, or one of them (§8.4). */
  | { readonly reason: 'transaction_data_missing' }

/** Everything that can be wrong with an answer. */
export type ResponseRejection = EnvelopeRejection | Rejection
