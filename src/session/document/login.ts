// A login by OpenID Connect, in the document of its session: the client's request, what of the presentation
// goes into its tokens, and the redemption of its code. Codes and tokens are stored as digests, claim values
// only in tokens that are encrypted to the client, and other values of a person sealed. Times are Unix
// milliseconds.

import type { Json, JsonObject } from '../../codec/json.ts'
import type {
  ClientJwk,
  CONTENT_ALGORITHMS,
  KEY_ALGORITHMS,
  SigningAlgorithm,
  SubjectRule,
} from '../../relying-party/oidc/client.ts'

/** Time from the wallet's success to the redirect with the code. Encrypted tokens are made at the success. */
export const FINISH_MS = 180_000

export const CODE_MS = 60_000

export const TOKEN_MS = 300_000

/** Time in which nearly all codes are redeemed. A token issued later has a shorter life. */
const PROMPT_MS = 30_000

/** Time in which the browser may bring an error to the client. */
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
  /** Name of the policy, and a part of its hash. */
  readonly policy: string
  readonly subject: SubjectRule
  /** Values of an essential `acr`, of which one must be reached; null for any level. */
  readonly wanted_acr: readonly string[] | null
  readonly id_token: TokenRules
  readonly userinfo: TokenRules
}

/** Conditions of `claims` on a presentation. Stored sealed, because they may have values of the person. */
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

/** `verified_claims` of OpenID Connect for Identity Assurance 1.0. Null: any value. */
export type VerifiedClaimsRequest = {
  readonly trust_frameworks: readonly string[] | null
  readonly assurance_levels: readonly string[] | null
  readonly names: readonly string[]
  /** A named claim is released if each list for its name has its value. */
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

/** Effect of a verified presentation on a login. */
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

/** Claims without values, or a token that is signed and encrypted to the client. */
export type PreparedToken = { readonly claims: JsonObject } | { readonly jwt: string }

type EndedLogin = {
  readonly status: string
  readonly ended_at: number | null
  readonly login?: Login | undefined
}

/**
 * Returns when a login is erased; `Infinity` while its session is pending. The time does not depend on the
 * redemption: another alarm would be one more row.
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
