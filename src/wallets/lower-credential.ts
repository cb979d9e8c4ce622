// Lowers one credential query (OpenID4VP 1.0 §6.1, §6.3, §6.4.1) for a wallet. lower.ts explains lowering.
// Claims and claim sets may be left out, but none is added. A member that excludes some responses always
// stays, because without it the query would accept more responses.

import { FORMATS, type FormatId } from '../formats/index.ts'
import type { ClaimsQuery, CredentialQuery } from '../openid4vp/dcql/query.ts'
import { err, ok, type Result } from '../result.ts'
import type { Finding, Lowered } from './lowering.ts'
import type { WalletProfile } from './profiles/profile.ts'

type LoweredResult<T> = Result<Lowered<T>, readonly Finding[]>
type Claims = Pick<CredentialQuery, 'claims' | 'claim_sets'>

/**
 * Reduces a credential query to the part that the wallet supports, or returns why the wallet cannot answer
 * it. `place` is the JSON Pointer of the query.
 */
export function lowerCredential(
  profile: WalletProfile,
  query: CredentialQuery,
  place: string,
): LoweredResult<CredentialQuery> {
  const { dcql } = profile
  const format = profile.formats.find((id) => id === query.format)
  if (format === undefined) return err([{ member: `${place}/format`, why: whyNotFormat(profile, query) }])
  if (!holdsType(profile, format, query)) return err([{ member: `${place}/meta`, why: 'type_not_held' }])
  const needed = neededMember(authoritySupport(profile, query), `${place}/trusted_authorities`)
  if (!needed.ok) return needed
  const claims = lowerClaims(profile, query, place)
  if (!claims.ok) return claims
  // These members may be left out. Without them the query is stricter: the query accepts one credential only,
  // and requires holder binding.
  const optional = (['multiple', 'require_cryptographic_holder_binding'] as const).filter(
    (name) => query[name] !== undefined && dcql[name] !== 'yes',
  )
  const { claims: _, claim_sets: __, ...rest } = query
  const members = Object.entries(rest).filter(([name]) => !optional.some((one) => one === name))
  return ok({
    value: { ...(Object.fromEntries(members) as typeof rest), ...claims.value.value },
    left_out: [
      ...needed.value.left_out,
      ...optional.map((name) => ({ member: `${place}/${name}`, why: explain(dcql[name]) })),
      ...claims.value.left_out,
    ],
    unknown: [...needed.value.unknown, ...claims.value.unknown],
  })
}

function whyNotFormat({ excess_formats = [] }: WalletProfile, { format }: CredentialQuery): Finding['why'] {
  return excess_formats.some((id) => id === format) ? 'discloses_more' : 'format_not_supported'
}

function holdsType({ types }: WalletProfile, format: FormatId, { meta }: CredentialQuery): boolean {
  return types === undefined || (FORMATS[format].metaTypes(meta) ?? []).some((type) => types.includes(type))
}

type Support = 'yes' | 'no' | 'ignored' | 'unknown'

function authoritySupport({ dcql }: WalletProfile, { trusted_authorities = [] }: CredentialQuery): Support {
  if (trusted_authorities.length === 0) return 'yes'
  if (dcql.trusted_authorities !== 'aki') return dcql.trusted_authorities
  return trusted_authorities.every(({ type }) => type === 'aki') ? 'yes' : 'no'
}

/**
 * Checks if the wallet supports a member that must stay in the query. Returns an error if the wallet does not
 * support the member, else the findings about the member.
 */
function neededMember(
  support: Support,
  member: string,
): Result<Omit<Lowered<never>, 'value'>, readonly Finding[]> {
  if (support === 'no') return err([{ member, why: 'not_supported' }])
  return ok({
    left_out: support === 'ignored' ? [{ member, why: 'ignored' }] : [],
    unknown: support === 'unknown' ? [{ member, why: 'support_unknown' }] : [],
  })
}

function explain(support: Support): Finding['why'] {
  return support === 'unknown' ? 'support_unknown' : 'not_supported'
}

/**
 * Keeps the claim sets that the wallet can satisfy. If the wallet does not support claim sets, the query gets
 * only the claims of the first such set.
 */
