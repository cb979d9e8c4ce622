// Properties of lowering, for generated policies and profiles. A failure prints the seed that repeats it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORMATS, type FormatId } from '../../src/formats/index.ts'
import { isSatisfied, matchCredential } from '../../src/openid4vp/dcql/match.ts'
import {
  type ClaimsQuery,
  type CredentialQuery,
  type DcqlQuery,
  dcqlQuery,
} from '../../src/openid4vp/dcql/query.ts'
import { decodeTransactionData } from '../../src/openid4vp/transaction-data/transaction-data.ts'
import { decide } from '../../src/policy/decide.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { lowerRequest } from '../../src/wallets/lower.ts'
import type { LoweredRequest, Lowering, OriginalRequest } from '../../src/wallets/lowering.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import type { WalletProfile } from '../../src/wallets/profiles/profile.ts'
import { NOW } from '../policy/fixtures.ts'
import { IS_HUGE_SIZE, sizeOf } from '../support/runner/size.ts'
import { credentialFor, ORIGINAL, PRESENTED, PROFILES, type Presentation } from './generators.ts'

const POLICIES = IS_HUGE_SIZE ? 10_000 : sizeOf(4_000)
const SEED = 20_261_122

let satisfied = 0
let verified = 0

describe('a request that is adapted to a chosen wallet', () => {
  it('requests only what the original request has and the wallet supports', () => {
    const outcomes = new Map<string, number>()
    const uses = new Set<string>()
    fc.assert(
      fc.property(
        PROFILES,
        ORIGINAL,
        fc.array(PRESENTED, { minLength: 10, maxLength: 10 }),
        ({ other, satisfied: chosen }, original, presented) => {
          for (const profile of [...WALLET_PROFILES, other]) {
            const lowering = expectProperties(profile, original)
            outcomes.set(lowering.outcome, (outcomes.get(lowering.outcome) ?? 0) + 1)
            if (lowering.outcome === 'cannot' || !(profile === other || chosen.includes(profile))) continue
            expectSatisfaction(original.policy, lowering.request.query, presented)
            uses.add(profile.id)
          }
        },
      ),
      { numRuns: POLICIES, seed: SEED },
    )
    // With one outcome missing, or few profiles answered, the properties would not be tested.
    for (const outcome of ['works', 'lowered', 'unknown', 'cannot']) {
      expect(outcomes.get(outcome) ?? 0).toBeGreaterThan(POLICIES / 50)
    }
    expect(uses.size).toBeGreaterThan(WALLET_PROFILES.length / 2)
    expect(satisfied).toBeGreaterThan(POLICIES / 5)
    expect(verified).toBeGreaterThan(POLICIES / 10)
  })
})

/** Lowers a request and checks the result, which it returns. */
function expectProperties(profile: WalletProfile, original: OriginalRequest): Lowering {
  const before = JSON.stringify([profile, original])
  const lowering = lowerRequest(profile, original)
  expect(JSON.stringify([profile, original])).toBe(before)
  if (lowering.outcome === 'cannot') {
    expect(lowering.reasons.length).toBeGreaterThan(0)
    expect(acceptsAsItIs(profile, original)).toBe(false)
    return lowering
  }
  const { request, left_out, unknown } = lowering
  expect(lowering.outcome).toBe(unknown.length > 0 ? 'unknown' : left_out.length > 0 ? 'lowered' : 'works')
  if (left_out.length === 0) expectEachType(request.query, original.policy)
  expectOneFormat(request.query, original.policy)
  expect(dcqlQuery.safeParse(request.query).error?.issues ?? []).toEqual([])
  expectNothingMore(request.query, original.policy.query)
  expect(refusals(profile, request.query, unknown.length > 0)).toEqual([])
  expectTransactions(request, original)
  expectAllowed(profile, request, original)
  return lowering
}

/** Unsigned and plain only if the request may be so, for any wallet or for this one. */
function expectAllowed({ id }: WalletProfile, request: LoweredRequest, original: OriginalRequest): void {
  if (request.passing === 'value') expect(mayPassValue(original)).toBe(true)
  if (original.by_value_for?.includes(id)) return
  const { client_id_prefix: prefix, response_mode: mode } = request
  expect(prefix === null || original.client_id_prefixes.includes(prefix)).toBe(true)
  expect(mode === null || original.response_modes.includes(mode)).toBe(true)
}

