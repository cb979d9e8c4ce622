// Tests of the OpenID Foundation's conformance suite for verifiers, by name, in both protocols it has plans
// for. A response with one error is refused with 4xx and a body. Unusual but valid responses are accepted.

import { beforeAll, describe, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { useJudge } from '../../support/judge/responses.ts'
import { makeKey, type Parts } from '../../support/people/issuer.ts'
import { type MdocTelling, makeDevice, makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf, certified, type Telling } from '../../support/people/person.ts'
import { encryptResponse, type Presentations } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
useJudge(stage)
const [pki, mdocPerson, stranger] = await Promise.all([mintIssuerPki(), makeMdocPerson(), makeKey()])
const YEAR = 365 * 86_400
const now = () => Math.floor(Date.now() / 1000)

let rp: RelyingParty
beforeAll(async () => {
  const { jwks: _, issuer: _issuer, ...anchor } = stage.authority.anchor()
  const trust_anchors = [{ ...anchor, x509_ca_pem: pki.root.pem }, mdocPerson.anchor()]
  rp = await relyingPartyOf(stage, { trust_anchors })
})

/** The document signer's certificates with another key. */
const FORGED_PKI = {
  ...mdocPerson.pki,
  leaf: { ...mdocPerson.pki.leaf, privateJwk: stranger.privateJwk as never },
}

const SD_JWT_VC: readonly (readonly [string, () => Telling, string])[] = [
  ['credential signature', () => ({ issuer: stranger }), 'invalid_issuer_signature'],
  ['KB signature', () => ({ holder: stranger }), 'invalid_holder_signature'],
  ['sd_hash', () => ({ change: setKb({ sd_hash: 'A'.repeat(43) }) }), 'sd_hash_mismatch'],
  ['nonce', () => ({ nonce: 'f'.repeat(32) }), 'nonce_mismatch'],
  ['aud', () => ({ audience: 'x509_hash:AAAA' }), 'audience_mismatch'],
  ['iat (a year ago)', () => ({ iat: now() - YEAR }), 'holder_binding_not_current'],
  ['iat (in a year)', () => ({ iat: now() + YEAR }), 'holder_binding_not_current'],
]

const MDOC: readonly (readonly [string, () => MdocTelling, string])[] = [
  ['credential signature', () => ({ pki: FORGED_PKI }), 'invalid_issuer_signature'],
  ['device signature', () => ({ holder: makeDevice() }), 'invalid_holder_signature'],
  [
    'nonce in the session transcript',
    () => ({ answering: { nonce: 'f'.repeat(32) } }),
    'invalid_holder_signature',
  ],
  [
    'client_id in the session transcript',
    () => ({ answering: { client_id: 'x509_hash:AAAA' } }),
    'invalid_holder_signature',
  ],
  [
    'response_uri in the session transcript',
    () => ({ answering: { response_uri: 'https://verifier.example/other' } }),
    'invalid_holder_signature',
  ],
  [
    'encryption key in the session transcript',
    () => ({ answering: { client_metadata: {} } }),
    'invalid_holder_signature',
  ],
]

function setKb(claims: object): NonNullable<Telling['change']> {
  return ({ kb }: Parts) => void Object.assign(kb?.payload as object, claims)
}

/** Starts a session of the protocol, whose request a wallet has. */
function beginIn(protocol: string): Promise<Begun> {
  return begin(stage, { ...OVER_18, protocol }, { rp })
}

function sdJwtVc({ request }: Begun, telling: Telling = {}): Promise<Presentations> {
  return ageOf(stage.person, request, { ...certified(pki), ...telling })
}

function present({ request }: Begun, presentations: Presentations): Promise<Response> {
  return stage.service.wallet.present(request, presentations)
}

async function expectRefused(begun: Begun, bad: Presentations, reason: string): Promise<void> {
  const answer = await present(begun, bad)
  expect(await expectStatus(answer, 400)).toEqual({
    error: 'invalid_request',
    error_description: expect.stringMatching(/./),
  })
  const { status, attempts } = await rp.poll(begun.session.verification_id)
  expect([status, attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
}

async function expectVerified({ session }: Begun, answer: Response): Promise<void> {
  await expectStatus(answer, 200)
  expect((await rp.poll(session.verification_id)).status).toBe('verified')
}

describe.each(['haip-1.0', 'openid4vp-1.0'])(
  'a response of the OpenID conformance suite in %s',
  (protocol) => {
    it.each(SD_JWT_VC)(
      'gets 4xx with a JSON body if its SD-JWT VC has a wrong %s, and the good response is accepted',
      async (_, telling, reason) => {
        const begun = await beginIn(protocol)
        await expectRefused(begun, await sdJwtVc(begun, telling()), reason)
        await expectVerified(begun, await present(begun, await sdJwtVc(begun)))
      },
    )

    it.each(MDOC)(
      'gets 4xx with a JSON body if its mdoc has a wrong %s, and the good response is accepted',
      async (_, telling, reason) => {
        const begun = await beginIn(protocol)
        await expectRefused(begun, await mdocAgeOf(mdocPerson, begun.request, telling()), reason)
        await expectVerified(begun, await present(begun, await mdocAgeOf(mdocPerson, begun.request)))
      },
    )

    it('verifies after the request_uri was fetched twice, by POST and by GET, with the same request each time', async () => {
      const begun = await beginIn(protocol)
      const { uri } = begun.session.wallet_request
      const again = await stage.service.wallet.receive(uri, { protocol, getOnly: true })
      const lastingMembers = ({ nonce, state, client_metadata }: typeof again.payload) => ({
        nonce,
        state,
        client_metadata,
      })
      expect(lastingMembers(again.payload)).toEqual(lastingMembers(begun.request.payload))
      await expectVerified(begun, await present(begun, await sdJwtVc(begun)))
    })

    it('verifies if the wallet_nonce is in standard base64, which the request returns unchanged', async () => {
      const session = await rp.create({ ...OVER_18, protocol })
      const walletNonce = '+/+/AAECAwQFBgcICQoLDA=='
      const request = await stage.service.wallet.receive(session.wallet_request.uri, {
        protocol,
        walletNonce,
      })
      expect(request.payload).toMatchObject({ wallet_nonce: walletNonce })
      const begun = { session, request }
      await expectVerified(begun, await present(begun, await sdJwtVc(begun)))
    })

    it('verifies with random apu and apv', async () => {
      const begun = await beginIn(protocol)
      const { state, response_uri, client_metadata } = begun.request.payload
      const parameters = { vp_token: await sdJwtVc(begun), state }
      const response = await encryptResponse(parameters, client_metadata.jwks!.keys[0]!)
      const body = new URLSearchParams({ response })
      await expectVerified(begun, await stage.service.fetch(response_uri, { method: 'POST', body }))
    })
  },
)
