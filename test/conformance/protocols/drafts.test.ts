// api/protocols: the drafts that existing wallets still use. A foreign wallet library infers the version from
// the request alone. Its response verifies in every shape of `openid4vp-draft24` and `openid4vp-draft18`.

import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import type { Parts } from '../../support/people/issuer.ts'
import { AGE, ageOf, PID, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import { encryptResponse, responseOf } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { type Begun, begin, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const DRAFTS = ['openid4vp-draft24', 'openid4vp-draft18']
const PLAIN = { response_mode: 'direct_post' }

async function reasonOf({ session }: Begun): Promise<readonly unknown[]> {
  const { status, attempts } = await stage.rp.poll(session.verification_id)
  return [status, attempts.at(-1)?.reason.code]
}

/** Posts these parameters as the wallet's response. */
function post({ request }: Begun, parameters: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(parameters)
  return stage.service.fetch(request.payload.response_uri, { method: 'POST', body })
}

function setTyp(typ: string): Telling {
  return { change: ({ header }: Parts) => void Object.assign(header, { typ }) }
}

it('api/protocols: draft 18 names the verifier by its bare host, with the client_id_scheme x509_san_dns', async () => {
  const { request } = await begin(stage, { ...OVER_18, protocol: 'openid4vp-draft18' })
  expect(request.payload).toMatchObject({
    client_id: 'verifier.example',
    client_id_scheme: 'x509_san_dns',
  })
})

it.each([
  ['openid4vp-draft18', 'x509_san_dns:verifier.example'],
  ['openid4vp-draft24', 'verifier.example'],
])('api/protocols: %s refuses a response with the audience %s', async (protocol, audience) => {
  const begun = await begin(stage, { ...OVER_18, protocol })
  expect((await respondWithAge(stage, begun.request, { audience })).status).toBe(400)
  expect(await reasonOf(begun)).toEqual(['pending', 'audience_mismatch'])
})

it('api/request: in draft 18, the URI has no request_uri_method, and the links have the scheme of ISO/IEC TS 18013-7', async () => {
  const { wallet_request } = await stage.rp.create({ ...OVER_18, protocol: 'openid4vp-draft18' })
  expect([...new URL(wallet_request.uri).searchParams.keys()]).toEqual(['client_id', 'request_uri'])
  expect(Object.keys(wallet_request.wallet_links)).toEqual(['openid4vp', 'eudi-openid4vp', 'mdoc-openid4vp'])
})

it('api/protocols: draft 18 ignores a posted wallet_nonce', async () => {
  const { wallet_request } = await stage.rp.create({ ...OVER_18, protocol: 'openid4vp-draft18' })
  const body = new URLSearchParams({ wallet_nonce: 'abc' })
  const response = await stage.service.fetch(wallet_request.request_uri, { method: 'POST', body })
  expect(decodeJwt(await response.text())).not.toHaveProperty('wallet_nonce')
})

it.each(DRAFTS)('api/protocols: %s accepts the old and the new media type of SD-JWT VC', async (protocol) => {
  for (const typ of ['vc+sd-jwt', 'dc+sd-jwt']) {
    const begun = await begin(stage, { ...OVER_18, protocol })
    await expectStatus(await respondWithAge(stage, begun.request, setTyp(typ)), 200)
    expect(await reasonOf(begun)).toEqual(['verified', undefined])
  }
})

it.each(['openid4vp-1.0', 'haip-1.0'])(
  'api/protocols: %s accepts only the current media type',
  async (protocol) => {
    const begun = await begin(stage, { ...OVER_18, protocol })
    expect((await respondWithAge(stage, begun.request, setTyp('vc+sd-jwt'))).status).toBe(400)
    expect(await reasonOf(begun)).toEqual(['pending', 'wrong_token_type'])
  },
)

it.each([
  [{ client_id_prefix: 'x509_hash' }, 'openid4vp-draft24'],
  [{ client_id_prefix: 'x509_hash' }, 'openid4vp-draft18'],
  [{ request_uri_method: 'post' }, 'openid4vp-draft18'],
])('api/protocols: a create request with %o gets 422 in %s', async (request_options, protocol) => {
  const response = await stage.rp.call('POST', '/v1/verify', {
    body: { ...OVER_18, protocol, request_options },
  })
  const [name] = Object.keys(request_options)
  expect(await expectStatus(response, 422)).toMatchObject({
    errors: [{ pointer: `/request_options/${name}` }],
  })
})

it.each(DRAFTS)(
  'api/protocols: %s does not request an mdoc if the response is not encrypted',
  async (protocol) => {
    const asked = { ...OVER_18, protocol, request_options: PLAIN }
    const { request } = await begin(stage, asked)
    expect(JSON.stringify(request.payload)).not.toContain('mso_mdoc')
  },
)

const MDOC_QUERY = {
  credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.av.1' } }],
}

it.each([
  ['openid4vp-draft18', 'mso_mdoc by name', { ...OVER_18, formats: ['mso_mdoc'] }],
  ['openid4vp-draft24', 'mso_mdoc by name', { ...OVER_18, formats: ['mso_mdoc'] }],
  ['openid4vp-draft18', 'a type that is an mdoc only', { credential_types: ['mdl'], scope: ['family_name'] }],
  ['openid4vp-draft24', 'an mdoc by dcql_query', { dcql_query: MDOC_QUERY }],
])(
  'api/protocols: in %s, a create request with direct_post that requests %s gets 422, and the error names the needed response mode',
  async (protocol, _, asked) => {
    const refusal = async (body: object) =>
      expectStatus(await stage.rp.call('POST', '/v1/verify', { body: { ...asked, protocol, ...body } }), 422)
    const message = expect.stringMatching(/^must be `direct_post\.jwt`/)
    expect(await refusal({ request_options: PLAIN })).toMatchObject({
      code: 'policy_unsatisfiable',
      errors: [{ pointer: '/request_options/response_mode', code: 'not_in_response_mode', message }],
    })
    const encrypted = { request_options: { response_mode: 'direct_post.jwt' } }
    await stage.rp.create({ ...asked, protocol, ...encrypted })
  },
)

it('api/protocols: a refusal suggests no response mode if every response mode would be refused', async () => {
  const body = { dcql_query: MDOC_QUERY, protocol: 'openid4vp-draft18', request_options: PLAIN }
  const refused = await stage.rp.call('POST', '/v1/verify', { body })
  expect(await expectStatus(refused, 422)).toMatchObject({ errors: [{ pointer: '/protocol' }] })
})

it.each(DRAFTS)(
  'api/protocols: %s finds the decryption key by the state in the form if the JWE has no kid',
  async (protocol) => {
    const begun = await begin(stage, { ...OVER_18, protocol })
    const { state, client_metadata } = begun.request.payload
    const { kid: _, ...key } = client_metadata.jwks!.keys[0]!
    const answer = responseOf(begun.request.payload, await ageOf(stage.person, begun.request))
    const response = await encryptResponse({ ...answer, state }, key, { enc: 'A256GCM' })
    expect((await post(begun, { response })).status).toBe(400)
    expect(await reasonOf(begun)).toEqual(['pending', 'unknown_encryption_key'])
    await expectStatus(await post(begun, { response, state }), 200)
    expect((await reasonOf(begun))[0]).toBe('verified')
  },
)

it.each(DRAFTS)(
  'api/protocols: %s refuses a response that is encrypted with an algorithm that was not offered',
  async (protocol) => {
    const begun = await begin(stage, { ...OVER_18, protocol })
    const { state, client_metadata } = begun.request.payload
    const answer = responseOf(begun.request.payload, await ageOf(stage.person, begun.request))
    const response = await encryptResponse({ ...answer, state }, client_metadata.jwks!.keys[0]!, {
      enc: 'A128GCM',
    })
    expect((await post(begun, { response })).status).toBe(400)
    expect(await reasonOf(begun)).toEqual(['pending', 'unsupported_encryption'])
  },
)

it.each(DRAFTS)(
  'api/protocols: %s refuses a VP Token of OpenID4VP 1.0, and accepts the good response afterwards',
  async (protocol) => {
    const begun = await begin(stage, { ...OVER_18, protocol, request_options: PLAIN })
    const { state } = begun.request.payload
    const presentations = await ageOf(stage.person, begun.request)
    expect((await post(begun, { state, vp_token: JSON.stringify(presentations) })).status).toBe(400)
    expect(await reasonOf(begun)).toEqual(['pending', 'invalid_presentation_submission'])
    await expectStatus(await stage.service.wallet.present(begun.request, presentations), 200)
  },
)

it('api/protocols: OpenID4VP 1.0 refuses a response of the drafts', async () => {
  const begun = await begin(stage, { ...OVER_18, request_options: PLAIN })
  const { payload } = begun.request
  const presentations = await ageOf(stage.person, begun.request)
  const [vp_token] = presentations[queryFor(begun.request, AGE)] ?? []
  const map = [{ id: 'age_attestation', format: 'dc+sd-jwt', path: '$' }]
  const submission = { id: 's', definition_id: `pd_${payload.nonce}`, descriptor_map: map }
  const form = { vp_token: String(vp_token), presentation_submission: JSON.stringify(submission) }
  expect((await post(begun, { ...form, state: payload.state })).status).toBe(400)
  expect(await reasonOf(begun)).toEqual(['pending', 'invalid_vp_token'])
})

const OWN_QUERY = {
  credentials: [
    {
      id: 'age',
      format: 'dc+sd-jwt',
      meta: { vct_values: [AGE] },
      claims: [{ path: ['age_over_18'] }],
    },
  ],
}

it.each([
  ['a bare presentation, as in draft 24', (presentation: unknown) => presentation],
  ['a list of one presentation, as in later drafts', (presentation: unknown) => [presentation]],
])(
  'api/protocols: for a dcql_query, draft 24 sends no presentation definition, and accepts %s',
  async (_, shape) => {
    const policy = { dcql_query: OWN_QUERY, protocol: 'openid4vp-draft24' }
    const { session, request } = await begin(stage, policy)
    expect(request.payload).not.toHaveProperty('presentation_definition')
    const { age: [presentation] = [] } = await ageOf(stage.person, request)
    await expectStatus(
      await stage.service.wallet.present(request, { age: shape(presentation) } as never),
      200,
    )
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  },
)

const [QUERY] = OWN_QUERY.credentials
it.each([
  ['openid4vp-draft18', 'DCQL', OWN_QUERY],
  ['openid4vp-draft24', 'multiple', { credentials: [{ ...QUERY, multiple: true }] }],
  [
    'openid4vp-draft24',
    'waived holder binding',
    { credentials: [{ ...QUERY, require_cryptographic_holder_binding: false }] },
  ],
  [
    'openid4vp-draft24',
    'types of W3C credentials',
    {
      credentials: [
        {
          ...QUERY,
          format: 'jwt_vc_json',
          meta: { type_values: [['AgeAttestationCredential']] },
          claims: [{ path: ['credentialSubject', 'age_over_18'] }],
        },
      ],
    },
  ],
  [
    'openid4vp-draft24',
    'trusted authorities',
    { credentials: [{ ...QUERY, trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] }] },
  ],
  [
    'haip-1.0',
    'waived holder binding',
    { credentials: [{ ...QUERY, require_cryptographic_holder_binding: false }] },
  ],
])(
  'api/creation: a create request in %s with %s gets 422, because the protocol cannot express it',
  async (protocol, _, dcql_query) => {
    const response = await stage.rp.call('POST', '/v1/verify', { body: { dcql_query, protocol } })
    expect(await expectStatus(response, 422)).toMatchObject({
      code: 'policy_unsatisfiable',
      errors: [{ pointer: '/protocol', code: 'not_in_protocol' }],
    })
  },
)

/** Both types contain an age, each in its own way. */
const OF_AGE: Telling = { claims: { age_equal_or_over: { 18: true } } }

it.each(DRAFTS.flatMap((protocol) => [{ protocol }, { protocol, request_options: PLAIN }]))(
  'api/protocols: the service accepts two credentials, each under its own input descriptor: %o',
  async (options) => {
    const types = { credential_types: ['pid', 'age_attestation'], credential_match: 'all' }
    const policy = { ...types, scope: ['family_name', 'age_over_18'], formats: ['dc+sd-jwt'], ...options }
    const { session, request } = await begin(stage, policy)
    const present = (vct: string) => presentationOf(stage.person, vct, request, OF_AGE)
    const presentations = { pid: [await present(PID)], age_attestation: [await present(AGE)] }
    await expectStatus(await stage.service.wallet.present(request, presentations), 200)
    const poll = await stage.rp.poll(session.verification_id)
    expect([poll.status, poll.checks]).toEqual(['verified', { family_name: true, age_over_18: true }])
  },
)

it.each(DRAFTS)(
  'api/protocols: %s refuses two presentations that are swapped between their input descriptors',
  async (protocol) => {
    const types = { credential_types: ['pid', 'age_attestation'], credential_match: 'all' }
    const policy = { ...types, scope: ['family_name', 'age_over_18'], formats: ['dc+sd-jwt'], protocol }
    const begun = await begin(stage, policy)
    const present = (vct: string) => presentationOf(stage.person, vct, begun.request, OF_AGE)
    const presentations = { pid: [await present(AGE)], age_attestation: [await present(PID)] }
    expect((await stage.service.wallet.present(begun.request, presentations)).status).toBe(400)
    expect(await reasonOf(begun)).toEqual(['pending', 'query_not_satisfied'])
  },
)

it.each(DRAFTS)(
  'api/outcome: %s accepts the error of a wallet that declines, unencrypted and in a JWE',
  async (protocol) => {
    for (const encrypted of [false, true]) {
      const { session, request } = await begin(stage, { ...OVER_18, protocol })
      const key = request.payload.client_metadata.jwks!.keys[0]!
      const error = { error: 'access_denied', state: request.payload.state }
      const form = encrypted ? { response: await encryptResponse(error, key, { enc: 'A256GCM' }) } : error
      await expectStatus(await post({ session, request }, form), 200)
      expect((await stage.rp.poll(session.verification_id)).status).toBe('declined')
    }
  },
)
