// Each finding of lowering, reached by one change of a profile or of a request that works.

import { expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import type { CredentialQuery } from '../../src/openid4vp/dcql/query.ts'
import { lowerRequest } from '../../src/wallets/lower.ts'
import { FINDINGS, type FindingCode, type OriginalRequest } from '../../src/wallets/lowering.ts'
import type { WalletProfile } from '../../src/wallets/profile.ts'
import { policyOf } from '../policy/fixtures.ts'

const DCQL: WalletProfile['dcql'] = {
  several_queries: 'yes',
  credential_sets: 'yes',
  claim_sets: 'yes',
  values: 'yes',
  null_path: 'yes',
  index_path: 'yes',
  intent_to_retain: 'yes',
  multiple: 'yes',
  trusted_authorities: 'yes',
  require_cryptographic_holder_binding: 'yes',
  without_claims: 'none',
}

/** A wallet that supports everything. */
const PROFILE: WalletProfile = {
  id: 'other',
  name: 'Other',
  status: 'test',
  countries: [],
  platforms: ['web'],
  links: { live: ['openid4vp'] },
  install: {},
  protocols: ['openid4vp-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['post', 'get'],
  chain: 'without_root',
  transaction_data: 'yes',
  dcql: DCQL,
}

const PID = { credential_types: ['pid'], scope: ['age_over_18'], allow_derived: true }
const QUERY = '/dcql_query/credentials/0'

function originalOf(changes: Partial<OriginalRequest> = {}, credential?: Partial<CredentialQuery>) {
  const policy = policyOf(PID, [FORMATS['dc+sd-jwt'], FORMATS.mso_mdoc])
  const [first] = policy.query.credentials
  const query = credential === undefined ? policy.query : { credentials: [{ ...first!, ...credential }] }
  return {
    policy: { ...policy, query },
    protocol: 'openid4vp-1.0',
    client_id_prefixes: ['x509_hash', 'x509_san_dns'],
    response_modes: ['direct_post.jwt'],
    request_uri_methods: ['post', 'get'],
    dc_api_protocols: [],
    livemode: true,
    has_root: true,
    ...changes,
  } as OriginalRequest
}

function findingsOf(profile: WalletProfile, original: OriginalRequest) {
  const lowering = lowerRequest(profile, original)
  const findings =
    lowering.outcome === 'cannot' ? lowering.reasons : [...lowering.left_out, ...lowering.unknown]
  return { outcome: lowering.outcome, findings: findings.map(({ member, why }) => `${member} ${why}`) }
}

const dcql = (changes: Partial<typeof DCQL>): Partial<WalletProfile> => ({ dcql: { ...DCQL, ...changes } })
const VALUES = { claims: [{ path: ['sex'], values: [1] }], claim_sets: undefined } as never
const AUTHORITIES = { trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] } as never
const NO_CLAIMS = { claims: undefined, claim_sets: undefined } as never

const CASES: readonly (readonly [FindingCode, string, string, Partial<WalletProfile>, OriginalRequest])[] = [
  ['format_not_supported', 'lowered', `${QUERY}/format`, { formats: ['mso_mdoc'] }, originalOf()],
  [
    'discloses_more',
    'lowered',
    `${QUERY}/format`,
    { formats: ['mso_mdoc'], excess_formats: ['dc+sd-jwt'] },
    originalOf(),
  ],
  ['type_not_held', 'cannot', `${QUERY}/meta`, { types: ['other'] }, originalOf()],
  ['not_supported', 'cannot', `${QUERY}/claims/0/values`, dcql({ values: 'no' }), originalOf({}, VALUES)],
  ['ignored', 'lowered', `${QUERY}/claims/0/values`, dcql({ values: 'ignored' }), originalOf({}, VALUES)],
  [
    'ignored',
    'lowered',
    `${QUERY}/trusted_authorities`,
    dcql({ trusted_authorities: 'ignored' }),
    originalOf({}, AUTHORITIES),
  ],
  [
    'support_unknown',
    'unknown',
    `${QUERY}/claims/0/values`,
    dcql({ values: 'unknown' }),
    originalOf({}, VALUES),
  ],
  ['discloses_all', 'cannot', `${QUERY}/claims`, dcql({ without_claims: 'all' }), originalOf({}, NO_CLAIMS)],
  [
    'disclosure_unknown',
    'cannot',
    `${QUERY}/claims`,
    dcql({ without_claims: 'unknown' }),
    originalOf({}, NO_CLAIMS),
  ],
  ['one_option', 'lowered', '/dcql_query/credentials/1', dcql({ credential_sets: 'no' }), originalOf()],
  ['one_claim_set', 'lowered', `${QUERY}/claim_sets`, dcql({ claim_sets: 'ignored' }), originalOf()],
  ['not_in_protocol', 'cannot', '/protocol', { protocols: ['openid4vp-draft18'] }, originalOf()],
  ['not_in_this_mode', 'cannot', '/wallet_links', { links: { test: ['openid4vp'] } }, originalOf()],
  ['own_link', 'lowered', '/uri', { links: { live: ['av'] } }, originalOf()],
  ['replaced', 'lowered', '/client_id', { client_id_prefixes: ['x509_san_dns'] }, originalOf()],
  ['not_available', 'cannot', '/client_id', { client_id_prefixes: ['verifier_attestation'] }, originalOf()],
  ['root_needed', 'cannot', '/client_id', { chain: 'with_root' }, originalOf({ has_root: false })],
  ...(['reader_certificate', 'google_wallet', 'organization'] as const).map(
    (one) =>
      [`${one}_needed`, 'cannot', '/client_id', { requires: [one] }, originalOf({ lacking: [one] })] as const,
  ),
]

it('finds nothing where the wallet supports everything', () => {
  expect(findingsOf(PROFILE, originalOf())).toEqual({ outcome: 'works', findings: [] })
})

it.each(CASES)('finds %s: %s, at %s', (code, outcome, member, change, original) => {
  const found = findingsOf({ ...PROFILE, ...change }, original)
  expect(found.outcome).toBe(outcome)
  expect(found.findings).toContain(`${member} ${code}`)
  expect(findingsOf(PROFILE, { ...original, has_root: true }).findings).toEqual([])
})

it('has a case for each code', () => {
  expect([...new Set(CASES.map(([code]) => code))].sort()).toEqual(Object.keys(FINDINGS).sort())
})
