// Input for the evidence of one verification. It contains all data that the container writer needs. The
// writer reads no clock, no storage, no network and no random source.

import type { JsonObject } from '../../codec/json.ts'
import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import type { MultiSignedRequest } from '../../openid4vp/request/request-object.ts'
import type { TracedCheck } from '../../openid4vp/response/verify-response.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import type { Decision } from '../../policy/policy.ts'
import type { EvaluationRules, SessionInputs } from '../evaluation/record.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The build of the service. */
export type Software = {
  readonly name: string
  readonly version: string
  /** Absent if the deployment does not state its commit. */
  readonly commit?: string | undefined
  /** SHA-256 of the served bundle, in hexadecimal. Absent if the deployment does not state it. */
  readonly bundle_sha256?: string | undefined
}

/** The request that was answered, as the wallet received it. */
export type AnsweredRequest =
  /**
   * The Request Object, a compact JWS. Also the signed request of the Digital Credentials API, even if the
   * wallet answered the unsigned request that was offered beside it.
   */
  | { readonly kind: 'request_object'; readonly jwt: string }
  /** The request of `openid4vp-v1-multisigned`, with the signature of each identity. */
  | { readonly kind: 'multi_signed'; readonly request: MultiSignedRequest }
  /**
   * The parameters of a request without a signature, built again from the session. For a response in the
   * channel `by_value`, the wallet may have received other parameters, which are not stored.
   */
  | { readonly kind: 'unsigned'; readonly parameters: JsonObject }
  /** ISO/IEC TS 18013-7 Annex C: both CBOR messages, decoded from base64url. */
  | { readonly kind: 'annex_c'; readonly deviceRequest: Bytes; readonly encryptionInfo: Bytes }

/** An encrypted response as the wallet sent it, and the private key that decrypts it. */
export type EncryptedResponse = {
  /** Value of the member `response`: a JWE, or the base64url text of Annex C. */
  readonly text: string
  readonly key: PrivateJwk & { readonly kid?: string }
}

/** A public resource that the evaluation used, as fetched. Times are Unix seconds. */
export type FetchedMaterial = {
  /** Hexadecimal. */
  readonly sha256: string
  /** Number of bytes. */
  readonly bytes: number
  readonly media_type: string
  /** URL from which the resource was fetched. */
  readonly source: string
  readonly fetched_at: number
}

/**
 * A DID document, issuer metadata or an issuer's key set, as fetched. The container has a file for each of
 * them. The DID document of the verifier itself was not fetched, so it has no `source`.
 */
export type FetchedKeys = {
  readonly kind: 'did' | 'issuer'
  readonly body: Bytes
  readonly source?: string
  /** Unix seconds. */
  readonly fetched_at?: number
}

/** An item that the container lacks, and the reason. */
export type MissingItem = {
  readonly what: 'status' | 'certificate_revocation' | 'request' | 'trust_list'
  /** For example `accepted_as_unavailable`, `off`, `by_value`, `unsigned`, `not_kept`. */
  readonly reason: string
}

/** `decision.json` without its version and its salt. */
export type RecordedDecision = EvaluationRules & {
  /**
   * Members of the create request that `policy_hash` covers. `hashJson` of these members is the
   * `policy_hash`.
   */
  readonly asked: JsonObject
  /** The decision without its claims. The presentations contain the claims. */
  readonly decision: Omit<Decision, 'claims'>
  readonly trace: readonly TracedCheck[]
}

/** Everything from which the evidence of one verification is written. */
export type EvidenceInput = {
  readonly software: Software
  readonly verification_id: string
  readonly relying_party_id: string
  readonly livemode: boolean
  /** Times in Unix milliseconds. Every check used `decided_at` as the current time. */
  readonly requested_at: number
  readonly received_at: number
  readonly decided_at: number
  readonly request: AnsweredRequest
  /** Number of times that the answered request was sent. 0 for an unsigned request. */
  readonly requests_fetched: number
  readonly session: SessionInputs
  /** Presentations by credential query, in the order in which they were verified. */
  readonly groups: readonly PresentationGroup[]
  readonly encrypted: EncryptedResponse | null
  /**
   * DER certificates of every verified certificate path. The container also gets the certificates in
   * `decision.trust.anchors`.
   */
  readonly certificates: readonly Bytes[]
  readonly fetched_keys: readonly FetchedKeys[]
  /** Public keys of the service, each with its `kid`. */
  readonly service_keys: readonly (PublicJwk & { readonly kid: string })[]
  readonly decision: RecordedDecision
  readonly materials: readonly FetchedMaterial[]
  readonly missing: readonly MissingItem[]
  /** Members of the receipt, without `evidence_hash` and `session_binding`. */
  readonly receipt: JsonObject
  /** True if a time stamp will be added: the manifest then names it. */
  readonly time_stamp: boolean
  /** Random salts of 16 bytes for `evidence.json`, `decision.json` and `request/session.json`. */
  readonly salts: { readonly evidence: Bytes; readonly decision: Bytes; readonly session: Bytes }
}

/**
 * Signs the payload of `statement.jws` with the key that signs receipts. Returns a compact JWS with this
 * `typ`.
 */
export type SignStatement = (payload: object, typ: string) => Promise<string>
