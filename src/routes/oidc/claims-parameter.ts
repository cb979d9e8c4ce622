// The `claims` parameter (OpenID Connect Core 1.0 §5.5, Identity Assurance 1.0 §6). It can reduce the claims
// that are released. It does not change what the policy requires.

import { isJsonObject, type Json, type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import type { TokenRules, VerifiedClaimsRequest } from '../../session/document/login.ts'
import { TOKEN_CLAIMS } from '../../session/tokens/claim-names.ts'

/**
 * The content of the parameter. `acr`: accepted values of an essential `acr`. `sub`: accepted values of
 * `sub`. Null: every value is accepted.
 */
export type ClaimsParameter = {
  readonly id_token: NamedClaims
  readonly userinfo: NamedClaims
  readonly acr: readonly string[] | null
  readonly sub: readonly string[] | null
}

/** Claims that the parameter names for the ID token, or for UserInfo. `verified`: from `verified_claims`. */
type NamedClaims = Pick<TokenRules, 'names'> & { readonly verified: readonly VerifiedClaimsRequest[] }

/** Returns the content of the parameter; `undefined` if it is malformed. */
export function parseClaims(text: string | undefined): ClaimsParameter | undefined {
  if (text === undefined) return NOTHING
  const parsed = parseJsonObject(text, OIDC_REQUEST.claims)
  if (!parsed.ok) return undefined
  const [idToken, userinfo] = ['id_token', 'userinfo'].map((name) => {
    const claims = member(parsed.value, name) ?? {}
    return isJsonObject(claims) && Object.entries(claims).every(isRequest) ? claims : undefined
  })
  if (idToken === undefined || userinfo === undefined) return undefined
  const requestsOf = (name: string) => [idToken, userinfo].map((claims) => member(claims, name) ?? null)
  // The ID token and UserInfo have the same `acr` and `sub`. So the conditions for both are applied together.
  const [acrs, subs] = [requestsOf('acr'), requestsOf('sub')]
  // A value that is not a text cannot be compared. It must not be ignored, so the parameter is rejected.
  if (![...acrs, ...subs].every(hasTexts)) return undefined
  const essential = acrs.filter((acr) => isJsonObject(acr) && member(acr, 'essential') === true)
  return {
    id_token: parseRules(idToken),
    userinfo: parseRules(userinfo),
    acr: textsIn(essential),
    sub: textsIn(subs),
  }
}

const NO_RULES = { names: null, verified: [] }
const NOTHING: ClaimsParameter = { id_token: NO_RULES, userinfo: NO_RULES, acr: null, sub: null }

/**
 * Returns the claims that the parameter names for the ID token, or for UserInfo. `names` has neither claims
 * that every token has, nor `verified_claims`, which never reduces the released claims. `names` is null if no
 * claim remains: all claims are then released.
 */
function parseRules(claims: JsonObject): NamedClaims {
  const names = Object.keys(claims).filter(
    (name) => name !== 'verified_claims' && !TOKEN_CLAIMS.includes(name),
  )
  const verified = parseVerifiedClaims(member(claims, 'verified_claims'))
  return { names: names.length === 0 ? null : names, verified }
}

/**
 * Returns true if the request for one claim is well-formed: null or an object. `verified_claims` may also be
 * a list of objects.
 */
function isRequest([name, request]: readonly [string, Json]): boolean {
  if (Array.isArray(request)) return name === 'verified_claims' && request.every(isJsonObject)
  if (!isJsonObject(request)) return request === null
  const essential = member(request, 'essential')
  return essential === undefined || typeof essential === 'boolean'
}

/**
 * Parses `verified_claims`: one request, or a list of requests. Leaves out a request with a condition that
 * the service never meets.
 */
function parseVerifiedClaims(request: Json | undefined): readonly VerifiedClaimsRequest[] {
  return (Array.isArray(request) ? request : [request]).flatMap((one) => {
    if (!isJsonObject(one)) return []
    const verification = member(one, 'verification') ?? {}
    const claims = member(one, 'claims') ?? {}
    if (!isJsonObject(verification) || !isJsonObject(claims)) return []
    const { trust_framework = null, assurance_level = null, ...others } = verification
    const compared = [trust_framework, assurance_level]
    const areTexts = hasTexts(trust_framework) && hasTexts(assurance_level)
    if (!areTexts || isRestricted(others) || compared.some((each) => isRestricted(each, VALUES))) return []
    const entries = Object.entries(claims).filter(([, claim]) => isComparable(claim))
    return {
      trust_frameworks: textsIn([trust_framework]),
      assurance_levels: textsIn([assurance_level]),
      names: entries.map(([name]) => name),
      values: entries.flatMap(([name, claim]) =>
        parseConditions(claim).map((accepted) => ({ name, accepted })),
      ),
    }
  })
}

/**
 * Returns true if a claim has no condition other than `value` and `values`. No other condition can be
 * checked.
 */
function isComparable(claim: Json): boolean {
  return !Array.isArray(claim) && !isRestricted(claim, VALUES)
}

const VALUES = ['value', 'values']

/**
 * Returns true if a request has a member that restricts its content (Identity Assurance 1.0 §6). Members in
 * `except` are ignored.
 */
function isRestricted(request: Json, except: readonly string[] = []): boolean {
  if (Array.isArray(request)) return request.some((one) => isRestricted(one))
  if (!isJsonObject(request)) return request !== null
  return Object.entries(request).some(
    ([name, one]) =>
      ![...except, 'essential'].includes(name) &&
      ([...VALUES, 'max_age'].includes(name) || isRestricted(one)),
  )
}

/** Returns the texts that satisfy every `value` and `values`; null if no request has such a member. */
function textsIn(requests: readonly Json[]): readonly string[] | null {
  const [first, ...others] = requests.flatMap(parseConditions)
  return first?.filter(isText).filter((text) => others.every((one) => one.includes(text))) ?? null
}

function hasTexts(request: Json): boolean {
  return parseConditions(request).flat().every(isText)
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}

/** Returns a list of accepted values for `value`, and a list for `values`. An absent member has no list. */
function parseConditions(request: Json): readonly (readonly Json[])[] {
  if (!isJsonObject(request)) return []
  return VALUES.flatMap((name) => {
    const condition = member(request, name)
    if (condition === undefined) return []
    return [name === 'values' && Array.isArray(condition) ? condition : [condition]]
  })
}
