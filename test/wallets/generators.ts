// Generated policies, profiles and credentials for the properties of lowering.

import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import { FORMATS, type FormatId } from '../../src/formats/index.ts'
import type { VerifiedCredential } from '../../src/formats/verification/format.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { dcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../../src/openid4vp/request/client-identifier.ts'
import { encodeTransactionData } from '../../src/openid4vp/transaction-data/transaction-data.ts'
import { buildDcqlPolicy } from '../../src/policy/build-dcql-policy.ts'
import { buildPolicy } from '../../src/policy/build-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { placeTransactionData } from '../../src/policy/place-transaction-data.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { OriginalRequest } from '../../src/wallets/lowering.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import type { WalletProfile } from '../../src/wallets/profiles/profile.ts'
import { MEMBERSHIP } from '../policy/fixtures.ts'

const definitions = typeDefinitions([MEMBERSHIP])
const formats = Object.values(FORMATS)
const FORMAT_IDS = Object.keys(FORMATS) as readonly FormatId[]

/** Policies of types and scopes. */
const scopePolicy = fc
  .record({
    credential_types: fc.subarray(['age_attestation', 'pid', 'mdl', 'photo_id', 'membership'], {
      minLength: 1,
      maxLength: 3,
    }),
    scope: fc.subarray(
      ['age_over_18', 'age_over_65', 'family_name', 'birthdate', 'place_of_birth.country', 'badges'],
      { minLength: 1, maxLength: 4 },
    ),
    credential_match: fc.constantFrom('any' as const, 'all' as const),
    formats: fc.option(fc.shuffledSubarray([...FORMAT_IDS], { minLength: 1 })),
    allow_derived: fc.boolean(),
    intent_to_retain: fc.nat(4).map((chance) => chance === 0),
  })
  .map((request) => buildPolicy(request, { definitions, formats }))
  .filter((built) => built.ok)
  .map((built) => built.value)

const VALUES = ['x', 'y', 1, true]
const PATHS: Readonly<Record<FormatId, readonly ClaimsPath[]>> = {
  'dc+sd-jwt': [
    ['a'],
    ['address'],
    ['b', 'c'],
    ['d', 0],
    ['d', null],
    ['e', null, 'f'],
    ['age_equal_or_over', '18'],
  ],
  mso_mdoc: [
    ['n', 'a'],
    ['n', 'b'],
    ['m', 'a'],
    ['org.iso.18013.5.1', 'age_over_18'],
  ],
  jwt_vc_json: [
    ['credentialSubject', 'a'],
    ['credentialSubject', 'e', null],
    ['credentialSubject', 'b', 1],
  ],
}
const TYPES: Readonly<Record<FormatId, readonly string[]>> = {
  'dc+sd-jwt': ['urn:eudi:pid:1', 'https://club.example/membership'],
  mso_mdoc: ['org.iso.18013.5.1.mDL', 'eu.europa.ec.eudi.pid.1', 'eu.europa.ec.av.1'],
  jwt_vc_json: ['PersonIdentificationData'],
}

const seldom = fc.nat(5).map((chance) => chance === 0)

function claimsOf(format: FormatId): fc.Arbitrary<Pick<CredentialQuery, 'claims' | 'claim_sets'>> {
  const claim = fc.record(
    {
      path: fc.constantFrom(...PATHS[format]),
      values: fc.subarray(VALUES, { minLength: 1, maxLength: 2 }),
      ...(format === 'mso_mdoc' ? { intent_to_retain: fc.boolean() } : {}),
    },
    { requiredKeys: ['path'] },
  )
  const claims = fc.uniqueArray(claim, { selector: ({ path }) => path.join(), minLength: 1, maxLength: 4 })
  return fc
    .tuple(claims, fc.array(fc.array(fc.nat(3), { minLength: 1 }), { maxLength: 3 }))
    .map(([made, picks]) => {
      if (picks.length === 0) return { claims: made }
      const named = made.map((one, i) => ({ id: `c${i}`, ...one }))
      const sets = picks.map((pick) => [...new Set(pick.map((n) => `c${n % named.length}`))])
      const missing = named.map(({ id }) => id).filter((id) => !sets.flat().includes(id))
      return { claims: named, claim_sets: missing.length > 0 ? [...sets, missing] : sets }
    }) as fc.Arbitrary<Pick<CredentialQuery, 'claims' | 'claim_sets'>>
}

