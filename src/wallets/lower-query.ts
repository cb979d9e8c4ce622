// Lowers a DCQL query (OpenID4VP 1.0 §6) to the part of DCQL that one wallet supports. Credential queries,
// and options of credential sets, may be left out. None is added.

import type { CredentialQuery, CredentialSetQuery, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { Policy } from '../policy/policy.ts'
import { err, ok, type Result } from '../result.ts'
import { lowerCredential } from './lower-credential.ts'
import type { Finding, Lowered } from './lowering.ts'
import type { WalletProfile } from './profiles/profile.ts'

/**
 * Lowered credential queries by query id. An error has the reasons why the wallet cannot answer the query.
 */
type Candidates = ReadonlyMap<string, Result<Lowered<CredentialQuery>, readonly Finding[]>>

/** Reduces a query to the part that the wallet supports, or returns why the wallet cannot satisfy it. */
export function lowerQuery(
  profile: WalletProfile,
  policy: Pick<Policy, 'query' | 'descriptors' | 'scope'>,
): Result<Lowered<DcqlQuery>, readonly Finding[]> {
  const { query } = policy
  const { credential_sets, several_queries, optional_sets } = profile.dcql
  const candidates: Candidates = new Map(
    query.credentials.map((credential, i) => [
      credential.id,
      lowerCredential(profile, credential, `${CREDENTIALS}/${i}`),
    ]),
  )
  const sets = usableSets(query, candidates)
  if (sets === undefined) return err([...candidates.values()].flatMap((one) => (one.ok ? [] : one.error)))
  const asked = optional_sets === 'no' ? sets.filter((set) => set.required !== false) : sets
  const keepsChoice = credential_sets === 'yes' && several_queries === 'yes' && asked.length > 0
  const chosen = keepsChoice ? asked : chooseOptions(profile, policy, sets)
  if (chosen === undefined) return err([{ member: CREDENTIALS, why: 'not_supported' }])
  const ids = new Set(chosen.flatMap(({ options }) => options.flat()))
  const isUnsure = ids.size > 1 && several_queries === 'unknown'
  const used = [...candidates].flatMap(([id, one]) => (ids.has(id) && one.ok ? [one.value] : []))
  const unused = unusedQueries(candidates, ids)
  const isPlain = chosen.every(({ options, required }) => options.length === 1 && required !== false)
  const hasSets = keepsChoice && query.credential_sets !== undefined && !(isPlain && unused.length > 0)
  const isLess = !hasSets || chosen.length < sets.length
  const hasLostSets = query.credential_sets !== undefined && isLess && unused.length === 0
  const lowered = {
    credentials: used.map(({ value }) => value),
    ...(hasSets && { credential_sets: chosen }),
  }
  return ok({
    value: withOneFormat(profile, policy, lowered),
    left_out: [
      ...used.flatMap(({ left_out }) => left_out),
      ...unused,
      ...(hasLostSets ? [{ member: '/dcql_query/credential_sets', why: 'one_option' } as const] : []),
    ],
    unknown: [
      ...used.flatMap(({ unknown }) => unknown),
      ...(isUnsure ? [{ member: CREDENTIALS, why: 'support_unknown' } as const] : []),
    ],
  })
}

const CREDENTIALS = '/dcql_query/credentials'

/**
 * If the query was built from scopes, keeps only one format of each credential type: the format that the
 * wallet prefers. A relying party's own query stays unchanged. The change is not reported as a finding,
 * because the wallet could answer in each format and one credential is enough.
 */
function withOneFormat(
  profile: WalletProfile,
  policy: Pick<Policy, 'query' | 'descriptors' | 'scope'>,
  query: DcqlQuery,
): DcqlQuery {
  const { credential_sets } = query
  if (credential_sets === undefined || policy.scope.length === 0) return query
  const nameTypes = listTypes(policy)
  const nameFormats = listFormats(policy)
  const sets = credential_sets.map((set) => {
    const ordered = byPreference(profile, policy, set.options)
    const preferred = (option: readonly string[]) =>
      ordered.find((one) => nameTypes(one) === nameTypes(option)) ?? option
    const options = set.options.filter((option) => nameFormats(option) === nameFormats(preferred(option)))
    return { ...set, options }
  })
  const ids = new Set(sets.flatMap(({ options }) => options.flat()))
  const isPlain = sets.every(({ options, required }) => options.length === 1 && required !== false)
  return {
    credentials: query.credentials.filter(({ id }) => ids.has(id)),
    ...(!isPlain && { credential_sets: sets }),
  }
}

/**
 * Returns the credential sets, each with the options that the wallet can satisfy. Returns `undefined` if the
 * wallet cannot satisfy a required set, or can satisfy no set. If the query has no credential sets, each
 * credential query becomes one required set (§6.4.2).
 */
function usableSets(
  { credentials, credential_sets }: DcqlQuery,
  candidates: Candidates,
): readonly CredentialSetQuery[] | undefined {
  const all: readonly CredentialSetQuery[] =
    credential_sets ?? credentials.map(({ id }) => ({ options: [[id]] }))
  const usable = all.map((set) => ({
    ...set,
    options: set.options.filter((option) => option.every((id) => candidates.get(id)?.ok === true)),
  }))
  const satisfiable = usable.filter(({ options }) => options.length > 0)
  const isShort = usable.some(({ options, required }) => options.length === 0 && required !== false)
  return isShort || satisfiable.length === 0 ? undefined : satisfiable
}

/**
 * Chooses one option of each required set, for a wallet that does not support credential sets. If no set is
 * required, chooses one option of the first set. Returns `undefined` if the wallet would get several
 * credential queries that it does not support together.
 */
function chooseOptions(
  profile: WalletProfile,
  policy: Pick<Policy, 'query' | 'descriptors'>,
  sets: readonly CredentialSetQuery[],
): readonly CredentialSetQuery[] | undefined {
  const required = sets.filter((set) => set.required !== false)
  const needed = required.length > 0 ? required : sets.slice(0, 1)
  const ordered = needed.map(({ options }) => byPreference(profile, policy, options))
  const { several_queries } = profile.dcql
  if (several_queries === 'yes' || several_queries === 'unknown') return firstOptions(ordered)
  const formatOf = (id: string) => policy.query.credentials.find((query) => query.id === id)?.format
  const inFormat = profile.formats.map((format) =>
    ordered.map((options) => options.filter((option) => option.every((id) => formatOf(id) === format))),
  )
  return [ordered, ...(several_queries === 'one_format' ? inFormat : [])]
    .filter((one) => one.every((options) => options.length > 0))
    .map(firstOptions)
    .find((choice) => {
      const ids = [...new Set(choice.flatMap(({ options }) => options.flat()))]
      return ids.length < 2 || (several_queries === 'one_format' && new Set(ids.map(formatOf)).size === 1)
    })
}

/**
 * Returns the first option of each set. If one credential query alone satisfies all sets, returns only this
 * credential query.
 */
function firstOptions(ordered: readonly CredentialSetQuery['options'][]): readonly CredentialSetQuery[] {
  const single = ordered[0]?.find(
    ([id, second]) => second === undefined && ordered.every((options) => options.some(isOnly(id))),
  )
  const choice = single === undefined ? ordered.flatMap((options) => options.slice(0, 1)) : [single]
  return choice.map((option) => ({ options: [option] }))
}

/**
 * Orders the options. Types have the order of the query, because the relying party chose that order. Formats
 * of one type have the order of the wallet.
 */
function byPreference(
  { formats }: WalletProfile,
  { query, descriptors }: Pick<Policy, 'query' | 'descriptors'>,
  options: CredentialSetQuery['options'],
): CredentialSetQuery['options'] {
  const nameTypes = listTypes({ descriptors })
  const ranks: readonly string[] = formats
  const rankOf = (option: readonly string[]) =>
    option
      .flatMap((id) => query.credentials.filter((credential) => credential.id === id))
      .reduce((sum, { format }) => sum + ranks.indexOf(format), 0)
  const types = [...new Set(options.map(nameTypes))]
  return options
    .map((option) => ({ option, type: types.indexOf(nameTypes(option)), rank: rankOf(option) }))
    .sort((a, b) => a.type - b.type || a.rank - b.rank)
    .map(({ option }) => option)
}

/** Returns a function that joins the type names of an option in one text, in order. */
function listTypes({ descriptors }: Pick<Policy, 'descriptors'>) {
  return (option: readonly string[]) =>
    option
      .flatMap((id) => descriptors.filter(({ query_id }) => query_id === id))
      .map(({ credential_type }) => credential_type)
      .join()
}

/** Returns a function that joins the formats of an option in one text, in the order of its ids. */
function listFormats({ query }: Pick<Policy, 'query'>) {
  return (option: readonly string[]) =>
    option.map((id) => query.credentials.find((one) => one.id === id)?.format).join()
}

function isOnly(id: string | undefined) {
  return (option: readonly string[]) => option.length === 1 && option[0] === id
}

/** Returns the findings for each credential query that was left out. */
function unusedQueries(candidates: Candidates, ids: ReadonlySet<string>): readonly Finding[] {
  return [...candidates].flatMap(([id, candidate], i): readonly Finding[] => {
    if (ids.has(id)) return []
    return candidate.ok ? [{ member: `${CREDENTIALS}/${i}`, why: 'one_option' }] : candidate.error
  })
}
