// The `claims` parameter (OpenID Connect Core 1.0 §5.5, Identity Assurance 1.0 §6). It narrows what is
// released, and changes no condition.

import { isJsonObject, type Json, type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { TOKEN_CLAIMS } from '../../session/login/claim-names.ts'
import type { TokenRules, VerifiedClaimsRequest } from '../../session/login/login.ts'

/** The content of the parameter. `acr`: essential values; empty: any. `sub`: the only acceptable one. */
export type ClaimsParameter = {
  readonly id_token: Pick<TokenRules, 'names' | 'verified'>
  readonly userinfo: Pick<TokenRules, 'names' | 'verified'>
  readonly acr: readonly string[] | null
  readonly sub: string | null
}

/** Returns what the parameter says; `undefined` where it is malformed. */
export function parseClaims(text: string | undefined): ClaimsParameter | undefined {
  if (text === undefined) return NOTHING
  const parsed = parseJsonObject(text, OIDC_REQUEST.claims)
  if (!parsed.ok) return undefined
  const [idToken, userinfo] = ['id_token', 'userinfo'].map((name) => {
    const claims = member(parsed.value, name) ?? {}
    return isJsonObject(claims) && Object.values(claims).every(isRequest) ? claims : undefined
  })
  if (idToken === undefined || userinfo === undefined) return undefined
  // A value that cannot be compared must not count as no condition.
  const conditions = [member(idToken, 'acr'), member(idToken, 'sub'), member(userinfo, 'sub')]
  if (!conditions.every(hasTexts)) return undefined
  const acr = member(idToken, 'acr')
  const isEssential = isJsonObject(acr) && member(acr, 'essential') === true
  const subs = [idToken, userinfo].flatMap((claims) => valuesOf(member(claims, 'sub')) ?? [])
  return {
    id_token: rulesOf(idToken),
    userinfo: rulesOf(userinfo),
    acr: isEssential ? (valuesOf(acr) ?? []) : null,
    sub: subs[0] ?? null,
  }
}

const NO_RULES = { names: null, verified: [] }
const NOTHING: ClaimsParameter = { id_token: NO_RULES, userinfo: NO_RULES, acr: null, sub: null }

/** Naming a claim of every token narrows nothing. */
function rulesOf(claims: JsonObject): Pick<TokenRules, 'names' | 'verified'> {
  const named = Object.keys(claims).filter((name) => !TOKEN_CLAIMS.includes(name))
  const verified = verifiedOf(member(claims, 'verified_claims'))
  return { names: named.length === 0 ? null : named, verified }
}

/** A member is null, an object, or a list of objects (`verified_claims`). */
function isRequest(request: Json): boolean {
  if (Array.isArray(request)) return request.every(isJsonObject)
  return request === null || isJsonObject(request)
}

/** One request, or a list of them. */
function verifiedOf(request: Json | undefined): readonly VerifiedClaimsRequest[] {
  return (Array.isArray(request) ? request : [request]).flatMap((one) => {
    if (!isJsonObject(one)) return []
    const verification = member(one, 'verification') ?? {}
    const claims = member(one, 'claims') ?? {}
    if (!isJsonObject(verification) || !isJsonObject(claims)) return []
    return {
      trust_frameworks: valuesOf(member(verification, 'trust_framework')),
      assurance_levels: valuesOf(member(verification, 'assurance_level')),
      names: Object.keys(claims),
    }
  })
}

/** Returns the texts in `value` or `values`; null where there are none. */
function valuesOf(request: Json | undefined): readonly string[] | null {
  const texts = wantedBy(request).filter((value) => typeof value === 'string')
  return texts.length === 0 ? null : texts
}

function hasTexts(request: Json | undefined): boolean {
  return wantedBy(request).every((value) => typeof value === 'string')
}

function wantedBy(request: Json | undefined): readonly Json[] {
  if (!isJsonObject(request)) return []
  return [member(request, 'value'), member(request, 'values')].flat().filter((value) => value !== undefined)
}
