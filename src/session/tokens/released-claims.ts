// Claims of a token (OpenID Connect Core 1.0 §5, Identity Assurance 1.0 §5). A proven boolean is released
// under its own name, in any token. Other values are released only in an encrypted token. There, each value
// is under its standard name, or else in `vp_data` under the id of the credential query. Without encryption,
// `vp_data` has only the names of these claims.

import { canonicalJson } from '../../codec/canonical-json.ts'
import type { Json, JsonObject } from '../../codec/json.ts'
import { isJsonObject } from '../../codec/json.ts'
import type { Decision, Policy, ScopePath } from '../../policy/policy.ts'
import type { TokenRules, VerifiedClaimsRequest } from '../document/login.ts'
import { claimName, standardName, TOKEN_CLAIMS } from './claim-names.ts'

/** A proven claim of a credential. */
export type ProvenClaim = {
  /** Index of the credential in the decision. One query may return several credentials. */
  readonly credential: number
  readonly query: string
  readonly name: string
  readonly isBoolean: boolean
  readonly value: Json
}

export const TRUST_FRAMEWORK = 'urn:wallet-verifier:trust-anchors'

/** Claims of OpenID Connect that credentials have, and the form that each value must have. */
const STANDARD: Readonly<Record<string, (value: Json) => Json | undefined>> = {
  family_name: text,
  given_name: text,
  birthdate: text,
  email: text,
  phone_number: text,
  nationalities: (value) => (typeof value === 'string' ? [value] : Array.isArray(value) ? value : undefined),
  address: (value) => (typeof value === 'string' ? { formatted: value } : toAddress(value)),
}

/** Members of `address` (Core §5.1.1). */
const ADDRESS = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country']

/** Names under which no credential may set a claim. */
const RESERVED: ReadonlySet<string> = new Set([
  ...TOKEN_CLAIMS,
  ...['nbf', 'jti', 'at_hash', 'c_hash', 's_hash', 'sid', 'vp_data', 'verified_claims'],
  ...['email_verified', 'phone_number_verified', '_claim_names', '_claim_sources'],
])

/** Returns the proven claims of a success, in the order of its credentials. */
export function provenClaims(decision: Decision, { descriptors }: Policy): readonly ProvenClaim[] {
  return decision.credentials.flatMap(({ id, credential_type }, i) => {
    const descriptor = descriptors.find(
      (one) => one.query_id === id && one.credential_type === credential_type,
    )
    const values = decision.claims[i]?.claims ?? {}
    return (descriptor?.scopes ?? []).flatMap((scope): readonly ProvenClaim[] => {
      const value = Object.hasOwn(values, scope.scope) ? values[scope.scope] : undefined
      if (value === undefined) return []
      return [
        {
          credential: i,
          query: id,
          name: claimName(scope),
          isBoolean: isCondition(scope) && [value].flat().every(isTrue),
          value,
        },
      ]
    })
  })
}

/**
 * Returns the claims of one credential for each query, because two credentials may be about two people. If
 * the credential `preferred` belongs to the query, it is used. Otherwise the first credential of the query is
 * used.
 */
export function ofOneCredential(
  proven: readonly ProvenClaim[],
  preferred: number | null,
): readonly ProvenClaim[] {
  const chosen = new Map<string, number>()
  for (const { query, credential } of proven) {
    if (credential === preferred || !chosen.has(query)) chosen.set(query, credential)
  }
  return proven.filter(({ query, credential }) => chosen.get(query) === credential)
}

/** Returns true if only the value `true` proves the claim. */
export function isCondition({ boolean, values }: ScopePath): boolean {
  return values?.every(isTrue) ?? boolean
}

function isTrue(value: Json): boolean {
  return value === true
}

/** Returns the claims for a token. Values other than booleans are included only if the token is encrypted. */
export function releasedClaims(
  proven: readonly ProvenClaim[],
  { names, encryption }: Pick<TokenRules, 'names' | 'encryption'>,
): JsonObject {
  const claims = new Map<string, Json>()
  const byQuery = new Map<string, Map<string, Json>>()
  for (const claim of proven.filter((one) => isNamed(one, names))) {
    if (claim.isBoolean && !RESERVED.has(claim.name)) claims.set(claim.name, true)
    else if (encryption === null) addPresented(byQuery, claim)
    else if (!addStandard(claims, claim)) queryOf(byQuery, claim).set(claim.name, claim.value)
  }
  const data = [...byQuery].map(([query, members]) => [query, Object.fromEntries(members)])
  return {
    ...Object.fromEntries(claims),
    ...(data.length > 0 && { vp_data: Object.fromEntries(data) as JsonObject }),
  }
}

