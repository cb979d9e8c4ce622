// Types of the library. Members of policies, anchors and results have the spelling of the service's API.

/** Assurance levels, weakest first (eIDAS Art. 8). */
export type AssuranceLevel = 'low' | 'substantial' | 'high'

/** Credential Format Identifiers (OpenID4VP 1.0 Appendix B). */
export type FormatId = 'dc+sd-jwt' | 'mso_mdoc' | 'jwt_vc_json'

/**
 * Protocols. `openid4vp-1.0` and `haip-1.0` work by redirect and in the Digital Credentials API.
 * `iso-18013-7-c` (ISO/IEC TS 18013-7 Annex C) works in the Digital Credentials API only.
 */
export type ProtocolId = 'openid4vp-1.0' | 'haip-1.0' | 'iso-18013-7-c'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Proof that the person must give: types with scopes, or a DCQL query, or a preset. */
export type Policy = {
  /** Names of credential types, such as `pid`, `mdl` and `age_attestation`. 1 to 10. */
  readonly credential_types?: readonly string[]
  /** Claims by their common names, such as `age_over_18` and `family_name`. 1 to 50. */
  readonly scope?: readonly string[]
  /** A DCQL query (OpenID4VP 1.0 §6) in place of types and scopes. */
  readonly dcql_query?: Json
  /** `age_over_18`: the request that the EU age verification app answers. In place of types and scopes. */
  readonly preset?: 'age_over_18'
  /** `any`: one credential with every scope is enough. `all`: one of each type. Default: `any`. */
  readonly credential_match?: 'any' | 'all'
  /** Formats in order of preference. Default: every format of the verifier. */
  readonly formats?: readonly FormatId[]
  /** True if an age may be computed from the birthdate. Default: false. */
  readonly allow_derived?: boolean
  /** True if the caller stores the claims. Only `mso_mdoc` states it in the request. Default: false. */
  readonly intent_to_retain?: boolean
  /** Lowest accepted level. Default: `low`. */
  readonly required_assurance_level?: AssuranceLevel
  /** True if all credentials must be bound to one key of their holder. Default: false. */
  readonly require_same_holder_key?: boolean
  /** Sets of anchors that may vouch for credentials. Default: every anchor. */
  readonly anchor_sets?: readonly string[]
}

/** A credential type that is not built in. */
export type CredentialType = {
  readonly name: string
  /** By format. */
  readonly formats: Readonly<Partial<Record<FormatId, CredentialTypeFormat>>>
}

/** A credential type in one format. */
export type CredentialTypeFormat = {
  /** `vct`, docType or type. All are requested and accepted. */
  readonly identifiers: readonly string[]
  /** Claims path (OpenID4VP 1.0 §7) of each scope. A `boolean` claim proves its scope only if it is true. */
  readonly scopes: Readonly<
    Record<string, { readonly path: readonly (string | number | null)[]; readonly boolean?: boolean }>
  >
}

/** A private key for ES256. */
export type SigningJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  /** Coordinates and private key in base64url. */
  readonly x: string
  readonly y: string
  readonly d: string
}

/** Identity of the verifier in signed requests (OpenID4VP 1.0 §5.9.3). */
export type Verifier = {
  readonly signing_jwk: SigningJwk
  /** Certificate of the key, then its authorities, without the root. PEM. */
  readonly certificate_chain_pem: string
  /** Client Identifier Prefix. Default: `x509_hash`. HAIP 1.0 accepts no other. */
  readonly client_id_prefix?: 'x509_hash' | 'x509_san_dns'
}

/** Members of every request. */
export type CommonRequestInput = {
  readonly policy: Policy
  /** Default: `openid4vp-1.0`. */
  readonly protocol?: ProtocolId
  /** Credential types besides the built-in types. */
  readonly credentialTypes?: readonly CredentialType[]
  /** Default: `direct_post.jwt`, an encrypted response. In the Digital Credentials API it is `dc_api.jwt`. */
  readonly responseMode?: 'direct_post.jwt' | 'direct_post'
  /** Seconds until the request expires: 60 to 86,400. Default: 300. */
  readonly expiresIn?: number
  /** Default: the current time. */
  readonly now?: Date
}