/** A query made from types asks for each type in one format. */
function expectOneFormat({ credentials }: DcqlQuery, { descriptors, scope }: Policy): void {
  if (scope.length === 0) return
  const formats = Map.groupBy(
    credentials,
    ({ id }) => descriptors.find(({ query_id }) => query_id === id)?.credential_type,
  )
  for (const group of formats.values()) expect(new Set(group.map(({ format }) => format)).size).toBe(1)
}

/** Where nothing is left out, the whole query is the same; made from types, it still asks for each type. */
function expectEachType(query: DcqlQuery, { query: original, descriptors, scope }: Policy): void {
  const isAsked = ({ query_id }: { query_id: string }) => query.credentials.some(({ id }) => id === query_id)
  const typesOf = (some: Policy['descriptors']) => new Set(some.map((one) => one.credential_type))
  if (scope.length === 0) expect(query).toEqual(original)
  else expect(typesOf(descriptors.filter(isAsked))).toEqual(typesOf(descriptors))
}

/** Every part of the lowered query is a part of the original query, with the same values. */
function expectNothingMore(query: DcqlQuery, original: DcqlQuery): void {
  for (const credential of query.credentials) {
    const source = original.credentials.find(({ id }) => id === credential.id)
    expect(source).toBeDefined()
    const { claims, claim_sets, ...members } = credential
    expect(source).toMatchObject(members)
    expect(claims === undefined).toBe(source?.claims === undefined)
    for (const claim of claims ?? []) expect(source?.claims?.some((one) => isPart(claim, one))).toBe(true)
    for (const set of claim_sets ?? []) expect(source?.claim_sets).toContainEqual(set)
    if (source?.claim_sets !== undefined && claim_sets === undefined) {
      const paths = claims?.map(({ path }) => path)
      const sets = source.claim_sets.map((set) =>
        source.claims?.filter(({ id = '' }) => set.includes(id)).map(({ path }) => path),
      )
      expect(sets).toContainEqual(paths)
    }
  }
}

/** Only `id`, and an `intent_to_retain` that is false, may be missing. */
function isPart(claim: ClaimsQuery, source: ClaimsQuery): boolean {
  const plain = ({ path, values = [], intent_to_retain = false }: ClaimsQuery) => [
    path,
    values,
    intent_to_retain,
  ]
  const hasKnownId = claim.id === undefined || claim.id === source.id
  return hasKnownId && JSON.stringify(plain(claim)) === JSON.stringify(plain(source))
}

/** The members that a strict wallet with this profile refuses, or answers with more than is asked. */
function refusals(
  { dcql, formats, types }: WalletProfile,
  query: DcqlQuery,
  allowsUnknown: boolean,
): readonly string[] {
  const isFine = (support: string) =>
    support === 'yes' || support === 'ignored' || (allowsUnknown && support === 'unknown')
  const { credentials, credential_sets } = query
  const parts = credentials.flatMap((one) => {
    const claims = one.claims ?? []
    const isHeld =
      types === undefined ||
      FORMATS[one.format as FormatId].metaTypes(one.meta)?.some((type) => types.includes(type))
    const members: readonly (readonly [string, boolean])[] = [
      ['format', formats.some((format) => format === one.format)],
      ['type', isHeld === true],
      ['without claims', one.claims !== undefined || dcql.without_claims === 'none'],
      ['claim_sets', one.claim_sets === undefined || dcql.claim_sets === 'yes'],
      ['multiple', one.multiple === undefined || dcql.multiple === 'yes'],
      [
        'binding',
        one.require_cryptographic_holder_binding === undefined ||
          dcql.require_cryptographic_holder_binding === 'yes',
      ],
      [
        'authorities',
        isFine(dcql.trusted_authorities) ||
          (one.trusted_authorities ?? []).every(
            ({ type }) => type === 'aki' && dcql.trusted_authorities === 'aki',
          ),
      ],
      ['values', claims.every(({ values }) => values === undefined) || isFine(dcql.values)],
      [
        'nested',
        one.format !== 'dc+sd-jwt' ||
          claims.every(({ path }) => path.filter((step) => typeof step === 'string').length < 2) ||
          isFine(dcql.nested_path ?? 'yes'),
      ],
      [
        'object',
        one.format !== 'dc+sd-jwt' ||
          claims.every(({ path }) => path.join() !== 'address') ||
          isFine(dcql.object_path ?? 'yes'),
      ],
      ['null', claims.every(({ path }) => !path.includes(null)) || isFine(dcql.null_path)],
      [
        'index',
        claims.every(({ path }) => !path.some((step) => typeof step === 'number')) || isFine(dcql.index_path),
      ],
      [
        'retain',
        claims.every(({ intent_to_retain }) => intent_to_retain !== true) || isFine(dcql.intent_to_retain),
      ],
      [
        'not retain',
        claims.every(({ intent_to_retain }) => intent_to_retain !== false) || dcql.intent_to_retain === 'yes',
      ],
    ]
    return members.flatMap(([name, isAccepted]) => (isAccepted ? [] : [`${one.id}: ${name}`]))
  })
  return [
    ...parts,
    ...(credential_sets === undefined || dcql.credential_sets === 'yes' ? [] : ['credential_sets']),
    ...(dcql.optional_sets === 'no' && credential_sets?.some(({ required }) => required === false)
      ? ['optional set']
      : []),
    ...(new Set(credentials.map(({ format }) => format)).size === 1 && dcql.several_queries === 'one_format'
      ? []
      : credentials.length === 1 || isFine(dcql.several_queries)
        ? []
        : ['several queries']),
  ]
}

