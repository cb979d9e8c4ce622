// api/errors: rules over several members that the description states as conditions. The service refuses what
// the description refuses, after one change of a body that both accept.

import { expect, it } from 'vitest'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { DESCRIPTION, findSchema } from '../../support/reading/described.ts'
import { schemaErrors } from '../../support/reading/json-schema.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()

const { privateJwk: KEY } = await mintLeaf(await mintRoot())
const RETURN_URL = 'https://shop.example/back'
const PID = 'urn:eudi:pid:1'
const MDL = 'org.iso.18013.5.1.mDL'
const MDOC = { id: 'a', format: 'mso_mdoc', meta: { doctype_value: MDL } }
const SD_JWT = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [PID] } }
const NAME = { path: ['org.iso.18013.5.1', 'family_name'] }
const CLAIMS = [{ id: 'n', path: ['family_name'] }]
const AKI = { type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }

const NAMES = { credential_types: ['pid'], scope: ['given_name'] }

const query = (credential: object) => ({ dcql_query: { credentials: [credential] } })
const options = (protocol: string, request_options: object) => ({ ...OVER_18, protocol, request_options })

const CLIENT = {
  name: 'Shop',
  redirect_uris: ['https://shop.example/'],
  policies: [{ name: 'age', ...OVER_18 }],
}
const EC = { kty: 'EC', crv: 'P-256', x: KEY.x, y: KEY.y }
const withKey = (members: object, key: object) => ({ ...CLIENT, ...members, jwks: { keys: [key] } })
const SIGNING = { token_endpoint_auth_method: 'private_key_jwt' }
const ENCRYPTED = { id_token_encrypted_response_alg: 'ECDH-ES' }
const policy = (members: object) => ({ ...CLIENT, policies: [{ name: 'age', ...OVER_18, ...members }] })

it.each<[string, object, object]>([
  [
    'claim_sets need the member claims',
    query({ ...SD_JWT, claims: CLAIMS, claim_sets: [['n']] }),
    query({ ...SD_JWT, claim_sets: [['n']] }),
  ],
  [
    'with claim_sets, each claim needs an id',
    query({ ...SD_JWT, claims: CLAIMS, claim_sets: [['n']] }),
    query({ ...SD_JWT, claims: [...CLAIMS, { path: ['given_name'] }], claim_sets: [['n']] }),
  ],
  ['a format is one that the service verifies', query(MDOC), query({ ...MDOC, format: 'ldp_vc' })],
  ['an mdoc has a doctype_value', query(MDOC), query({ ...MDOC, meta: {} })],
  ['meta has no further member', query(MDOC), query({ ...MDOC, meta: { ...MDOC.meta, vct_values: [PID] } })],
  ['an SD-JWT VC has vct_values', query(SD_JWT), query({ ...SD_JWT, meta: { vct_values: [] } })],
  [
    'a path in an mdoc has two names',
    query({ ...MDOC, claims: [NAME] }),
    query({ ...MDOC, claims: [{ path: ['family_name'] }] }),
  ],
  [
    'a path in an SD-JWT VC begins with a name',
    query({ ...SD_JWT, claims: CLAIMS }),
    query({ ...SD_JWT, claims: [{ id: 'n', path: [0] }] }),
  ],
  [
    'only an mdoc has intent_to_retain',
    query({ ...MDOC, claims: [{ ...NAME, intent_to_retain: true }] }),
    query({ ...SD_JWT, claims: [{ ...CLAIMS[0], intent_to_retain: true }] }),
  ],
  [
    'an mdoc has holder binding',
    query({ ...MDOC, require_cryptographic_holder_binding: true }),
    query({ ...MDOC, require_cryptographic_holder_binding: false }),
  ],
  [
    'an authority has a type that can be checked',
    query({ ...SD_JWT, trusted_authorities: [AKI] }),
    query({ ...SD_JWT, trusted_authorities: [{ ...AKI, type: 'openid_federation' }] }),
  ],
  [
    'an authority key identifier is base64url',
    query({ ...SD_JWT, trusted_authorities: [AKI] }),
    query({ ...SD_JWT, trusted_authorities: [{ ...AKI, values: ['a b'] }] }),
  ],
  [
    'return_automatically needs a return_url',
    { ...OVER_18, return_automatically: true, return_url: RETURN_URL },
    { ...OVER_18, return_automatically: true },
  ],
  [
    'failure_return_url needs a return_url',
    { ...OVER_18, failure_return_url: RETURN_URL, return_url: RETURN_URL },
    { ...OVER_18, failure_return_url: RETURN_URL },
  ],
  [
    'session binding relying_party needs a return_url',
    { ...OVER_18, required_session_binding: 'relying_party', return_url: RETURN_URL },
    { ...OVER_18, required_session_binding: 'relying_party' },
  ],
  [
    'haip-1.0 does not allow direct_post',
    options('haip-1.0', { response_mode: 'direct_post.jwt' }),
    options('haip-1.0', { response_mode: 'direct_post' }),
  ],
  [
    'evidence does not allow intent_to_retain false',
    { ...NAMES, intent_to_retain: true },
    { ...NAMES, intent_to_retain: false, evidence: true },
  ],
  [
    'openid4vp-draft24 does not allow transaction_data',
    { ...NAMES, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] },
    { ...NAMES, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT], protocol: 'openid4vp-draft24' },
  ],
  [
    'iso-18013-7-c does not allow request_uri_method',
    options('iso-18013-7-c', {}),
    options('iso-18013-7-c', { request_uri_method: 'get' }),
  ],
])('api/creation: the service and the API description both have the rule: %s', async (_, good, wrong) => {
  const rp = await relyingPartyOf(stage, { return_urls: [RETURN_URL] })
  expect((await rp.call('POST', '/v1/verify', { body: good })).status).toBe(201)
  expect(errorsIn('CreateVerification', good)).toEqual([])
  expect([400, 422]).toContain((await rp.call('POST', '/v1/verify', { body: wrong })).status)
  expect(errorsIn('CreateVerification', wrong)).not.toEqual([])
})

