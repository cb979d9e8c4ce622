// The one request that may be passed by value: each case changes one thing of it.

import { expect, it } from 'vitest'
import { walletsByValue } from '../../src/wallets/eu-age.ts'

const CLAIM = { path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false }
const QUERY = {
  id: 'age',
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.av.1' },
  claims: [CLAIM],
}
const ASKED = {
  preset: 'age_over_18',
  protocol: 'openid4vp-1.0',
  required_assurance_level: 'low',
  query: { credentials: [QUERY] },
} as const

const asking = (change: object) =>
  walletsByValue({ ...ASKED, query: { credentials: [{ ...QUERY, ...change }] } })

it('the request for age_over_18 may be passed by value to the EU age verification app', () => {
  expect(walletsByValue(ASKED)).toEqual(['eu-age-android', 'eu-age-ios'])
})

it.each([
  ['without the preset', { preset: undefined }],
  ['in another protocol', { protocol: 'haip-1.0' }],
  ['above level low', { required_assurance_level: 'substantial' }],
  ['for no credential', { query: { credentials: [] } }],
  ['for two credentials', { query: { credentials: [QUERY, { ...QUERY, id: 'b' }] } }],
  [
    'with a choice of credentials',
    { query: { credentials: [QUERY], credential_sets: [{ options: [['age']] }] } },
  ],
])('the request for age_over_18 may not be passed by value %s', (_, change) => {
  expect(walletsByValue({ ...ASKED, ...change } as typeof ASKED)).toEqual([])
})

it.each([
  ['another format', { format: 'dc+sd-jwt' }],
  ['another document', { meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }],
  ['a further type', { meta: { ...QUERY.meta, vct_values: ['urn:a'] } }],
  ['another age', { claims: [{ ...CLAIM, path: ['eu.europa.ec.av.1', 'age_over_21'] }] }],
  ['another namespace', { claims: [{ ...CLAIM, path: ['org.iso.18013.5.1', 'age_over_18'] }] }],
  ['a further element', { claims: [CLAIM, { ...CLAIM, path: ['eu.europa.ec.av.1', 'age_over_21'] }] }],
  ['the intent to store', { claims: [{ ...CLAIM, intent_to_retain: true }] }],
  ['a requested value', { claims: [{ ...CLAIM, values: [true] }] }],
  ['all elements', { claims: undefined }],
  ['claim sets', { claim_sets: [['a']] }],
  ['several credentials', { multiple: true }],
  ['no holder binding', { require_cryptographic_holder_binding: false }],
])('the request for age_over_18 may not be passed by value with %s', (_, change) => {
  expect(asking(change)).toEqual([])
})