const credentialQuery = fc.constantFrom(...FORMAT_IDS).chain((format) =>
  fc
    .record({
      type: fc.constantFrom(...TYPES[format]),
      members: fc.record(
        {
          multiple: fc.boolean(),
          ...(format === 'mso_mdoc' ? {} : { require_cryptographic_holder_binding: fc.boolean() }),
          trusted_authorities: fc.constant([{ type: 'aki', values: ['YQ'] }]),
        },
        { requiredKeys: [] },
      ),
      isPlain: fc.nat(2),
      claims: fc.option(claimsOf(format), { freq: 8 }),
    })
    .map(({ type, members, isPlain, claims }) => ({
      format,
      meta: FORMATS[format].buildMeta([type]),
      ...(isPlain > 0 ? {} : members),
      ...claims,
    })),
)

/** Ids as numbers, which are reduced to those that exist. */
const sets = fc.array(
  fc.record({
    options: fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    isOptional: seldom,
  }),
  { maxLength: 3 },
)

/** Policies of own queries. */
const ownPolicy = fc
  .tuple(fc.array(credentialQuery, { minLength: 1, maxLength: 4 }), sets)
  .map(([queries, drafts]): DcqlQuery => {
    const credentials = queries.map((query, i) => ({ id: `q${i}`, ...query }))
    if (drafts.length === 0) return { credentials }
    const idOf = (n: number) => `q${n % credentials.length}`
    const credential_sets = drafts.map(({ options, isOptional }) => ({
      options: options.map((option) => [...new Set(option.map(idOf))]),
      ...(isOptional ? { required: false } : {}),
    }))
    const named = credential_sets.flatMap(({ options }) => options.flat())
    const others = credentials.filter(({ id }) => !named.includes(id)).map(({ id }) => [id])
    return {
      credentials,
      credential_sets: others.length > 0 ? [...credential_sets, { options: others }] : credential_sets,
    }
  })
  .filter((query) => dcqlQuery.safeParse(query).success)
  .map((query) => buildDcqlPolicy(query, { definitions, formats, hasTrustLists: false }))
  .filter((built) => built.ok)
  .map((built) => built.value)

const policy: fc.Arbitrary<Policy> = fc.oneof(scopePolicy, ownPolicy)

/** One transaction for every credential that can confirm it, if the query allows one. */
function transactionsOf({ query }: Policy): readonly string[] | undefined {
  const requested = [{ type: 'urn:example', members: { amount: 1 } }]
  const placed = placeTransactionData(requested, query, FORMATS)
  return placed.ok ? placed.value.map(encodeTransactionData) : undefined
}

/** Weighted towards requests that wallets can answer, so that most of them are lowered. */
const PROTOCOLS = [
  ...(['openid4vp-1.0', 'openid4vp-1.0', 'openid4vp-1.0', 'openid4vp-1.0', 'haip-1.0'] as const),
  ...(['iso-18013-7-c', 'openid4vp-draft24', 'openid4vp-draft18'] as const),
] as const
const PREFIXES: ClientIdPrefix[] = ['x509_hash', 'x509_san_dns', 'redirect_uri']

/** Requests, few of them with a transaction. */
export const ORIGINAL: fc.Arbitrary<OriginalRequest> = fc
  .record({
    policy,
    protocol: fc.constantFrom(...PROTOCOLS),
    hasTransaction: seldom,
    client_id_prefixes: fc.shuffledSubarray(PREFIXES, { minLength: 2 }),
    response_modes: fc.shuffledSubarray(['direct_post.jwt', 'direct_post'] as const, { minLength: 1 }),
    request_uri_methods: fc.shuffledSubarray(['post', 'get'] as const, { minLength: 1 }),
    dc_api_protocols: fc.subarray(['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc'] as const),
    by_value_for: fc.subarray(['eu-age-android', 'eu-age-ios']),
    livemode: seldom,
    has_root: fc.boolean(),
    accepts_low: fc.constantFrom(true, true, false, undefined),
    length: fc.constantFrom(2953, 2953, 2954),
    lacking: fc.subarray(['reader_certificate', 'google_wallet', 'organization'] as const),
  })
  .map(({ hasTransaction, accepts_low, length, ...request }) => ({
    ...request,
    ...(accepts_low !== undefined && { qr: { accepts_low, valueBytes: () => length } }),
    transaction_data: hasTransaction ? transactionsOf(request.policy) : undefined,
  }))

const support = fc.constantFrom('yes' as const, 'yes' as const, 'no' as const, 'unknown' as const)
const supportOrIgnored = fc.constantFrom(
  'yes' as const,
  'no' as const,
  'ignored' as const,
  'unknown' as const,
)

