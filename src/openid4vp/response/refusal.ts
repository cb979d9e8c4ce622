// Reasons to refuse an authorization response. A refused response is stored as an attempt; the session stays
// pending (api/outcome).

import type { PresentationRefusal } from '../../formats/verification/format.ts'
import type { NamedSigner } from '../../trust/anchors/signer.ts'

/**
 * Refusal of the whole response, because of its form, its encryption, or the request that the response
 * answers.
 */
export type EnvelopeRefusal = {
  readonly reason: /** Not exactly one of vp_token, response and error (OpenID4VP 1.0 §8). */
    | 'malformed_response'
    | 'limit_exceeded'
    /** Every request of the redirect flow has a `state`, which the response must repeat (§5.3, §14.3.2). */
    | 'missing_state'
    | 'unknown_state'
    /** The response names a request that has been replaced (api/request). */
    | 'request_superseded'
    /** `state` and encryption key belong to different requests. */
    | 'state_mismatch'
    /** A plain `vp_token`, although the request has the response mode `direct_post.jwt` (§8.3.1). */
    | 'encryption_required'
    | 'unexpected_encryption'
    /** `kid` is absent or names none of our keys (§8.3). */
    | 'unknown_encryption_key'
    /** `alg` or `enc` was not offered, or the header has `zip` or a critical extension. */
    | 'unsupported_encryption'
    | 'decryption_failed'
    /** Not an object of non-empty arrays of strings or objects (§8.1). */
    | 'invalid_vp_token'
    /**
     * The required submission is missing or malformed, or names another definition (DIF Presentation Exchange
     * 2.1 §6).
     */
    | 'invalid_presentation_submission'
    | 'unknown_credential_query'
    /** No presentation, or several for a query that is not `multiple` (§8.1). */
    | 'wrong_presentation_count'
    /** The presentations are authentic but do not satisfy the query (§6.4, §8.6). */
    | 'query_not_satisfied'
    /** No credential that the decision uses confirms the transaction (§8.4). */
    | 'transaction_data_missing'
} & PresentationPlace

/** Every refusal of a response. */
export type ResponseRefusal = EnvelopeRefusal | (PresentationRefusal & PresentationPlace)

/** The presentation that a refusal concerns, if any. */
type PresentationPlace = {
  /** Id of the presentation's credential query. */
  readonly queryId?: string
  /** The signer that the presented credential names. The signer is not verified. */
  readonly signer?: NamedSigner
}
