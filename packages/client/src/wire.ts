// What travels between a relying party and the service, in the wire's own words (CONTRACT 2, 4, 7 and 9). Members that later
// versions add are not in these types and do no harm.

/** How sure the service is of who vouched for the credential. */
export type AssuranceLevel = 'low' | 'substantial' | 'high'

/** All but `pending` are final. */
export type Status = 'pending' | 'verified' | 'rejected' | 'declined' | 'expired' | 'canceled'

/** Who is at the other end (CONTRACT 5). */
export type SessionBinding = 'none' | 'page' | 'relying_party'

/** A public P-256 key that claims are encrypted to. */
export type ClaimsEncryptionJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid?: string
}

/** What the person is asked to confirm (CONTRACT 2), with the members of its type. */
export type TransactionData = {
  readonly type: string
  readonly credential_ids?: readonly string[]
  readonly transaction_data_hashes_alg?: readonly ('sha-256' | 'sha-384' | 'sha-512')[]
  readonly [member: string]: unknown
}

/** Body of `POST /v1/verify`. Either `credential_types` with `scope`, or `dcql_query`. */
export type VerificationRequest = {
  readonly credential_types?: readonly string[]
  readonly scope?: readonly string[]
  readonly dcql_query?: object
  readonly required_assurance_level?: AssuranceLevel
  readonly metadata?: Readonly<Record<string, string>>
  readonly credential_match?: 'any' | 'all'
  readonly formats?: readonly string[]
  readonly protocol?: string
  readonly request_options?: {
    readonly client_id_prefix?: string
    readonly response_mode?: string
    readonly request_uri_method?: string
  }
  readonly required_session_binding?: SessionBinding
  readonly expires_in?: number
  readonly return_url?: string
  readonly locale?: string
  readonly purpose?: string
  readonly allow_derived?: boolean
  readonly transaction_data?: readonly TransactionData[]
  readonly claims_encryption_jwk?: ClaimsEncryptionJwk
  readonly retry_of?: string
}

/** Answer of `POST /v1/verify`. */
export type CreatedVerification = {
  readonly verification_id: string
  readonly status: Status
  /** The page to open on a phone, or to show beside the QR. Carries the `client_token`. */
  readonly session_url: string
  /** `image/png;base64,…`; `data:` in front makes it a source for an image. Null where no QR is offered. */
  readonly qr_code: string | null
  readonly deep_link: string
  readonly expires_at: string
  readonly client_token: string
  readonly wallet_request: object
  readonly livemode: boolean
  readonly version: number
}

/** Why a session ended as it did, or why an answer was not heard. */
export type Reason = {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** The address of a page about it. */
  readonly type: string
}

/** One of the credentials an outcome rests on. */
export type VerifiedCredential = {
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
  /** What is known of its revocation. `unavailable`: it could not be told, and your settings accept that. Null: not asked. */
  readonly status: 'valid' | 'revoked' | 'suspended' | 'unavailable' | 'not_present' | null
  /** What its holder confirmed: places in the request's `transaction_data`, and what was signed of each. */
  readonly transaction_data: readonly {
    readonly index: number
    readonly hash: string
    readonly hash_alg: string
  }[]
  readonly checks: Readonly<Record<string, boolean>>
}

/** Which issue of which of the operator's lists vouched, and when it was last known to be the current one. */
export type TrustListReference = {
  readonly name: string
  readonly sequence: number | null
  readonly trust_as_of: string
}

/** One step to the level of assurance, and the level after it (docs/trust.md). Later versions add steps: pass over those you do not know. */
export type AssuranceStep = {
  readonly step: string
  /** The credential; none in a step about all of them. */
  readonly id?: string
  readonly level: AssuranceLevel
  /** Of the step `anchor`: who vouched for the issuer, and the list that says so, if one does. */
  readonly anchor?: string
  readonly list?: TrustListReference
  /** Of the steps `status` and `certificate_status`: what was found, and how fresh that is. */
  readonly status?: VerifiedCredential['status']
  readonly as_of?: string | null
}

/** What a poll and an event both say of an outcome. Unknown is null. */
export type Outcome = {
  readonly verification_id: string
  readonly status: Status
  /** Scope → proven. */
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: AssuranceLevel | null
  readonly credential_type: string | null
  readonly verified_at: string | null
  readonly reason: Reason | null
  readonly metadata: Readonly<Record<string, string>>
  readonly protocol: string
  readonly channel: string | null
  readonly format: string | null
  readonly issuer: string | null
  readonly session_binding: SessionBinding | null
  readonly credentials: readonly VerifiedCredential[]
  readonly livemode: boolean
  /** For `decryptClaims`. */
  readonly encrypted_claims: string | null
}

/** Answer of `GET /v1/verify/{id}`: the outcome, the request's own members, and how it came about. */
export type Verification = Outcome & {
  readonly version: number
  /** How `assurance_level` came about. */
  readonly assurance_derivation: readonly AssuranceStep[]
  readonly trust_lists: readonly TrustListReference[]
  readonly stage: 'created' | 'request_fetched' | 'awaiting_return' | 'done'
  readonly created_at: string
  readonly expires_at: string
  readonly session_url: string | null
  readonly attempts: readonly {
    readonly at: string
    readonly channel: string | null
    readonly reason: Reason
  }[]
}

/** The event of a terminal status, as webhook and log carry it. */
export type VerificationEvent = Outcome & {
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  readonly created_at: string
}

/** An event as the log shows it. `metadata` is null where the session could not be asked just now: ask for the session itself. */
export type LoggedEvent = Omit<VerificationEvent, 'metadata'> & {
  readonly metadata: VerificationEvent['metadata'] | null
}

/** Answer of `GET /v1/events`. */
export type EventPage = {
  readonly events: readonly LoggedEvent[]
  /** For the next call's `after`. */
  readonly next: string
  readonly has_more: boolean
}

/** Why a call failed: the service's own problem (RFC 9457), or `unreachable` where there was none. */
export type Problem = {
  readonly code: string
  /** HTTP status; null where no answer came. */
  readonly status: number | null
  readonly title: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  readonly request_id: string | null
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
}