it.each<[string, object, object]>([
  [
    'a policy of haip-1.0 does not allow the prefix redirect_uri',
    policy({ protocol: 'haip-1.0', request_options: { client_id_prefix: 'x509_hash' } }),
    policy({ protocol: 'haip-1.0', request_options: { client_id_prefix: 'redirect_uri' } }),
  ],
  [
    'a client with private_key_jwt needs a key for signatures',
    withKey(SIGNING, { ...EC, use: 'sig' }),
    withKey(SIGNING, { ...EC, use: 'enc' }),
  ],
  ['a client with private_key_jwt needs jwks', withKey(SIGNING, EC), { ...CLIENT, ...SIGNING }],
  [
    'a client with encrypted tokens has a key for encryption',
    withKey(ENCRYPTED, { ...EC, use: 'enc' }),
    withKey(ENCRYPTED, { ...EC, use: 'sig' }),
  ],
  [
    'a key for encryption has the algorithm of the tokens',
    withKey(ENCRYPTED, EC),
    withKey({ id_token_encrypted_response_alg: 'RSA-OAEP-256' }, EC),
  ],
  [
    'a client without a secret cannot require session binding relying_party',
    policy({ required_session_binding: 'relying_party' }),
    { ...policy({ required_session_binding: 'relying_party' }), token_endpoint_auth_method: 'none' },
  ],
])('api/logins: the service and the API description both have the rule: %s', async (_, good, wrong) => {
  const call = (body: object) => stage.rp.call('POST', '/v1/oidc_clients', { body })
  expect((await call(good)).status).toBe(201)
  expect(errorsIn('CreateOidcClient', good)).toEqual([])
  expect([400, 422]).toContain((await call(wrong)).status)
  expect(errorsIn('CreateOidcClient', wrong)).not.toEqual([])
})

function errorsIn(name: string, body: object): readonly string[] {
  return schemaErrors(body, findSchema(name), findSchema)
}

it('api/lists: the filter `reason` accepts only an existing reason', async () => {
  const { schema } = DESCRIPTION.paths['/v1/verify']!.get!.parameters!.find(({ name }) => name === 'reason')!
  for (const [reason, status] of [
    ['untrusted_issuer', 200],
    ['untrusted', 400],
  ] as const) {
    expect((await stage.rp.call('GET', `/v1/verify?reason=${reason}`)).status).toBe(status)
    expect(schemaErrors(reason, schema, findSchema).length).toBe(status === 200 ? 0 : 1)
  }
})