/** A request by a QR code or a link, with `direct_post` (OpenID4VP 1.0 §8.2). */
export type RedirectRequestInput = CommonRequestInput & {
  /** Absent: the request is unsigned, and its result has at most the level `low`. */
  readonly verifier?: Verifier
  /** Address to which the wallet posts its response. Use another address for each request. */
  readonly responseUri: string
  /** Address at which you serve `requestObject`. Required with `verifier`. */
  readonly requestUri?: string
  /** `post`: the wallet posts a `wallet_nonce`, and you serve the result of `signRequest`. Default: `get`. */
  readonly requestUriMethod?: 'get' | 'post'
  /** Scheme, or start of an address, that opens the wallet. Default: `openid4vp`. */
  readonly link?: string
}

/** A request in the Digital Credentials API (OpenID4VP 1.0 Appendix A). */
export type DcApiRequestInput = CommonRequestInput & {
  /** Absent: only the unsigned request is made. */
  readonly verifier?: Verifier
  /** Origin of the page that calls the browser, such as `https://shop.example`. */
  readonly origin: string
  /** Reader certificates (ISO/IEC 18013-5 Annex B.1.7) that sign the request of `org-iso-mdoc`. */
  readonly readers?: readonly Pick<Verifier, 'signing_jwk' | 'certificate_chain_pem'>[]
}

/** A request for a QR code or a link. */
export type RedirectRequest = {
  /** Store it on your server until the response comes. It has the key of the response: keep it secret. */
  readonly request: string
  /** The text of the QR code or link. */
  readonly uri: string
  /**
   * Serve it at `requestUri` as `application/oauth-authz-req+jwt`, with `Cache-Control: no-store`. It is
   * valid for at most 300 s. Null for an unsigned request, which is whole in `uri`.
   */
  readonly requestObject: string | null
  readonly expiresAt: Date
}

/** A request for `navigator.credentials.get({ digital })`. */
export type DcApiRequest = {
  /** Store it on your server until the response comes. It has the key of the response: keep it secret. */
  readonly request: string
  /** Pass it to the browser. */
  readonly digital: { readonly requests: readonly { readonly protocol: string; readonly data: Json }[] }
  readonly expiresAt: Date
}

/** Input of `signRequest`. */
export type SignRequestInput = {
  /** `request` of `createRequest`. */
  readonly request: string
  /** The verifier of `createRequest`. */
  readonly verifier: Verifier
  /** `wallet_nonce` that the wallet posted. */
  readonly walletNonce?: string
  readonly now?: Date
}

/** A party that is trusted as an issuer, by exactly one mechanism. */
export type TrustAnchor = {
  readonly name: string
  /** Names of credential types. `*`: every type of `credentialTypes`, but no built-in type. */
  readonly credential_types: readonly string[]
  /** Level of its credentials. */
  readonly assurance_level: AssuranceLevel
  /** `status`: it signs status lists. Default: `['issuer']`. */
  readonly purpose?: readonly ('issuer' | 'status')[]
  /** Extended key usages, of which a certificate below this anchor must have one. */
  readonly eku?: readonly string[]
  /** Sets for `anchor_sets` of a policy. */
  readonly sets?: readonly string[]
  /** Authority that certifies issuers. PEM. */
  readonly x509_ca_pem?: string
  /** Certificate of the issuer itself. PEM. */
  readonly x509_certificate_pem?: string
  /** Issuer that publishes its keys (SD-JWT VC, JWT VC Issuer Metadata). */
  readonly issuer_url?: string
  readonly did?: string
  /** Issuer with its keys in `jwks`. */
  readonly issuer?: string
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
}

/** Anchors of a trust list that `readTrustList` has verified. */
export type TrustList = {
  /** Name of the list, which is also the name of a set. */
  readonly name: string
  readonly sequence: number | null
  readonly issuedAt: Date | null
  /** After this time the list is stale. Null: the list names no time. */
  readonly usableUntil: Date | null
  /** Certificates of mapped services that could not become anchors. */
  readonly leftOut: number
  /** Digest of the signed content, for `previous` of the next issue. Only of a list in XML. */
  readonly contentDigest?: string
  readonly anchors: readonly TrustAnchor[]
}