/** A profile that any request can reach, with some part of DCQL. */
const otherProfile: fc.Arbitrary<WalletProfile> = fc.record({
  id: fc.constant('other'),
  name: fc.constant('Other'),
  status: fc.constant('test'),
  countries: fc.constant([]),
  platforms: fc.constant(['web']),
  links: fc.constant({ live: ['openid4vp'] }),
  install: fc.constant({}),
  protocols: fc.constant(['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18']),
  dc_api_protocols: fc.constant(['org-iso-mdoc']),
  client_id_prefixes: fc.shuffledSubarray(PREFIXES, { minLength: 2 }),
  formats: fc.shuffledSubarray([...FORMAT_IDS], { minLength: 2 }),
  response_modes: fc.constant(['direct_post.jwt', 'direct_post']),
  passing: fc.constant(['reference', 'value']),
  request_uri_methods: fc.constant(['post', 'get']),
  chain: fc.constantFrom('without_root', 'with_root'),
  transaction_data: support,
  dcql: fc.record({
    several_queries: fc.oneof(support, fc.constant('one_format' as const)),
    credential_sets: support,
    optional_sets: fc.constantFrom('yes', 'no'),
    claim_sets: supportOrIgnored,
    values: supportOrIgnored,
    nested_path: support,
    object_path: support,
    null_path: support,
    index_path: support,
    intent_to_retain: support,
    multiple: support,
    trusted_authorities: fc.oneof(supportOrIgnored, fc.constant('aki' as const)),
    require_cryptographic_holder_binding: support,
    without_claims: fc.constantFrom('none', 'all', 'refused', 'unknown'),
  }),
})

/** A profile that any request can reach, and two of the registry whose responses are checked as well. */
export const PROFILES = fc.record({
  other: otherProfile,
  satisfied: fc.shuffledSubarray([...WALLET_PROFILES], { minLength: 2, maxLength: 2 }),
})

/** Presentation of a wallet for one query. Some claims are missing or have another value. */
export type Presentation = {
  readonly isMissing: readonly boolean[]
  readonly isFalse: readonly boolean[]
  readonly holderBound: boolean
  readonly authority: string
}

export const PRESENTED: fc.Arbitrary<Presentation> = fc.record({
  isMissing: fc.array(
    fc.nat(19).map((chance) => chance === 0),
    { minLength: 4, maxLength: 4 },
  ),
  isFalse: fc.array(
    fc.nat(19).map((chance) => chance === 0),
    { minLength: 4, maxLength: 4 },
  ),
  holderBound: fc.nat(9).map((chance) => chance > 0),
  authority: fc.constantFrom('YQ', 'YQ', 'YQ', 'Yg'),
})

/** Builds a credential that answers a query, as far as `presented` lets it. */
export function credentialFor(query: CredentialQuery, presented: Presentation): VerifiedCredential {
  const format = query.format as FormatId
  const typeIdentifier = FORMATS[format].metaTypes(query.meta)?.[0] ?? ''
  const type = definitions.find(({ formats }) => formats[format]?.identifiers.includes(typeIdentifier))
  const claims = (query.claims ?? []).reduce<Json>((root, { path, values }, i) => {
    if (presented.isMissing[i % 4]) return root
    const isDate = path.some((step) => String(step).startsWith('birth'))
    const good = values?.[0] ?? (isDate ? '1978-04-10' : true)
    return put(root, path, presented.isFalse[i % 4] ? false : good)
  }, {})
  return {
    format,
    typeIdentifier,
    credentialType: type?.name ?? '',
    issuer: null,
    anchor: { name: 'Example', assurance_level: 'high' },
    subjectNamespace: 'name:Example',
    authorityKeyIdentifiers: [presented.authority],
    issuerPath: [],
    claims: claims as JsonObject,
    holderBound: presented.holderBound,
    status: 'not_present',
    reasons: [],
  }
}

/** Puts a value where a path selects it. A path that does not fit what is there changes nothing. */
function put(root: Json | undefined, [step, ...rest]: ClaimsPath, value: Json): Json {
  if (step === undefined) return root ?? value
  if (typeof step === 'string') {
    const object = root ?? {}
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
    return { ...object, [step]: put((object as JsonObject)[step], rest, value) }
  }
  const list = root ?? []
  if (!Array.isArray(list)) return list as Json
  const index = step ?? 0
  return Array.from({ length: Math.max(list.length, index + 1) }, (_, i) =>
    i === index || (step === null && i < list.length) ? put(list[i], rest, value) : (list[i] ?? false),
  )
}