/** True if there is no QR code, or a QR code that fits and whose level is enough. */
function mayPassValue({ qr }: OriginalRequest): boolean {
  return qr === undefined || (qr.accepts_low && qr.valueBytes({} as never) <= 2953)
}

/** True if nothing of the original is in the wallet's way. */
function acceptsAsItIs(profile: WalletProfile, original: OriginalRequest): boolean {
  const { links, transaction_data } = profile
  const isOpened = original.livemode ? links.live : (links.test ?? links.live)
  const [prefix] = original.client_id_prefixes
  const [mode] = original.response_modes
  const [method] = original.request_uri_methods
  return (
    refusals(profile, original.policy.query, false).length === 0 &&
    profile.protocols.includes(original.protocol) &&
    isOpened !== undefined &&
    prefix !== undefined &&
    profile.client_id_prefixes.includes(prefix) &&
    profile.passing.includes(prefix === 'redirect_uri' ? 'value' : 'reference') &&
    (prefix !== 'redirect_uri' || mayPassValue(original)) &&
    mode !== undefined &&
    profile.response_modes.includes(mode) &&
    method !== undefined &&
    profile.request_uri_methods.includes(method) &&
    (profile.chain === 'without_root' || original.has_root === true || prefix === 'redirect_uri') &&
    (original.transaction_data === undefined || transaction_data === 'yes') &&
    !profile.requires?.some((one) => original.lacking?.includes(one))
  )
}

/** Each transaction is as it was sent, so all of the queries that it names are asked. */
function expectTransactions({ query }: LoweredRequest, { transaction_data = [] }: OriginalRequest): void {
  for (const text of transaction_data) {
    const { credential_ids } = decodeTransactionData(text)
    expect(query.credentials.map(({ id }) => id)).toEqual(expect.arrayContaining([...credential_ids]))
  }
}

/** A response that satisfies the lowered query satisfies the original query and its policy. */
function expectSatisfaction(policy: Policy, query: DcqlQuery, presented: readonly Presentation[]): void {
  const answers = query.credentials.flatMap((one, i) => {
    const credential = credentialFor(one, presented[i % presented.length] as Presentation)
    const format = FORMATS[one.format as FormatId]
    const match = matchCredential(one, credential, format)
    if (match === undefined) return []
    const source = policy.query.credentials.find(({ id }) => id === one.id) as CredentialQuery
    // Claim sets may differ, and with them the values that do not match.
    const mismatches = matchCredential(source, credential, format)?.valueMismatches
    expect(mismatches).toBeDefined()
    if (match.valueMismatches.length === 0) expect(mismatches).toEqual([])
    return [{ queryId: one.id, credential, valueMismatches: match.valueMismatches }]
  })
  const ids = new Set(answers.map(({ queryId }) => queryId))
  if (!isSatisfied(query, ids)) return
  satisfied += 1
  expect(isSatisfied(policy.query, ids)).toBe(true)
  const required = { required_assurance_level: 'low' } as const
  const descriptors = policy.descriptors.filter(({ query_id }) => ids.has(query_id))
  const lowered = { ...policy, ...required, query, descriptors }
  const decision = decide({ policy: lowered, presentations: answers, now: NOW })
  if (decision.status !== 'verified') return
  verified += 1
  expect(decide({ policy: { ...policy, ...required }, presentations: answers, now: NOW }).status).toBe(
    'verified',
  )
}
