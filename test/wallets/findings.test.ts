// Each finding of lowering, reached by one change of a profile or of a request that works.

import { expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import type { CredentialQuery } from '../../src/openid4vp/dcql/query.ts'
import { encodeTransactionData } from '../../src/openid4vp/transaction-data/transaction-data.ts'
import { lowerRequest } from '../../src/wallets/lower.ts'
import { FINDINGS, type FindingCode, type OriginalRequest } from '../../src/wallets/lowering.ts'
import type { WalletProfile } from '../../src/wallets/profiles/profile.ts'
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
const BY_VALUE: Partial<WalletProfile> = { client_id_prefixes: ['redirect_uri'], passing: ['value'] }
const QR = {
  low_level_only: { accepts_low: false, valueBytes: () => 2953 },
  too_long: { accepts_low: true, valueBytes: () => 2954 },
  fits: { accepts_low: true, valueBytes: () => 2953 },
}
const unsigned = (refusal: 'low_level_only' | 'too_long') =>
  originalOf({ client_id_prefixes: ['x509_hash', 'redirect_uri'], qr: QR[refusal] })
const EITHER = policyOf({ ...PID, credential_types: ['pid', 'mdl'], formats: ['mso_mdoc'] }, [
  FORMATS.mso_mdoc,
])
const confirmedBy = (...credential_ids: string[]) =>
  encodeTransactionData({ type: 'urn:example', credential_ids, members: {} })
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
  [
    'support_unknown',
    'unknown',
    '/protocol',
    { unknown_protocols: ['openid4vp-draft18', 'openid4vp-1.0'] },
    originalOf(),
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
  [
    'browser_only',
    'lowered',
    '/uri',
    { links: {}, dc_api_protocols: ['openid4vp-v1-signed'] },
    originalOf({ dc_api_protocols: ['openid4vp-v1-signed'] }),
  ],
  ['own_link', 'lowered', '/uri', { links: { live: ['av'] } }, originalOf()],
  ['replaced', 'lowered', '/client_id', { client_id_prefixes: ['x509_san_dns'] }, originalOf()],
  ['not_available', 'cannot', '/client_id', { client_id_prefixes: ['verifier_attestation'] }, originalOf()],
  ['low_level_only', 'cannot', '/client_id', BY_VALUE, unsigned('low_level_only')],
  ['too_long', 'cannot', '/uri', BY_VALUE, unsigned('too_long')],
  [
    'credential_not_asked',
    'cannot',
    '/transaction_data/1',
    dcql({ credential_sets: 'no' }),
    originalOf({ policy: EITHER, transaction_data: [confirmedBy('pid'), confirmedBy('pid', 'mdl')] }),
  ],
  ['root_needed', 'cannot', '/client_id', { chain: 'with_root' }, originalOf({ has_root: false })],
  ['issuer_named', 'lowered', '/client_id', { names_issuer: true }, originalOf()],
  ...(['reader_certificate', 'google_wallet', 'organization'] as const).map(
    (one) =>
      [`${one}_needed`, 'cannot', '/client_id', { requires: [one] }, originalOf({ lacking: [one] })] as const,
  ),
]

it('a wallet that supports everything has no findings', () => {
  expect(findingsOf(PROFILE, originalOf())).toEqual({ outcome: 'works', findings: [] })
})

it.each(CASES)(
  'the adaptation of a request to a wallet gives the finding %s, the outcome %s and the member %s',
  (code, outcome, member, change, original) => {
    const found = findingsOf({ ...PROFILE, ...change }, original)
    expect(found.outcome).toBe(outcome)
    expect(found.findings).toContain(`${member} ${code}`)
    expect(findingsOf(PROFILE, { ...original, has_root: true }).findings).toEqual([])
  },
)

it.each(['low_level_only', 'too_long'] as const)(
  'if %s prevents a request by value, a wallet that accepts a request_uri gets a signed request by reference',
  (code) => {
    const profile: WalletProfile = {
      ...PROFILE,
      passing: ['value', 'reference'],
      client_id_prefixes: ['redirect_uri', 'x509_hash'],
    }
    const original = originalOf({ client_id_prefixes: ['redirect_uri', 'x509_hash'] })
    expect(lowerRequest(profile, original)).toMatchObject({ request: { passing: 'value' } })
    expect(lowerRequest(profile, { ...original, qr: QR.fits })).toMatchObject({
      request: { passing: 'value' },
    })
    expect(lowerRequest(profile, { ...original, qr: QR[code] })).toMatchObject({
      outcome: 'lowered',
      request: { passing: 'reference', client_id_prefix: 'x509_hash' },
      left_out: [{ member: '/client_id', why: 'replaced' }],
    })
  },
)

it('a wallet with the Digital Credentials API gets no link if its request cannot be passed by value', () => {
  const profile: WalletProfile = { ...PROFILE, ...BY_VALUE, dc_api_protocols: ['org-iso-mdoc'] }
  const query = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
  const claims = [{ path: ['org.iso.18013.5.1', 'sex'] }]
  const { policy } = originalOf({}, { ...query, claims, claim_sets: undefined } as never)
  const original = { ...unsigned('low_level_only'), policy, dc_api_protocols: ['org-iso-mdoc'] } as const
  expect(lowerRequest(profile, original)).toMatchObject({
    outcome: 'lowered',
    request: { link: null, dc_api_protocols: ['org-iso-mdoc'] },
    left_out: [
      { member: '/uri', why: 'browser_only' },
      { member: '/client_id', why: 'low_level_only' },
    ],
  })
})

it('this file tests every code of a finding', () => {
  expect([...new Set(CASES.map(([code]) => code))].sort()).toEqual(Object.keys(FINDINGS).sort())
})
