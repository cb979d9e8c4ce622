// Request bodies that the description refuses as the service does, and bodies that both accept. schemathesis
// makes others: `npm run proof -- clients schemathesis`.

import { describe, expect, it } from 'vitest'
import { clientCreation } from '../../src/api/oidc-clients.ts'
import { createRequest, dcApiRequestOptions, redeliveryRange } from '../../src/api/requests.ts'
import { apiKeyGrantSchema, creationSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { findSchema } from '../support/reading/described.ts'
import { schemaErrors } from '../support/reading/json-schema.ts'

const RULES = { now: 0, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const SCHEMAS = {
  CreateVerification: createRequest,
  CreateOidcClient: clientCreation,
  CreateRelyingParty: creationSchema(RULES),
  CreateApiKey: apiKeyGrantSchema(0, { scopes: ['verify:read'], expires_at: null }),
  DcApiRequestOptions: dcApiRequestOptions,
  RedeliveryRange: redeliveryRange,
} as const
type Name = keyof typeof SCHEMAS

const isAccepted = async (name: Name, body: unknown) => (await SCHEMAS[name].safeParseAsync(body)).success
const isDescribed = (name: Name, body: unknown) =>
  schemaErrors(body, findSchema(name), findSchema).length === 0

const root = await mintRoot()
const leaf = await mintLeaf(root)
const { kty, crv, x, y } = leaf.privateJwk
const KEY = { kty, crv, x, y }

const TYPES = { credential_types: ['pid'], scope: ['sex'] }
const QUERY = { credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'a' } }] }
const SD_JWT = { format: 'dc+sd-jwt', meta: { vct_values: ['a'] } }
const CLIENT = {
  name: 'Shop',
  redirect_uris: ['https://shop.example/'],
  policies: [{ name: 'age', preset: 'age_over_18' }],
}
const ANCHOR = { name: 'A', credential_types: ['pid'], assurance_level: 'high' }
const settings = (members: object) => ({ name: 'Shop', ...members })
const anchor = (members: object) => settings({ trust_anchors: [{ ...ANCHOR, ...members }] })
const type = (format: string, meta: unknown, path: unknown = ['a']) =>
  settings({ credential_types: [{ type: 'club', formats: { [format]: { meta, scopes: { a: path } } } }] })
const query = (members: object) => ({
  dcql_query: { credentials: [{ ...QUERY.credentials[0], ...members }] },
})

describe('the description accepts what the service accepts', () => {
  it.each<[Name, object]>([
    ['CreateVerification', TYPES],
    ['CreateVerification', { dcql_query: QUERY, credential_match: 'any', allow_derived: false }],
    ['CreateVerification', { preset: 'age_over_18', heading: 'نشان\u200cها', purpose: 'x' }],
    ['CreateVerification', query({ ...SD_JWT, claims: [{ id: 'b', path: ['c', 2 ** 53 - 1] }] })],
    ['CreateOidcClient', CLIENT],
    ['CreateOidcClient', { ...CLIENT, jwks: { keys: [{ ...KEY, kid: 'a', note: 'dropped' }] } }],
    ['CreateRelyingParty', settings({ return_urls: ['HTTPS://Läden.example/ü?a=b', 'https:shop.example'] })],
    ['CreateRelyingParty', settings({ origins: ['https://shop.example', 'https://[2001:db8::1]:8443'] })],
    ['CreateRelyingParty', settings({ webhook: { url: 'HTTPS://Hooks.shop.org:443/a?b=[1]' } })],
    ['CreateRelyingParty', settings({ webhook: null, verifier: null, google_wallet: null, formats: null })],
    ['CreateRelyingParty', anchor({ x509_ca_pem: `\n${root.pem}` })],
    ['CreateRelyingParty', anchor({ issuer: 'a', jwks: { keys: [{ ...KEY, key_ops: ['verify'] }] } })],
    ['CreateRelyingParty', anchor({ did: 'did:web:issuer.example' })],
    ['CreateRelyingParty', anchor({ issuer_url: 'HTTPS://issuer.example/a' })],
    ['CreateRelyingParty', type('mso_mdoc', [{ doctype_value: 'a' }, { doctype_value: 'b' }], ['a', 'b'])],
    ['CreateRelyingParty', type('dc+sd-jwt', [{ vct_values: ['a', 'b'] }], { path: ['a', 0, null] })],
    ['CreateRelyingParty', type('jwt_vc_json', { type_values: [['VerifiableCredential', 'A'], ['B']] })],
    ['CreateApiKey', { scopes: ['verify:read'], expires_at: '2027-01-31T12:00:00Z' }],
    ['DcApiRequestOptions', { origin: 'http://localhost:8080' }],
    ['RedeliveryRange', { from: '2027-01-31T12:00:00.5Z', to: '2027-01-31T12:00:01Z' }],
  ])('the %s body %j', async (name, body) => {
    expect(await isAccepted(name, body)).toBe(true)
    expect(schemaErrors(body, findSchema(name), findSchema)).toEqual([])
  })
})

