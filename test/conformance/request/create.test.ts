// api/creation: the members of a creation, its errors and its response.

import { expect, it } from 'vitest'
import { decodePng } from '../../qr/foreign-readers.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { decodeQrCode, expectStatus, OVER_18, readQr } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const PID = { credential_types: ['pid'], scope: ['family_name'] }

type Problem = {
  readonly status: number
  readonly code: string
  readonly errors: readonly { readonly pointer: string; readonly code: string }[]
}

/** Returns the problem for a body. */
async function refusal(body: unknown, status: number): Promise<Problem> {
  const response = await stage.rp.call('POST', '/v1/verify', { body })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return (await expectStatus(response, status)) as Problem
}

it('api/creation: the service returns the documented fields, and client_token, wallet_request, livemode, version, locale', async () => {
  const session = await stage.rp.create()
  expect(session).toEqual({
    verification_id: expect.stringMatching(/^v_[A-Za-z0-9_-]{43}$/),
    status: 'pending',
    session_url: expect.stringMatching(/^https:\/\/verifier\.example\//),
    qr_code: expect.stringMatching(/^image\/png;base64,/),
    deep_link: `walletverify://verify/${session.verification_id}`,
    expires_at: expect.stringMatching(/Z$/),
    client_token: expect.stringMatching(/^ct_[0-9a-z]+\.[A-Za-z0-9_-]{43}$/),
    wallet_request: expect.any(Object),
    livemode: false,
    version: 1,
    locale: null,
    warnings: [],
    wallets: expect.any(Array),
  })
  expect(session.session_url).toContain(session.client_token)
})

it('api/creation: the service warns of a credential type that has none of the scopes', async () => {
  const body = { credential_types: ['pid', 'age_attestation'], scope: ['family_name', 'birth_date'] }
  const session = await stage.rp.create(body)
  expect(session).toMatchObject({
    warnings: [
      {
        code: 'credential_type_left_out',
        pointer: '/credential_types/1',
        message: 'is not requested: it has no family_name, birth_date',
      },
    ],
  })
})

it('api/creation: the service warns of direct_post in a session whose signed request is also offered through the Digital Credentials API', async () => {
  const warningsWith = async (request_options: object, members: object = {}) => {
    const session = await stage.rp.create({ ...OVER_18, request_options, ...members })
    return (session as unknown as { warnings: readonly { code: string; message: string }[] }).warnings
  }
  const plain = { response_mode: 'direct_post' }
  expect(await warningsWith(plain)).toEqual([
    {
      code: 'browser_needs_encryption',
      pointer: '/request_options/response_mode',
      message: expect.stringContaining('`dc_api` through a browser'),
    },
  ])
  expect(await warningsWith({})).toEqual([])
  expect(await warningsWith({ ...plain, client_id_prefix: 'redirect_uri' })).toEqual([])
  expect(await warningsWith(plain, { protocol: 'openid4vp-draft24' })).toEqual([])
  expect(await warningsWith(plain, { wallet: 'france-identite' })).toEqual([])
})

it('api/creation: the service returns the QR code of the first request in qr_code, 320 pixels wide', async () => {
  const session = await stage.rp.create()
  const { width, height } = decodePng(decodeQrCode(session.qr_code))
  expect([width, height]).toEqual([320, 320])
  expect(readQr(session.qr_code)).toBe(session.wallet_request.uri)
})

it('api/creation: with "qr_code": false, the service returns no picture and the usual request', async () => {
  const session = await stage.rp.create({ ...OVER_18, qr_code: false })
  expect([session.qr_code, session.wallet_request]).toEqual([null, expect.any(Object)])
  const poll = await stage.rp.poll(session.verification_id)
  expect(poll).not.toHaveProperty('qr_code') // it is no part of the stored request
})

it('api/creation: the defaults are level low, credential_match any, all formats, openid4vp-1.0, 600 s, direct_post.jwt, post and x509_hash', async () => {
  const { verification_id } = await stage.rp.create(OVER_18)
  const poll = await stage.rp.poll(verification_id)
  expect(poll).toMatchObject({
    required_assurance_level: 'low',
    metadata: {},
    credential_match: 'any',
    formats: null,
    protocol: 'openid4vp-1.0',
    request_options: {
      client_id_prefix: 'x509_hash',
      response_mode: 'direct_post.jwt',
      request_uri_method: 'post',
    },
    required_session_binding: 'none',
    return_url: null,
    locale: null,
    purpose: null,
    allow_derived: false,
    retry_of: null,
    claims_encryption_jwk: null,
  })
  const { created_at, expires_at } = poll as unknown as { created_at: string; expires_at: string }
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(600_000)
})

it.each([60, 86_400])('api/creation: the service accepts expires_in of %i seconds', async (expires_in) => {
  const { verification_id, expires_at } = await stage.rp.create({ ...OVER_18, expires_in })
  const { created_at } = (await stage.rp.poll(verification_id)) as unknown as { created_at: string }
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(expires_in * 1000)
})

const many = (count: number) => Array.from({ length: count }, (_, i) => `name_${i}`)
const metadataOf = (keys: number, length: number, letter = 'x') =>
  Object.fromEntries(many(keys).map((key) => [key, letter.repeat(length)]))

it.each([
  ['missing credential_types', { scope: ['age_over_18'] }, '/credential_types'],
  ['empty credential_types', { ...OVER_18, credential_types: [] }, '/credential_types'],
  ['11 credential_types', { ...OVER_18, credential_types: many(11) }, '/credential_types'],
  ['credential_types that is not a list', { ...OVER_18, credential_types: 'pid' }, '/credential_types'],
  ['missing scope', { credential_types: ['pid'] }, '/scope'],
  ['empty scope', { ...OVER_18, scope: [] }, '/scope'],
  ['51 scopes', { ...OVER_18, scope: many(51) }, '/scope'],
  ['an unknown level', { ...OVER_18, required_assurance_level: 'medium' }, '/required_assurance_level'],
  ['21 metadata keys', { ...OVER_18, metadata: metadataOf(21, 1) }, '/metadata'],
  [
    'a metadata key of 41 characters',
    { ...OVER_18, metadata: { ['k'.repeat(41)]: '' } },
    `/metadata/${'k'.repeat(41)}`,
  ],
  ['a metadata value of 501 characters', { ...OVER_18, metadata: { key: 'x'.repeat(501) } }, '/metadata/key'],
  ['metadata of over 8 KiB', { ...OVER_18, metadata: metadataOf(20, 410) }, '/metadata'],
  ['metadata of over 8 KiB in 4,500 letters', { ...OVER_18, metadata: metadataOf(9, 500, 'é') }, '/metadata'],
  ['a metadata value that is not a string', { ...OVER_18, metadata: { key: 1 } }, '/metadata/key'],
  ['an unknown credential_match', { ...OVER_18, credential_match: 'some' }, '/credential_match'],
  ['an unknown protocol', { ...OVER_18, protocol: 'openid4vp-2.0' }, '/protocol'],
  ['expires_in of 59', { ...OVER_18, expires_in: 59 }, '/expires_in'],
  ['expires_in of 86,401', { ...OVER_18, expires_in: 86_401 }, '/expires_in'],
  ['expires_in of 60.5', { ...OVER_18, expires_in: 60.5 }, '/expires_in'],
  [
    'an unknown response_mode',
    { ...OVER_18, request_options: { response_mode: 'fragment' } },
    '/request_options/response_mode',
  ],
  ['an unlisted return_url', { ...OVER_18, return_url: 'https://shop.example/elsewhere' }, '/return_url'],
  ['a return_url of http', { ...OVER_18, return_url: 'http://shop.example/return' }, '/return_url'],
  ['a purpose of 201 letters', { ...OVER_18, purpose: 'x'.repeat(201) }, '/purpose'],
  ['a purpose of two lines', { ...OVER_18, purpose: 'To sell\nyou wine' }, '/purpose'],
  ['an empty locale', { ...OVER_18, locale: '' }, '/locale'],
])(
  'api/creation: the service refuses %s with 400 invalid_request, and the error has the pointer of the member',
  async (_, body, pointer) => {
    const { code, errors } = await refusal(body, 400)
    expect([code, errors.map((error) => error.pointer)]).toEqual(['invalid_request', [pointer]])
  },
)

it('api/creation: the service refuses an unknown member at every level, and names the member', async () => {
  const { code, errors } = await refusal({ ...OVER_18, scopes: [], request_options: { mode: 'x' } }, 400)
  expect(code).toBe('invalid_request')
  const unknown = errors.filter((error) => error.code === 'unknown_member').map((error) => error.pointer)
  expect(unknown.sort()).toEqual(['/request_options/mode', '/scopes'])
})

it.each([
  [
    'credential type',
    { ...OVER_18, credential_types: ['passport'] },
    'unsupported_credential_type',
    '/credential_types/0',
  ],
  ['scope', { ...OVER_18, scope: ['age_over_18', 'shoe_size'] }, 'unsupported_scope', '/scope/1'],
  ['format', { ...OVER_18, formats: ['ldp_vc'] }, 'invalid_request', '/formats/0'],
])('api/creation: the service refuses an unknown %s with 400', async (_, body, code, pointer) => {
  expect(await refusal(body, 400)).toMatchObject({ code, errors: [{ pointer }] })
})

it('api/errors: the error of a refused policy has a message in words beside its code', async () => {
  const { errors } = await refusal({ ...OVER_18, credential_types: ['passport'] }, 400)
  const message = 'must be a built-in credential type, or a type that your settings define'
  expect(errors).toMatchObject([{ code: 'unsupported_credential_type', message }])
})

it.each([
  ['a scope that no requested type has', { ...OVER_18, scope: ['family_name'] }, '/scope/0'],
  [
    'two scopes of which no requested type has the second',
    { ...OVER_18, scope: ['age_over_18', 'sex'] },
    '/scope/1',
  ],
])('api/creation: the service refuses %s with 422 policy_unsatisfiable', async (_, body, pointer) => {
  const { code, errors } = await refusal(body, 422)
  expect([code, errors.map((error) => error.pointer)]).toEqual(['policy_unsatisfiable', [pointer]])
})

it.each(['dc+sd-jwt', 'mso_mdoc'])(
  'api/creation: the service requests one type in one format (%s) by exactly one credential query, without credential_sets',
  async (format) => {
    const { wallet_request } = await stage.rp.create({ ...OVER_18, formats: [format] })
    expect(Object.keys(wallet_request.dcql_query)).toEqual(['credentials'])
    expect(wallet_request.dcql_query.credentials).toMatchObject([{ id: 'age_attestation', format }])
  },
)

it('api/creation: the service requests a type in all of its formats by default, and a credential in one format is enough', async () => {
  const { credentials, credential_sets } = (await stage.rp.create(OVER_18)).wallet_request.dcql_query
  expect(credentials.map(({ format }) => format)).toEqual(expect.arrayContaining(['dc+sd-jwt', 'mso_mdoc']))
  expect(credential_sets).toEqual([{ options: credentials.map(({ id }) => [id]) }])
})

it('api/creation: the service requests both mdoc document types of a credential type, and one document is enough', async () => {
  const photoId = { credential_types: ['photo_id'], scope: ['age_over_18'] }
  const { credentials, credential_sets } = (await stage.rp.create(photoId)).wallet_request.dcql_query
  expect(credentials).toMatchObject([
    { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.23220.photoid.1' } },
    { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.23220.photoID.1' } },
  ])
  expect(credential_sets).toEqual([{ options: credentials.map(({ id }) => [id]) }])
})

it('api/creation: with credential_match any, the service requests several types as alternatives; with credential_match all, it requests every type', async () => {
  const types = {
    credential_types: ['age_attestation', 'pid'],
    scope: ['age_over_18'],
    formats: ['dc+sd-jwt'],
  }
  const any = (await stage.rp.create(types)).wallet_request.dcql_query
  const all = (await stage.rp.create({ ...types, credential_match: 'all' })).wallet_request.dcql_query
  expect(any.credential_sets).toEqual([{ options: [['age_attestation'], ['pid']] }])
  expect(all).not.toHaveProperty('credential_sets')
  const formats = ['dc+sd-jwt', 'mso_mdoc']
  const both = await stage.rp.create({ ...types, formats, credential_match: 'all' })
  expect(both.wallet_request.dcql_query.credential_sets).toEqual([
    { options: [['age_attestation-dc_sd-jwt'], ['age_attestation-mso_mdoc']] },
    { options: [['pid-dc_sd-jwt'], ['pid-mso_mdoc']] },
  ])
})

it.each(['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'])(
  'api/creation: if the create request names no formats, the service requests only SD-JWT VC and mdoc, with the protocol %s',
  async (protocol) => {
    const { wallet_request } = await stage.rp.create({ ...OVER_18, credential_types: ['pid'], protocol })
    const { payload } = await stage.service.wallet.receive(wallet_request.uri, { protocol })
    expect(requestedFormats(payload)).toEqual(['dc+sd-jwt', 'mso_mdoc'])
  },
)

/** Credential formats of a request, by today's identifiers. */
function requestedFormats({ dcql_query, presentation_definition }: ReceivedRequest['payload']): string[] {
  const { credentials = [] } = (dcql_query ?? {}) as { credentials?: readonly { readonly format?: string }[] }
  const { input_descriptors = [] } = (presentation_definition ?? {}) as {
    input_descriptors?: { format: object }[]
  }
  const names = input_descriptors.flatMap(({ format }) => Object.keys(format))
  const formats = [...credentials.map(({ format = '' }) => format), ...names]
  return [...new Set(formats.map((format) => (format === 'vc+sd-jwt' ? 'dc+sd-jwt' : format)))].sort()
}

it('api/creation: the service can request a type and scopes that the relying party added', async () => {
  const credential_types = [
    {
      type: 'membership',
      formats: {
        'dc+sd-jwt': {
          meta: { vct_values: ['https://club.example/card'] },
          scopes: { tier: ['card', 'tier'] },
        },
      },
    },
  ]
  const rp = await relyingPartyOf(stage, { credential_types })
  const { wallet_request } = await rp.create({ credential_types: ['membership'], scope: ['tier'] })
  expect(wallet_request.dcql_query).toMatchObject({
    credentials: [
      { meta: { vct_values: ['https://club.example/card'] }, claims: [{ path: ['card', 'tier'] }] },
    ],
  })
  const elsewhere = await refusal({ credential_types: ['membership'], scope: ['tier'] }, 400)
  expect(elsewhere.code).toBe('unsupported_credential_type')
})

it('api/creation: the service returns metadata up to its size limits unchanged, and never interprets the metadata', async () => {
  const metadata = {
    ['k'.repeat(40)]: 'x'.repeat(500),
    status: 'verified',
    age_over_18: 'true',
    scope: '["everything"]',
    text: ' ü𝄞 "\\ <script>\n',
    ...metadataOf(15, 400),
  }
  const { verification_id, wallet_request } = await stage.rp.create({ ...PID, metadata })
  const poll = await stage.rp.poll(verification_id)
  expect(poll).toMatchObject({ metadata, status: 'pending', checks: null, scope: ['family_name'] })
  expect(JSON.stringify(wallet_request)).not.toContain('script')
})

it('api/creation: the service accepts a return_url only if it equals a URL in return_urls of the settings', async () => {
  const return_url = 'https://shop.example/return'
  const rp = await relyingPartyOf(stage, { return_urls: [return_url] })
  const { verification_id } = await rp.create({ ...OVER_18, return_url })
  expect((await rp.poll(verification_id)).return_url).toBe(return_url)
  const body = { ...OVER_18, return_url: `${return_url}/` }
  expect((await rp.call('POST', '/v1/verify', { body })).status).toBe(400)
})

it.each([
  ['a body that is not JSON', '{', 'application/json', 400, 'invalid_json'],
  ['a member named twice', '{"scope":["a"],"scope":["b"]}', 'application/json', 400, 'invalid_json'],
  ['a form', 'scope=age_over_18', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
  [
    'a body of over 16 KiB',
    JSON.stringify({ pad: 'x'.repeat(16_384) }),
    'application/json',
    413,
    'payload_too_large',
  ],
])('api/errors: the service refuses %s', async (_, body, type, status, code) => {
  const response = await stage.rp.call('POST', '/v1/verify', { body, headers: { 'content-type': type } })
  expect(await expectStatus(response, status)).toMatchObject({ status, code })
})
