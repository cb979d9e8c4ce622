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
 * Longest time from the wallet's success to the redirect with the code. Encrypted tokens are made at the
 * success, so their life begins before the redirect.
 */
export const FINISH_MS = 180_000

export const CODE_MS = 60_000

export const TOKEN_MS = 300_000

/**
 * Time after the session's end in which nearly all codes are redeemed. The access token of a later redemption
 * has a shorter life than `TOKEN_MS`.
 */
const PROMPT_MS = 30_000

/** Time after the session's end in which the browser may bring an error to the client. */
const UNSUCCESSFUL_MS = 540_000

/** The request of a client, and its registration when the login began. */
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
  /** Granted scopes. */
  readonly scope: string
  /** Name of the policy, and a part of the policy's hash. */
  readonly policy: string
  readonly subject: SubjectRule
  /** Values of an essential `acr`. One of these values must be reached. Null: any level is accepted. */
  readonly wanted_acr: readonly string[] | null
  readonly id_token: TokenRules
  readonly userinfo: TokenRules
}

/**
 * Conditions of the `claims` parameter and of the `id_token_hint` on a presentation. They are stored sealed,
 * because they may contain values about the person.
 */
export type LoginConditions = {
  /** Acceptable values of `sub`; null for any value. */
  readonly sub: readonly string[] | null
  /** Entries of `verified_claims` for each token. One satisfied entry is enough. */
  readonly id_token: readonly VerifiedClaimsRequest[]
  readonly userinfo: readonly VerifiedClaimsRequest[]
}

/** Choice of the claims of a token, and their protection. */
export type TokenRules = {
  /** Null for an unsigned UserInfo response. */
  readonly alg: SigningAlgorithm | null
  readonly encryption: TokenEncryption | null
  /** Claims that the client named; null for all claims. */
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
   * Accepted values of claims. A claim is released only if each list under its name contains the value of the
   * claim.
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
  readonly redeemed: { readonly token: string | null; readonly until: number } | null
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

/** Claims of a token that is signed later, or a token that is signed and encrypted to the client. */
export type PreparedToken = { readonly claims: JsonObject } | { readonly jwt: string }

type EndedLogin = {
  readonly status: string
  readonly ended_at: number | null
  readonly login?: Login | undefined
}

/**
 * Returns when a login is erased; `Infinity` without a login or an end. The time does not depend on the
 * redemption, because a changed alarm would write one more row.
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
