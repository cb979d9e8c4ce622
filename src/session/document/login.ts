// Login by OpenID Connect, in the document of its session: the client's request, the prepared tokens, and the
// redemption of the code. Codes and access tokens are stored as digests. Claim values are stored only in
// tokens that are encrypted to the client. Other values about a person are stored sealed. Times are Unix
// milliseconds.

import type { Json, JsonObject } from '../../codec/json.ts'
import type {
  ClientJwk,
  CONTENT_ALGORITHMS,
  KEY_ALGORITHMS,
  SigningAlgorithm,
  SubjectRule,
} from '../../relying-party/oidc/client.ts'

/**
 * Longest time from the wallet's success to the redirect with the code. The lifetime of encrypted tokens
 * begins at the success. After a later redirect, the client would get tokens with a short lifetime.
 */
export const FINISH_MS = 180_000

export const CODE_MS = 60_000

export const TOKEN_MS = 300_000

/**
 * Time after the session's end in which nearly all codes are redeemed. The access token of a later redemption
 * has a shorter lifetime than `TOKEN_MS`.
 */
const PROMPT_MS = 30_000

/** Time after the session's end in which the browser may bring an error to the client. */
const UNSUCCESSFUL_MS = 540_000

/** The request of a client, and the client's registration when the login began. */
export type LoginRequest = {
  readonly client_id: string
  readonly client_name: string
  /** True for a client that authenticates to redeem its code. */
  readonly confidential: boolean
  readonly redirect_uri: string
  readonly response_mode: 'query' | 'form_post'
  readonly state: string | null
  readonly nonce: string | null
  readonly code_challenge: string | null
  /**
   * Thumbprint of the key to which the code is bound (RFC 9449 §10). Absent in logins of an older version.
   */
  readonly dpop_jkt?: string | null
  /** Granted scopes. */
  readonly scope: string
  /** Name of the policy, and the first part of a hash of the policy. */
  readonly policy: string
  readonly subject: SubjectRule
  /** Values of an essential `acr`. One of these values must be reached. Null: any level is accepted. */
  readonly wanted_acr: readonly string[] | null
  readonly id_token: TokenRules
  readonly userinfo: TokenRules
}

/**
 * Conditions for the subject and for released claims, from the `claims` parameter and the `id_token_hint`.
 * They are stored sealed, because they may contain values about the person.
 */
export type LoginConditions = {
  /** Acceptable values of `sub`; null for any value. */
  readonly sub: readonly string[] | null
  /** Entries of `verified_claims` for each token. The token gets the claims of every satisfied entry. */
  readonly id_token: readonly VerifiedClaimsRequest[]
  readonly userinfo: readonly VerifiedClaimsRequest[]
}

/** The claims that a token may have, and the protection of the token. */
export type TokenRules = {
  /** Null for an unsigned UserInfo response. */
  readonly alg: SigningAlgorithm | null
  readonly encryption: TokenEncryption | null
  /** Claims that the client requested by name; null for all claims. */
  readonly names: readonly string[] | null
}

export type TokenEncryption = {
  readonly alg: (typeof KEY_ALGORITHMS)[number]
  readonly enc: (typeof CONTENT_ALGORITHMS)[number]
  readonly jwk: ClientJwk
}

/** `verified_claims` of OpenID Connect for Identity Assurance 1.0. Null accepts any value. */
export type VerifiedClaimsRequest = {
  readonly trust_frameworks: readonly string[] | null
  readonly assurance_levels: readonly string[] | null
  readonly names: readonly string[]
  /**
   * Lists of accepted values, each for the claim `name`. A claim is released only if every list for its name
   * contains the value of the claim.
   */
  readonly values: readonly { readonly name: string; readonly accepted: readonly Json[] }[]
}

/** A login that began in one browser. */
export type Login = LoginRequest & {
  /** SHA-256 of the secret in the cookie of the browser (base64url). */
  readonly browser: string
  /** SHA-256 of the secret in the code (base64url). */
  readonly code: string
  /** `LoginConditions`; null if there are none. */
  readonly sealed_conditions: string | null
  readonly result: LoginResult | null
  /**
   * Redemption of the code; null before. `token`: stored form of the access token; null once the token is
   * revoked. `until`: expiry of the token. `jkt`: thumbprint of the key to which the token is bound. `jkt` is
   * absent in logins of an older version.
   */
  readonly redeemed: {
    readonly token: string | null
    readonly until: number
    readonly jkt?: string | null
  } | null
}

/** Result of a verified presentation for a login. */
export type LoginResult = LoginFailure | LoginSuccess

/** The presentation cannot log the person in. The client gets the reason. */
export type LoginFailure = {
  readonly failure:
    | 'subject_claim_missing'
    | 'subject_mismatch'
    | 'claims_too_large'
    | 'assurance_level_too_low'
}

export type LoginSuccess = {
  readonly failure: null
  readonly at: number
  readonly sealed_sub: string
  readonly acr: string
  readonly session_binding: string
  readonly id_token: PreparedToken
  readonly userinfo: PreparedToken
}

/**
 * `claims`: the claims of a token that is signed later. `jwt`: a token that is already signed and encrypted
 * to the client.
 */
export type PreparedToken = { readonly claims: JsonObject } | { readonly jwt: string }

type EndedLogin = {
  readonly status: string
  readonly ended_at: number | null
  readonly login?: Login | undefined
}

/**
 * Returns the time at which a login is erased; `Infinity` without a login or an end. The time does not depend
 * on the redemption, because each change of the alarm costs one more storage write.
 */
export function loginErasedAt({ status, ended_at, login }: EndedLogin): number {
  if (login === undefined || status === 'pending' || ended_at === null) return Number.POSITIVE_INFINITY
  const isSuccess = login.result?.failure === null
  return ended_at + (isSuccess ? PROMPT_MS + TOKEN_MS : UNSUCCESSFUL_MS)
}

/** Returns true if no part of a login can be used any more. Erasure may come later. */
export function isLoginOver(document: EndedLogin, now: number): boolean {
  const until = document.login?.redeemed?.until ?? Number.POSITIVE_INFINITY
  return Math.min(loginErasedAt(document), until) <= now
}
