// api/request: the members of `GET …/openid4vp`, and of the wallet_request in it.

import { expect, it } from 'vitest'
import {
  expectStatus,
  OVER_18,
  readQr,
  startService,
  type WalletRequest,
} from '../../support/service/service.ts'
import { finish, useStage } from '../../support/service/stage.ts'

const stage = useStage()

type View = {
  readonly qr_code_url: string
  readonly authorization_request: {
    readonly nonce: string
    readonly presentation_definition: {
      readonly input_descriptors: readonly {
        readonly id: string
        readonly name: string
        readonly group?: readonly string[]
        readonly constraints: { readonly fields: readonly { readonly path: readonly string[] }[] }
      }[]
      readonly submission_requirements?: unknown
    }
  }
  readonly wallet_request: WalletRequest
}

async function viewOf(id: string): Promise<View> {
  const response = await stage.rp.call('GET', `/v1/verify/${id}/openid4vp`)
  return (await expectStatus(response, 200)) as View
}

async function definitionFor(policy: object) {
  const { verification_id } = await stage.rp.create(policy)
  const { presentation_definition } = (await viewOf(verification_id)).authorization_request
  return { ...presentation_definition, verification_id }
}

it('api/request: reading the view creates no new request', async () => {
  const { verification_id, wallet_request } = await stage.rp.create()
  const first = await viewOf(verification_id)
  expect(await viewOf(verification_id)).toEqual(first)
  expect(first.wallet_request).toEqual(wallet_request)
})

it('api/request: the view shows the nonce that the wallet gets', async () => {
  const { verification_id, wallet_request } = await stage.rp.create()
  const { payload } = await stage.service.wallet.receive(wallet_request.uri)
  expect((await viewOf(verification_id)).authorization_request.nonce).toBe(payload.nonce)
})

it('api/request: the view shows the /qr address with the client_token as qr_code_url', async () => {
  const { verification_id, client_token } = await stage.rp.create()
  const expected = `https://verifier.example/v1/verify/${verification_id}/qr?token=${client_token}`
  expect((await viewOf(verification_id)).qr_code_url).toBe(expected)
})

it('api/request: the view shows in wallet_request exactly the request that a wallet gets', async () => {
  const policy = { ...OVER_18, formats: ['dc+sd-jwt'] }
  const { verification_id, expires_at, wallet_request } = await stage.rp.create(policy)
  const { client_id, request_uri, uri } = wallet_request
  expect(wallet_request).toEqual({
    protocol: 'openid4vp-1.0',
    uri: `openid4vp://?client_id=${client_id}&request_uri=${request_uri}&request_uri_method=post`,
    client_id: expect.stringMatching(/^x509_hash:[A-Za-z0-9_-]{43}$/),
    request_uri: expect.stringMatching(/^https:\/\/verifier\.example\/[A-Za-z0-9_/-]+$/),
    request_uri_method: 'post',
    response_uri: `https://verifier.example/v1/verify/${verification_id}/callback`,
    transaction_data: null,
    dcql_query: {
      credentials: [
        {
          id: 'age_attestation',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
          claims: [{ path: ['age_over_18'] }],
        },
      ],
    },
    wallet: null,
    wallet_links: expect.objectContaining(
      Object.fromEntries(
        ['openid4vp', 'haip-vp', 'eudi-openid4vp', 'eu-eaap'].map((scheme) => [
          scheme,
          uri.replace(/^openid4vp:/, `${scheme}:`),
        ]),
      ),
    ),
    expires_at,
  })
})

it('api/request: the QR code contains exactly the uri, at most 215 bytes for a host of 20 characters', async () => {
  const session = await stage.rp.create()
  const { uri } = session.wallet_request
  expect(readQr(session.qr_code)).toBe(uri)
  // verifier.example has 16 characters. request_uri would have four more.
  expect(Buffer.byteLength(uri) + 4).toBeLessThanOrEqual(215)
  expect(uri).not.toMatch(/%(3A|2F)/i)
})

it('api/request: with request_uri_method get, the uri has only client_id, request_uri and request_uri_method=get', async () => {
  const request_options = { request_uri_method: 'get' }
  const { uri, request_uri_method } = (await stage.rp.create({ ...OVER_18, request_options })).wallet_request
  const { searchParams } = new URL(uri)
  expect([...searchParams.keys()]).toEqual(['client_id', 'request_uri', 'request_uri_method'])
  expect([searchParams.get('request_uri_method'), request_uri_method]).toEqual(['get', 'get'])
})

it('api/request: the view lists $.credentialSubject.<claim> first among the paths of each field', async () => {
  const { input_descriptors } = await definitionFor({
    credential_types: ['pid'],
    scope: ['family_name', 'birthdate'],
    formats: ['dc+sd-jwt'],
  })
  const [first] = input_descriptors
  expect(first?.constraints.fields.map(({ path }) => path)).toEqual([
    ['$.credentialSubject.family_name', '$.family_name'],
    ['$.credentialSubject.birthdate', '$.birthdate'],
  ])
})

const TWO_TYPES = { credential_types: ['age_attestation', 'pid'], scope: ['age_over_18'] }

it('api/request: the view names the descriptors of two types descriptor_<id> and descriptor_<id>_2; with credential_match any, one descriptor is enough', async () => {
  const definition = await definitionFor(TWO_TYPES)
  const { verification_id: id, input_descriptors, submission_requirements } = definition
  expect(input_descriptors.map((descriptor) => [descriptor.id, descriptor.name])).toEqual([
    [`descriptor_${id}`, 'age_attestation'],
    [`descriptor_${id}_2`, 'pid'],
  ])
  const group = input_descriptors[0]?.group?.[0]
  expect(input_descriptors.map((descriptor) => descriptor.group)).toEqual([[group], [group]])
  expect(submission_requirements).toEqual([{ rule: 'pick', count: 1, from: group }])
})

it('api/request: with credential_match all, the presentation definition has no groups of descriptors', async () => {
  const definition = await definitionFor({ ...TWO_TYPES, credential_match: 'all' })
  expect(definition.submission_requirements).toBeUndefined()
  expect(definition.input_descriptors.map(({ group }) => group)).toEqual([undefined, undefined])
})

it('api/errors: the service returns 410 verification_ended for a session that has ended', async () => {
  const { session } = await finish(stage)
  const response = await stage.rp.call('GET', `/v1/verify/${session.verification_id}/openid4vp`)
  expect(await expectStatus(response, 410)).toMatchObject({ code: 'verification_ended' })
})

it('api/creation, api/request: the deep_link of a new session and of its OpenID4VP view have the configured schemes', async () => {
  const service = await startService({ SERVICE_SCHEME: 'shop-id', WALLET_SCHEME: 'eudi-openid4vp' })
  try {
    const rp = await service.relyingParty()
    const { deep_link, verification_id } = await rp.create()
    const view = await rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
    expect(deep_link).toBe(`shop-id://verify/${verification_id}`)
    expect(await expectStatus(view, 200)).toMatchObject({
      deep_link: `eudi-openid4vp://verify?request=${verification_id}`,
    })
  } finally {
    await service.stop()
  }
})