/** Input of `readTrustList`. */
export type TrustListInput = {
  /** Name of the list: up to 64 of a-z, 0-9, _ and -. */
  readonly name: string
  /** `etsi_lote`: ETSI TS 119 602 as JWS. `vical`: ISO/IEC 18013-5 Annex C. */
  readonly kind: 'etsi_lote' | 'vical'
  /** The list as it was fetched. */
  readonly body: Uint8Array
  /** Address of an `etsi_lote`, for queries with `etsi_tl`. */
  readonly url?: string
  /** Pinned signers of the list, each with one of the two members. */
  readonly signers: readonly {
    readonly x509_ca_pem?: string
    readonly x509_certificate_pem?: string
    readonly eku?: readonly string[]
  }[]
  /** Trust in the certificates of each service of the list. */
  readonly services: readonly {
    /** A `ServiceTypeIdentifier`, or the docType of a VICAL. */
    readonly type: string
    readonly credential_types: readonly string[]
    readonly assurance_level: AssuranceLevel
    readonly purpose?: readonly ('issuer' | 'status')[]
    readonly eku?: readonly string[]
  }[]
  /** Expected `LoTEType`. Default: any. */
  readonly listType?: string
  /** The list that this one replaces. An older list is refused. */
  readonly previous?: Pick<TrustList, 'sequence' | 'issuedAt'>
  readonly now?: Date
}

/** Input of `readTrustList` for a trusted list in XML (ETSI TS 119 612). */
export type XmlTrustListInput = Pick<TrustListInput, 'name' | 'body' | 'now'> & {
  readonly kind: 'etsi_tl'
  /** Address of the list, for queries with `etsi_tl`. */
  readonly url?: string
  /** Pinned signers of the list, each with one certificate. An RSA key is accepted. */
  readonly signers: readonly { readonly x509_certificate_pem: string }[]
  /**
   * Trust in the certificates of each service of the list. `statuses`: URIs of statuses that count, by
   * default `granted` and `recognisedatnationallevel` of the EU.
   */
  readonly services?: readonly (TrustListInput['services'][number] & {
    readonly statuses?: readonly string[]
  })[]
  /** Instead of `services` and `listType`: the EU's age verification list. */
  readonly schemes?: 'eu_age_verification'
  /** Level of `schemes`: your own judgement of how its issuers check the age. */
  readonly assuranceLevel?: AssuranceLevel
  /** Expected `TSLType`, and expected `SchemeTerritory`. Default: any. */
  readonly listType?: string
  readonly territory?: string
  /** The list that this one replaces. An older list, or other content of the same number, is refused. */
  readonly previous?: Pick<TrustList, 'sequence' | 'issuedAt' | 'contentDigest'>
}

/**
 * Result of `readTrustList`. `reason` is a word such as `untrusted_signer`, `expired` or `rolled_back`.
 * `ended`: a pinned signer has ended the list, so that the list before it may no longer be used, too.
 */
export type TrustListResult =
  | { readonly ok: true; readonly list: TrustList }
  | { readonly ok: false; readonly reason: string; readonly ended?: true }

/** Input of `verifyResponse`. */
export type VerifyResponseInput = {
  /** `request` of `createRequest`. */
  readonly request: string
  /**
   * By redirect: the posted body (`application/x-www-form-urlencoded`). In the Digital Credentials API: the
   * credential of the browser, `{ protocol, data }`. Anything may be passed: a bad response is refused.
   */
  readonly response: unknown
  /** Trusted issuers, and trust lists of `readTrustList`. */
  readonly anchors: readonly (TrustAnchor | TrustList)[]
  /** Default: the current time. */
  readonly now?: Date
  /**
   * Fetches status lists, revocation lists and keys of issuers. Only public https addresses are fetched. Pass
   * the same function each time, because results are cached for it. Default: the `fetch` of the platform.
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds for all look-ups together. Default: 20,000. */
  readonly timeout?: number
  /** `accept`: a credential whose status is unknown has at most the level `low`. Default: `refuse`. */
  readonly statusUnavailable?: 'refuse' | 'accept'
  /** Revocation of certificates of issuers. Default: `off`. */
  readonly certificateRevocation?: 'off' | 'accept_unknown' | 'require'
}

/** Result of `verifyResponse`. Only `verified` is a success. */
export type VerificationResult = Decided | Declined | Expired | Refused