/**
 * Returns `verified_claims` (Identity Assurance 1.0 §6): the claims of the requests whose framework, level
 * and values match. Returns `undefined` if no claim may be released.
 */
export function verifiedClaims(
  proven: readonly ProvenClaim[],
  requests: readonly VerifiedClaimsRequest[],
  { level, time, hasValues }: { readonly level: string; readonly time: string; readonly hasValues: boolean },
): JsonObject | undefined {
  const met = requests
    .filter((one) => one.trust_frameworks?.includes(TRUST_FRAMEWORK) ?? true)
    .filter((one) => one.assurance_levels?.includes(level) ?? true)
  const isAsked = (claim: ProvenClaim) => met.some((one) => isNamed(claim, one.names) && isMet(claim, one))
  const claims = new Map<string, Json>()
  for (const claim of proven.filter((one) => isAsked(one) && !RESERVED.has(one.name))) {
    if (claim.isBoolean) claims.set(claim.name, true)
    else if (hasValues && !addStandard(claims, claim) && !claims.has(claim.name))
      claims.set(claim.name, claim.value)
  }
  if (claims.size === 0) return undefined
  const verification = { trust_framework: TRUST_FRAMEWORK, assurance_level: level, time }
  return { verification, claims: Object.fromEntries(claims) }
}

function isNamed(claim: ProvenClaim, names: readonly string[] | null): boolean {
  return names === null || listNames(claim).some((one) => names.includes(one))
}

/** Returns the names by which a client can ask for a claim. */
function listNames({ name }: ProvenClaim): readonly string[] {
  const standard = standardName(name)
  return [name, standard, ...(standard.startsWith('address.') ? ['address'] : [])]
}

/**
 * Returns true if every list of accepted values for the claim contains the proven value, or the value in the
 * form that a token would have. A part of an address is a text, so it never equals an accepted `address`
 * object.
 */
function isMet(claim: ProvenClaim, { values }: VerifiedClaimsRequest): boolean {
  const released = claim.isBoolean || readStandardValue(standardName(claim.name), claim.value)
  const texts = [claim.value, released ?? claim.value].map(canonicalJson)
  return values
    .filter(({ name }) => listNames(claim).includes(name))
    .every(({ accepted }) => accepted.some((one) => texts.includes(canonicalJson(one))))
}

function queryOf(byQuery: Map<string, Map<string, Json>>, { query }: ProvenClaim): Map<string, Json> {
  const members = byQuery.get(query) ?? new Map<string, Json>()
  byQuery.set(query, members)
  return members
}

function addPresented(byQuery: Map<string, Map<string, Json>>, claim: ProvenClaim): void {
  const members = queryOf(byQuery, claim)
  const presented = members.get('presented')
  members.set('presented', [...(Array.isArray(presented) ? presented : []), claim.name])
}

/**
 * Adds a value under its standard name. Returns false if the value has no standard name, or if another value
 * already has that name.
 */
function addStandard(claims: Map<string, Json>, { value, ...claim }: ProvenClaim): boolean {
  const name = standardName(claim.name)
  const [parent = '', part = ''] = name.split('.')
  if (parent === 'address' && ADDRESS.includes(part) && typeof value === 'string') {
    const address = claims.get('address') ?? {}
    if (!isJsonObject(address) || (Object.hasOwn(address, part) && address[part] !== value)) return false
    claims.set('address', { ...address, [part]: value })
    return true
  }
  const standard = readStandardValue(name, value)
  if (standard === undefined) return false
  const earlier = claims.get(name)
  if (earlier !== undefined) return JSON.stringify(earlier) === JSON.stringify(standard)
  claims.set(name, standard)
  return true
}

/** Returns a value as the claim `name` of OpenID Connect; `undefined` if the value does not fit. */
function readStandardValue(name: string, value: Json): Json | undefined {
  return Object.hasOwn(STANDARD, name) ? STANDARD[name]?.(value) : undefined
}

function text(value: Json): Json | undefined {
  return typeof value === 'string' ? value : undefined
}

function toAddress(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined
  const parts = Object.entries(value)
  return parts.every(([part, one]) => ADDRESS.includes(part) && typeof one === 'string') ? value : undefined
}
