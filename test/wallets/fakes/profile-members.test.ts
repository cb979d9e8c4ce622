// The profile of each wallet says of each member of DCQL what its fake does with it, where it says that the
// wallet supports or ignores the member.

import { expect, it } from 'vitest'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import type { WalletProfile } from '../../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../../src/wallets/profiles/sources.ts'
import {
  type Change,
  makeStage,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
  offerValue,
} from '../../support/wallets/good-request.ts'
import { FAKE_WALLETS } from '../../support/wallets/index.ts'
import type { CredentialQuery, DcqlQuery } from '../../support/wallets/request-object.ts'

const stage = await makeStage()
const FAKES = FAKE_WALLETS.map((wallet) => {
  const profile = WALLET_PROFILES.find(({ id }) => id === wallet.id)
  if (profile === undefined) throw new Error(wallet.id)
  return { wallet, profile }
})

type Member = Exclude<keyof WalletProfile['dcql'], 'nested_path'>
type Probe = {
  readonly member: Member
  readonly format: 'dc+sd-jwt' | 'mso_mdoc'
  readonly query: DcqlQuery
  /**
   * Disclosed claims by what the profile says; `null` for a refusal. Of `no` and `unknown` nothing follows:
   * the service then does not ask, or warns.
   */
  readonly ends: Readonly<Record<string, readonly string[] | null>>
}

const NAME = ['given_name', 'family_name']
const sdJwt = (change: Partial<CredentialQuery>): CredentialQuery => ({ ...NAME_SD_JWT, ...change })
const claimed = (...paths: readonly (readonly (string | number | null)[])[]): Partial<CredentialQuery> => ({
  claims: paths.map((path, index) => ({ id: `c${index}`, path })),
})
const probe = (
  member: Member,
  query: DcqlQuery | CredentialQuery,
  ends: Probe['ends'],
  format: Probe['format'] = 'dc+sd-jwt',
): Probe => ({ member, format, ends, query: 'credentials' in query ? query : { credentials: [query] } })
const withoutClaims = ({ claims: _, ...query }: CredentialQuery): CredentialQuery => query
const SEX = sdJwt({ id: 'sex', ...claimed(['sex']) })
const LACKING = sdJwt({ id: 'lacking', meta: { vct_values: ['urn:lacking'] } })
const ETSI = { type: 'etsi_tl', values: ['https://list.example'] }
const setsOf = (...options: readonly string[][]) => [{ options }]

const PROBES: readonly Probe[] = [
  probe(
    'several_queries',
    { credentials: [NAME_SD_JWT, SEX] },
    { yes: [...NAME, 'sex'], one_format: [...NAME, 'sex'] },
  ),
  probe(
    'several_queries',
    { credentials: [SEX, NAME_MDOC] },
    { yes: [...NAME, 'sex'], one_format: null },
    'mso_mdoc',
  ),
  probe(
    'credential_sets',
    { credentials: [NAME_SD_JWT, SEX], credential_sets: setsOf(['pid'], ['sex']) },
    { yes: NAME },
  ),
  probe(
    'credential_sets',
    { credentials: [LACKING, NAME_SD_JWT], credential_sets: setsOf(['lacking'], ['pid']) },
    { yes: NAME },
  ),
  probe('claim_sets', sdJwt({ ...claimed(['sex'], ['birthdate']), claim_sets: [['c0'], ['c1']] }), {
    yes: ['sex'],
    ignored: ['sex', 'birthdate'],
  }),
  probe('claim_sets', sdJwt({ ...claimed(['height'], ['sex']), claim_sets: [['c0'], ['c1']] }), {
    yes: ['sex'],
  }),
  probe(
    'optional_sets',
    {
      credentials: [NAME_SD_JWT, LACKING],
      credential_sets: [{ options: [['pid']] }, { options: [['lacking']], required: false }],
    },
    { yes: NAME, no: null },
  ),
  probe('object_path', sdJwt(claimed(['address'])), { yes: ['address.country', 'address.locality'], no: [] }),
  probe('values', sdJwt({ claims: [{ path: ['given_name'], values: ['Erika'] }] }), {
    yes: ['given_name'],
    ignored: ['given_name'],
  }),
  probe('values', sdJwt({ claims: [{ path: ['given_name'], values: ['Max'] }] }), {
    yes: null,
    ignored: ['given_name'],
  }),
  probe('null_path', sdJwt(claimed(['nationalities', null])), { yes: ['nationalities'] }),
  probe('index_path', sdJwt(claimed(['nationalities', 0])), { yes: ['nationalities'] }),
  probe(
    'intent_to_retain',
    { ...NAME_MDOC, claims: (NAME_MDOC.claims ?? []).map((one) => ({ ...one, intent_to_retain: true })) },
    { yes: NAME },
    'mso_mdoc',
  ),
  probe('multiple', sdJwt({ multiple: true }), { yes: NAME }),
  probe('trusted_authorities', sdJwt({ trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] }), {
    yes: null,
    aki: null,
    ignored: NAME,
  }),
  probe('trusted_authorities', sdJwt({ trusted_authorities: [ETSI] }), { aki: null }),
  probe('require_cryptographic_holder_binding', sdJwt({ require_cryptographic_holder_binding: true }), {
    yes: NAME,
  }),
  probe('without_claims', withoutClaims(NAME_SD_JWT), { none: [], refused: null }),
  probe('without_claims', withoutClaims(NAME_MDOC), { none: [], refused: null }, 'mso_mdoc'),
]