/** An authentic response. It ends the verification: delete the stored request. */
export type Decided = {
  /** `rejected`: the credentials are authentic, but do not satisfy the policy. */
  readonly status: 'verified' | 'rejected'
  /** Null for `verified`. */
  readonly reason: string | null
  /** Each requested scope, with true if it is proven. */
  readonly checks: Readonly<Record<string, boolean>>
  /** Lowest level of the credentials. */
  readonly assurance_level: AssuranceLevel
  /** Steps that led to the level, in order. */
  readonly derivation: readonly Readonly<Record<string, Json>>[]
  /** True if the presenter proved to hold every credential. */
  readonly holder_bound: boolean
  /** True if all credentials are bound to one key. Null if none is bound to a key. */
  readonly same_holder_key: boolean | null
  readonly credentials: readonly DecidedCredential[]
  /** Requested claims of each credential, in the order of `credentials`. Empty for `rejected`. */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /** Checks of each presentation, in order. */
  readonly trace: readonly Check[]
}

/** A credential that the decision uses. */
export type DecidedCredential = {
  /** Id of its credential query. */
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
  /** Null: not checked, because the credential is outside its validity period. */
  readonly status: 'valid' | 'revoked' | 'suspended' | 'unavailable' | 'not_present' | null
  readonly checks: Readonly<Record<string, boolean>>
}

/** One check, and the clause that it implements. */
export type Check = {
  readonly id: string
  readonly clause: string
  readonly result: 'pass' | 'fail' | 'skip'
}

/** The person declined, or the wallet has no matching credential. */
export type Declined = { readonly status: 'declined'; readonly reason: 'access_denied' }

/** The response came after the request had expired. */
export type Expired = { readonly status: 'expired'; readonly reason: 'session_expired' }

/**
 * A response that is malformed or not authentic, that could not be checked, or that is another error of the
 * wallet (`wallet_error`). Keep the stored request: a later response may succeed.
 */
export type Refused = {
  readonly status: 'refused'
  readonly reason: string
  /** Clause of the check that failed. */
  readonly clause?: string
  /** The rule that a certificate of the issuer violates. */
  readonly detail?: string
  /** Error code of each document that the wallet did not return, by document type. */
  readonly document_errors?: Readonly<Record<string, number>>
  /** The issuer that the refused credential names. Nothing about it is verified. */
  readonly claimed_issuer?: Readonly<Record<string, string | null>>
  /** Error code of the wallet, for `wallet_error`. */
  readonly wallet_error?: string
}

/** One credential format of a verifier: `sdJwtVc`, `mdoc` or `jwtVcJson`. */
export type FormatPart = { readonly id: FormatId }

/** One protocol of a verifier: `openid4vp`, `haip` or `annexC`. */
export type ProtocolPart = { readonly id: ProtocolId }

/** Support of `dcql_query`: `dcql`. */
export type QueryPart = { readonly id: 'dcql' }

/** Revocation lists of certificates: `revocationLists`. */
export type CheckPart = { readonly id: 'revocation_lists' }

/** Formats and protocols of a verifier. Formats are in order of preference. */
export type Parts = {
  readonly formats: readonly FormatPart[]
  readonly protocols: readonly ProtocolPart[]
  /** Default: policies have types and scopes, but no `dcql_query`. */
  readonly queries?: readonly QueryPart[]
  /** Default: `certificateRevocation` of a verification must be `off`. */
  readonly checks?: readonly CheckPart[]
}

/** Makes a request. Throws an `InputError` for a wrong input. */
export type CreateRequest = {
  (input: RedirectRequestInput): Promise<RedirectRequest>
  (input: DcApiRequestInput): Promise<DcApiRequest>
}

/** Verifies a response. Throws an `InputError` for a wrong input, never for a bad response of a wallet. */
export type VerifyResponse = (input: VerifyResponseInput) => Promise<VerificationResult>

/** Signs the Request Object again: for a `wallet_nonce`, or after its 300 s. */
export type SignRequest = (input: SignRequestInput) => Promise<string>

/** Meaning of a reason. */
export type ReasonDescription = {
  readonly code: string
  readonly message: string
  /** True if the same person may succeed with another try. */
  readonly retryable: boolean
}