function lowerClaims(profile: WalletProfile, query: CredentialQuery, place: string): LoweredResult<Claims> {
  const { claim_sets } = query
  const claims = (query.claims ?? []).map((claim, i) => ({
    id: claim.id ?? '',
    lowered: lowerClaim(profile, { claim, format: query.format }, `${place}/claims/${i}`),
  }))
  if (claims.length === 0) return withoutClaims(profile, place)
  const errors = claims.flatMap(({ lowered }) => (lowered.ok ? [] : lowered.error))
  if (claim_sets === undefined) return errors.length > 0 ? err(errors) : ok(joined(claims))
  const unusable = new Set(claims.filter(({ lowered }) => !lowered.ok).map(({ id }) => id))
  const usable = claim_sets.filter((set) => !set.some((id) => unusable.has(id)))
  const [first] = usable
  if (first === undefined) return err(errors)
  const keepsChoice = profile.dcql.claim_sets === 'yes'
  const sets = keepsChoice ? usable : [first]
  const { value, left_out, unknown } = joined(claims.filter(({ id }) => sets.some((set) => set.includes(id))))
  if (keepsChoice)
    return ok({ value: { ...value, claim_sets: sets }, left_out: [...errors, ...left_out], unknown })
  const plain = value.claims?.map(({ id, ...claim }) => claim)
  const finding: Finding = { member: `${place}/claim_sets`, why: 'one_claim_set' }
  return ok({ value: { ...(plain && { claims: plain }) }, left_out: [finding, ...left_out], unknown })
}

function joined(claims: readonly { readonly lowered: LoweredResult<ClaimsQuery> }[]): Lowered<Claims> {
  const used = claims.flatMap(({ lowered }) => (lowered.ok ? [lowered.value] : []))
  return {
    value: { claims: used.map(({ value }) => value) },
    left_out: used.flatMap(({ left_out }) => left_out),
    unknown: used.flatMap(({ unknown }) => unknown),
  }
}

/**
 * Lowers a query without `claims`. Such a query requests only claims that are always disclosed (§6.4.1), but
 * some wallets disclose everything. Returns an error unless the wallet is known to disclose only the
 * requested claims.
 */
function withoutClaims({ dcql }: WalletProfile, place: string): LoweredResult<Claims> {
  const member = `${place}/claims`
  switch (dcql.without_claims) {
    case 'none':
      return ok({ value: {}, left_out: [], unknown: [] })
    case 'all':
      return err([{ member, why: 'discloses_all' }])
    case 'refused':
      return err([{ member, why: 'not_supported' }])
    case 'unknown':
      return err([{ member, why: 'disclosure_unknown' }])
  }
}

/** Object claims in the built-in credential types (OpenID Connect Core 1.0 §5.1.1, eKYC-IDA). */
const OBJECTS = ['address', 'place_of_birth']

/**
 * Adapts one claim query to the wallet. `intent_to_retain: false` is the default, so this value can be left
 * out. `intent_to_retain: true` stays, because the wallet shows this value to the person.
 */
function lowerClaim(
  { dcql }: WalletProfile,
  { claim, format }: { readonly claim: ClaimsQuery; readonly format: string },
  place: string,
): LoweredResult<ClaimsQuery> {
  const isObject = format === 'dc+sd-jwt' && OBJECTS.includes(claim.path.join())
  const isNested = format === 'dc+sd-jwt' && claim.path.filter((step) => typeof step === 'string').length > 1
  const { path, values, intent_to_retain } = claim
  const needed = [
    neededMember(values === undefined ? 'yes' : dcql.values, `${place}/values`),
    neededMember(path.includes(null) ? dcql.null_path : 'yes', `${place}/path`),
    neededMember(path.some(isIndex) ? dcql.index_path : 'yes', `${place}/path`),
    neededMember(isNested ? (dcql.nested_path ?? 'yes') : 'yes', `${place}/path`),
    neededMember(isObject ? (dcql.object_path ?? 'yes') : 'yes', `${place}/path`),
    neededMember(intent_to_retain === true ? dcql.intent_to_retain : 'yes', `${place}/intent_to_retain`),
  ]
  const errors = needed.flatMap((result) => (result.ok ? [] : result.error))
  if (errors.length > 0) return err(errors)
  const lowered = needed.flatMap((result) => (result.ok ? [result.value] : []))
  const [left_out, unknown] = [lowered.flatMap((one) => one.left_out), lowered.flatMap((one) => one.unknown)]
  if (intent_to_retain !== false || dcql.intent_to_retain === 'yes') {
    return ok({ value: claim, left_out, unknown })
  }
  const { intent_to_retain: _, ...value } = claim
  const why = explain(dcql.intent_to_retain)
  return ok({ value, left_out: [...left_out, { member: `${place}/intent_to_retain`, why }], unknown })
}

function isIndex(step: ClaimsQuery['path'][number]): boolean {
  return typeof step === 'number'
}
