// Recorded inputs of an evaluation. The service evaluates a response from these inputs, and evidence
// contains them. So `evidence verify` runs the same evaluation again, without the service.

import type { Handover } from '../../formats/verification/format.ts'
import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import type { ProtocolId, QueryLanguage } from '../../openid4vp/request/generation.ts'
import type { CredentialTypeDefinition, Policy } from '../../policy/policy.ts'
import type { AssuranceLevel, TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { CertificateRevocation } from '../../trust/revocation/certificate-revocation.ts'

/** Omits the property `K` from each type of the union `T`. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Values that bind the response to its request. Every presentation is verified with them. */
export type BindingInputs = {
  /** `protocol` of the create request. A response by Annex C does not change this value. */
  readonly protocol: ProtocolId
  /** True if the response came by `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C). */
  readonly annex_c: boolean
  readonly channel: 'qr' | 'link' | 'dc_api' | 'by_value'
  readonly nonce: string
  /** The one accepted audience of a key binding (`RequestBinding.audience`). */
  readonly audience: string
  /**
   * Handover that an mdoc device signs, without our encryption key. `response/response-key.jwk` contains the
   * key.
   */
  readonly handover: Without<Handover, 'encryptionKey'>
  /** The query as the wallet received it. */
  readonly query: DcqlQuery
  /** Exact texts of the requested transactions. Null: none. */
  readonly transaction_data: readonly string[] | null
  /** Time of the request in Unix seconds. */
  readonly requested_at: number
}

/**
 * Content of `request/session.json`: values that bind the response, and values needed to read the response
 * again.
 */
export type SessionInputs = BindingInputs & {
  /** Client Identifier of the request; null if the request has none. */
  readonly client_id: string | null
  /** `state` of the request; null if the request has none. */
  readonly state: string | null
  /** SHA-256 thumbprint (RFC 7638, base64url) of the response key; null if the response is not encrypted. */
  readonly response_key_thumbprint: string | null
  /** Response mode of the request; null if its protocol has none. */
  readonly response_mode: string | null
  readonly language: QueryLanguage
}

/** Rules and clock of the evaluation. They are members of `decision.json`. */
export type EvaluationRules = {
  /** Unix seconds: the time that every check used. */
  readonly now: number
  /**
   * Seconds by which the clocks of others could differ from `now`. Earlier versions did not record this
   * value. Their evidence is evaluated with 60 seconds.
   */
  readonly clock_skew?: number
  readonly policy: Policy & {
    readonly required_assurance_level: AssuranceLevel
    readonly require_same_holder_key: boolean
  }
  /** True if the request was passed by value and not bound to one browser: anyone may have answered it. */
  readonly unbound: boolean
  /** Types that the relying party added. */
  readonly credential_types: readonly CredentialTypeDefinition[]
  readonly trust: {
    readonly anchors: readonly TrustAnchor[]
    /** Names of the sets of anchors that may vouch for credentials. Null: every anchor. */
    readonly anchor_sets: readonly string[] | null
    /** True if the issuer of the sandbox is accepted. */
    readonly sandbox: boolean
    readonly status_unavailable: 'refuse' | 'accept'
    readonly certificate_revocation: CertificateRevocation
  }
}
