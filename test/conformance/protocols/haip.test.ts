// `haip-1.0`: requirements of HAIP 1.0 beyond OpenID4VP 1.0, by name, each with its clause.

import { expect, it } from 'vitest'
import { mintCertificate, mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { Parts, SigningKey } from '../../support/people/issuer.ts'
import { didJwkOf } from '../../support/people/jwt-vc.ts'
import { ageOf, certified, type Telling } from '../../support/people/person.ts'
import { encryptResponse } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const pki = await mintIssuerPki()
const HAIP = { ...OVER_18, protocol: 'haip-1.0' }
const ANCHOR = { name: 'Test issuer', credential_types: ['age_attestation'], assurance_level: 'substantial' }

function signerOf({ privateJwk }: { readonly privateJwk: JsonWebKey }): SigningKey {
  return { alg: 'ES256', privateJwk: privateJwk as SigningKey['privateJwk'] }
}

function trusting(...anchors: readonly object[]): Promise<RelyingParty> {
  return relyingPartyOf(stage, { trust_anchors: anchors.map((anchor) => ({ ...ANCHOR, ...anchor })) })
}

/** Starts a session of a relying party that trusts the authority. */
async function beginHaip(): Promise<Begun & { readonly rp: RelyingParty }> {
  const rp = await trusting({ x509_ca_pem: pki.root.pem })
  return { ...(await begin(stage, HAIP, { rp })), rp }
}

function dropKeyBinding(parts: Parts): void {
  parts.kb = undefined
}

async function reasonOf(rp: RelyingParty, { session }: Begun): Promise<readonly unknown[]> {
  const { status, attempts } = await rp.poll(session.verification_id)
  return [status, attempts.at(-1)?.reason.code]
}

it('HAIP §5, H1–H4: the service requests a vp_token with DCQL and x509_hash, in a signed Request Object, for direct_post.jwt', async () => {
  const { session, request } = await beginHaip()
  expect(session.wallet_request.protocol).toBe('haip-1.0')
  expect(request.payload).toMatchObject({
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    client_id: expect.stringMatching(/^x509_hash:/),
    dcql_query: { credentials: [{ format: 'dc+sd-jwt' }, { format: 'mso_mdoc' }] },
  })
})

it.each([
  ['H2', { client_id_prefix: 'x509_san_dns' }],
  ['H4', { response_mode: 'direct_post' }],
])(
  'HAIP §5, %s: a create request with a value that HAIP does not allow gets 422: %o',
  async (_, request_options) => {
    const response = await stage.rp.call('POST', '/v1/verify', { body: { ...HAIP, request_options } })
    const [name] = Object.keys(request_options)
    expect(await expectStatus(response, 422)).toMatchObject({
      code: 'policy_unsatisfiable',
      errors: [{ pointer: `/request_options/${name}` }],
    })
  },
)

it('HAIP §6: the service requests only dc+sd-jwt and mso_mdoc; a create request that requires another format gets 422', async () => {
  const requestedFormats = async (settings: object) => {
    const rp = await relyingPartyOf(stage, settings)
    const { wallet_request } = await rp.create({ ...HAIP, formats: undefined })
    return wallet_request.dcql_query.credentials.map(({ format }) => format)
  }
  expect(await requestedFormats({})).toEqual(['dc+sd-jwt', 'mso_mdoc'])
  expect(await requestedFormats({ formats: ['jwt_vc_json', 'mso_mdoc'] })).toEqual(['mso_mdoc'])
  const body = { ...HAIP, formats: ['jwt_vc_json'] }
  expect(await expectStatus(await stage.rp.call('POST', '/v1/verify', { body }), 422)).toMatchObject({
    code: 'policy_unsatisfiable',
    errors: [{ pointer: '/formats' }],
  })
})

it('api/protocols: HAIP sessions use the values of HAIP even if the settings prefer values that HAIP does not allow', async () => {
  const request_options = { client_id_prefix: 'x509_san_dns', response_mode: 'direct_post' }
  const rp = await relyingPartyOf(stage, { request_options })
  const { verification_id } = await rp.create(HAIP)
  expect((await rp.poll(verification_id)).request_options).toEqual({
    client_id_prefix: 'x509_hash',
    response_mode: 'direct_post.jwt',
    request_uri_method: 'post',
  })
})

it.each(['A128GCM', 'A256GCM'])(
  'HAIP §5, H5: the service lists the content encryption %s, and a response encrypted with it verifies',
  async (enc) => {
    const { session, request, rp } = await beginHaip()
    const { jwks } = request.payload.client_metadata
    expect(request.payload.client_metadata).toHaveProperty(
      'encrypted_response_enc_values_supported',
      expect.arrayContaining([enc]),
    )
    const vp_token = await ageOf(stage.person, request, certified(pki))
    const parameters = { vp_token, state: request.payload.state }
    const response = await encryptResponse(parameters, jwks!.keys[0]!, { enc })
    const body = new URLSearchParams({ response })
    const posted = await stage.service.fetch(request.payload.response_uri, { method: 'POST', body })
    await expectStatus(posted, 200)
    expect((await rp.poll(session.verification_id)).status).toBe('verified')
  },
)

it('HAIP §5, H4: the service refuses an unencrypted VP Token, and the session stays pending', async () => {
  const begun = await beginHaip()
  const { request, rp } = begun
  const vp_token = JSON.stringify(await ageOf(stage.person, request, certified(pki)))
  const body = new URLSearchParams({ vp_token, state: request.payload.state })
  const posted = await stage.service.fetch(request.payload.response_uri, { method: 'POST', body })
  await expectStatus(posted, 400)
  expect(await reasonOf(rp, begun)).toEqual(['pending', 'encryption_required'])
})

it('HAIP §5, H6: every request has a new encryption key', async () => {
  const keys = new Set<unknown>()
  for (let i = 0; i < 3; i++) keys.add((await beginHaip()).request.payload.client_metadata.jwks?.keys[0]?.x)
  expect(keys.size).toBe(3)
})

it('HAIP §5.1, H8: the service always returns a redirect_uri to the wallet', async () => {
  const { request } = await beginHaip()
  const answer = await respondWithAge(stage, request, certified(pki))
  expect(await expectStatus(answer, 200)).toEqual({ redirect_uri: expect.stringMatching(/#response_code=/) })
})

it('HAIP §5.1, H9: the links have the scheme haip-vp and further schemes, but not the scheme av', async () => {
  const { session } = await beginHaip()
  const names = Object.keys(session.wallet_request.wallet_links)
  expect(names).toEqual(expect.arrayContaining(['openid4vp', 'haip-vp', 'eudi-openid4vp', 'eu-eaap']))
  expect(names).not.toContain('av')
})

it('HAIP §6.1.1, H12: the service accepts an issuer whose certificate chain leads to a trust anchor', async () => {
  const begun = await beginHaip()
  expect((await respondWithAge(stage, begun.request, certified(pki))).status).toBe(200)
  expect(await reasonOf(begun.rp, begun)).toEqual(['verified', undefined])
})

it('HAIP §6.1.1, H12: the service refuses an issuer whose anchor has plain keys, although openid4vp-1.0 accepts this issuer', async () => {
  const base = await begin(stage, OVER_18)
  expect((await respondWithAge(stage, base.request)).status).toBe(200)
  const begun = await begin(stage, HAIP)
  expect((await respondWithAge(stage, begun.request)).status).toBe(400)
  expect(await reasonOf(stage.rp, begun)).toEqual(['pending', 'untrusted_issuer'])
})

it('HAIP §6.1.1, H2: the service refuses a self-signed issuer certificate even if the relying party pinned it', async () => {
  const own = await mintCertificate({ subject: 'CN=Myself' })
  const rp = await trusting({ x509_certificate_pem: own.pem })
  const telling = { issuer: signerOf(own), x5c: [own.x5c], claims: { iss: undefined } }
  const base = await begin(stage, OVER_18, { rp })
  expect((await respondWithAge(stage, base.request, telling)).status).toBe(200)
  const begun = await begin(stage, HAIP, { rp })
  expect((await respondWithAge(stage, begun.request, telling)).status).toBe(400)
  expect(await reasonOf(rp, begun)).toEqual(['pending', 'self_signed_certificate'])
})

it('HAIP §6.1.1, H2: the service refuses a certificate chain that contains the trust anchor', async () => {
  const begun = await beginHaip()
  const telling = { ...certified(pki), x5c: [pki.leaf.x5c, pki.intermediate.x5c, pki.root.x5c] }
  expect((await respondWithAge(stage, begun.request, telling)).status).toBe(400)
  expect(await reasonOf(begun.rp, begun)).toEqual(['pending', 'trust_anchor_in_chain'])
})

it.each([
  ['without its key binding', { change: dropKeyBinding }, 'holder_binding_missing'],
  ['without a holder key', { unbound: true }, 'holder_key_missing'],
] satisfies readonly (readonly [string, Telling, string])[])(
  'HAIP §6.1, H12: the service refuses a credential %s',
  async (_, telling, reason) => {
    const begun = await beginHaip()
    const answer = await respondWithAge(stage, begun.request, { ...certified(pki), ...telling })
    expect(answer.status).toBe(400)
    expect(await reasonOf(begun.rp, begun)).toEqual(['pending', reason])
  },
)

it('HAIP §6.1, H12: the service treats a status without status_list as unavailable, not as valid', async () => {
  const begun = await beginHaip()
  const claims = { iss: undefined, status: { other_list: { id: 1 } } }
  expect((await respondWithAge(stage, begun.request, { ...certified(pki), claims })).status).toBe(503)
  expect(await reasonOf(begun.rp, begun)).toEqual(['pending', 'status_unavailable'])
})

it('HAIP §7, H13: the service offers ES256 with SHA-256 for the credential and its key binding', async () => {
  const { request } = await beginHaip()
  expect(request.payload.client_metadata).toMatchObject({
    vp_formats_supported: {
      'dc+sd-jwt': {
        'sd-jwt_alg_values': expect.arrayContaining(['ES256']),
        'kb-jwt_alg_values': expect.arrayContaining(['ES256']),
      },
    },
  })
})

it.each([
  ['openid4vp-1.0', ['verified', undefined]],
  ['haip-1.0', ['pending', 'holder_key_missing']],
])(
  'HAIP §6.1: with the protocol %s, a credential whose cnf names the holder key as a did:jwk gives the session the status and reason %o',
  async (protocol, expected) => {
    const rp = await trusting({ x509_ca_pem: pki.root.pem })
    const begun = await begin(stage, { ...HAIP, protocol }, { rp })
    const change: Telling['change'] = ({ payload }) => {
      payload.cnf = { kid: didJwkOf(stage.person.key).kid }
    }
    await respondWithAge(stage, begun.request, { ...certified(pki), change })
    expect(await reasonOf(rp, begun)).toEqual(expected)
  },
)
