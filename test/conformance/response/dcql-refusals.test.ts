// api/creation, api/protocols and api/errors: errors of a dcql_query: 400 for its shape or an unknown name,
// otherwise 422. Each error has its place. Every case changes one thing of a good query; the schema's own
// tests cover all members.

import { expect, it } from 'vitest'
import { useStage } from '../../support/service/stage.ts'

const stage = useStage()

const PID = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['family_name'] }],
}
const MDL = { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
const query = (changes: object = {}, rest: object = {}) => ({
  credentials: [{ ...PID, ...changes }],
  ...rest,
})

/** Returns status, code, and place and code of each error. */
async function refusalOf(body: object) {
  const response = await stage.rp.call('POST', '/v1/verify', { body })
  const problem = (await response.json()) as {
    code: string
    errors: readonly { pointer: string; code: string; message: string }[]
  }
  for (const { message } of problem.errors ?? []) expect(message).not.toBe('')
  return [
    response.status,
    problem.code,
    ...(problem.errors ?? []).map(({ pointer, code }) => [pointer, code]),
  ]
}

it('the service accepts the query that the following tests change', async () => {
  const { status } = await stage.rp.call('POST', '/v1/verify', { body: { dcql_query: query() } })
  expect(status).toBe(201)
})

const FIRST = '/dcql_query/credentials/0'

it.each<[fault: string, dcql_query: object, pointer: string, code: string]>([
  ['an unknown member', query({ purpose: 'x' }), `${FIRST}/purpose`, 'unknown_member'],
  [
    'an unknown member of meta',
    query({ meta: { ...PID.meta, x: 1 } }),
    `${FIRST}/meta/x`,
    'unknown_meta_member',
  ],
  ['an empty list of claims', query({ claims: [] }), `${FIRST}/claims`, 'too_small'],
  ['a query without meta', query({ meta: undefined }), `${FIRST}/meta`, 'required'],
  ['the meta of another format', query({ meta: MDL.meta }), `${FIRST}/meta`, 'invalid_meta'],
  [
    'a format that the service does not verify',
    query({ format: 'ldp_vc' }),
    `${FIRST}/format`,
    'unknown_format',
  ],
  [
    'an option with an unknown query',
    query({}, { credential_sets: [{ options: [['pid'], ['x']] }] }),
    '/dcql_query/credential_sets/0/options/1/0',
    'invalid_value',
  ],
])('the service returns 400 for %s', async (_, dcql_query, pointer, code) => {
  expect(await refusalOf({ dcql_query })).toEqual([400, 'invalid_request', [pointer, code]])
})

it('the service returns 400 for an unknown credential type', async () => {
  const dcql_query = query({ meta: { vct_values: ['urn:other'] } })
  const error = [`${FIRST}/meta`, 'unknown_credential_type']
  expect(await refusalOf({ dcql_query })).toEqual([400, 'unsupported_credential_type', error])
})

it.each<[member: string, value: unknown]>([
  ['credential_types', ['pid']],
  ['scope', ['family_name']],
  ['formats', ['dc+sd-jwt']],
  ['credential_match', 'all'],
  ['allow_derived', true],
])('the service returns 400 for %s together with a dcql_query', async (member, value) => {
  const body = { dcql_query: query(), [member]: value }
  expect(await refusalOf(body)).toEqual([400, 'invalid_request', [`/${member}`, 'invalid_value']])
})

it('the service returns 400 if both credential_types and dcql_query are missing', async () => {
  const errors = [
    ['/credential_types', 'required'],
    ['/scope', 'required'],
  ]
  expect(await refusalOf({})).toEqual([400, 'invalid_request', ...errors])
})

it.each<[fault: string, dcql_query: object, pointer: string, code: string]>([
  [
    'trusted_authorities with a trust list if no anchor comes from a list',
    query({ trusted_authorities: [{ type: 'etsi_tl', values: ['https://lotl.example'] }] }),
    `${FIRST}/trusted_authorities/0/type`,
    'authority_not_checkable',
  ],
  [
    'an mdoc without holder binding',
    { credentials: [{ ...MDL, require_cryptographic_holder_binding: false }] },
    `${FIRST}/require_cryptographic_holder_binding`,
    'holder_binding_required',
  ],
  [
    'a claim that is always present',
    query({ claims: [{ path: ['iss'] }] }),
    `${FIRST}/claims/0/path`,
    'claim_always_present',
  ],
  [
    'a path that can select no value',
    query({ claims: [{ path: [null] }] }),
    `${FIRST}/claims/0/path`,
    'path_selects_nothing',
  ],
  [
    'a query that is in no credential set',
    { credentials: [PID, MDL], credential_sets: [{ options: [['pid']] }] },
    '/dcql_query/credentials/1',
    'query_in_no_credential_set',
  ],
])('the service returns 422 for %s', async (_, dcql_query, pointer, code) => {
  expect(await refusalOf({ dcql_query })).toEqual([422, 'policy_unsatisfiable', [pointer, code]])
})

it.each(['haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'])(
  'the service returns 422 for a query without holder binding in %s',
  async (protocol) => {
    const dcql_query = query({ require_cryptographic_holder_binding: false })
    const [status, code] = await refusalOf({ dcql_query, protocol })
    expect([status, code]).toEqual([422, 'policy_unsatisfiable'])
  },
)

it('the service returns 422 for a dcql_query if the protocol supports only presentation definitions', async () => {
  const error = ['/protocol', 'not_in_protocol']
  expect(await refusalOf({ dcql_query: query(), protocol: 'openid4vp-draft18' })).toEqual([
    422,
    'policy_unsatisfiable',
    error,
  ])
})