describe('the description refuses what the service refuses', () => {
  it.each<[Name, object]>([
    ['CreateVerification', {}],
    ['CreateVerification', { scope: ['sex'] }],
    ['CreateVerification', { dcql_query: QUERY, preset: 'age_over_18' }],
    ['CreateVerification', { dcql_query: QUERY, ...TYPES }],
    ['CreateVerification', { dcql_query: QUERY, allow_derived: true }],
    ['CreateVerification', { preset: 'age_over_18', credential_match: 'all' }],
    ['CreateVerification', { ...TYPES, heading: 'a\nb' }],
    ['CreateVerification', { ...TYPES, purpose: ' a' }],
    [
      'CreateVerification',
      { ...TYPES, metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, ''])) },
    ],
    ['CreateVerification', query({ meta: [] })],
    ['CreateVerification', query({ claims: [{ id: 'b', path: [2 ** 53] }] })],
    ['CreateVerification', query({ claims: [{ id: 'b', path: ['c'] }], claim_sets: [['b', 'b']] })],
    ['CreateOidcClient', { ...CLIENT, jwks: { keys: [{}] } }],
    ['CreateOidcClient', { ...CLIENT, jwks: { keys: [{ ...KEY, d: x }] } }],
    ['CreateOidcClient', { ...CLIENT, jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] } }],
    ['CreateOidcClient', { ...CLIENT, redirect_uris: ['https://a.example', 'https://a.example'] }],
    ['CreateOidcClient', { ...CLIENT, subject: { type: 'pairwise', claims: ['person_id', 'person_id'] } }],
    ['CreateRelyingParty', { name: ' Shop' }],
    ['CreateRelyingParty', settings({ return_urls: ['ftp://shop.example'] })],
    ['CreateRelyingParty', settings({ return_urls: ['https://shop.example/#a'] })],
    ['CreateRelyingParty', settings({ origins: ['https://shop.example/'] })],
    ['CreateRelyingParty', settings({ webhook: { url: 'https://me@hooks.shop.org/' } })],
    ['CreateRelyingParty', settings({ privacy_policy_uri: 'http://shop.example' })],
    ['CreateRelyingParty', settings({ formats: ['mso_mdoc', 'mso_mdoc'] })],
    ['CreateRelyingParty', settings({ branding: { logo: 'https://shop.example/logo.png' } })],
    ['CreateRelyingParty', settings({ google_wallet: { logo_uri: 'https://shop.example/logo.png' } })],
    ['CreateRelyingParty', settings({ google_wallet: { rp_metadata_bytes: 'a', display_name: 'b' } })],
    ['CreateRelyingParty', settings({ verifier: {} })],
    ['CreateRelyingParty', settings({ verifier: { certificate_chain_pem: leaf.pem } })],
    ['CreateRelyingParty', anchor({})],
    ['CreateRelyingParty', anchor({ x509_ca_pem: root.pem, did: 'did:web:issuer.example' })],
    ['CreateRelyingParty', anchor({ x509_ca_pem: 'a' })],
    ['CreateRelyingParty', anchor({ issuer: 'a' })],
    ['CreateRelyingParty', anchor({ did: 'did:ion:a' })],
    ['CreateRelyingParty', anchor({ issuer: 'a', jwks: { keys: [{ ...KEY, key_ops: ['sign'] }] } })],
    ['CreateRelyingParty', type('mso_mdoc', { vct_values: ['a'] }, ['a', 'b'])],
    ['CreateRelyingParty', type('mso_mdoc', { doctype_value: 'a' }, ['a'])],
    ['CreateRelyingParty', type('dc+sd-jwt', [])],
    ['CreateRelyingParty', type('dc+sd-jwt', { vct_values: 'a' })],
    ['CreateRelyingParty', type('dc+sd-jwt', { vct_values: ['a'] }, [0])],
    ['CreateRelyingParty', type('jwt_vc_json', { type_values: [['A', 'B']] })],
    ['CreateRelyingParty', settings({ credential_types: [{ type: 'club', formats: {} }] })],
    ['CreateApiKey', { scopes: ['verify:read', 'verify:read'] }],
    ['DcApiRequestOptions', { origin: '' }],
    ['RedeliveryRange', { from: '2027-01-31T12:00:00+01:00', to: '2027-01-31T12:00:00Z' }],
  ])('the %s body %j', async (name, body) => {
    expect(await isAccepted(name, body)).toBe(false)
    expect(isDescribed(name, body)).toBe(false)
  })
})
