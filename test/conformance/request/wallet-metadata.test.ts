// api/protocols: metadata that a wallet posts (OpenID4VP 1.0 §5.10, §10). It decides whether and how that
// wallet gets the request. It affects no other wallet.

import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

async function post(requestUri: string, metadata: object): Promise<Response> {
  const body = new URLSearchParams({ wallet_metadata: JSON.stringify(metadata), wallet_nonce: 'n' })
  return stage.service.fetch(requestUri, { method: 'POST', body })
}

describe('an encrypted Request Object', () => {
  const protocols = ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24']
  it.each(protocols.flatMap((protocol) => ['A128GCM', 'A256GCM'].map((enc) => [protocol, enc] as const)))(
    'api/protocols: is sent to a foreign wallet that requires it, and the response of the wallet verifies: %s, %s',
    async (protocol, encryptedWith) => {
      const holder = await makeMdocPerson()
      const rp = await relyingPartyOf(stage, { trust_anchors: [holder.anchor()] })
      const policy = { ...OVER_18, protocol, formats: ['mso_mdoc'] }
      const { session, request } = await begin(stage, policy, { rp, encryptedWith })
      expect((await stage.service.wallet.present(request, await mdocAgeOf(holder, request))).status).toBe(200)
      expect((await rp.poll(session.verification_id)).status).toBe('verified')
    },
  )

  it('api/protocols: has the media type of a signed Request Object, and the next wallet gets a signed, unencrypted Request Object', async () => {
    const { session, request } = await begin(stage, OVER_18, { encryptedWith: 'A256GCM' })
    const keys = [{ kty: 'EC', crv: 'P-256', x: P256.x, y: P256.y, use: 'enc' }]
    const response = await post(session.wallet_request.request_uri, { jwks: { keys } })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/oauth-authz-req+jwt',
    ])
    expect(decodeProtectedHeader(await response.text())).toMatchObject({ alg: 'ECDH-ES', cty: 'JWT' })
    const again = await stage.service.wallet.receive(session.wallet_request.uri)
    expect(decodeProtectedHeader(again.requestObject).alg).toBe('ES256')
    const lastingMembers = ({ nonce, state, client_metadata }: typeof again.payload) => [
      nonce,
      state,
      client_metadata,
    ]
    expect(lastingMembers(again.payload)).toEqual(lastingMembers(request.payload))
  })
})

/** The public key of RFC 7517 Appendix A.1. */
const P256 = {
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

const MISMATCHES: readonly (readonly [string, object])[] = [
  ['none of our prefixes', { client_id_prefixes_supported: ['redirect_uri'] }],
  ['none of our signature algorithms', { request_object_signing_alg_values_supported: ['ES512'] }],
  ['only other response modes', { response_modes_supported: ['fragment'] }],
  ['no requested format', { vp_formats_supported: { ldp_vc: {} } }],
  ['no key for our encryption', { jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' }] } }],
  ['a member of the wrong type', { client_id_prefixes_supported: 'x509_hash' }],
]

describe('a wallet that cannot use the request', () => {
  it.each(MISMATCHES)('api/protocols: gets 400 if its metadata have %s', async (_, metadata) => {
    const session = await stage.rp.create()
    const response = await post(session.wallet_request.request_uri, metadata)
    expect(await expectStatus(response, 400)).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(/./),
    })
    const { uri } = session.wallet_request
    await expect(stage.service.wallet.receive(uri, { metadata })).rejects.toThrow("status code '400'")
  })

  it('api/protocols: does not change the session, and the next wallet gets the unchanged request', async () => {
    const session = await stage.rp.create()
    const { verification_id, wallet_request } = session
    const before = await stage.rp.poll(verification_id)
    for (const [, metadata] of MISMATCHES) await post(wallet_request.request_uri, metadata)
    expect(await stage.rp.poll(verification_id)).toEqual(before)
    expect(before.stage).toBe('created')
    const request = await stage.service.wallet.receive(wallet_request.uri)
    expect(request.payload.dcql_query).toEqual(wallet_request.dcql_query)
    expect((await respondWithAge(stage, request)).status).toBe(200)
  })
})

it('api/protocols: the wallet_metadata of one wallet restrict neither the request nor the response of another wallet', async () => {
  const session = await stage.rp.create({ ...OVER_18, formats: ['dc+sd-jwt', 'mso_mdoc'] })
  const { request_uri, uri } = session.wallet_request
  const narrowed = await post(request_uri, { vp_formats_supported: { mso_mdoc: {} } })
  expect(narrowed.status).toBe(200)
  const request = await stage.service.wallet.receive(uri)
  expect(request.payload.dcql_query).toEqual(session.wallet_request.dcql_query)
  expect((await respondWithAge(stage, request)).status).toBe(200) // in dc+sd-jwt
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})
