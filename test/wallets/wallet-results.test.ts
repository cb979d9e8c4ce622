// The results of all wallets for one request.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/codec/json.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { buildAuthorizationRequestUri } from '../../src/openid4vp/request/authorization-request.ts'
import { FINDINGS } from '../../src/wallets/lowering.ts'
import { originalRequest } from '../../src/wallets/original-request.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import { walletResults } from '../../src/wallets/wallet-results.ts'
import { policyOf } from '../policy/fixtures.ts'

function originalOf(changes: Parameters<typeof policyOf>[0], by_value = false, has_further = false) {
  return originalRequest(
    {
      policy: policyOf(changes, Object.values(FORMATS)),
      protocol: 'openid4vp-1.0',
      request_options: {
        client_id_prefix: 'x509_hash',
        response_mode: 'direct_post.jwt',
        request_uri_method: 'post',
      },
      required_assurance_level: 'low',
      required_session_binding: 'none',
      livemode: false,
    },
    {
      prefixes: ['x509_hash', 'x509_san_dns', ...(by_value ? (['redirect_uri'] as const) : [])],
      by_value,
      eu_age_verification: false,
      has_root: false,
      has_further,
      valueBytes: ({ query, link }) =>
        buildAuthorizationRequestUri({ parameters: { dcql_query: query as JsonObject } }, link).length,
      lacking: [],
    },
  )
}

const LONG = ['family_name', 'given_name', 'birthdate', 'address', 'sex', 'age_over_18', 'age_over_65']

it('the list of wallet results for a long request has less than 256 bytes per wallet', () => {
  const results = walletResults(originalOf({ credential_types: ['pid'], scope: LONG, allow_derived: true }))
  expect(JSON.stringify(results).length).toBeLessThan(256 * WALLET_PROFILES.length)
})

const BOTH = ['family_name', 'given_name']

it.each([
  ['an mDL', { credential_types: ['mdl'], scope: BOTH }, false, 'any if_chosen if_chosen if_chosen'],
  ['the name in a PID', { credential_types: ['pid'], scope: BOTH }, false, 'any any any any'],
  [
    'the name in a PID, with further identities',
    { credential_types: ['pid'], scope: BOTH },
    true,
    'any any if_chosen any',
  ],
  [
    'two credentials',
    { credential_types: ['pid', 'mdl'], scope: ['family_name'], credential_match: 'all' },
    false,
    'any no no no',
  ],
] as const)(
  'the list of wallet results says for Multipaz, EUDI on Android, Valera and Credo how each answers through the browser: %s',
  (_, changes, further, expected) => {
    const results = walletResults(originalOf(changes as never, false, further))
    const ids = ['multipaz', 'eudi-android', 'valera', 'credo']
    expect(ids.map((id) => results.find((one) => one.id === id)?.browser).join(' ')).toBe(expected)
  },
)

it('the list of wallet results has the member browser only for wallets that can answer', () => {
  const results = walletResults(originalOf({ credential_types: ['mdl'] }))
  expect(results.find(({ id }) => id === 'swiyu')).not.toHaveProperty('browser')
  expect(results.find(({ id }) => id === 'nl-wallet')).toMatchObject({ browser: 'no' })
})

it('the list of wallet results has one finding if several claims have the same problem', () => {
  const results = walletResults(originalOf({ credential_types: ['pid'], scope: LONG }))
  const { left_out = [] } = results.find(({ id }) => id === 'france-identite') ?? {}
  expect(left_out.filter(({ member }) => member.includes('/claims/'))).toHaveLength(1)
})

it('the list of wallet results is computed once for the same request', () => {
  expect(walletResults(originalOf({}))).toBe(walletResults(originalOf({})))
})

it('two requests share one list of wallet results if only the amount of their transactions differs, but not if the ids differ', () => {
  const original = originalOf({ credential_types: ['pid', 'mdl'] })
  const [first = '', ...others] = original.policy.query.credentials.map(({ id }) => id)
  const resultsFor = (amount: string, ...ids: string[]) => {
    const object = { type: 'urn:eudi:sca:payment:1', credential_ids: [first, ...ids], amount }
    const text = Buffer.from(JSON.stringify(object)).toString('base64url')
    return walletResults({ ...original, transaction_data: [text] })
  }
  const resultOf = (amount: string, ...ids: string[]) =>
    resultsFor(amount, ...ids).find(({ id }) => id === 'credo')?.result
  expect(resultsFor('100 EUR')).toBe(resultsFor('999 EUR'))
  expect(resultOf('100 EUR')).not.toBe('cannot')
  expect(resultOf('100 EUR', ...others)).toBe('cannot')
})

it('two queries share one cached list of wallet results if they differ only in `values` of the same length', () => {
  const original = originalOf({ credential_types: ['pid'] })
  const [first] = original.policy.query.credentials
  const resultsFor = (...values: readonly string[]) => {
    const claims = [{ path: ['family_name'], values }]
    const credentials = [{ ...first!, claims }]
    return walletResults({ ...original, policy: { ...original.policy, query: { credentials } } })
  }
  expect(resultsFor('Mustermann')).toBe(resultsFor('Musterfrau'))
  expect(resultsFor('Mustermann')).toEqual(resultsFor('a', 'b'))
})

it('the list of wallet results depends on the length of a value after its characters are escaped for the URI', () => {
  const original = originalOf({ credential_types: ['pid'] }, true)
  const [first] = original.policy.query.credentials
  const resultFor = (value: string) => {
    const credentials = [{ ...first!, claims: [{ path: ['family_name'], values: [value] }] }]
    const request = { ...original, policy: { ...original.policy, query: { credentials } } }
    return walletResults(request).find(({ id }) => id === 'inji')
  }
  expect(resultFor(':'.repeat(2000))).toMatchObject({ result: 'lowered' })
  expect(resultFor('?'.repeat(2000))).toEqual({
    id: 'inji',
    result: 'cannot',
    reasons: [{ member: '/uri', why: 'too_long' }],
  })
})

it('the list of wallet results has at most ten findings for each wallet, even for a dcql_query of the relying party', () => {
  const pid = { format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } }
  const claims = Array.from({ length: 20 }, (_, i) => ({ path: ['n', `x${i}`], values: ['y'] }))
  const credentials = Array.from({ length: 10 }, (_, i) => ({ id: `q${i}`, ...pid, claims }))
  const original = originalOf({})
  const results = walletResults({ ...original, policy: { ...original.policy, query: { credentials } } })
  const counts = results.map(({ left_out = [], reasons = [] }) => Math.max(left_out.length, reasons.length))
  expect(Math.max(...counts)).toBe(10)
})

it('the list of wallet results uses only the codes and sentences of docs/api/wallets.md', () => {
  const contract = readFileSync('docs/api/wallets.md', 'utf8')
  for (const [code, sentence] of Object.entries(FINDINGS)) {
    expect(contract).toContain(`| \`${code}\` | ${sentence} |\n`)
  }
})

it.each([
  ['apple-wallet', 'reader_certificate'],
  ['google-wallet', 'google_wallet'],
  ['nl-wallet', 'organization'],
] as const)(
  'the list of wallet results says that %s cannot answer if the relying party lacks the setting %s',
  (id, requirement) => {
    const original = originalOf({ credential_types: ['mdl'] })
    const resultOf = (lacking: (typeof requirement)[]) =>
      walletResults({ ...original, lacking }).find((one) => one.id === id)
    expect(resultOf([])?.result).not.toBe('cannot')
    expect(resultOf([requirement])).toEqual({
      id,
      result: 'cannot',
      reasons: [{ member: '/client_id', why: `${requirement}_needed` }],
    })
  },
)