/** Those that the test's verifier reaches by link. */
const REACHED = FAKES.filter(
  ({ profile }) =>
    profile.protocols.includes('openid4vp-1.0') &&
    profile.types === undefined &&
    profile.client_id_prefixes.some((one) => one === 'x509_hash' || one === 'redirect_uri'),
)

/** A request that differs from what the wallet takes in nothing but its query. */
async function ask({ wallet, profile }: (typeof FAKES)[number], query: DcqlQuery) {
  const [link = ''] = profile.links.live ?? profile.links.test ?? []
  const base = link.includes('://') ? link : `${link}://`
  const x5c = [stage.verifier.leaf.x5c, ...(profile.chain === 'with_root' ? [stage.verifier.root.x5c] : [])]
  const isSigned = profile.client_id_prefixes.includes('x509_hash')
  const change: Change = {
    base,
    also: {
      'payload.dcql_query': query,
      ...(isSigned ? { 'header.x5c': x5c } : {}),
      ...(profile.names_issuer ? { 'payload.iss': 'https://shop.example', 'header.kid': 'key' } : {}),
    },
  }
  const offer = isSigned ? offerLink : offerValue
  const { answer } = await offer(wallet, stage, { queries: [], change })
  return 'refused' in answer ? null : answer.disclosed.map(({ claim }) => claim).toSorted()
}

/** Support of a member, with the default if the profile lacks it; `unknown` if it is never used. */
function supportOf({ dcql }: WalletProfile, member: Member): string {
  if (member === 'optional_sets' && dcql.credential_sets !== 'yes') return 'unknown'
  return dcql[member] ?? 'yes'
}

const CASES = REACHED.flatMap((fake) =>
  PROBES.filter(({ format }) => fake.profile.formats.includes(format)).flatMap(({ member, ends, query }) => {
    const end = ends[supportOf(fake.profile, member)]
    return end === undefined ? [] : [{ id: fake.wallet.id, member, query, end, fake }]
  }),
)

it('this file tests every DCQL member of the wallet profiles', () => {
  const members = new Set(PROBES.map(({ member }) => member))
  expect(new Set(CASES.map(({ member }) => member))).toEqual(members)
  const known = WALLET_PROFILES.flatMap(({ dcql }) => Object.keys(dcql))
  expect([...members, 'nested_path'].sort()).toEqual([...new Set(known)].sort())
})

it.each(CASES)(
  'the fake wallet $id answers a query with $member as its profile says',
  async ({ fake, query, end }) => {
    expect(await ask(fake, query)).toEqual(end && [...end].sort())
  },
)

it.each(FAKES)(
  'the profile of $wallet.id lists every source of its fake wallet, in the same version',
  ({ wallet }) => {
    const sources = WALLET_SOURCES[wallet.id]?.sources.map(({ url, version }) => [url, version])
    const read = [wallet.source]
      .flat()
      .flatMap((one) =>
        'commit' in one
          ? [[`https://github.com/${one.repository}`, one.commit]]
          : one.documentation.map((address) => [address, 'documentation']),
      )
    expect(sources).toEqual(expect.arrayContaining(read))
  },
)

it.each(FAKES)('the fake wallet $wallet.id cites the files of its sources with full paths', ({ wallet }) => {
  const files = [wallet.source].flat().flatMap((one) => ('files' in one ? one.files : []))
  expect(files.filter((path) => !/^[\w./ -]+$/.test(path))).toEqual([])
})

it.each(FAKES)(
  'the profile of $wallet.id has the value "unknown" only for features that its sources do not describe',
  ({ wallet, profile }) => {
    const { dcql, transaction_data, unknown_protocols = [] } = profile
    const supports = [
      ...Object.entries(dcql).map(([name, support]) => [`dcql.${name}`, support] as const),
      ['transaction_data', transaction_data] as const,
      ...unknown_protocols.map((id) => [`protocols.${id}`, 'unknown'] as const),
    ]
    const unknown = supports.flatMap(([name, support]) => (support === 'unknown' ? [name] : []))
    const { silent = [] } = wallet
    const isSilent = (name: string) => silent.some((one) => name === one || name.startsWith(`${one}.`))
    expect(unknown.filter((name) => !isSilent(name))).toEqual([])
    for (const one of silent) expect(unknown.some((name) => name.startsWith(one))).toBe(true)
  },
)

it.each(FAKES)(
  'the profile of $wallet.id lists the formats in which the wallet discloses more claims than requested',
  (fake) => {
    const { formats, excess_formats: excess = [] } = fake.profile
    expect(excess).toEqual(fake.wallet.excess ?? [])
    expect(formats.filter((format) => excess.includes(format))).toEqual([])
  },
)

it.each(FAKES.filter(({ profile }) => profile.excess_formats?.includes('mso_mdoc')))(
  '$wallet.id discloses more elements of an mdoc than its queries name',
  async (fake) => {
    const sex = { ...NAME_MDOC, id: 'sex', claims: [{ path: ['eu.europa.ec.eudi.pid.1', 'sex'] }] }
    const disclosed = await ask(fake, { credentials: [NAME_MDOC, sex] })
    expect(disclosed?.length).toBeGreaterThan(NAME.length + 1)
  },
)
